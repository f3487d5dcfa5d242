//! The option that selects the edges of an interval model.

use clap::ValueEnum;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum IntervalEdges {
    /// Those by which nature cannot leave the component: nature may oppose the player
    Possible,
    /// Those by which nature can stay in the component: nature helps the player
    Certain,
}
