//! The options of `maxend bfs`.

use super::help;
use super::number::number;
use super::{DeviceArg, ModelArgs};
use clap::builder::NonEmptyStringValueParser as NonEmpty;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct BfsArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// Search from this state; can be given several times [default: the initial states]
    #[arg(long, value_name = "STATE", value_parser = state)]
    pub(crate) from: Vec<u32>,
    /// Search from the states with this label; can be given several times, and with --from
    #[arg(long, value_name = "LABEL")]
    pub(crate) from_label: Vec<String>,
    /// Print a shortest path to this state, or to the nearest state with this label
    #[arg(long, value_name = "STATE|LABEL")]
    pub(crate) target: Option<String>,
    /// The device to run on
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    pub(crate) device: DeviceArg,
    /// The algorithm
    #[arg(long, value_name = "ALGORITHM", default_value = "levels")]
    pub(crate) search: BfsSearch,
    /// With --search vertex or edge, the number of arrays of flags that say which states to look
    /// at, from 0 to 3 [default: 0]
    #[arg(long, value_name = "N", value_parser = flags)]
    pub(crate) flags: Option<bfs::Flags>,
    /// Check the answer with code that shares nothing with the search
    #[arg(long)]
    pub(crate) certify: bool,
    /// The output format
    #[arg(short, long, value_name = "FORMAT", default_value = "summary")]
    pub(crate) format: BfsFormat,
    #[arg(short, long, value_name = "FILE", help = help::OUTPUT)]
    pub(crate) output: Option<PathBuf>,
    #[arg(long, value_name = "FILE", help = help::STATES)]
    pub(crate) states: Option<PathBuf>,
    /// Read labels of states from this file; `init` marks the initial states [default: those in
    /// MODEL, or in X.lab or X.lab.gz beside MODEL X.tra]
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: Option<PathBuf>,
    #[arg(long, value_name = "TEXT", value_parser = NonEmpty::new(), help = help::ADAPTER)]
    pub(crate) adapter: Option<String>,
}

/// Reads the number of a state.
fn state(text: &str) -> Result<u32, String> {
    number(text).map_err(|message| match text.parse::<u128>() {
        Ok(_) => message,
        Err(_) => "expected the number of a state; --from-label takes a label".to_owned(),
    })
}

/// Reads the number of arrays of flags.
fn flags(text: &str) -> Result<bfs::Flags, String> {
    let count = text.parse::<usize>().ok();
    let flags = count.and_then(|count| bfs::Flags::ALL.get(count).copied());
    flags.ok_or_else(|| "expected a whole number from 0 to 3".to_owned())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BfsSearch {
    /// Level by level, with a queue of the states of each level
    Levels,
    /// Harish's search without data races, with one invocation per state, on a GPU only
    Vertex,
    /// The same with one invocation per edge
    Edge,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BfsFormat {
    /// A short table, and the path to the target
    Summary,
    /// One line per state: its distance, or -1 if it cannot be reached
    Labels,
    /// A JSON document with all distances and parents
    Json,
    /// A drawing for Graphviz; for a large model, of the sizes of its levels
    Dot,
}
