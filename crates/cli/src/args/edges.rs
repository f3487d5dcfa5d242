//! Which edges of an interval model count.

use clap::ValueEnum;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum IntervalEdges {
    /// All edges that nature can take: it may oppose
    Possible,
    /// Those that nature has to take: it helps
    Certain,
}
