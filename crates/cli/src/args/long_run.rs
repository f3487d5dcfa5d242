//! The options of `maxend long-run`.

use super::number::{number, positive};
use super::{DeviceArg, ModelArgs, help};
use clap::builder::NonEmptyStringValueParser as NonEmpty;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct LongRunArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// The reward structure [default: the only one]
    #[arg(long, value_name = "NAME")]
    pub(crate) rewards: Option<String>,
    /// Instead of an average reward, compute the share of steps that are spent in states with this
    /// label: a step from such a state earns 1, and any other step 0
    #[arg(long, value_name = "NAME", conflicts_with = "rewards")]
    pub(crate) label: Option<String>,
    // As documentation, `[default]` would be a link.
    #[arg(long, help = "Compute the greatest average [default]")]
    pub(crate) max: bool,
    /// Compute the least average
    #[arg(long, conflicts_with = "max")]
    pub(crate) min: bool,
    /// Compute the averages exactly, as fractions, by policy iteration in rational numbers: for
    /// models of up to 4,096 states
    #[arg(long, conflicts_with_all = ["epsilon", "relative", "max_iterations"])]
    pub(crate) exact: bool,
    /// How far apart the bounds on an average may be
    #[arg(long, value_name = "E", default_value = "1e-6", value_parser = positive)]
    pub(crate) epsilon: f64,
    /// Let bounds on an average differ by E times its absolute value, as Storm and PRISM do by
    /// default, instead of by E. Bounds on an average of 0 then have to coincide, up to 1e-100. The
    /// command fails if rounding keeps bounds further apart, as it may if the average is 0 or very
    /// close to it
    #[arg(long)]
    pub(crate) relative: bool,
    /// Give up after N iterations
    #[arg(long, value_name = "N", default_value = "1000000", value_parser = number::<u64>)]
    pub(crate) max_iterations: u64,
    /// The device to run on. The CPU computes the bounds in any case
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    pub(crate) device: DeviceArg,
    #[arg(long, value_name = "TEXT", value_parser = NonEmpty::new(), help = help::ADAPTER)]
    pub(crate) adapter: Option<String>,
    /// Print the average of each maximal end component, too (text; json always does)
    #[arg(long)]
    pub(crate) each: bool,
    /// The output format
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: LongRunFormat,
    #[arg(short, long, value_name = "FILE", help = help::OUTPUT)]
    pub(crate) output: Option<PathBuf>,
    /// Read labels of states from this file; `init` marks the initial states [default: those in
    /// MODEL, or in X.lab or X.lab.gz beside MODEL X.tra]
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LongRunFormat {
    /// Plain text
    Text,
    /// A JSON document
    Json,
}
