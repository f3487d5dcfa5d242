//! The index of labels that several workers have written in parts, as JSON.

use crate::indented;
use crate::schema::Schema;
use serde::Serialize;
use std::io::{self, Write};

/// The version of the JSON schema.
const SCHEMA_VERSION: u32 = 1;

/// A file with the labels of the states of one worker.
#[derive(Clone, Debug, Serialize)]
pub struct LabelPart {
    /// Its name, beside the index.
    pub file: String,
    /// The process that wrote it.
    pub process: u64,
    /// The address of that process.
    pub host: String,
    /// The first state.
    pub first_state: u64,
    /// The number of states.
    pub states: u64,
    /// The size of the file.
    pub bytes: u64,
}

/// Writes the index. The parts are in the order of their states.
///
/// # Errors
/// Those of `out`.
pub fn write_label_parts(
    out: &mut dyn Write,
    parts: &[LabelPart],
    version: &str,
) -> io::Result<()> {
    let document = Document {
        schema: Schema::new("maxend-label-parts", SCHEMA_VERSION, version),
        states: parts.iter().map(|part| part.states).sum(),
        parts,
    };
    indented::write(out, 2, &document)
}

#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    schema: Schema<'a>,
    states: u64,
    parts: &'a [LabelPart],
}
