//! How many threads are of use: no more than there are cores. Tests have more of them, so that they
//! meet in every order.

pub(super) fn useful() -> usize {
    match cfg!(test) {
        true => rayon::current_num_threads(),
        false => mdp_graph::useful_threads(),
    }
}
