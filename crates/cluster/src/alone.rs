//! [`Crew`]: the threads that one worker has for its own work.

use rayon::{ThreadPool, ThreadPoolBuilder};

/// A worker's own threads, without others that it could share its work with: on threads of a pool
/// that all workers of a process share, they would wait for each other.
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
