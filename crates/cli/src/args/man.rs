//! The options of `maxend man`.

use clap::Args;
use std::path::PathBuf;

/// The names of all commands. A test compares them with the commands.
pub(super) const COMMANDS: [&str; 14] = [
    "decompose",
    "components",
    "cycle-mean",
    "long-run",
    "bfs",
    "build",
    "explore",
    "convert",
    "quotient",
    "cluster",
    "info",
    "devices",
    "completions",
    "man",
];

#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// The command whose page is printed [default: the page of maxend itself]
    #[arg(value_name = "COMMAND", conflicts_with = "output", value_parser = COMMANDS)]
    pub(crate) command: Option<String>,
    /// Write the pages of all commands to this folder, under the names that man looks for
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,
}
