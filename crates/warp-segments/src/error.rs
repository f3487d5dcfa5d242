//! Why a graph cannot be laid out, and the limits of a layout.

use mdp_graph::StateId;

/// The most states of a layout: a word numbers a state and keeps three bits for marks, two numbers
/// are special, and `n + 1` offsets must fit a binding of 2 GiB.
pub const MAX_STATES: u64 = (1 << 29) - 2;

/// The most entries of a layout, padding included: `offsets` holds positions and the end in words.
pub const MAX_ENTRIES: u64 = u32::MAX as u64;

/// Why a graph cannot be laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    /// More than [`MAX_STATES`].
    #[error("the graph has {states} states, but at most {MAX_STATES} fit a device's layout")]
    TooManyStates {
        /// The number of them.
        states: u64,
    },
    /// More than [`MAX_ENTRIES`].
    #[error(
        "the graph has {entries} edges with padding, but at most {MAX_ENTRIES} fit a device's layout"
    )]
    TooManyEntries {
        /// How many there are, padding included.
        entries: u64,
    },
    /// A width that is not one of [`LANES`](crate::LANES).
    #[error("segments of {lanes} lanes were asked for, but they have 4 to 128")]
    Lanes {
        /// What was asked for.
        lanes: u32,
    },
    /// Rows that must stay together are larger than a shard may be.
    #[error(
        "the edges of states {first} to {last} take {entries} entries, but a shard holds at most {limit}"
    )]
    ShardTooSmall {
        /// The first of the states, as renumbered.
        first: StateId,
        /// The last of them.
        last: StateId,
        /// What they take, padding included.
        entries: u64,
        /// What there is room for.
        limit: u64,
    },
}
