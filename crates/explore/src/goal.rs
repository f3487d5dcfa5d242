//! [`Goal`]: what is looked for in an exploration, which ends when it was found.

use std::ops::Range;

/// Something that is looked for while states are explored.
///
/// An exploration with a goal ends soon after the goal is met. What it has found by then is the
/// beginning of what it would have found otherwise: the same states with the same numbers, and the
/// choices of the first of them. Where exactly it ends depends on the sizes of batches, but a fault
/// or a limit that a sequential search would not have come to does not prevent that it ends.
pub trait Goal: Send + Sync {
    /// Looks at what was found since it was last asked. Whether the exploration may end, which it
    /// may only if everything that is looked for is among the states that are expanded, or known.
    fn is_met(&self, news: &News<'_>) -> bool;

    /// Whether it looks at packed states. If not, they may be missing from the news.
    fn needs_states(&self) -> bool;
}

/// What an exploration has found since it last told.
#[derive(Clone, Debug)]
pub struct News<'a> {
    /// The words of a packed state.
    pub words: usize,
    /// All states that are known, packed, if they are needed.
    pub states: &'a [u64],
    /// Those that became known.
    pub fresh: Range<u32>,
    /// Those that were expanded.
    pub expanded: Range<u32>,
    /// The actions of their choices in order, in pieces, if actions are known.
    pub actions: Option<Vec<&'a [u32]>>,
    /// Whether a state without a choice has been expanded, since the beginning.
    pub has_deadlock: bool,
}

impl<'a> News<'a> {
    /// The packed states with these numbers.
    pub fn packed(&self, states: &Range<u32>) -> &'a [u64] {
        let word = |state: u32| state as usize * self.words;
        &self.states[word(states.start)..word(states.end)]
    }
}
