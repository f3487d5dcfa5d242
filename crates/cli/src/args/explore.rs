//! What can be said to `maxend explore`.

use super::{ExploringArgs, ModelArgs, To};
use clap::builder::NonEmptyStringValueParser as NonEmpty;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct ExploreArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) on: ExploringArgs,
    /// Look for this; may be given several times
    #[arg(long, value_name = "PROPERTY")]
    pub(crate) check: Vec<Check>,
    /// Look for a transition with this action: the whole label
    #[arg(long, value_name = "ACTION", value_parser = NonEmpty::new())]
    pub(crate) find_action: Option<String>,
    /// Look for a state in which this expression of PRISM's language is true (.prism)
    #[arg(long, value_name = "EXPRESSION", value_parser = NonEmpty::new())]
    pub(crate) find: Option<String>,
    /// Prove that these are the states and transitions: compute the successors of each state once
    /// more, and compare, with code that shares nothing with the search
    #[arg(long)]
    pub(crate) certify: bool,
    /// Write the state space: one file Y.umb, Y.drn or Y.aut, or Y.tra with Y.sta and Y.lab beside
    /// it; compressed if the name ends in .gz
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// The format to write [default: by the name of OUT: umb for .umb, drn for .drn, aut for .aut,
    /// prism for .tra]
    #[arg(long, value_name = "FORMAT", requires = "output")]
    pub(crate) to: Option<To>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Check {
    /// A state without a transition
    Deadlock,
    /// A cycle of internal actions: `i` and `tau` in LTSs, commands without an action in programs
    Livelock,
}
