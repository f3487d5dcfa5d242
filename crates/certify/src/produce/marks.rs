//! The marks of states in searches for places.

/// The mark of an unvisited state that is in no component.
pub(super) const UNVISITED: u32 = 0;

/// The mark of an unvisited state of a component.
pub(super) const UNVISITED_MEMBER: u32 = 1;

/// The mark of a state that is visited but not placed.
pub(super) const VISITED: u32 = 2;

/// The mark of a state at position 0. The mark of a state at position p is `FIRST + p`.
pub(super) const FIRST: u32 = 3;
