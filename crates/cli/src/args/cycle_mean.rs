//! The options of `maxend cycle-mean`.

use super::{DeadlockPolicy, DeviceArg, ModelArgs, help};
use clap::builder::NonEmptyStringValueParser as NonEmpty;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct CycleMeanArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// The reward structure that gives the weights of edges [default: the only one]
    #[arg(long, value_name = "NAME")]
    pub(crate) rewards: Option<String>,
    // As documentation, `[default]` would be a link.
    #[arg(
        long,
        conflicts_with = "max",
        help = "Look for the least value [default]"
    )]
    pub(crate) min: bool,
    /// Look for the greatest value
    #[arg(long)]
    pub(crate) max: bool,
    /// Divide the weight of a cycle by its time, not by its length
    #[arg(long)]
    pub(crate) ratio: bool,
    /// The reward structure that gives the times of edges
    #[arg(long, value_name = "NAME", default_value = "time", requires = "ratio")]
    pub(crate) time: String,
    /// Print the optimum of each strongly connected component, too (text, json)
    #[arg(long)]
    pub(crate) each: bool,
    /// Prove the answer by potentials, and check them with code that shares nothing with the search
    #[arg(long)]
    pub(crate) certify: bool,
    /// The device to run on
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    pub(crate) device: DeviceArg,
    /// The algorithm
    #[arg(long, value_name = "ALGORITHM", default_value = "howard")]
    pub(crate) search: CycleMeanSearch,
    /// What to do with states without a choice
    #[arg(long, value_name = "POLICY", default_value = "keep")]
    pub(crate) deadlocks: DeadlockPolicy,
    /// The output format
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: MeanFormat,
    #[arg(short, long, value_name = "FILE", help = help::OUTPUT)]
    pub(crate) output: Option<PathBuf>,
    #[arg(long, value_name = "FILE", help = help::STATES)]
    pub(crate) states: Option<PathBuf>,
    #[arg(long, value_name = "TEXT", value_parser = NonEmpty::new(), help = help::ADAPTER)]
    pub(crate) adapter: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CycleMeanSearch {
    /// Howard's policy iteration
    Howard,
    /// Lawler's binary search, on the CPU only
    Lawler,
    /// The parametric shortest paths of Young, Tarjan and Orlin, on the CPU only
    Yto,
    /// Howard's policy iteration, step by step as in the paper, on a GPU only
    Paper,
}

impl From<CycleMeanSearch> for cycle_mean::MeanSearch {
    fn from(value: CycleMeanSearch) -> Self {
        match value {
            CycleMeanSearch::Howard => Self::Howard,
            CycleMeanSearch::Lawler => Self::Lawler,
            CycleMeanSearch::Yto => Self::Yto,
            CycleMeanSearch::Paper => Self::Paper,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MeanFormat {
    /// Plain text
    Text,
    /// A JSON document, with all steps of the cycle
    Json,
    /// A drawing for Graphviz; for a large model, of the cycle alone
    Dot,
}
