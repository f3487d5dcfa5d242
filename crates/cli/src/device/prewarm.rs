//! The GPU prewarm: a GPU is opened, and its kernels are compiled, while the model is being read.
//!
//! Opening a GPU takes about a fifth of a second and closing it a twentieth. Compiling its kernels
//! takes some seconds the first time.

use crate::args::DecomposeArgs;
use crate::device::Plan;
use crate::device::auto_device::{AutoDevice, Verdict};
use crate::interrupt;
use crate::load::size_hint::SizeHint;
use decompose::gpu::{DeviceGraph, GpuOptions, Opening, PendingGpu, WarmUp};
use decompose::{ComponentSearch, Device, Error, Observer, Options, Silent};
use gpu::Gpu;
use mdp_graph::{ComponentKind, MdpGraph};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The time between two checks whether a GPU is open.
const INTERVAL: Duration = Duration::from_millis(1);

/// The GPU that a decomposition will use, if it will use one.
pub(crate) struct Prewarm {
    auto_device: AutoDevice,
    search: ComponentSearch,
    /// The time when the command began.
    begun: Instant,
    state: Mutex<State>,
}

enum State {
    /// The CPU may be faster. A GPU would be opened with these options.
    Undecided(GpuOptions),
    /// The GPU is being opened, since this time.
    Pending(PendingGpu, Instant),
    /// The GPU is open, and in use.
    Open(Gpu),
    /// The GPU is being closed.
    Closing(JoinHandle<()>),
    /// No GPU is needed.
    Unused,
}

impl Prewarm {
    /// Starts to open a GPU at once if the plan needs one for every model.
    pub(crate) fn new(args: &DecomposeArgs, plan: &Plan) -> Self {
        let (kind, search) = (args.components.into(), args.search.into());
        let state = match plan {
            Plan::Cpu => State::Unused,
            Plan::Auto(options) => State::Undecided(options.clone()),
            Plan::Gpu(options) => State::Pending(open(kind, search, options), Instant::now()),
        };
        Self {
            auto_device: AutoDevice::new(kind),
            search,
            begun: Instant::now(),
            state: Mutex::new(state),
        }
    }

    /// Starts to open a GPU if it turns out that one may be faster, and to compile the kernels that
    /// suit the model.
    pub(crate) fn size_hint(&self, hint: SizeHint) {
        let state = &mut *self.state();
        if let State::Undecided(options) = state
            && self.auto_device.opens(hint, self.begun.elapsed())
        {
            let pending = open(self.auto_device.kind, self.search, options);
            *state = State::Pending(pending, Instant::now());
        }
        if let State::Pending(pending, _) = state
            && let SizeHint::Graph {
                states, branches, ..
            } = hint
        {
            pending.expect((branches / states.max(1)) as u32);
        }
    }

    /// Returns whether to use the GPU, if the plan leaves that open. If the GPU will not be used
    /// beside the CPU either, stops waiting for it.
    pub(crate) fn verdict(&self, graph: &MdpGraph) -> Verdict {
        let state = &mut *self.state();
        let opening = match state {
            State::Pending(_, since) => Some(since.elapsed()),
            _ => None,
        };
        let verdict = self.auto_device.judge(graph, opening);
        if !verdict.needs_gpu {
            abandon(std::mem::replace(state, State::Unused));
        }
        verdict
    }

    /// Waits until the GPU is open, and returns it. Its kernels may still be compiled.
    ///
    /// # Errors
    /// Those of [`Gpu::open`].
    pub(crate) fn for_exploration(&self, options: &GpuOptions) -> Result<Gpu, gpu::Error> {
        loop {
            // Other threads may look at the state in the meantime.
            match self.poll() {
                Opening::Done(opened) => return opened,
                Opening::Pending => thread::sleep(INTERVAL),
                Opening::NotStarted => return Gpu::open(&options.request),
            }
        }
    }

    /// Returns whether the GPU is open. Starts to open it if that has not been decided yet.
    fn poll(&self) -> Opening {
        let state = &mut *self.state();
        if let State::Undecided(options) = state {
            let pending = open(self.auto_device.kind, self.search, options);
            *state = State::Pending(pending, Instant::now());
        }
        match state {
            State::Pending(pending, _) => {
                pending.expect_on_device();
                pending.poll()
            }
            _ => Opening::NotStarted,
        }
    }

    /// Returns the GPU, and opens it if necessary. If a GPU was returned before, closes it and
    /// opens another.
    ///
    /// # Errors
    /// Those of [`Gpu::open`].
    pub(crate) fn for_decomposition(
        &self,
        options: &GpuOptions,
        observer: &dyn Observer,
    ) -> Result<Gpu, Error> {
        let state = std::mem::replace(&mut *self.state(), State::Unused);
        let opened = match state {
            State::Pending(pending, _) => pending.finish(observer),
            _ => None,
        };
        let opened = opened.unwrap_or_else(|| Gpu::open(&options.request).map_err(Error::from));
        let gpu = opened?;
        *self.state() = State::Open(gpu.clone());
        Ok(gpu)
    }

    /// Starts to close the GPU on a separate thread, because no further decomposition follows.
    pub(crate) fn close(&self) {
        let state = &mut *self.state();
        *state = match std::mem::replace(state, State::Unused) {
            State::Open(gpu) => match thread::Builder::new().spawn(move || drop(gpu)) {
                Ok(thread) => State::Closing(thread),
                Err(_) => State::Unused,
            },
            other => other,
        };
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Opens a GPU in the background. It decomposes a small graph first, and so compiles the kernels
/// that the model will need.
fn open(kind: ComponentKind, search: ComponentSearch, options: &GpuOptions) -> PendingGpu {
    let gpu_options = options.clone();
    PendingGpu::begin(options, move |gpu, WarmUp { graph, on_device }| {
        // If this fails, the decomposition of the model fails too and reports the error.
        if *on_device {
            if let Ok(graph) = DeviceGraph::upload(gpu, graph) {
                let _ = graph.decompose(kind, &gpu_options, &Silent);
            }
            return;
        }
        let device = Device::Gpu {
            options: gpu_options.clone(),
            open: Some(gpu.clone()),
        };
        let options = Options {
            search,
            device,
            ..Options::default()
        };
        let _ = decompose::decompose(graph, kind, &options);
    })
}

impl Drop for Prewarm {
    /// Waits for a GPU that is being closed, because a process must not exit normally while a
    /// driver is working. Does not wait for a GPU that is still being opened: in that case the
    /// command has failed, and its error is to be printed at once.
    fn drop(&mut self) {
        let state = std::mem::replace(&mut *self.state(), State::Unused);
        match state {
            State::Closing(thread) => {
                let _ = thread.join();
            }
            other => abandon(other),
        }
    }
}

/// Stops waiting for a GPU that is being opened.
fn abandon(state: State) {
    if let State::Pending(pending, _) = state {
        interrupt::leave_behind();
        pending.abandon();
    }
}

#[cfg(test)]
mod tests;
