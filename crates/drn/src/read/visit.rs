//! Reads a whole file: reads its chunks in parallel, merges their results, and makes the checks
//! that need the whole file.

use super::chunk::{ChunkReader, Totals, check_order};
use super::cut;
use super::header::{self, Opening};
use super::visitor::Visitor;
use crate::error::{Checked, Error, ErrorKind, Fault};
use crate::options::ReadOptions;
use crate::parts::Header;
use parse_error::read_chunks;
use std::ops::Range;

/// The size of a chunk, so that its visitor can reserve memory in proportion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChunkInfo {
    /// The index of the chunk, from 0, in the order of the file.
    pub index: usize,
    /// The number of bytes in the chunk.
    pub bytes: usize,
}

/// The result of reading a file: its header, its counts, and the visitors of its chunks.
#[derive(Debug, Clone, PartialEq)]
pub struct Visited<V> {
    /// The header.
    pub header: Header,
    /// The number of states that have no choice.
    pub num_deadlocks: u64,
    /// The number of choices of all states.
    pub num_choices: u64,
    /// The number of branches of all choices, without those with value 0.
    pub num_branches: u64,
    /// The number of branches that were dropped because their value is 0.
    pub dropped_zero_branches: u64,
    /// The visitors, in the order of the file.
    pub chunks: Vec<V>,
}

/// Reads a file in parallel on the current rayon thread pool.
///
/// `make_visitor` is called once for each chunk. Each chunk consists of whole states, in ascending
/// order.
///
/// # Errors
///
/// The error with the earliest position in the file, independently of chunks and threads. Counts
/// that disagree with the header are checked last.
pub fn visit<V: Visitor>(
    input: &[u8],
    options: &ReadOptions<'_>,
    make_visitor: impl Fn(&Header, ChunkInfo) -> V + Sync,
) -> Result<Visited<V>, Error> {
    visit_chunks(input, options, make_visitor).map_err(|fault| fault.locate(input))
}

/// Reads the header alone.
///
/// # Errors
///
/// The error with the earliest position in the header.
pub fn read_header(input: &[u8], options: &ReadOptions<'_>) -> Result<Header, Error> {
    let opening = header::open(input, options);
    let header = opening.map(|opening| opening.header);
    header.map_err(|fault| fault.locate(input))
}

fn visit_chunks<V: Visitor>(
    input: &[u8],
    options: &ReadOptions<'_>,
    make_visitor: impl Fn(&Header, ChunkInfo) -> V + Sync,
) -> Checked<Visited<V>> {
    let opening = header::open(input, options)?;
    options.advance(opening.body)?;
    let chunks = cut::chunks(input, opening.body, options.chunk_bytes);
    let read = |index, chunk: Range<usize>| {
        let bytes = chunk.len();
        let visitor = make_visitor(&opening.header, ChunkInfo { index, bytes });
        let mut reader = ChunkReader::new(input, &opening, options, visitor);
        let outcome = reader.read(chunk);
        (outcome, reader.into_parts())
    };
    let results = read_chunks(chunks, read, |(outcome, _)| outcome.is_err());
    let mut all = Totals::default();
    let mut visitors = Vec::with_capacity(results.len());
    for (outcome, (totals, visitor)) in results {
        if let Some((first, place)) = totals.first {
            check_order(all.states, first, place)?;
        }
        outcome?;
        all.add(&totals);
        visitors.push(visitor);
    }
    check_counts(&opening, &all)?;
    Ok(Visited {
        header: opening.header,
        num_deadlocks: all.deadlocks,
        num_choices: all.choices,
        num_branches: all.branches,
        dropped_zero_branches: all.zero_branches,
        chunks: visitors,
    })
}

/// Compares the counts in the header with those of the model.
fn check_counts(opening: &Opening<'_>, found: &Totals) -> Checked<()> {
    let header = &opening.header;
    let mismatch = |what, header, found| ErrorKind::CountMismatch {
        what,
        header,
        found,
    };
    if found.states != header.num_states.into() {
        let kind = mismatch("state", header.num_states.into(), found.states);
        return Err(Fault::new(opening.states_place, kind));
    }
    match header.num_choices {
        Some(choices) if choices != found.choices && choices != found.choices + found.deadlocks => {
            let kind = mismatch("choice", choices, found.choices);
            Err(Fault::new(opening.choices_place, kind))
        }
        _ => Ok(()),
    }
}

impl Totals {
    fn add(&mut self, other: &Self) {
        self.states += other.states;
        self.choices += other.choices;
        self.branches += other.branches;
        self.deadlocks += other.deadlocks;
        self.zero_branches += other.zero_branches;
    }
}
