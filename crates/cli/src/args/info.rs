//! The options of `maxend info`.

use super::ModelArgs;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct InfoArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// The output format
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: InfoFormat,
    /// Read labels of states from this file, and count them [default: those in MODEL, or in X.lab
    /// or X.lab.gz beside MODEL X.tra]
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum InfoFormat {
    /// Plain text
    Text,
    /// A JSON document
    Json,
}
