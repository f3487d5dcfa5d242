//! The number of threads that are useful.

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

#[cfg(test)]
mod tests {
    use super::useful_threads;
    use rayon::ThreadPoolBuilder;
    use std::num::NonZeroUsize;
    use std::thread::available_parallelism;

    #[test]
    fn more_threads_than_cores_are_of_no_use() {
        let cores = available_parallelism().map_or(usize::MAX, NonZeroUsize::get);
        for threads in [1, 2, 3, 50] {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build();
            let found = pool.expect("threads start").install(useful_threads);
            assert_eq!(found, threads.min(cores));
        }
    }
}
