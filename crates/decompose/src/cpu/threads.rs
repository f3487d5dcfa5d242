//! The number of threads that are useful: no more than there are cores. Tests use more threads, so
//! that they see many interleavings.

pub(super) fn useful() -> usize {
    match cfg!(test) {
        true => rayon::current_num_threads(),
        false => mdp_graph::useful_threads(),
    }
}

/// Fewer threads than this are no faster than one thread where many do more work than one.
pub(super) const MIN_THREADS: usize = 8;

/// Returns whether as many threads are useful.
pub(super) fn are_many() -> bool {
    useful() >= MIN_THREADS
}
