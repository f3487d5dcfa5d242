//! Several GPUs of this machine: selects the GPUs to be used, and lets a worker of `cluster`
//! decompose on one of them what it can decide alone. If a GPU fails, the CPU takes over its part.

use crate::args::{Adapters, DecomposeArgs};
use crate::device::{Cause, Failure as _, Plan};
use crate::error::Error;
use crate::error::diagnostic::Diagnostic;
use crate::interrupt;
use crate::progress::Counting;
use decompose::gpu::GpuOptions;
use decompose::{ComponentSearch, Device, Options};
use gpu::{AdapterInfo, Gpu, Request};
use mdp_graph::{ComponentKind, Components, MdpGraph};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::available_parallelism;

/// A worker decomposes its first graph, that of its whole part, on its GPU. Later graphs are the
/// rests of it; the CPU is faster on those with fewer branches than this.
const SMALLEST: usize = 1 << 16;

/// The GPUs that a command uses. Clones share them.
#[derive(Clone, Debug)]
pub(crate) struct GpuSet {
    gpus: Arc<Vec<SharedGpu>>,
    search: ComponentSearch,
}

/// A GPU, which one worker at a time uses.
#[derive(Debug)]
struct SharedGpu {
    /// The name of the adapter.
    name: String,
    state: Mutex<State>,
}

/// The state of a GPU.
#[derive(Debug)]
enum State {
    /// It is closed, and will be opened when it is needed.
    Closed(GpuOptions),
    /// It is open, and searches with these options.
    Open {
        gpu: Gpu,
        options: GpuOptions,
    },
    Failed,
}

impl GpuSet {
    /// Returns the GPUs that the command line of a decomposition names: the given plan if it names
    /// at most one, or otherwise a set of GPUs.
    ///
    /// # Errors
    /// [`Error::Device`] if there are not this many.
    pub(crate) fn of(args: &DecomposeArgs, plan: Plan) -> Result<(Plan, Option<Self>), Error> {
        let (Some(_), Plan::Gpu(options)) = (&args.gpu.adapters, &plan) else {
            return Ok((plan, None));
        };
        let gpus = Self::find(args, options)?;
        match &gpus.gpus[..] {
            [gpu] => Ok((Plan::Gpu(gpu.options(options)), None)),
            // The CPU reads and explores the model, because no GPU may have enough memory for all
            // of it.
            _ => Ok((Plan::Cpu, Some(gpus))),
        }
    }

    /// Returns the GPUs of workers of several processes, if the command line asks for GPUs: by
    /// default, all that are of the same kind as the best one.
    ///
    /// # Errors
    /// [`Error::Device`] if there are not this many.
    pub(crate) fn of_workers(args: &DecomposeArgs, plan: &Plan) -> Result<Option<Self>, Error> {
        let options = plan.asked_gpu();
        options.map(|options| Self::find(args, options)).transpose()
    }

    fn find(args: &DecomposeArgs, options: &GpuOptions) -> Result<Self, Error> {
        let all = gpu::adapters();
        let which = args.gpu.adapters.as_ref();
        let numbers = numbers(which.unwrap_or(&Adapters::All), &options.request, &all);
        let needs_note =
            !options.request.allow_software && !matches!(which, Some(Adapters::These(_)));
        let numbers = numbers.map_err(|error| {
            let diagnostic = Diagnostic::new(error.to_string());
            Error::Device(Box::new(match needs_note && !all.is_empty() {
                false => diagnostic,
                true => {
                    diagnostic.note("`--device gpu` uses a software adapter if there is no other")
                }
            }))
        })?;
        let gpu = |number: usize| SharedGpu {
            name: all[number].to_string(),
            state: Mutex::new(State::Closed(GpuOptions {
                request: Request {
                    number: Some(number),
                    ..options.request.clone()
                },
                ..options.clone()
            })),
        };
        Ok(Self {
            gpus: Arc::new(numbers.into_iter().map(gpu).collect()),
            search: args.search.into(),
        })
    }

    /// Returns the number of GPUs.
    pub(crate) fn len(&self) -> usize {
        self.gpus.len()
    }

    /// Returns the number of threads of each of this many workers of this machine. All cores are
    /// divided among them.
    pub(crate) fn threads(workers: usize) -> usize {
        let cores = available_parallelism().map_or(1, NonZeroUsize::get);
        (cores / workers.max(1)).max(1)
    }

    /// Returns the GPU of the worker with this number, which is the `place`th worker of this
    /// machine, counted from 0. If there are more workers than GPUs, several workers share a GPU.
    pub(crate) fn worker(&self, place: usize, worker: usize) -> GpuWorker {
        GpuWorker {
            gpus: self.clone(),
            gpu: place % self.gpus.len(),
            worker,
            smallest: 0,
        }
    }

    /// Returns the names of the GPUs, as they are printed, and whether some of them have failed.
    pub(crate) fn name(&self) -> String {
        let mut names: Vec<(usize, &str)> = Vec::new();
        for gpu in self.gpus.iter() {
            match names.iter_mut().find(|(_, known)| *known == gpu.name) {
                Some((count, _)) => *count += 1,
                None => names.push((1, &gpu.name)),
            }
        }
        let counted = |(count, name): &(usize, &str)| match count {
            1 => (*name).to_owned(),
            count => format!("{count} x {name}"),
        };
        let names: Vec<String> = names.iter().map(counted).collect();
        let has_failed = |gpu: &&SharedGpu| matches!(*gpu.state(), State::Failed);
        match self.gpus.iter().filter(has_failed).count() {
            0 => names.join(", "),
            failed => format!("{}, of which {failed} failed", names.join(", ")),
        }
    }
}

impl SharedGpu {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns these options, for this GPU alone.
    fn options(&self, options: &GpuOptions) -> GpuOptions {
        match &*self.state() {
            State::Closed(own) => own.clone(),
            _ => options.clone(),
        }
    }
}

/// Returns the numbers of the selected adapters, on which `request` sets further conditions.
fn numbers(
    which: &Adapters,
    request: &Request,
    all: &[AdapterInfo],
) -> Result<Vec<usize>, gpu::Error> {
    let alike = || {
        let best = request.choose(all)?;
        let (kind, backend) = (all[best].kind, &all[best].backend);
        let is_alike = |&number: &usize| {
            // The same GPU may be listed several times, once for each of its interfaces.
            all[number].kind == kind && all[number].backend == *backend
        };
        match request.name {
            Some(_) => Ok(vec![best]),
            None => Ok((0..all.len()).filter(is_alike).collect::<Vec<_>>()),
        }
    };
    match which {
        Adapters::All => alike(),
        Adapters::First(count) => {
            let mut alike = alike()?;
            if alike.len() < *count {
                return Err(gpu::Error::NoAdapter {
                    wanted: format!("{count} GPUs of one kind"),
                    found: all.iter().map(ToString::to_string).collect(),
                });
            }
            alike.truncate(*count);
            Ok(alike)
        }
        Adapters::These(numbers) => {
            let exists = |&number: &usize| Request::numbered(number).choose(all);
            numbers.iter().map(exists).collect()
        }
    }
}

/// A worker with one of the GPUs.
pub(crate) struct GpuWorker {
    gpus: GpuSet,
    gpu: usize,
    worker: usize,
    /// The CPU decomposes graphs with fewer branches.
    smallest: usize,
}

impl GpuWorker {
    /// Decomposes a graph of the worker. Returns `None` if the CPU is to do that.
    pub(crate) fn decompose(
        &mut self,
        graph: &MdpGraph,
        kind: ComponentKind,
    ) -> Result<Option<Components>, decompose::Error> {
        if graph.num_branches() < self.smallest {
            return Ok(None);
        }
        self.smallest = SMALLEST;
        let mut state = self.gpus.gpus[self.gpu].state();
        let found =
            interrupt::while_in_driver(|| search(&mut state, graph, kind, self.gpus.search));
        match found {
            Err(error) if !matches!(error.cause(), Cause::Cancelled) => {
                let worker = self.worker;
                tracing::warn!("{error}; the CPU decomposes the part of worker {worker}");
                *state = State::Failed;
                Ok(None)
            }
            found => found,
        }
    }
}

/// Searches on a GPU, after opening it if it is closed. If it runs out of memory, searches again
/// with half of the memory. Returns `None` if it has failed before.
fn search(
    state: &mut State,
    graph: &MdpGraph,
    kind: ComponentKind,
    search: ComponentSearch,
) -> Result<Option<Components>, decompose::Error> {
    if let State::Closed(options) = state {
        *state = State::Open {
            gpu: Gpu::open(&options.request)?,
            options: options.clone(),
        };
    }
    let State::Open { gpu, options: how } = state else {
        return Ok(None);
    };
    loop {
        let options = Options {
            search,
            device: Device::Gpu {
                options: how.clone(),
                open: Some(gpu.clone()),
            },
            observer: &Counting::default(),
        };
        match decompose::decompose(graph, kind, &options) {
            Err(decompose::Error::Gpu(gpu::Error::OutOfMemory { .. }))
                if let Some(smaller) = how.without_transpose() =>
            {
                *how = smaller;
            }
            found => return found.map(Some),
        }
    }
}

#[cfg(test)]
impl GpuSet {
    /// Makes a set of open GPUs. The name of each is its index.
    pub(crate) fn on(gpus: Vec<Gpu>) -> Self {
        let shared = |(place, gpu): (usize, Gpu)| SharedGpu {
            name: place.to_string(),
            state: Mutex::new(State::Open {
                gpu,
                options: GpuOptions::default(),
            }),
        };
        Self {
            gpus: Arc::new(gpus.into_iter().enumerate().map(shared).collect()),
            search: ComponentSearch::default(),
        }
    }
}

#[cfg(test)]
mod tests;
