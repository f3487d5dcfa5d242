//! The marks that searches for places leave at states.

/// The mark of a state in no component that is not visited.
pub(super) const UNVISITED: u32 = 0;

/// The mark of a state of a component that no search has come to.
pub(super) const UNVISITED_MEMBER: u32 = 1;

/// The mark of a state that is visited and not placed.
pub(super) const VISITED: u32 = 2;

/// The mark of a state at position 0; that of one at position p is p more.
pub(super) const FIRST: u32 = 3;
