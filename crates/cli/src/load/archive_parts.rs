//! The bytes of a model: those of its file or, if the file is the index of an archive in parts,
//! those of the assembled parts.

use crate::args::ModelArgs;
use crate::error::Error;
use crate::error::diagnostic::Diagnostic;
use crate::input::Input;
use crate::{in_use, memory};
use flate2::Crc;
use report::PartsOf;
use serde::Deserialize;
use std::path::Path;
use umb::Pieces;

/// The supported version of the index.
const VERSION: u32 = 1;

/// The fields of an index that are needed.
#[derive(Deserialize)]
struct Index {
    schema_version: u32,
    parts: Vec<PartFile>,
}

/// A file with a part of the archive, which one worker of a cluster has written.
#[derive(Deserialize)]
struct PartFile {
    file: String,
    process: u64,
    host: String,
    crc32: u32,
}

/// Reads the text of a model, which must not take more memory than `--max-memory`.
pub(crate) fn model_input(args: &ModelArgs) -> Result<Input, Error> {
    let input = Input::of_model(args)?;
    if !is_index(&input, PartsOf::Umb) {
        if is_index(&input, PartsOf::Labels) {
            let message = format!("{}: this is an index of labels, not a model", input.name);
            return Err(Error::wrong(message));
        }
        return Ok(input);
    }
    gather(&args.model, &input, args.builder.max_memory)
}

/// Returns whether a text is an index, by its first field.
fn is_index(text: &[u8], of: PartsOf) -> bool {
    let mut rest = text.trim_ascii_start();
    let schema = format!("\"{}\"", of.schema());
    [&b"{"[..], b"\"schema\"", b":", schema.as_bytes()]
        .into_iter()
        .all(|word| match rest.strip_prefix(word) {
            Some(behind) => {
                rest = behind.trim_ascii_start();
                true
            }
            None => false,
        })
}

/// Assembles the parts that an index names.
fn gather(path: &Path, index: &Input, max_memory: Option<u64>) -> Result<Input, Error> {
    let wrong = |what: &str| Error::of_file(&index.name, what);
    let read: Index = serde_json::from_slice(index).map_err(|error| {
        wrong(&format!(
            "the index of an archive in parts is damaged: {error}"
        ))
    })?;
    if read.schema_version != VERSION {
        let version = read.schema_version;
        return Err(wrong(&format!(
            "an index of version {version}: expected version {VERSION}"
        )));
    }
    let inputs = read.parts.iter().map(|part| read_part(path, part));
    let inputs: Vec<Input> = inputs.collect::<Result<_, _>>()?;
    let bytes: u64 = inputs.iter().map(|input| input.len() as u64).sum();
    let (limit, why) = memory::limit(max_memory);
    if bytes > limit {
        let parts = report::counted(bytes, "byte", "bytes");
        let message = format!(
            "{}: its parts have {parts}, of which {limit} fit",
            index.name
        );
        return Err(Diagnostic::new(message).note(why).into());
    }
    let mut pieces = Pieces::default();
    for input in &inputs {
        let damaged = |error| Error::from(Diagnostic::archive(input, &error));
        pieces.push(input).map_err(damaged)?;
    }
    let mut whole = Vec::with_capacity(bytes as usize);
    let written = pieces.write(&mut whole);
    written.map_err(|error| wrong(&error.to_string()))?;
    Ok(Input::from_parts(&index.name, whole))
}

/// Reads a part, which is beside the index.
fn read_part(index: &Path, part: &PartFile) -> Result<Input, Error> {
    let is_name = Path::new(&part.file).file_name() == Some(part.file.as_ref());
    if !is_name {
        let (index, file) = (index.display(), &part.file);
        let message = format!("{index}: {file} is no name of a file beside it");
        return Err(Error::wrong(message));
    }
    let path = index.with_file_name(&part.file);
    let from = format!("process {} at {} wrote it", part.process, part.host);
    if !path.exists() {
        let message = format!(
            "{} is missing, a part of {}",
            path.display(),
            index.display()
        );
        let note = format!("{from}: all parts have to be beside the index");
        return Err(Diagnostic::new(message).note(note).into());
    }
    in_use::reads("a part of the model", &path)?;
    let input = Input::read(&path)?;
    let mut crc = Crc::new();
    crc.update(&input);
    if crc.sum() != part.crc32 {
        let message = format!(
            "{} is not the part that {} names: its CRC-32 is {:08x}, not {:08x}",
            path.display(),
            index.display(),
            crc.sum(),
            part.crc32
        );
        return Err(Diagnostic::new(message).note(from).into());
    }
    Ok(input)
}

#[cfg(test)]
mod tests {
    use super::is_index;
    use report::PartsOf;

    #[test]
    fn an_index_is_recognised_by_its_schema() {
        for (text, expected) in [
            ("{\n  \"schema\": \"maxend-umb-parts\",\n", true),
            (" {\"schema\":\"maxend-umb-parts\"}", true),
            ("{ \"schema\": \"maxend-label-parts\" }", false),
            ("{ \"jani-version\": 1 }", false),
            ("{ \"schema\": ", false),
            ("", false),
        ] {
            assert_eq!(is_index(text.as_bytes(), PartsOf::Umb), expected, "{text}");
        }
    }
}
