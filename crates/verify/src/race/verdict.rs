//! [`Verdict`]: what is known of a buffer that a kernel writes without atomic operations.

use crate::Place;

/// What is known of a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No two invocations race.
    Free,
    /// The kernel declares that places are disjoint: the solver was not asked.
    Declared,
    /// Two invocations may race.
    Open(Box<Witness>),
}

/// Two accesses that may be to the same element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// The invocations: workgroup and number within it.
    pub invocations: [String; 2],
    /// The lines, that of a write first.
    pub places: [Place; 2],
}
