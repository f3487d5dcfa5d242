//! A line with a number for each state, for programs.

use crate::blocks;
use crate::number::push_decimal;
use mdp_graph::{Components, StateId};
use std::io::{self, Write};
use std::ops::Range;

/// The number of lines that a thread makes at a time: up to 180 kB of text.
const LINES: usize = 1 << 14;

/// Writes a line for each state: the smallest state of its component, or -1 if it is in none.
///
/// # Errors
/// Errors of `out`.
pub fn write_labels(out: &mut dyn Write, components: &Components) -> io::Result<()> {
    let label = |state| components.smallest_of(StateId::from_index(state));
    let label = |state| label(state).map(|smallest| smallest.0);
    write_lines(out, components.num_states(), label)
}

/// Writes a line for each state: the state that represents it in a quotient.
///
/// # Errors
/// Errors of `out`.
pub fn write_state_map(out: &mut dyn Write, states: &[StateId]) -> io::Result<()> {
    write_lines(out, states.len(), |state| Some(states[state].0))
}

/// Writes `len` lines with a number each, or with -1 if there is none.
pub(crate) fn write_lines(
    out: &mut dyn Write,
    len: usize,
    number: impl Fn(usize) -> Option<u32> + Sync,
) -> io::Result<()> {
    blocks::write(out, 0..len, LINES, |text, lines| {
        push_lines(text, lines, &number);
        Ok(())
    })
}

fn push_lines(text: &mut Vec<u8>, lines: Range<usize>, number: impl Fn(usize) -> Option<u32>) {
    for line in lines {
        match number(line) {
            Some(number) => push_decimal(text, number),
            None => text.extend_from_slice(b"-1"),
        }
        text.push(b'\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_many_blocks_are_written_in_order() -> io::Result<()> {
        for len in [0, 1, LINES, LINES + 1, 20 * LINES + 1] {
            let number = |line: usize| (!line.is_multiple_of(3)).then_some(line as u32);
            let mut text = Vec::new();
            write_lines(&mut text, len, number)?;
            let line = |i| number(i).map_or("-1\n".to_owned(), |number| format!("{number}\n"));
            let expected: String = (0..len).map(line).collect();
            assert!(text == expected.as_bytes(), "{len} lines");
        }
        Ok(())
    }
}
