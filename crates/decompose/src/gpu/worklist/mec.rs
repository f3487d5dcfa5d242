//! Maximal end components by the worklist engine: the same loop, in rounds, between which choices
//! are removed.
//!
//! This file reads the answer. The device decides which choices are removed
//! (`shaders/worklist/lib/mec_rounds.wgsl`). `docs/algorithms.md`, "MECs on a GPU", says why that
//! is right.

use super::state::UNDECIDED;
use ::gpu::kernels::worklist::{DONE, END_COMPONENT, NAME};
use mdp_graph::Components;

/// Returns the mark of a state, given its word in `regions`: the name of its maximal end component,
/// [`Components::NONE`] if it is in none, or [`UNDECIDED`].
pub(super) fn mark(word: u32) -> u32 {
    match word & NAME {
        NAME => Components::NONE,
        name if word & (DONE | END_COMPONENT) == DONE | END_COMPONENT => name,
        _ => UNDECIDED,
    }
}
