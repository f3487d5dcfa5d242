//! Decides whether `--device auto` uses a GPU. The first decision, to open one in the background,
//! is made when only the size of a model is known. The second one, to use it, is made when the
//! model has been read.

use crate::load::size_hint::SizeHint;
use decompose::cost::{EdgeSample, Problem};
use mdp_graph::{ComponentKind, MdpGraph};
use report::grouped;
use std::time::Duration;

/// The time to open a GPU with its kernels, if its driver has compiled them before.
const OPENING: Duration = Duration::from_millis(200);

/// The time to close a GPU at the end of the process.
const CLOSING: Duration = Duration::from_millis(80);

/// A command that has run this long may open a GPU that it does not use in the end, which takes
/// about 60 ms.
const LONG: Duration = Duration::from_millis(250);

/// A CPU is overdue after this many times its expected time, plus [`ALONE`].
const OVERDUE: f64 = 1.25;

/// A GPU does not begin beside the CPU before this time. If only the risk of long paths speaks
/// against the GPU, it begins at this time.
const ALONE: Duration = Duration::from_millis(50);

/// A text of fewer bytes is read before a GPU is open.
const LONG_TEXT: usize = 1 << 28;

/// The device that decomposes a graph, and the reason, which `-v` shows.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub(crate) takes_gpu: bool,
    /// Whether a GPU is used, or begins soon beside the CPU.
    pub(crate) needs_gpu: bool,
    pub(crate) reason: String,
    /// The time after which a GPU begins beside the CPU, if the expected times are known.
    pub(crate) overdue: Option<Duration>,
}

/// The kind of components that a command finds, and the number of cores.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AutoDevice {
    pub(crate) kind: ComponentKind,
    pub(crate) cores: usize,
}

impl AutoDevice {
    /// Uses the cores of the current thread pool.
    pub(crate) fn new(kind: ComponentKind) -> Self {
        let cores = mdp_graph::useful_threads();
        Self { kind, cores }
    }

    /// Returns whether to open a GPU in the background, after the command has run for some time.
    /// The risk of long paths is no reason against it, because the GPU then begins beside the CPU.
    /// If nothing is known of the edges, the worst case is assumed.
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

    /// Returns whether a GPU may be faster for a graph of this size, whatever its edges are.
    pub(crate) fn may_take_gpu(self, states: u64, branches: u64) -> bool {
        self.is_sooner_on_gpu(self.problem(states, branches, EdgeSample::worst()), OPENING)
    }

    /// Returns the device that decomposes a graph. `opening` is the time since the GPU began to
    /// open, if it did.
    pub(crate) fn judge(self, graph: &MdpGraph, opening: Option<Duration>) -> Verdict {
        let (states, branches) = (graph.num_states() as u64, graph.num_branches() as u64);
        self.judge_sample(states, branches, EdgeSample::of(graph), opening)
    }

    /// Returns the verdict for a graph with this sample of edges.
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

    /// Returns whether a GPU is expected to be faster, if it needs this much time until it is open.
    fn prefers_gpu(self, problem: Problem, left: Duration) -> bool {
        !problem.is_risky_on_gpu() && self.is_sooner_on_gpu(problem, left)
    }

    /// Returns whether a GPU is expected to be faster, if no path is longer than the sample
    /// suggests.
    fn is_sooner_on_gpu(self, problem: Problem, left: Duration) -> bool {
        problem.on_gpu() + left + CLOSING < problem.on_cpu(self.cores)
    }
}

/// The minimum number of branches for which a GPU is used, if edges are not sampled.
pub(crate) const BRANCHES: u64 = 1 << 25;

/// Returns the verdict of a rule that uses a GPU from this many branches on: for smaller models,
/// opening it takes longer than it saves.
pub(crate) fn by_branches(branches: u64, least: u64) -> Verdict {
    let least_text = grouped(least);
    Verdict {
        takes_gpu: branches >= least,
        needs_gpu: branches >= least,
        reason: format!("below {least_text} branches it is faster than a GPU"),
        overdue: None,
    }
}

/// The time for each branch of a search for the least mean of a cycle, on one core (which evaluates
/// a policy) and on a GPU. On an H200 and its host, 28 to 710 and 3 to 35 nanoseconds were
/// measured, on graphs of 1 to 28 million branches.
const MEAN_ON_CPU: Duration = Duration::from_nanos(200);
const MEAN_ON_GPU: Duration = Duration::from_nanos(15);

/// Returns the device that finds optimal cycle means.
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
