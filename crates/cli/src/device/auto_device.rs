//! Decides whether `--device auto` uses a GPU. The first decision, to open one in the background,
//! is made when only the size of a model is known. The second one, to use it, is made when the
//! model has been read.

use crate::load::size_hint::SizeHint;
use decompose::cost::{EdgeSample, Problem};
use mdp_graph::{ComponentKind, MdpGraph};
use report::grouped;
use std::time::Duration;

/// What it takes to open a GPU, its kernels included, if its driver has compiled these before.
const OPENING: Duration = Duration::from_millis(200);

/// What it takes to close one at the end of the process.
const CLOSING: Duration = Duration::from_millis(80);

/// A command that has run so long may open a GPU that it does not use in the end: that takes about
/// 60 ms of its time.
const LONG: Duration = Duration::from_millis(250);

/// A CPU is overdue after this many times what it is expected to take, and [`ALONE`].
const OVERDUE: f64 = 1.25;

/// A GPU does not begin beside the CPU before this time. Where only the risk of long paths speaks
/// against the GPU, it begins then.
const ALONE: Duration = Duration::from_millis(50);

/// A text of fewer bytes is read sooner than a GPU is open.
const LONG_TEXT: usize = 1 << 28;

/// Who is to decompose a graph, and why, for those who ask (`-v`).
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub(crate) takes_gpu: bool,
    /// Whether a GPU is taken, or begins soon beside the CPU.
    pub(crate) needs_gpu: bool,
    pub(crate) reason: String,
    /// The time after which a GPU begins beside the CPU, if something is expected of the two.
    pub(crate) overdue: Option<Duration>,
}

/// The decompositions that a command may do, and with how many cores.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AutoDevice {
    pub(crate) kind: ComponentKind,
    pub(crate) cores: usize,
}

impl AutoDevice {
    /// With the cores that the threads of this pool can use.
    pub(crate) fn new(kind: ComponentKind) -> Self {
        let cores = mdp_graph::useful_threads();
        Self { kind, cores }
    }

    /// Whether to open a GPU in the background, after the command has run for a while: also where
    /// the risk of long paths speaks against it, since it begins beside the CPU then. If nothing is
    /// known of the edges, the worst is assumed.
    pub(crate) fn opens(self, hint: SizeHint, elapsed: Duration) -> bool {
        let (states, branches, sample) = match hint {
            SizeHint::TextBytes(bytes) => return bytes >= LONG_TEXT,
            SizeHint::Graph {
                states,
                branches,
                sample,
            } => (states, branches, sample),
        };
        match sample {
            Some(sample) => self.is_sooner_on_gpu(self.problem(states, branches, sample), OPENING),
            None => {
                let problem = self.problem(states, branches, EdgeSample::worst());
                elapsed >= LONG && self.prefers_gpu(problem, OPENING)
            }
        }
    }

    /// Who decomposes a graph, if a GPU is open for so long already, or not at all.
    pub(crate) fn judge(self, graph: &MdpGraph, opening: Option<Duration>) -> Verdict {
        let (states, branches) = (graph.num_states() as u64, graph.num_branches() as u64);
        self.judge_sample(states, branches, EdgeSample::of(graph), opening)
    }

    /// The same of a graph of which this is known.
    pub(crate) fn judge_sample(
        self,
        states: u64,
        branches: u64,
        sample: EdgeSample,
        opening: Option<Duration>,
    ) -> Verdict {
        let problem = self.problem(states, branches, sample);
        let left = OPENING.saturating_sub(opening.unwrap_or_default());
        let (cpu, gpu) = (
            problem.on_cpu(self.cores),
            problem.on_gpu() + left + CLOSING,
        );
        tracing::debug!(
            ?cpu,
            ?gpu,
            scattered = problem.sample.scattered(),
            "what the devices are expected to take"
        );
        let seconds = |time: Duration| time.as_secs_f64();
        let is_sooner = self.is_sooner_on_gpu(problem, left);
        let late = match is_sooner {
            true => Duration::ZERO,
            false => cpu.mul_f64(OVERDUE),
        };
        Verdict {
            takes_gpu: self.prefers_gpu(problem, left),
            needs_gpu: is_sooner,
            overdue: Some(late + ALONE),
            reason: match problem.is_risky_on_gpu() {
                true => "its edges lead nearby".to_owned(),
                false => format!(
                    "it is expected to take {:.2} s, and a GPU {:.2} s",
                    seconds(cpu),
                    seconds(gpu)
                ),
            },
        }
    }

    fn problem(self, states: u64, branches: u64, sample: EdgeSample) -> Problem {
        Problem {
            kind: self.kind,
            states,
            branches,
            sample,
        }
    }

    /// Whether a GPU, which needs so long until it is open, is expected to be faster.
    fn prefers_gpu(self, problem: Problem, left: Duration) -> bool {
        !problem.is_risky_on_gpu() && self.is_sooner_on_gpu(problem, left)
    }

    /// The same, if no path is longer than the sample tells.
    fn is_sooner_on_gpu(self, problem: Problem, left: Duration) -> bool {
        problem.on_gpu() + left + CLOSING < problem.on_cpu(self.cores)
    }
}

/// The fewest branches for which a GPU is taken, where edges are not looked at.
pub(crate) const BRANCHES: u64 = 1 << 25;

/// A GPU from this many branches on: on smaller models, it takes longer to open one than it saves.
pub(crate) fn by_branches(branches: u64, least: u64) -> Verdict {
    let least_text = grouped(least);
    Verdict {
        takes_gpu: branches >= least,
        needs_gpu: branches >= least,
        reason: format!("below {least_text} branches it is faster than a GPU"),
        overdue: None,
    }
}

/// What the least mean of a cycle takes for each branch, on one core (a policy is evaluated on one)
/// and on a GPU: on an H200 and its host 28 to 710 and 3 to 35 nanoseconds were measured, on graphs
/// of 1 to 28 million branches.
const MEAN_ON_CPU: Duration = Duration::from_nanos(200);
const MEAN_ON_GPU: Duration = Duration::from_nanos(15);

/// Who finds optimal cycle means.
pub(crate) fn of_cycle_means(branches: u64) -> Verdict {
    let seconds = |each: Duration| branches as f64 * each.as_secs_f64();
    let opened = (OPENING + CLOSING).as_secs_f64();
    let (cpu, gpu) = (seconds(MEAN_ON_CPU), opened + seconds(MEAN_ON_GPU));
    Verdict {
        takes_gpu: gpu < cpu,
        needs_gpu: gpu < cpu,
        reason: format!("it is expected to take {cpu:.2} s, and a GPU {gpu:.2} s"),
        overdue: None,
    }
}

#[cfg(test)]
mod tests;
