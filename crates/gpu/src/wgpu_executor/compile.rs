//! Compiles kernels on a separate thread, so that an observer can be called in the meantime and may
//! cancel the run.
//!
//! If the driver has not cached a kernel in an earlier run, it takes seconds to compile, and cannot
//! be interrupted. A cancelled run leaves the thread running; it ends once the driver has compiled
//! the current kernel.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use super::device::Device;
use super::pipelines::{Pipelines, Source};
use crate::control::{Control, Progress};
use crate::error::{Error, Result};

/// How often the observer is called.
const INTERVAL: Duration = Duration::from_millis(20);

/// The stack of a thread that compiles, in bytes: wgpu needs more than threads have by default.
const STACK: usize = 16 << 20;

/// Compiles those of `sources` that `pipelines` lacks. The observer of `control` is called
/// meanwhile, and may cancel. Without an observer, kernels are compiled when they are bound.
///
/// # Errors
///
/// What is wrong with a kernel; [`Error::Cancelled`] if the observer breaks.
pub(super) fn compile(
    device: &Arc<Device>,
    pipelines: &mut Pipelines,
    sources: Vec<Source>,
    control: &mut Control<'_>,
) -> Result<()> {
    let missing = pipelines.missing(sources);
    if missing.is_empty() || control.observer.is_none() {
        return Ok(());
    }
    let (sender, compiled) = mpsc::channel();
    let (loop_layout, shared) = (pipelines.loop_layout.clone(), device.clone());
    let is_wanted = Arc::new(AtomicBool::new(true));
    let goes_on = is_wanted.clone();
    let work = move || {
        for source in missing {
            if !goes_on.load(Ordering::Relaxed) {
                return;
            }
            let pipeline = source.compile(&shared, &loop_layout);
            if sender.send((source, pipeline)).is_err() {
                return;
            }
        }
    };
    // If no thread can be had, kernels are compiled when they are bound.
    let Ok(_thread) = thread::Builder::new().stack_size(STACK).spawn(work) else {
        return Ok(());
    };
    loop {
        match compiled.recv_timeout(INTERVAL) {
            Ok((source, pipeline)) => pipelines.keep(&source, pipeline?),
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
            Err(RecvTimeoutError::Timeout) => {
                let progress = Progress {
                    name: "compiling kernels",
                    is_compiling: true,
                    iterations: 0,
                    records: &[],
                };
                if control.report(progress) {
                    is_wanted.store(false, Ordering::Relaxed);
                    return Err(Error::Cancelled);
                }
            }
        }
    }
}
