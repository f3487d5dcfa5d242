//! [`Pool`]: the threads that one worker uses for its own work, or that all workers of a process
//! share.

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::{Arc, OnceLock};

/// The threads of a worker, or of all workers of a process. Long work of a worker, such as a search
/// of its part, runs on its own threads: on threads that all workers of a process share, workers
/// would wait for each other.
pub(crate) struct Pool(Option<ThreadPool>);

impl Pool {
    /// Makes a pool of this many threads. If the system provides none, the pool is that of the
    /// process.
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

/// The pool that all workers of a process share. Clones share it, too.
#[derive(Clone)]
pub(crate) struct SharedPool {
    workers: usize,
    pool: Arc<OnceLock<Arc<Pool>>>,
}

impl SharedPool {
    /// Returns the shared pool of this many workers.
    pub(crate) fn new(workers: usize) -> Self {
        Self {
            workers,
            pool: Arc::default(),
        }
    }

    /// Returns the pool, which has as many threads as all workers together, if each has `threads`.
    pub(crate) fn pool(&self, threads: usize) -> Arc<Pool> {
        let start = || Arc::new(Pool::new(threads * self.workers));
        Arc::clone(self.pool.get_or_init(start))
    }
}
