//! Divides the states into chunks that can be read independently. Each chunk begins with a line
//! that starts with the word `state`.

use std::ops::Range;

/// Divides `input[body..]` into chunks of about `chunk_bytes`. Only the text after the cuts is
/// read.
pub(super) fn chunks(input: &[u8], body: usize, chunk_bytes: usize) -> Vec<Range<usize>> {
    let finder = memchr::memmem::Finder::new(b"\nstate ");
    let mut chunks = Vec::new();
    let mut start = body;
    loop {
        let from = start.saturating_add(chunk_bytes.max(1));
        let cut = input.get(from..).and_then(|rest| finder.find(rest));
        let Some(length) = cut else {
            chunks.push(start..input.len());
            return chunks;
        };
        let end = from + length + 1;
        chunks.push(start..end);
        start = end;
    }
}
