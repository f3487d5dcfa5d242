//! The number of threads that are useful: no more than there are cores. Tests use more threads, so
//! that they meet in every order.

pub(super) fn useful() -> usize {
    match cfg!(test) {
        true => rayon::current_num_threads(),
        false => mdp_graph::useful_threads(),
    }
}
