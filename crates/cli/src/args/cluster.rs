//! The options of `maxend cluster`.

use super::number::number;
use clap::Args;
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("where").required(true).args(["hosts", "local_processes"]))]
pub(crate) struct ClusterArgs {
    /// Work together with the processes of this file: a line HOST:PORT for each, the first for
    /// process 0. Each is started by hand, with the same file and its own number
    #[arg(long, value_name = "FILE", requires = "process")]
    pub(crate) hosts: Option<PathBuf>,
    /// The number of this process: its place in the host file, from 0 on. Process 0 writes the
    /// result
    #[arg(long, value_name = "I", requires = "hosts")]
    pub(crate) process: Option<usize>,
    /// Start so many processes on this machine
    #[arg(long, value_name = "N", value_parser = number::<NonZeroUsize>)]
    pub(crate) local_processes: Option<NonZeroUsize>,
    /// A file with a secret that all processes share, at least 16 bytes. Needed where other
    /// machines are among the hosts
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// How many seconds to wait for the other processes to start
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = number::<u32>)]
    pub(crate) wait: u32,
    /// Write labels or an archive to one file, as on one machine. Otherwise each worker writes a
    /// part beside what --output names on its machine, and process 0 an index of them all
    #[arg(long)]
    pub(crate) gather: bool,
    /// Number explored states as is fastest, not as on one machine. Their numbers still depend on
    /// the model alone
    #[arg(long)]
    pub(crate) unordered: bool,
    /// Process 0 has started this one on its machine, and says what all processes know
    #[arg(long, hide = true, requires = "hosts")]
    pub(crate) is_started: bool,
    /// What all of them do: decompose MODEL, with --components mec or scc, --const, --deadlocks,
    /// --max-states, --format summary, json, labels or umb, --output, and --threads for the workers
    /// of each process
    #[arg(value_name = "COMMAND", last = true, required = true)]
    pub(crate) command: Vec<OsString>,
}
