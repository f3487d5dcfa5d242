//! Divides the body of a transitions file into chunks that can be read independently. Chunks end
//! where the source state changes, so that no choice is divided.

use crate::grammar;

/// A part of the input. If the file is valid, no other chunk has the same states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Chunk {
    pub(super) start: usize,
    pub(super) end: usize,
    /// The source state of the last data line before the chunk.
    pub(super) previous: Option<u32>,
}

/// Divides `input[body..]` into chunks of about `chunk_bytes`. Consecutive lines with the same
/// source state stay together. Only the lines near the cuts are read.
pub(super) fn chunks(input: &[u8], body: usize, chunk_bytes: usize) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    let mut open = Chunk {
        start: body,
        end: input.len(),
        previous: None,
    };
    while let Some((end, previous)) = next_cut(input, open.start.saturating_add(chunk_bytes.max(1)))
    {
        chunks.push(Chunk { end, ..open });
        open = Chunk {
            start: end,
            end: input.len(),
            previous: Some(previous),
        };
    }
    chunks.push(open);
    chunks
}

/// Returns the start of a line after `from` whose source state differs from that of the data line
/// before it, and the state of that earlier line. The first line after `from` is skipped.
fn next_cut(input: &[u8], from: usize) -> Option<(usize, u32)> {
    let newline = memchr::memchr(b'\n', input.get(from..)?)?;
    let mut previous = None;
    for line in grammar::lines(input, from + newline + 1) {
        let source = grammar::source_of(line.text);
        match (previous, source) {
            (Some(previous), Some(source)) if source != previous => {
                return Some((line.start, previous));
            }
            (_, Some(_)) => previous = source,
            (_, None) => {}
        }
    }
    None
}
