//! A line with a number for each state, for programs.

use crate::number::push_decimal;
use mdp_graph::{Components, StateId};
use std::io::{self, Write};

/// The number of bytes that are collected before they are written.
const BLOCK: usize = 1 << 16;

/// Writes a line for each state: the smallest state of its component, or -1 if it is in none.
///
/// # Errors
/// Errors of `out`.
pub fn write_labels(out: &mut dyn Write, components: &Components) -> io::Result<()> {
    let states = (0..components.num_states()).map(StateId::from_index);
    let label = |state| components.smallest_of(state).map(|smallest| smallest.0);
    write_lines(out, states.map(label))
}

/// Writes a line for each state: the state that represents it in a quotient.
///
/// # Errors
/// Errors of `out`.
pub fn write_state_map(out: &mut dyn Write, states: &[StateId]) -> io::Result<()> {
    write_lines(out, states.iter().map(|state| Some(state.0)))
}

/// Writes a line for each number, which is -1 if there is none.
pub(crate) fn write_lines(
    out: &mut dyn Write,
    numbers: impl Iterator<Item = Option<u32>>,
) -> io::Result<()> {
    let mut text = Vec::with_capacity(BLOCK + 16);
    for number in numbers {
        match number {
            Some(number) => push_decimal(&mut text, number),
            None => text.extend_from_slice(b"-1"),
        }
        text.push(b'\n');
        if text.len() >= BLOCK {
            out.write_all(&text)?;
            text.clear();
        }
    }
    out.write_all(&text)
}
