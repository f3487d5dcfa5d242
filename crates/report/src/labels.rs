//! `labels`: a line a state, for programs.

use crate::number::push_decimal;
use mdp_graph::{Components, StateId};
use std::io::{self, Write};

/// How many bytes are gathered before they are handed on.
const BLOCK: usize = 1 << 16;

/// Writes a line for each state: the smallest state of its component, or -1 if it is in none.
///
/// # Errors
/// Those of `out`.
pub fn write_labels(out: &mut dyn Write, components: &Components) -> io::Result<()> {
    let mut text = Vec::with_capacity(BLOCK + 16);
    for state in (0..components.num_states()).map(StateId::from_index) {
        match components.label(state) {
            Some(label) => push_decimal(&mut text, label.0),
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
