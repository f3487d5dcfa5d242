//! Aldebaran files: read in chunks of whole lines, on all threads.

mod exact;
mod fractions;
mod grammar;
mod write;

pub use fractions::has_fraction;
pub(crate) use grammar::{Header, header};
pub(crate) use write::write_label;
pub use write::{AutBlock, AutWriter};

use crate::error::{BOM, Checked, Error, ErrorKind, Fault, Span, check_encoding, locate};
use crate::lts::{Listed, Lts, Names};
use crate::options::ReadOptions;
use crate::tokens::{finish, is_blank};
use parse_error::{OutOfMemory, STATE_SLACK, reserve_exact};
use rayon::prelude::*;

/// The number of lines between two checks of the interrupt.
const LINES_PER_LOOK: usize = 1 << 12;

/// Reads an Aldebaran file into memory.
///
/// Parses on the threads of the current [`rayon`] pool.
///
/// # Errors
///
/// The error with the earliest position in the text. If the number of transitions is not that in
/// the header, this is found last.
pub fn read_aut(input: &[u8], options: &ReadOptions<'_>) -> Result<Lts, Error> {
    read(input, options).map_err(|fault| locate(*fault, input))
}

fn read(input: &[u8], options: &ReadOptions<'_>) -> Checked<Lts> {
    check_encoding(input)?;
    let start = if input.starts_with(BOM) { BOM.len() } else { 0 };
    let (line, body) = first_line(input, start)?;
    let (_, header) = finish(header(&input[line.clone()], true), line.end)?;
    let num_states = check_states(&header, &input[line.clone()], line.start, input, options)?;
    options.advance(body)?;
    let cuts = cuts(input, body, options.chunk_bytes.max(1));
    let chunks: Vec<Checked<Chunk<'_>>> = cuts
        .par_windows(2)
        .map(|cut| Chunk::read(input, cut[0]..cut[1], num_states, options))
        .collect();
    // The results are joined in order, so that the first error is reported.
    let chunks: Vec<Chunk<'_>> = chunks.into_iter().collect::<Checked<_>>()?;
    let found = chunks.iter().map(|chunk| chunk.listed.sources.len() as u64);
    let found: u64 = found.sum();
    if found != header.num_transitions.value {
        let kind = ErrorKind::CountMismatch {
            header: header.num_transitions.value,
            found,
        };
        return Err(Fault::new(header.num_transitions.span(line.end), kind));
    }
    Ok(join(num_states, header.initial, chunks)?)
}

/// Returns the range of the first line that is not blank, and the start of the next line.
fn first_line(input: &[u8], start: usize) -> Checked<(std::ops::Range<usize>, usize)> {
    let blank = input[start..]
        .iter()
        .take_while(|&&byte| is_blank(byte) || byte == b'\n');
    let start = start + blank.count();
    if start == input.len() {
        let place = Span {
            offset: start,
            length: 0,
        };
        return Err(Fault::new(place, ErrorKind::Truncated).expecting("`des`"));
    }
    let end = memchr::memchr(b'\n', &input[start..]).map_or(input.len(), |at| start + at);
    Ok((start..end, (end + 1).min(input.len())))
}

/// Returns the number of states in a header, if memory may be allocated for it.
fn check_states(
    header: &Header,
    line: &[u8],
    line_start: usize,
    input: &[u8],
    options: &ReadOptions<'_>,
) -> Checked<u32> {
    let claimed = u64::from(header.num_states.value);
    let (most, bytes) = (u64::from(options.max_states), input.len() as u64);
    let limit = bytes + STATE_SLACK;
    let kind = if claimed > most {
        ErrorKind::TooManyStates {
            claimed,
            limit: most,
        }
    } else if claimed > limit {
        ErrorKind::UnbackedStates {
            claimed,
            bytes,
            limit,
        }
    } else {
        return Ok(header.num_states.value);
    };
    let place = header.num_states.span(line_start + line.len());
    Err(Fault::new(place, kind))
}

/// Returns the positions at which the text is divided into chunks of whole lines. The first and the
/// last are its ends.
fn cuts(input: &[u8], start: usize, bytes: usize) -> Vec<usize> {
    let mut cuts = vec![start];
    let mut at = start;
    while let Some(newline) = input
        .get(at.saturating_add(bytes)..)
        .and_then(|rest| memchr::memchr(b'\n', rest))
    {
        at += bytes + newline + 1;
        cuts.push(at);
    }
    cuts.push(input.len());
    cuts
}

/// The transitions in some lines of the text.
struct Chunk<'a> {
    listed: Listed,
    names: Names<'a>,
}

impl<'a> Chunk<'a> {
    fn read(
        input: &'a [u8],
        range: std::ops::Range<usize>,
        num_states: u32,
        options: &ReadOptions<'_>,
    ) -> Checked<Self> {
        let mut chunk = Self {
            listed: Listed::default(),
            names: Names::default(),
        };
        let (mut at, mut told) = (range.start, range.start);
        let mut until_look = LINES_PER_LOOK;
        while at < range.end {
            let length = memchr::memchr(b'\n', &input[at..range.end]).unwrap_or(range.end - at);
            chunk.line(&input[at..at + length], at + length, num_states)?;
            at = (at + length + 1).min(range.end);
            until_look -= 1;
            if until_look == 0 {
                options.advance(at - told)?;
                (told, until_look) = (at, LINES_PER_LOOK);
            }
        }
        options.advance(at - told)?;
        Ok(chunk)
    }

    /// Adds the transition in a line that ends at `end`. Blank lines have no transition.
    fn line(&mut self, line: &'a [u8], end: usize, num_states: u32) -> Checked<()> {
        if line.iter().all(|&byte| is_blank(byte)) {
            return Ok(());
        }
        let (_, transition) = finish(grammar::transition_line(line, num_states), end)?;
        self.listed.make_room(transition.branches.len())?;
        self.names.make_room()?;
        self.listed.sources.push(transition.source);
        self.listed.labels.push(self.names.number(transition.label));
        match &transition.branches[..] {
            [] => self.listed.branches.push(transition.target),
            branches => self.listed.branches.push_distribution(branches),
        }
        Ok(())
    }
}

/// Joins chunks, and replaces the numbers of their labels by common ones.
fn join(
    num_states: u32,
    initial: Vec<(u32, f64)>,
    chunks: Vec<Chunk<'_>>,
) -> Result<Lts, OutOfMemory> {
    let mut names = Names::default();
    let mut parts = Vec::with_capacity(chunks.len());
    for Chunk {
        mut listed,
        names: own,
    } in chunks
    {
        let mut numbers: Vec<u32> = Vec::new();
        reserve_exact(&mut numbers, own.list.len())?;
        for name in own.list {
            names.make_room()?;
            numbers.push(names.number(name));
        }
        for label in &mut listed.labels {
            *label = numbers[*label as usize];
        }
        parts.push(listed);
    }
    let names = names.into_owned()?;
    Lts::check_room(num_states, &parts)?;
    Ok(Lts::new(num_states, initial, names, &parts))
}
