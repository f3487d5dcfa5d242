//! The option that selects the edges of an interval model.

use clap::ValueEnum;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum IntervalEdges {
    /// All edges that nature can take: it may oppose the player
    Possible,
    /// The edges that nature has to take: it helps the player
    Certain,
}
