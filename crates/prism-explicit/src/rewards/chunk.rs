//! The lines of a part of a rewards file. Most have the form that programs write: single blanks
//! between plain numbers. All others are left to the grammar (`tests::both_paths_agree`).

use std::ops::Range;

use model_type::Reward;
use parse_error::push;

use crate::error::{Checked, ErrorKind, Fault, Span};
use crate::fast;
use crate::grammar::{self, Line, Token};
use crate::line_file::{LineFile, check_room_for_words};

/// The names of the indices of a line, for each number of indices.
const NAMES: [&[&str]; 3] = [
    &["a state"],
    &["a source state", "a target state"],
    &["a source state", "a choice index", "a target state"],
];

/// The indices of a line, the first and last of which are states, and its reward.
pub(super) type Entry<const N: usize> = ([u32; N], Reward);

/// The lines of a part of the text.
pub(super) struct Chunk<const N: usize> {
    /// The bytes of the text.
    pub(super) range: Range<usize>,
    pub(super) entries: Vec<Entry<N>>,
    /// The fault that ended reading, after these entries.
    pub(super) fault: Option<Box<Fault>>,
}

/// The number of bytes between two checks of the interrupt.
const PIECE: usize = 1 << 18;

impl<const N: usize> Chunk<N> {
    /// Reads a range of whole lines, up to the first fault.
    pub(super) fn read(file: LineFile<'_>, range: Range<usize>, num_states: u32) -> Self {
        let mut chunk = Self {
            range: range.clone(),
            entries: Vec::new(),
            fault: None,
        };
        let mut at = range.start;
        let mut read = || {
            while at < range.end {
                let (start, pause) = (at, range.end.min(at.saturating_add(PIECE)));
                while at < pause {
                    at = match fast_line(file.input, at) {
                        Some((entry, next)) if is_in_range(&entry.0, num_states) => {
                            push(&mut chunk.entries, entry)?;
                            next
                        }
                        _ => chunk.line(file, Line::at(file.input, at), num_states)?,
                    };
                }
                file.options.advance(at - start)?;
            }
            Ok(())
        };
        let outcome: Checked<()> = read();
        chunk.fault = outcome.err();
        chunk
    }

    /// Reads a line with the grammar. Returns the start of the next line.
    fn line(&mut self, file: LineFile<'_>, line: Line<'_>, num_states: u32) -> Checked<usize> {
        if line.is_idle() {
            file.check_heading(line)?;
            return Ok(line.next);
        }
        let (indices, reward) = parse::<N>(line)?;
        // The caller checks the index of the choice, because it knows the model.
        check_state(line, indices[0], num_states)?;
        check_state(line, indices[N - 1], num_states)?;
        push(
            &mut self.entries,
            (indices.map(|index| index.value), reward),
        )?;
        Ok(line.next)
    }

    /// Returns the line of an entry.
    pub(super) fn line_of<'i>(&self, input: &'i [u8], entry: usize) -> Line<'i> {
        let lines = grammar::lines(input, self.range.start);
        let mut lines = lines.filter(|line| !line.is_idle());
        lines
            .nth(entry)
            .expect("each entry has been read from a line")
    }
}

/// Parses a line with the grammar.
pub(super) fn parse<const N: usize>(line: Line<'_>) -> Checked<([Token<u32>; N], Reward)> {
    check_room_for_words(line.text)?;
    let names = NAMES[N - 1];
    let parsed = grammar::parse_line(grammar::reward_line(names), line.text, line.start);
    let (indices, reward) = parsed.map_err(|fault| grammar::note_row(fault, line.text))?;
    let indices = indices
        .try_into()
        .unwrap_or_else(|_| unreachable!("one for each name"));
    Ok((indices, reward.value))
}

/// Returns the place of an index.
pub(super) fn place(line: Line<'_>, index: Token<u32>) -> Span {
    index.span(line.text, line.start)
}

fn check_state(line: Line<'_>, state: Token<u32>, num_states: u32) -> Checked<()> {
    if state.value < num_states {
        return Ok(());
    }
    let kind = ErrorKind::StateOutOfRange {
        state: state.value,
        num_states,
    };
    let fault = Fault::new(place(line, state), kind);
    Err(fault.expecting(format!("a state below {num_states}")))
}

#[inline(always)]
fn is_in_range<const N: usize>(indices: &[u32; N], num_states: u32) -> bool {
    indices[0].max(indices[N - 1]) < num_states
}

/// Reads the line that starts at `at`. Returns it with the start of the next line.
#[inline(always)]
fn fast_line<const N: usize>(input: &[u8], mut at: usize) -> Option<(Entry<N>, usize)> {
    let mut indices = [0; N];
    for index in &mut indices {
        let (number, behind) = fast::index(input, at)?;
        *index = number;
        at = fast::only(input, behind, b' ')?;
    }
    let minus = fast::only(input, at, b'-');
    let is_end = |byte| matches!(byte, b'\n' | b'\r');
    let (number, behind) = fast::number(input, minus.unwrap_or(at), is_end)?;
    let next = match fast::only(input, behind, b'\r') {
        Some(behind) => fast::only(input, behind, b'\n')?,
        None => behind + 1,
    };
    let reward = if minus.is_some() { -number } else { number };
    Some(((indices, Reward::Decimal(reward)), next))
}
