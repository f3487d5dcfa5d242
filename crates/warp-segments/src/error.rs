//! [`LayoutError`]: the reason why a graph cannot be laid out, and the limits of a layout.

use mdp_graph::StateId;

/// The maximum number of states of a layout. A word contains the number of a state and three bits
/// for marks, two numbers are special, and `n + 1` offsets must fit a binding of 2 GiB.
pub const MAX_STATES: u64 = (1 << 29) - 2;

/// The maximum number of entries of a layout, including padding: offsets, including the end, are
/// words.
pub const MAX_ENTRIES: u64 = u32::MAX as u64;

/// The reason why a graph cannot be laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    /// There are more states than [`MAX_STATES`].
    #[error("the graph has {states} states, but at most {MAX_STATES} fit a device's layout")]
    TooManyStates {
        /// The number of states.
        states: u64,
    },
    /// There are more entries than [`MAX_ENTRIES`].
    #[error(
        "the graph has {entries} edges with padding, but at most {MAX_ENTRIES} fit a device's layout"
    )]
    TooManyEntries {
        /// The number of entries, including padding.
        entries: u64,
    },
    /// The width of segments is not one of [`LANES`](crate::LANES).
    #[error("segments of {lanes} lanes were asked for, but they have 4 to 128")]
    Lanes {
        /// The requested width.
        lanes: u32,
    },
    /// Rows that must stay together are larger than a shard may be.
    #[error(
        "the edges of states {first} to {last} take {entries} entries, but a shard holds at most {limit}"
    )]
    ShardTooSmall {
        /// The first of the states, by its number in the layout.
        first: StateId,
        /// The last of the states.
        last: StateId,
        /// The number of their entries, including padding.
        entries: u64,
        /// The maximum number of entries of a shard.
        limit: u64,
    },
}
