//! The options of `maxend cluster`.

use super::number::number;
use clap::Args;
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("where").required(true).args(["hosts", "local_processes"]))]
pub(crate) struct ClusterArgs {
    /// Work together with the processes in this file, which has a line HOST:PORT for each process,
    /// the first for process 0. Start each process by hand, with the same file and its own number
    #[arg(long, value_name = "FILE", requires = "process")]
    pub(crate) hosts: Option<PathBuf>,
    /// The number of this process: its place in the host file, counted from 0. Process 0 writes the
    /// result
    #[arg(long, value_name = "I", requires = "hosts")]
    pub(crate) process: Option<usize>,
    /// Run N processes on this machine, at most 256
    #[arg(long, value_name = "N", value_parser = number::<NonZeroUsize>)]
    pub(crate) local_processes: Option<NonZeroUsize>,
    /// A file with a secret of at least 16 bytes that all processes share. Required if the host
    /// file names other machines
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// How many seconds to wait for the other processes to start
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = number::<u32>)]
    pub(crate) wait: u32,
    /// Write labels or an archive to one file, as on one machine. Otherwise each worker writes a
    /// part beside the file that --output names, on its own machine, and process 0 writes an index
    /// of all parts
    #[arg(long)]
    pub(crate) gather: bool,
    /// Number explored states in the order that is fastest, not as on one machine. The numbers
    /// still depend on the model alone
    #[arg(long)]
    pub(crate) unordered: bool,
    /// Process 0 has started this process, and prints the messages that are the same for all
    #[arg(long, hide = true, requires = "hosts")]
    pub(crate) is_started: bool,
    /// The options for messages of the processes that this one starts
    #[arg(skip)]
    pub(crate) messages: Vec<String>,
    /// The command that all processes run: decompose MODEL, with its options. --components is mec
    /// or scc, --format is summary, json, labels or umb, and --threads is the number of workers of
    /// each process
    #[arg(value_name = "COMMAND", last = true, required = true)]
    pub(crate) command: Vec<OsString>,
}
