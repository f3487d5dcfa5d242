//! The options of `maxend devices`.

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct DevicesArgs {
    /// The output format
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: DevicesFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DevicesFormat {
    /// Plain text
    Text,
    /// A JSON document
    Json,
}
