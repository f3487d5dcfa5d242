//! The command line of `paper`.

use crate::measure::Budget;
use crate::tunings::SWEEP;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Measures the worklist engine on a GPU, on models of the literature at full size
#[derive(clap::Parser)]
pub(crate) struct Arguments {
    /// The folder with the models in PRISM's language
    #[arg(required_unless_present = "redraw")]
    pub(crate) sources: Option<PathBuf>,
    /// The adapter whose name contains TEXT [default: the best]
    #[arg(long, value_name = "TEXT")]
    pub(crate) adapter: Option<String>,
    /// Runs whose median is taken
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
    /// Only models whose names contain TEXT; can be given several times, for models in that order
    #[arg(long, value_name = "TEXT")]
    pub(crate) only: Vec<String>,
    /// The papers' own models too, which take up to ten gigabytes
    #[arg(long)]
    pub(crate) large: bool,
    /// Models of growing size too
    #[arg(long)]
    pub(crate) growing: bool,
    /// Every column of the papers' experiments too
    #[arg(long)]
    pub(crate) papers: bool,
    /// Only this one of these columns, such as F0,7; can be given several times
    #[arg(long, value_name = "NAME", requires = "papers")]
    pub(crate) column: Vec<String>,
    /// Do not certify the answers of the CPU, with which all others are compared
    #[arg(long)]
    pub(crate) no_certificates: bool,
    /// Say where the time goes on the device
    #[arg(long)]
    pub(crate) parts: bool,
    /// The same, iteration by iteration
    #[arg(long)]
    pub(crate) steps: bool,
    /// Also measure another distribution of work, such as share=4,hops=16; can be given several
    /// times
    #[arg(long, value_name = "KEY=VALUE,...")]
    tune: Vec<String>,
    /// The same in several ways
    #[arg(long)]
    sweep: bool,
    /// Break off a run that takes longer
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    limit: u64,
    /// Begin no further column of the papers' after that [default: begin all]
    #[arg(long, value_name = "SECONDS")]
    until: Option<u64>,
    /// Write what is printed to FOLDER, as Markdown, JSON, and plots in SVG, model by model
    #[arg(long, value_name = "FOLDER")]
    pub(crate) record: Option<PathBuf>,
    /// Measure nothing: draw the plots of an old record, paper.json, again, into the folder of
    /// --record
    #[arg(
        long,
        value_name = "FILE",
        requires = "record",
        conflicts_with = "sources"
    )]
    pub(crate) redraw: Option<PathBuf>,
}

impl Arguments {
    /// How often to measure, and for how long, from `start` on.
    pub(crate) fn budget(&self, start: Instant) -> Budget {
        Budget {
            runs: self.runs.into(),
            limit: Duration::from_secs(self.limit),
            until: self
                .until
                .map(|seconds| start + Duration::from_secs(seconds)),
        }
    }

    /// The other ways to share out the work.
    pub(crate) fn tunings(&self) -> impl Iterator<Item = &str> {
        let sweep = SWEEP.into_iter().filter(|_| self.sweep);
        sweep.chain(self.tune.iter().map(String::as_str))
    }
}
