//! [`Crew`]: the threads that one worker uses for its own work, or that all workers of a process
//! share.

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::{Arc, OnceLock};

/// Threads. What each worker does for a long time, such as a search of its part, is done by its
/// own: on threads of a pool that all workers of a process share, they would wait for each other.
pub(crate) struct Crew(Option<ThreadPool>);

impl Crew {
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

/// The crew that the workers of a process have in common. Clones share it.
#[derive(Clone)]
pub(crate) struct Common {
    workers: usize,
    crew: Arc<OnceLock<Arc<Crew>>>,
}

impl Common {
    /// Of this many workers.
    pub(crate) fn new(workers: usize) -> Self {
        Self {
            workers,
            crew: Arc::default(),
        }
    }

    /// The crew: as many threads as the workers have together, if each has this many.
    pub(crate) fn crew(&self, threads: usize) -> Arc<Crew> {
        let start = || Arc::new(Crew::new(threads * self.workers));
        Arc::clone(self.crew.get_or_init(start))
    }
}
