//! The options of `maxend explore`.

use super::number::number;
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
    /// Look for this property; can be given several times
    #[arg(long, value_name = "PROPERTY")]
    pub(crate) check: Vec<Check>,
    /// Look for a transition with exactly this label
    #[arg(long, value_name = "ACTION", value_parser = NonEmpty::new())]
    pub(crate) find_action: Option<String>,
    /// Look for a state in which this expression of PRISM's language is true (.prism)
    #[arg(long, value_name = "EXPRESSION", value_parser = NonEmpty::new())]
    pub(crate) find: Option<String>,
    /// The format of the results on standard output
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ExploreFormat,
    /// Prove that the states and transitions are right: compute the successors of each state again,
    /// and compare them, with code that shares nothing with the search
    #[arg(long)]
    pub(crate) certify: bool,
    /// Write the state space to this file: Y.umb, Y.drn, Y.aut, or Y.tra with Y.sta and Y.lab
    /// beside it; compressed if the name ends in .gz
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// The format to write [default: by the name of OUT: umb for .umb, drn for .drn, aut for .aut,
    /// prism for .tra]
    #[arg(long, value_name = "FORMAT", requires = "output")]
    pub(crate) to: Option<To>,
    #[command(flatten)]
    pub(crate) paper: PaperArgs,
}

/// The search of the paper, and its choices.
#[derive(Debug, Args)]
#[command(
    next_help_heading = "The search of Wijs and Bošnački (2014), which only counts states, on a GPU"
)]
pub(crate) struct PaperArgs {
    /// The search: auto, or paper, which takes networks only
    #[arg(
        long,
        value_name = "SEARCH",
        default_value = "auto",
        hide_possible_values = true
    )]
    pub(crate) search: ExploreSearch,
    /// The hash table: double for double hashing in buckets, or cuckoo [default: double]
    #[arg(long, value_name = "TABLE", hide_possible_values = true)]
    pub(crate) table: Option<PaperTable>,
    /// Collect successors in a cache of each workgroup before they are looked up in the table
    #[arg(long)]
    pub(crate) local_cache: bool,
    /// Expand a new state in the next iteration of the workgroup that has found it
    #[arg(long)]
    pub(crate) forwarding: bool,
    /// The number of iterations of each workgroup in a launch [default: 10]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub(crate) iterations: Option<u32>,
    /// The number of workgroups in a launch, of 256 invocations each [default: 2048; 16 on a
    /// software adapter]
    #[arg(long, value_name = "N", value_parser = workgroups)]
    pub(crate) workgroups: Option<u32>,
}

fn positive(text: &str) -> Result<u32, String> {
    match number(text)? {
        0 => Err("expected a whole number above 0".to_owned()),
        number => Ok(number),
    }
}

fn workgroups(text: &str) -> Result<u32, String> {
    let most = gpu::MAX_WORKGROUPS;
    let number = positive(text).ok().filter(|&number| number <= most);
    number.ok_or_else(|| format!("expected a whole number from 1 to {most}"))
}

impl PaperArgs {
    /// Returns the names of the given options.
    pub(crate) fn given(&self) -> impl Iterator<Item = &'static str> {
        let choices = [
            ("--table", self.table.is_some()),
            ("--local-cache", self.local_cache),
            ("--forwarding", self.forwarding),
            ("--iterations", self.iterations.is_some()),
            ("--workgroups", self.workgroups.is_some()),
        ];
        choices
            .into_iter()
            .filter_map(|(name, given)| given.then_some(name))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExploreFormat {
    /// Plain text
    Text,
    /// A JSON document, which also has times
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExploreSearch {
    /// In batches, which gives states the numbers of a sequential search
    Auto,
    /// The search of the paper
    Paper,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PaperTable {
    /// Buckets, by double hashing
    Double,
    /// Four hash functions, and vectors that move
    Cuckoo,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Check {
    /// A state without a transition
    Deadlock,
    /// A cycle of internal actions: `i` and `tau` in LTSs, commands without an action in PRISM's
    /// language
    Livelock,
}
