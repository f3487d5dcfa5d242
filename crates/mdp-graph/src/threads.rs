//! The number of threads that are useful, and work that they share.

use rayon::prelude::*;
use std::num::NonZeroUsize;
use std::sync::OnceLock;
use std::thread::available_parallelism;

/// Returns the number of threads of the current rayon pool that can run at once, which is at most
/// the number of the process's cores. Work that is divided among more threads takes more time, not
/// less.
#[must_use]
pub fn useful_threads() -> usize {
    // Asking the system takes longer than some searches.
    static CORES: OnceLock<usize> = OnceLock::new();
    let cores = CORES.get_or_init(|| available_parallelism().map_or(usize::MAX, NonZeroUsize::get));
    rayon::current_num_threads().min(*cores)
}

/// Calls `work` with each number below `threads`, on as many threads as are free, and returns the
/// results. The calls are to share what is to be done. If a thread of the pool is busy otherwise,
/// nobody waits for it: another thread makes its call when nothing is left to do.
pub fn on_threads<T: Send>(threads: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    match threads {
        // A pool of one thread is not woken up for this.
        1 => vec![work(0)],
        _ => {
            let numbers = (0..threads).into_par_iter().with_max_len(1);
            numbers.map(&work).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{on_threads, useful_threads};
    use rayon::ThreadPoolBuilder;
    use std::num::NonZeroUsize;
    use std::thread::available_parallelism;
    use std::time::Duration;

    #[test]
    fn more_threads_than_cores_are_of_no_use() {
        let cores = available_parallelism().map_or(usize::MAX, NonZeroUsize::get);
        for threads in [1, 2, 3, 50] {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build();
            let found = pool.expect("threads start").install(useful_threads);
            assert_eq!(found, threads.min(cores));
        }
    }

    /// One of two threads is busy until the other one has made all calls.
    #[test]
    fn nobody_waits_for_a_busy_thread() {
        let pool = ThreadPoolBuilder::new().num_threads(2).build();
        let (sender, receiver) = std::sync::mpsc::channel();
        let found = pool.expect("threads start").install(|| {
            let (found, ()) = rayon::join(
                move || {
                    let found = on_threads(2, |number| 10 * number);
                    sender.send(()).expect("the other thread waits for it");
                    found
                },
                move || {
                    let sent = receiver.recv_timeout(Duration::from_secs(30));
                    sent.expect("the other thread has made all calls");
                },
            );
            found
        });
        assert_eq!(found, [0, 10]);
    }
}
