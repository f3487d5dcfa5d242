//! The arguments of `cargo xtask soak`.

use std::path::PathBuf;

/// Decompose random models with every engine, in random ways, and compare the answers
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// How long to go on
    #[arg(long, required_unless_present = "models")]
    pub(super) minutes: Option<f64>,
    /// Stop after so many models
    #[arg(long)]
    pub(super) models: Option<u64>,
    /// The seed of the first model; each further one has the next number [default: the time]
    #[arg(long)]
    pub(super) seed: Option<u64>,
    /// Use the adapter whose name contains TEXT [default: the best one; software if there is no
    /// other]
    #[arg(long, value_name = "TEXT")]
    pub(super) adapter: Option<String>,
    /// Leave the GPU engines out
    #[arg(long, conflicts_with = "adapter")]
    pub(super) cpu_only: bool,
    /// How often to run a GPU engine in the same way
    #[arg(long, default_value_t = 3)]
    pub(super) repeat: u32,
    /// The most states of a model
    #[arg(
        long,
        default_value_t = 100_000,
        value_parser = clap::value_parser!(u32).range(1..=10_000_000)
    )]
    pub(super) largest: u32,
    /// After how many seconds a search counts as one that does not end
    #[arg(long, default_value_t = 600)]
    pub(super) patience: u64,
    /// Where to put the models on which something went wrong
    #[arg(long, default_value = "target/soak")]
    pub(super) output: PathBuf,
}
