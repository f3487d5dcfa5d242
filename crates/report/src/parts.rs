//! The index of a result that several workers wrote in parts, as JSON.

use crate::indented;
use crate::schema::Schema;
use serde::Serialize;
use std::io::{self, Write};

/// The version of the JSON schemas.
const SCHEMA_VERSION: u32 = 1;

/// The contents of the parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartsOf {
    /// Labels.
    Labels,
    /// An archive in the Unified Markov Binary format.
    Umb,
}

/// A file with the part of a result that one worker wrote.
#[derive(Clone, Debug, Serialize)]
pub struct PartFile {
    /// The name of the file, which is in the same folder as the index.
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
    /// The CRC-32 of the decompressed contents, for archives only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crc32: Option<u32>,
}

impl PartsOf {
    /// Returns the name of the index's schema.
    #[must_use]
    pub const fn schema(self) -> &'static str {
        match self {
            Self::Labels => "maxend-label-parts",
            Self::Umb => "maxend-umb-parts",
        }
    }
}

/// Writes the index. The parts are in the order of their states.
///
/// # Errors
/// Errors of `out`.
pub fn write_parts(
    out: &mut dyn Write,
    of: PartsOf,
    parts: &[PartFile],
    version: &str,
) -> io::Result<()> {
    let document = Document {
        schema: Schema::new(of.schema(), SCHEMA_VERSION, version),
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
    parts: &'a [PartFile],
}
