//! The options of `maxend quotient`.

use super::{ModelArgs, To};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct QuotientArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// Which components become states
    #[arg(long, value_name = "KIND", default_value = "mec")]
    pub(crate) components: QuotientKind,
    /// Keep this label; states that differ in it never become one state of a MEC quotient. Can be
    /// given several times [default: `init` alone, which does not keep states apart]
    #[arg(long, value_name = "LABEL")]
    pub(crate) keep: Vec<String>,
    /// Give each MEC one more choice, which leads to a new state, the last one, with the label
    /// `sink`: staying in the MEC forever
    #[arg(long)]
    pub(crate) stay: bool,
    /// Where the quotient goes: one file Y.umb, Y.drn or Y.aut, or Y.tra with Y.lab beside it;
    /// compressed if the name ends in .gz; "-" is standard output
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// The format to write [default: by the name of OUT: umb for .umb, drn for .drn, aut for .aut,
    /// prism for .tra]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<To>,
    /// Where a map of the states goes: a line a state of MODEL, with the state of the quotient that
    /// stands for it
    #[arg(long, value_name = "FILE")]
    pub(crate) map: Option<PathBuf>,
    /// Labels of states [default: those of MODEL itself, or X.lab or X.lab.gz beside MODEL X.tra]
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum QuotientKind {
    /// Maximal end components: the choices that may leave them are kept, with their probabilities
    Mec,
    /// Strongly connected components: the condensation, an acyclic LTS with a transition for each
    /// other component that an edge leads to
    Scc,
}
