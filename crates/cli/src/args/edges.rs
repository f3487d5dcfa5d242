//! The option that selects the edges of an interval model.

use clap::ValueEnum;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum IntervalEdges {
    /// Those that stay whatever probabilities nature picks within the intervals: nature may oppose
    /// the player
    Possible,
    /// Those that stay for some probabilities that nature can pick within the intervals: nature
    /// helps the player
    Certain,
}
