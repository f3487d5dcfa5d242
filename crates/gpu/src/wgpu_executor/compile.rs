//! Compiles kernels on several separate threads, so that an observer can be called in the meantime
//! and may cancel the run.
//!
//! If the driver has not cached a kernel in an earlier run, it takes seconds to compile, and cannot
//! be interrupted. A cancelled run leaves its threads running; each ends once the driver has
//! compiled its current kernel. Even a cached kernel takes some milliseconds, since its source is
//! parsed and validated first.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use super::device::Device;
use super::pipelines::{Pipeline, Pipelines, Source};
use super::sync::lock;
use crate::error::{Error, Result};
use crate::run_options::{Progress, RunOptions};

/// The time between two calls of the observer.
const INTERVAL: Duration = Duration::from_millis(20);

/// The size of the stack of a thread that compiles, in bytes. wgpu needs more than the default.
const STACK: usize = 16 << 20;

/// The maximum number of threads that compile for a run.
const MAX_THREADS: usize = 8;

/// Compiles those of `sources` that `pipelines` lacks; other threads may use `pipelines` meanwhile.
/// The observer of `options` is called, and may cancel the run.
///
/// # Errors
///
/// An error in a kernel; [`Error::Cancelled`] if the observer cancels the run.
pub(super) fn compile(
    device: &Arc<Device>,
    pipelines: &Mutex<Pipelines>,
    sources: Vec<Source>,
    options: &mut RunOptions<'_>,
) -> Result<()> {
    let (missing, loop_layout) = {
        let pipelines = lock(pipelines);
        (pipelines.missing(sources), pipelines.loop_layout.clone())
    };
    // Without an observer, a single missing kernel is compiled when it is bound.
    if missing.is_empty() || options.observer.is_none() && missing.len() == 1 {
        return Ok(());
    }
    let job = Arc::new(Job {
        device: device.clone(),
        loop_layout,
        missing,
        next: AtomicUsize::new(0),
    });
    // If this is dropped because the run is over or cancelled, threads begin no more kernels.
    let compiled = begin(&job);
    loop {
        match compiled.recv_timeout(INTERVAL) {
            Ok((number, pipeline)) => lock(pipelines).keep(&job.missing[number], pipeline?),
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
            Err(RecvTimeoutError::Timeout) => {
                let progress = Progress {
                    name: "compiling kernels",
                    is_compiling: true,
                    iterations: 0,
                    records: &[],
                };
                if options.report(progress) {
                    job.next.store(job.missing.len(), Ordering::Relaxed);
                    return Err(Error::Cancelled);
                }
            }
        }
    }
}

/// Kernels to be compiled, which threads share.
struct Job {
    device: Arc<Device>,
    loop_layout: wgpu::BindGroupLayout,
    missing: Vec<Source>,
    /// The number of the first kernel that no thread has begun.
    next: AtomicUsize,
}

/// The number of a kernel, and the compiled kernel.
type Compiled = (usize, Result<Pipeline>);

/// Begins to compile on as many threads as possible. Kernels that no thread compiles now are
/// compiled when they are bound.
fn begin(job: &Arc<Job>) -> Receiver<Compiled> {
    let (sender, compiled) = mpsc::channel();
    let cores = thread::available_parallelism().map_or(1, usize::from);
    for _ in 0..job.missing.len().min(cores).min(MAX_THREADS) {
        let (job, sender) = (job.clone(), sender.clone());
        let work = move || {
            loop {
                let number = job.next.fetch_add(1, Ordering::Relaxed);
                let Some(source) = job.missing.get(number) else {
                    return;
                };
                let pipeline = source.compile(&job.device, &job.loop_layout);
                if sender.send((number, pipeline)).is_err() {
                    return;
                }
            }
        };
        if thread::Builder::new()
            .stack_size(STACK)
            .spawn(work)
            .is_err()
        {
            break;
        }
    }
    compiled
}
