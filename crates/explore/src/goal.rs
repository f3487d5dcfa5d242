//! [`Goal`]: a condition that ends an exploration early.

use std::ops::Range;

/// A condition that is checked while states are explored.
///
/// An exploration with a goal ends soon after the goal is met. Its result is the beginning of the
/// complete exploration: the same states with the same numbers, and the choices of the first of
/// these states. The exact end depends on the sizes of batches. But faults and limits that a
/// sequential search would meet only after the goal are ignored.
pub trait Goal: Send + Sync {
    /// Examines what was found since the last call. Returns whether the exploration may end. It may
    /// end only if everything that the goal looks for is among the expanded states, or among the
    /// known states.
    fn is_met(&self, discoveries: &Discoveries<'_>) -> bool;

    /// Returns whether the goal examines packed states. If not, [`Discoveries::states`] may be
    /// empty.
    fn needs_states(&self) -> bool;
}

/// The discoveries of an exploration since the last call.
#[derive(Clone, Debug)]
pub struct Discoveries<'a> {
    /// The number of words of a packed state.
    pub words: usize,
    /// All known states, packed, if the goal needs them.
    pub states: &'a [u64],
    /// The new states.
    pub fresh: Range<u32>,
    /// The states that were expanded.
    pub expanded: Range<u32>,
    /// The actions of the choices of the expanded states, in order and in pieces, if actions are
    /// known.
    pub actions: Option<Vec<&'a [u32]>>,
    /// Whether a state without a choice has been expanded since the beginning of the exploration.
    pub has_deadlock: bool,
}

impl<'a> Discoveries<'a> {
    /// Returns the packed states with these numbers.
    pub fn packed(&self, states: &Range<u32>) -> &'a [u64] {
        let word = |state: u32| state as usize * self.words;
        &self.states[word(states.start)..word(states.end)]
    }
}
