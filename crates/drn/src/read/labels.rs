//! Lists of labels.

use super::words::{Words, text};
use crate::error::{Checked, ErrorKind, Fault};
use parse_error::{OutOfMemory, push};
use std::collections::HashSet;

/// Reads the labels up to the end of the line. Duplicates are dropped.
pub(super) fn read_labels<'i>(words: &mut Words<'i>, labels: &mut Vec<&'i str>) -> Checked<()> {
    while !words.rest().is_empty() {
        push(labels, label(words)?)?;
    }
    Ok(drop_repeated(labels)?)
}

/// Removes duplicates, and keeps the first of equal labels.
fn drop_repeated(labels: &mut Vec<&str>) -> Result<(), OutOfMemory> {
    if labels.len() > 1 {
        let mut seen = HashSet::new();
        let bytes = size_of_val(labels.as_slice()) as u64;
        let room = seen.try_reserve(labels.len());
        room.map_err(|_| OutOfMemory { bytes })?;
        labels.retain(|label| seen.insert(*label));
    }
    Ok(())
}

/// Reads a label: a word, or a text in quotation marks.
fn label<'i>(words: &mut Words<'i>) -> Checked<&'i str> {
    let quoted = words.rest().starts_with(b"\"");
    let (place, name) = match quoted {
        true => words.up_to(b'"', "`\"`")?,
        false => words.word(),
    };
    if name.starts_with(b"[") {
        let fault = Fault::new(place, ErrorKind::Syntax);
        return Err(fault.expecting("a label; rewards stand before the labels"));
    }
    let name = if quoted {
        &name[1..name.len() - 1]
    } else {
        name
    };
    match name {
        b"" => Err(Fault::new(place, ErrorKind::EmptyLabel)),
        name => text(place, name),
    }
}
