//! The thread pool for parallel work, in programs that may fork: a forked process has none of the
//! threads of its parent, and gets a separate pool.

use super::Failure;
use crate::error::Error;
use crate::naming::Naming;
use crate::threads;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::num::NonZeroUsize;
use std::process;
use std::sync::{Arc, Mutex, PoisonError};

/// The pool, and the process in which it was made.
static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// Runs `work` on the threads of this process, one for each core. Other work may run on the same
/// threads, so `work` must not wait for any of it.
///
/// # Errors
/// If the system cannot start the threads.
pub fn on_all_threads<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, Failure> {
    Ok(pool()?.install(work))
}

/// Returns the number of threads to take when this many are asked for, which is at most four for
/// each core, and the reason if it is less, as `maxend --threads` prints it.
pub fn limited_threads(asked: NonZeroUsize) -> (NonZeroUsize, Option<String>) {
    threads::limited(asked)
}

/// Does `work` on this many threads, or on those of this process.
pub(super) fn on_threads<T: Send>(
    asked: Option<NonZeroUsize>,
    work: impl FnOnce() -> Result<T, Error> + Send,
) -> Result<T, Error> {
    match asked {
        Some(asked) => threads::run_on(asked, Naming::Arguments, work),
        None => pool()?.install(work),
    }
}

fn pool() -> Result<Arc<ThreadPool>, Error> {
    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((process, pool)) = &*pool
        && *process == process::id()
    {
        return Ok(Arc::clone(pool));
    }
    let threads = ThreadPoolBuilder::new().build();
    let failed = |error| Error::wrong(format!("cannot start threads: {error}"));
    let threads = Arc::new(threads.map_err(failed)?);
    let parents = pool.replace((process::id(), Arc::clone(&threads)));
    // The threads of the parent's pool do not exist in this process, so the pool cannot be shut
    // down.
    std::mem::forget(parents);
    Ok(threads)
}
