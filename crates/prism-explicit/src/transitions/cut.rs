//! Cuts the body of a transitions file into chunks that can be read independently, at line ends
//! where the source state changes, so that no choice is cut.

use crate::grammar;

/// A stretch of the input whose states no other chunk has, if the file is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Chunk {
    pub(super) start: usize,
    pub(super) end: usize,
    /// The source state of the last data line before the chunk.
    pub(super) previous: Option<u32>,
}

/// Cuts `input[body..]` into chunks of about `chunk_bytes`. A longer run of lines with one source
/// state stays whole. Looks at the lines near the cuts only.
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

/// The first line start after `from`, but one line, whose source state is not that of the data
/// line before it, and the state of that line.
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
