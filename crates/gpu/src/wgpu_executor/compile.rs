//! Kernels compiled on a thread of their own, so that who waits for them can be told, and can stop waiting.
//!
//! Where a driver has not kept a kernel from an earlier run, to compile it takes seconds, in which it cannot be
//! interrupted. Who stops waiting leaves the thread behind: it ends once the driver is through with its kernel.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use super::device::Device;
use super::pipelines::{Pipelines, Source};
use crate::outcome::{Control, Progress};
use crate::{Error, Result};

/// How often who waits is told.
const INTERVAL: Duration = Duration::from_millis(20);

/// The stack of a thread that compiles: wgpu asks for more of it than threads have by themselves.
const STACK: usize = 16 << 20;

/// Compiles what `sources` say and `pipelines` lack. The observer of `control` is asked meanwhile, and may break.
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
    let Some(observer) = control.observer.as_mut().filter(|_| !missing.is_empty()) else {
        return Ok(());
    };
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
    // Without a thread they are compiled when they are bound.
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
                if observer(progress).is_break() {
                    is_wanted.store(false, Ordering::Relaxed);
                    return Err(Error::Cancelled);
                }
            }
        }
    }
}
