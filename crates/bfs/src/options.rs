//! What a caller can ask of a search.

use decompose::{Device, Observer};

/// How a GPU searches. The CPU has one search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Search {
    /// Level by level, with a queue of the states of each level.
    #[default]
    Levels,
    /// An invocation for each vertex, which relaxes its edges (J. Smits, 2020, section 4.1).
    Vertex(Flags),
    /// An invocation for each edge, which it relaxes (J. Smits, 2020, section 4.2).
    Edge(Flags),
}

/// How many arrays of flags say which vertices are looked at (J. Smits, 2020, sections 4.2 to 4.5;
/// `shaders/bfs/lib/relax.wgsl`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Flags {
    /// None: all vertices are looked at in every iteration.
    #[default]
    None,
    /// One: those whose cost was ever lowered.
    One,
    /// Two: those whose cost was lowered in the iteration before. A pass of its own moves the
    /// flags.
    Two,
    /// Three: the same; the arrays take turns.
    Three,
}

impl Flags {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::None, Self::One, Self::Two, Self::Three];

    /// How many arrays there are.
    pub fn count(self) -> u32 {
        self as u32
    }
}

/// How to search.
#[derive(Clone, Default)]
pub struct Options<'a> {
    /// The algorithm, on a GPU.
    pub search: Search,
    /// What computes. Of the options of a GPU, those that choose the adapter matter here.
    pub device: Device,
    /// Who watches.
    pub observer: &'a dyn Observer,
}
