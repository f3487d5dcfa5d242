//! Work of one worker on one thread.

use rayon::ThreadPoolBuilder;

/// Runs `work` on a thread of its own, without others that it could share its work with. Each
/// worker stands for one core: on threads of a pool that all workers of a process share, they would
/// wait for each other, and there would be more threads than cores.
pub(crate) fn alone<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    match ThreadPoolBuilder::new().num_threads(1).build() {
        Ok(pool) => pool.install(work),
        Err(_) => work(),
    }
}
