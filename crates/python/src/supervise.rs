//! Runs long work on a separate thread. In the meantime, the calling thread waits without the GIL,
//! reports progress, and checks for Ctrl-C. Short work runs at once: starting a thread and waiting
//! for it takes longer than many searches.

use crate::failure;
use maxend::library::{self, Failure, Supervisor};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// The time between two checks for signals, at which progress is also reported.
const INTERVAL: Duration = Duration::from_millis(50);

/// The time that work may take to stop after Ctrl-C. Work that takes longer, such as compiling
/// kernels in a driver, is not waited for: it ends by itself, and its result is dropped.
const GRACE: Duration = Duration::from_secs(2);

/// Does short work on all cores, without the GIL.
pub(crate) fn on_all_threads<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let done = py.detach(|| guarded(|| library::on_all_threads(work)))?;
    done.map_err(|failure| failure::exception(py, failure))
}

/// Calls `work`, which may panic if an array that a graph borrows was changed.
///
/// # Errors
/// If `work` panics. PyO3 would raise `PanicException`, which `except Exception` does not catch.
pub(crate) fn guarded<T>(work: impl FnOnce() -> T) -> PyResult<T> {
    panic::catch_unwind(AssertUnwindSafe(work)).map_err(|_| panicked())
}

/// Returns the exception for work that panicked.
fn panicked() -> PyErr {
    PyRuntimeError::new_err(
        "internal error, which standard error describes (was an array changed that a model \
         borrows?)",
    )
}

/// Runs short work on the calling thread, without the GIL. Ctrl-C has to wait for it.
pub(crate) fn at_once<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&Supervisor) -> Result<T, Failure> + Send,
) -> PyResult<T> {
    let done = py.detach(|| guarded(|| work(&Supervisor::default())))?;
    done.map_err(|failure| failure::exception(py, failure))
}

/// Runs `work`, which is stopped by Ctrl-C and by an exception of `progress`. Calls `progress`
/// before the work begins, too, so that it is also called for short work.
pub(crate) fn supervise<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Arc<Supervisor>) -> Result<T, Failure> + Send + 'static,
) -> PyResult<T> {
    if let Some(progress) = progress {
        progress.call1(("starting", 0, None::<u64>))?;
    }
    let supervisor = Arc::new(Supervisor::default());
    let (sender, mut receiver) = mpsc::sync_channel(1);
    let of_worker = Arc::clone(&supervisor);
    let worker = thread::Builder::new().name("maxend".to_owned());
    worker.spawn(move || {
        // The calling thread may no longer be waiting.
        let _ = sender.send(work(&of_worker));
    })?;
    let mut stopped: Option<(PyErr, Instant)> = None;
    loop {
        let received;
        (receiver, received) = py.detach(move || {
            let received = receiver.recv_timeout(INTERVAL);
            (receiver, received)
        });
        match (received, &stopped) {
            (Ok(result), None) => {
                return result.map_err(|failure| failure::exception(py, failure));
            }
            (Err(RecvTimeoutError::Timeout), None) => {
                if let Err(error) = py
                    .check_signals()
                    .and_then(|()| tell(progress, &supervisor))
                {
                    supervisor.stop();
                    stopped = Some((error, Instant::now()));
                }
            }
            (Err(RecvTimeoutError::Timeout), Some((_, since))) if since.elapsed() < GRACE => {}
            (Err(RecvTimeoutError::Disconnected), None) => return Err(panicked()),
            (_, Some(_)) => break,
        }
    }
    Err(stopped.map_or_else(|| PyRuntimeError::new_err("stopped"), |(error, _)| error))
}

/// Calls `progress` with a description, the amount of work done, and the total, or `None`.
fn tell(progress: Option<&Bound<'_, PyAny>>, supervisor: &Supervisor) -> PyResult<()> {
    if let (Some(progress), Some(now)) = (progress, supervisor.progress()) {
        progress.call1((now.what, now.done, now.total))?;
    }
    Ok(())
}
