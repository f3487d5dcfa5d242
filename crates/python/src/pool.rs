//! The threads that parallel work runs on. A process that Python has forked has none of the threads
//! of its parent, and gets a pool of its own.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::process;
use std::sync::{Arc, Mutex, PoisonError};

/// The pool, and the process that it was made in.
static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// The threads of this process, one for each core.
///
/// # Errors
/// If the system cannot start them.
pub(crate) fn pool() -> PyResult<Arc<ThreadPool>> {
    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((process, pool)) = &*pool
        && *process == process::id()
    {
        return Ok(Arc::clone(pool));
    }
    let threads = ThreadPoolBuilder::new().build();
    let threads = threads.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    let threads = Arc::new(threads);
    let parents = pool.replace((process::id(), Arc::clone(&threads)));
    // Its threads are not here to be told that it ends.
    std::mem::forget(parents);
    Ok(threads)
}
