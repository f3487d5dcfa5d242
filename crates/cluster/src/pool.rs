//! [`Pool`]: the threads that one worker uses for its own work, or that all workers of a process
//! share.

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::{Arc, OnceLock};

/// Threads. What each worker does for a long time, such as a search of its part, is done by its
/// own: on threads of a pool that all workers of a process share, they would wait for each other.
pub(crate) struct Pool(Option<ThreadPool>);

impl Pool {
    /// So many threads, or those that the process has if the system gives no others.
    pub(crate) fn new(threads: usize) -> Self {
        Self(ThreadPoolBuilder::new().num_threads(threads).build().ok())
    }

    /// Runs `work` on these threads.
    pub(crate) fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match &self.0 {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }
}

/// The pool that the workers of a process have in common. Clones share it.
#[derive(Clone)]
pub(crate) struct SharedPool {
    workers: usize,
    pool: Arc<OnceLock<Arc<Pool>>>,
}

impl SharedPool {
    /// Of this many workers.
    pub(crate) fn new(workers: usize) -> Self {
        Self {
            workers,
            pool: Arc::default(),
        }
    }

    /// The pool: as many threads as the workers have together, if each has this many.
    pub(crate) fn pool(&self, threads: usize) -> Arc<Pool> {
        let start = || Arc::new(Pool::new(threads * self.workers));
        Arc::clone(self.pool.get_or_init(start))
    }
}
