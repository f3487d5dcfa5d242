//! The options of a search.

use decompose::{Device, Observer};

/// The search on a GPU. The CPU has a single search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DistanceSearch {
    /// Level by level, with a queue of states.
    #[default]
    Levels,
    /// An invocation for each vertex, which relaxes its edges (J. Smits, 2020, section 4.1).
    Vertex(Flags),
    /// An invocation for each edge, which it relaxes (J. Smits, 2020, section 4.2).
    Edge(Flags),
}

/// The number of arrays of flags that select the vertices to be visited (J. Smits, 2020, sections
/// 4.2 to 4.5; `shaders/bfs/lib/relax.wgsl`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Flags {
    /// None: each iteration visits all vertices.
    #[default]
    None,
    /// One: an iteration visits the vertices whose cost was lowered at some time.
    One,
    /// Two: an iteration visits the vertices whose cost was lowered in the previous iteration. A
    /// separate pass moves the flags.
    Two,
    /// Three: as with two, but the arrays take turns.
    Three,
}

impl Flags {
    /// All values.
    pub const ALL: [Self; 4] = [Self::None, Self::One, Self::Two, Self::Three];

    /// Returns the number of arrays.
    pub fn count(self) -> u32 {
        self as u32
    }
}

/// The options of a search.
#[derive(Clone, Default)]
pub struct Options<'a> {
    /// The algorithm, on a GPU.
    pub search: DistanceSearch,
    /// The device. Of the options of a GPU, only those that select the adapter have an effect.
    pub device: Device,
    /// The observer.
    pub observer: &'a dyn Observer,
}
