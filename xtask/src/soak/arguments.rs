//! The arguments of `cargo xtask soak`.

use std::path::PathBuf;

/// Decompose random models with every engine, in random ways, and compare the answers
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The number of minutes after which the task ends
    #[arg(long, required_unless_present = "models")]
    pub(super) minutes: Option<f64>,
    /// Stop after this many models
    #[arg(long)]
    pub(super) models: Option<u64>,
    /// The seed of the first model; each further model has the next number [default: the time]
    #[arg(long)]
    pub(super) seed: Option<u64>,
    /// Use the adapter whose name contains TEXT [default: the best one; software if there is no
    /// other]
    #[arg(long, value_name = "TEXT")]
    pub(super) adapter: Option<String>,
    /// Leave out the GPU engines
    #[arg(long, conflicts_with = "adapter")]
    pub(super) cpu_only: bool,
    /// The number of runs of a GPU engine with the same options
    #[arg(long, default_value_t = 3)]
    pub(super) repeat: u32,
    /// The largest number of states of a model
    #[arg(
        long,
        default_value_t = 100_000,
        value_parser = clap::value_parser!(u32).range(1..=10_000_000)
    )]
    pub(super) largest: u32,
    /// The number of seconds after which a search counts as endless
    #[arg(long, default_value_t = 600)]
    pub(super) time_limit: u64,
    /// The folder for the models that caused failures
    #[arg(long, default_value = "target/soak")]
    pub(super) output: PathBuf,
}
