//! The options of `maxend info`.

use super::ModelArgs;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct InfoArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// Labels of states, to be counted [default: those of MODEL itself, or X.lab or X.lab.gz beside
    /// MODEL X.tra, if there is one]
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: Option<PathBuf>,
}
