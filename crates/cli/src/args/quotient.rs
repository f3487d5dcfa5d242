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
    /// Give each MEC one more choice, to stay in it forever. The choice leads to a new state, the
    /// last one, which has the label `sink`
    #[arg(long)]
    pub(crate) stay: bool,
    /// Write the quotient to this file: Y.umb, Y.drn, Y.aut, or Y.tra with Y.lab beside it;
    /// compressed if the name ends in .gz; "-" is standard output
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// The format to write [default: by the name of OUT: umb for .umb, drn for .drn, aut for .aut,
    /// prism for .tra]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<To>,
    /// Write a map of the states to this file: one line per state of MODEL, with the state of the
    /// quotient that stands for it
    #[arg(long, value_name = "FILE")]
    pub(crate) map: Option<PathBuf>,
    /// Read labels of states from this file [default: those in MODEL, or in X.lab or X.lab.gz
    /// beside MODEL X.tra]
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
