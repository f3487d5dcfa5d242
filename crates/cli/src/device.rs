//! Which device a search runs on, and what to try next if a GPU fails.
//!
//! The caller passes the function that searches, so that tests can make it fail in every way.

pub(crate) mod auto_device;
pub(crate) mod gpu_set;
pub(crate) mod observer;
pub(crate) mod prewarm;
pub(crate) mod race;

use crate::args::{
    BfsArgs, BfsSearch, CycleMeanArgs, CycleMeanSearch, DecomposeArgs, DecomposeSearch, DeviceArg,
    ExploringArgs, LongRunArgs, name_of,
};
use crate::error::Error;
use crate::error::diagnostic::Diagnostic;
use crate::interrupt;
use crate::load::ExploreOn;
use auto_device::Verdict;
use decompose::gpu::GpuOptions;
use decompose::{Device, Observer};
use gpu::{Gpu, Request};
use mdp_graph::MdpGraph;
use std::cell::RefCell;
use std::fmt;

/// Returns the name of the device that did the work: the one that was opened, or the CPU.
pub(crate) fn name_or_cpu(opened: Option<String>) -> String {
    opened.unwrap_or_else(|| "cpu".to_owned())
}

/// A job that a GPU can do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Job {
    /// The job as a participle, for messages.
    doing: &'static str,
    /// Whether it can be done in less memory, without the transposed graph.
    has_transpose: bool,
}

impl Job {
    /// A search for components.
    pub(crate) const DECOMPOSE: Self = Self {
        doing: "decomposing",
        has_transpose: true,
    };

    /// A search for optimal cycles or averages.
    pub(crate) const SOLVE: Self = Self {
        doing: "solving",
        has_transpose: false,
    };

    /// A breadth-first search.
    pub(crate) const BFS: Self = Self {
        doing: "searching",
        has_transpose: false,
    };
}

/// The reason why an attempt on a device failed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Cause<'a> {
    /// The user asked to stop.
    Cancelled,
    /// The model is wrong, so another device would not help.
    Model,
    /// `--max-binding` was `given`, but must be `least` or more.
    Binding {
        given: u64,
        least: u64,
    },
    /// Something went wrong on a GPU.
    Gpu(&'a gpu::Error),
    Other,
}

/// The error of a search that can run on a device.
pub(crate) trait Failure: fmt::Display {
    fn cause(&self) -> Cause<'_>;
}

impl Failure for decompose::Error {
    fn cause(&self) -> Cause<'_> {
        match self {
            Self::Cancelled => Cause::Cancelled,
            Self::Gpu(error) => Cause::Gpu(error),
            &Self::BindingTooSmall { given, least } => Cause::Binding { given, least },
            _ => Cause::Other,
        }
    }
}

impl Failure for cycle_mean::Error {
    fn cause(&self) -> Cause<'_> {
        match self {
            Self::Bound { .. } | Self::ZeroTime { .. } => Cause::Model,
            Self::Cancelled => Cause::Cancelled,
            Self::Gpu(error) => Cause::Gpu(error),
            _ => Cause::Other,
        }
    }
}

impl Failure for long_run::Error {
    fn cause(&self) -> Cause<'_> {
        match self {
            Self::Gpu(error) => Cause::Gpu(error),
            Self::Cancelled => Cause::Cancelled,
            _ => Cause::Model,
        }
    }
}

/// The observer of a job that may be attempted on several devices.
pub(crate) trait JobObserver: Observer {
    /// Forgets the device of the last attempt: another attempt begins.
    fn start_over(&self);

    /// Receives the reason why an attempt failed.
    fn failed(&self, _: Cause<'_>) {}
}

/// The devices that a search may run on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Plan {
    /// The processor.
    Cpu,
    /// A GPU. If it fails, the command fails.
    Gpu(GpuOptions),
    /// A hardware GPU if the model is large enough; otherwise, or if the GPU fails, the processor.
    Auto(GpuOptions),
}

/// The devices that the algorithm of a command line is for.
enum AlgorithmFor {
    Any,
    /// The CPU only, because of this option.
    Cpu(String),
    /// A GPU only, because of this option.
    Gpu(String),
}

/// What a command line says about the device.
struct Asked {
    /// The value of `--device`.
    device: DeviceArg,
    algorithm: AlgorithmFor,
    /// The first further option that is for a GPU.
    gpu_option: Option<&'static str>,
    /// How a GPU is to search.
    gpu: GpuOptions,
}

impl Asked {
    /// Returns what the command line of a command says whose only option for a GPU is `--adapter`.
    fn of(device: DeviceArg, algorithm: AlgorithmFor, adapter: Option<&String>) -> Self {
        Self {
            device,
            algorithm,
            gpu_option: adapter.map(|_| "--adapter"),
            gpu: adapter.map_or_else(Request::default, Request::named).into(),
        }
    }

    /// Returns the plan that follows.
    ///
    /// # Errors
    /// [`Error::Usage`] if one option asks for the CPU and another for a GPU.
    fn plan(self) -> Result<Plan, Error> {
        let device = |is: DeviceArg| {
            let is_it = self.device == is;
            is_it.then(|| format!("--device {}", name_of(&self.device)))
        };
        let (for_cpu, for_gpu) = match self.algorithm {
            AlgorithmFor::Any => (None, None),
            AlgorithmFor::Cpu(option) => (Some(option), None),
            AlgorithmFor::Gpu(option) => (None, Some(option)),
        };
        let cpu = device(DeviceArg::Cpu).or(for_cpu);
        let gpu = device(DeviceArg::Gpu).or(for_gpu);
        match (cpu, gpu.or(self.gpu_option.map(str::to_owned))) {
            (Some(cpu), Some(gpu)) => Err(Error::Usage(format!(
                "{gpu} is for a GPU, but {cpu} for the CPU"
            ))),
            (Some(_), None) => Ok(Plan::Cpu),
            (None, Some(_)) => {
                let mut options = self.gpu;
                // A software adapter is used only if it is named, or with --device gpu.
                options.request.allow_software = self.device == DeviceArg::Gpu;
                Ok(Plan::Gpu(options))
            }
            (None, None) => Ok(Plan::Auto(self.gpu)),
        }
    }
}

impl Plan {
    /// Returns the plan for a decomposition.
    ///
    /// # Errors
    /// [`Error::Usage`] if one option asks for the CPU and another for a GPU.
    pub(crate) fn new(args: &DecomposeArgs) -> Result<Self, Error> {
        let option = || format!("--search {}", name_of(&args.search));
        let asked = Asked {
            device: args.device,
            algorithm: match args.search {
                DecomposeSearch::Auto => AlgorithmFor::Any,
                DecomposeSearch::Tarjan => AlgorithmFor::Cpu(option()),
                DecomposeSearch::Fbt | DecomposeSearch::Bfbt => AlgorithmFor::Gpu(option()),
            },
            gpu_option: args.gpu.given().first().copied(),
            gpu: GpuOptions::from(&args.gpu),
        };
        asked.plan()
    }

    /// Returns the plan for optimal cycle means.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub(crate) fn for_cycle_means(args: &CycleMeanArgs) -> Result<Self, Error> {
        let option = format!("--search {}", name_of(&args.search));
        let algorithm = match args.search {
            CycleMeanSearch::Howard => AlgorithmFor::Any,
            CycleMeanSearch::Paper => AlgorithmFor::Gpu(option),
            CycleMeanSearch::Lawler | CycleMeanSearch::Yto => AlgorithmFor::Cpu(option),
        };
        Asked::of(args.device, algorithm, args.adapter.as_ref()).plan()
    }

    /// Returns the plan for long-run averages.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub(crate) fn for_long_run(args: &LongRunArgs) -> Result<Self, Error> {
        let algorithm = match args.exact {
            true => AlgorithmFor::Cpu("--exact".to_owned()),
            false => AlgorithmFor::Any,
        };
        Asked::of(args.device, algorithm, args.adapter.as_ref()).plan()
    }

    /// Returns the plan for a breadth-first search.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub(crate) fn for_bfs(args: &BfsArgs) -> Result<Self, Error> {
        let algorithm = match args.search {
            BfsSearch::Levels => AlgorithmFor::Any,
            BfsSearch::Vertex | BfsSearch::Edge => {
                AlgorithmFor::Gpu(format!("--search {}", name_of(&args.search)))
            }
        };
        Asked::of(args.device, algorithm, args.adapter.as_ref()).plan()
    }

    /// Returns the plan for a graph. If the graph has no edge, a GPU would be opened only to do
    /// nothing.
    pub(crate) fn for_graph(self, graph: &MdpGraph) -> Self {
        match graph.num_branches() {
            0 => Self::Cpu,
            _ => self,
        }
    }

    /// Returns the options of the GPU, if the plan allows one.
    pub(crate) fn gpu(&self) -> Option<&GpuOptions> {
        match self {
            Self::Cpu => None,
            Self::Auto(options) | Self::Gpu(options) => Some(options),
        }
    }

    /// Returns the options of a GPU that also explores the states, if the command line asks for a
    /// GPU.
    pub(crate) fn asked_gpu(&self) -> Option<&GpuOptions> {
        match self {
            Self::Cpu | Self::Auto(_) => None,
            Self::Gpu(options) => Some(options),
        }
    }

    /// Does the job by calling `attempt`, several times if necessary. If the command line does not
    /// choose the device, `verdict` does.
    ///
    /// # Errors
    /// [`Error::Device`] if the GPU fails that the command line asks for; [`Error::Cancelled`]; for
    /// errors that are not a device's, the result of `wrong`.
    pub(crate) fn run<T, E: Failure>(
        self,
        job: Job,
        verdict: impl FnOnce() -> Verdict,
        attempt: &mut Attempt<'_, T, E>,
        wrong: &dyn Fn(&E) -> Error,
    ) -> Result<T, Error> {
        match self {
            Self::Cpu => on_cpu(attempt, wrong),
            Self::Gpu(options) => {
                attempt(Device::from(options.clone())).map_err(|error| match error.cause() {
                    Cause::Cancelled => Error::Cancelled,
                    Cause::Model => wrong(&error),
                    _ => Error::Device(Box::new(failure(&error, &options))),
                })
            }
            Self::Auto(options) => {
                let Verdict {
                    takes_gpu, reason, ..
                } = verdict();
                if takes_gpu {
                    return with_fallback(job, options, attempt, wrong);
                }
                // This is not a warning: a GPU would be slower, and was not requested.
                tracing::debug!("{} on the CPU: {reason}", job.doing);
                on_cpu(attempt, wrong)
            }
        }
    }

    /// Does the same as [`run`](Self::run), and tells `observer` of each attempt. An attempt on a
    /// GPU may spend seconds in its driver.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub(crate) fn run_observed<T, E: Failure>(
        self,
        job: Job,
        verdict: impl FnOnce() -> Verdict,
        observer: &dyn JobObserver,
        attempt: &mut Attempt<'_, T, E>,
        wrong: &dyn Fn(&E) -> Error,
    ) -> Result<T, Error> {
        let mut observed = |device: Device| {
            observer.start_over();
            let found = match &device {
                Device::Gpu { .. } => interrupt::while_in_driver(|| attempt(device)),
                _ => attempt(device),
            };
            if let Err(error) = &found {
                observer.failed(error.cause());
            }
            found
        };
        self.run(job, verdict, &mut observed, wrong)
    }
}

/// Returns the device that the command line chooses for exploration. `has_limit` says whether the
/// memory is limited.
///
/// # Errors
/// [`Error::Usage`] if one option asks for the CPU and another for a GPU.
pub(crate) fn explore_on(on: &ExploringArgs, has_limit: bool) -> Result<ExploreOn<'static>, Error> {
    let request = request_of(on);
    match (&on.adapter, on.device) {
        (Some(_), DeviceArg::Cpu) => {
            let message = "--adapter is for a GPU, but --device cpu for the CPU";
            Err(Error::Usage(message.to_owned()))
        }
        (None, DeviceArg::Cpu) => Ok(ExploreOn::Cpu),
        // The limit applies to one device.
        (None, DeviceArg::Auto) if has_limit => Ok(ExploreOn::Cpu),
        (None, DeviceArg::Auto) => Ok(ExploreOn::Auto(Box::new(move || {
            let request = request.clone();
            Box::new(move || Gpu::open(&request))
        }))),
        _ => Ok(ExploreOn::Gpu(opener(on), RefCell::default())),
    }
}

/// Returns the GPU that the command line asks for.
fn request_of(on: &ExploringArgs) -> Request {
    Request {
        name: on.adapter.clone(),
        // As for `decompose`, any GPU is accepted.
        allow_software: on.device == DeviceArg::Gpu,
        ..Request::default()
    }
}

/// Returns a function that opens the GPU that the command line asks for.
pub(crate) fn opener(on: &ExploringArgs) -> Box<dyn Fn() -> Result<Gpu, gpu::Error>> {
    let request = request_of(on);
    Box::new(move || Gpu::open(&request))
}

/// A function that attempts the job on a device.
type Attempt<'a, T, E> = dyn FnMut(Device) -> Result<T, E> + 'a;

fn on_cpu<T, E: Failure>(
    attempt: &mut Attempt<'_, T, E>,
    wrong: &dyn Fn(&E) -> Error,
) -> Result<T, Error> {
    attempt(Device::Cpu).map_err(|error| match error.cause() {
        Cause::Cancelled => Error::Cancelled,
        _ => wrong(&error),
    })
}

/// Returns the message for a GPU that failed, with hints.
fn failure<E: Failure>(error: &E, options: &GpuOptions) -> Diagnostic {
    let diagnostic = Diagnostic::new(error.to_string());
    match error.cause() {
        // A software adapter supports everything that may have been requested.
        Cause::Gpu(gpu::Error::NoAdapter { found, .. })
            if options.request.name.is_none()
                && !options.request.allow_software
                && !found.is_empty() =>
        {
            diagnostic.note("`--device gpu` uses a software adapter if there is no other")
        }
        Cause::Binding { given, least } => Diagnostic::new(format!(
            "--max-binding {given} is too small for this model, which needs {least} or more: \
             some edges have to be bound together"
        )),
        _ => diagnostic,
    }
}

/// Tries a GPU. If it runs out of memory, tries it again with half of the memory if the job can be
/// done so, and then the CPU.
fn with_fallback<T, E: Failure>(
    job: Job,
    mut options: GpuOptions,
    attempt: &mut Attempt<'_, T, E>,
    wrong: &dyn Fn(&E) -> Error,
) -> Result<T, Error> {
    let doing = job.doing;
    loop {
        let error = match attempt(Device::from(options.clone())) {
            Ok(result) => return Ok(result),
            Err(error) => error,
        };
        match error.cause() {
            Cause::Cancelled => return Err(Error::Cancelled),
            Cause::Model => return Err(wrong(&error)),
            Cause::Gpu(gpu::Error::OutOfMemory { .. })
                if job.has_transpose
                    && let Some(smaller) = options.without_transpose() =>
            {
                tracing::warn!("{error}; trying again without the transpose");
                options = smaller;
                continue;
            }
            Cause::Gpu(gpu::Error::NoAdapter { .. } | gpu::Error::Forked) => {
                tracing::debug!("{doing} on the CPU: {error}");
            }
            _ => tracing::warn!("{error}; {doing} on the CPU"),
        }
        return on_cpu(attempt, wrong);
    }
}

#[cfg(test)]
mod tests;
