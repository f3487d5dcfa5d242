//! [`ExploreOptions`]: how to explore.

use mdp_graph::Deadlocks;

/// How to explore.
#[derive(Clone, Copy, Debug)]
pub struct ExploreOptions {
    /// What becomes of states without a choice.
    pub deadlocks: Deadlocks,
    /// The largest number of states.
    pub max_states: Option<u64>,
    /// About so many branches are on their way at once, for each worker.
    pub batch: u64,
}

impl Default for ExploreOptions {
    fn default() -> Self {
        Self {
            deadlocks: Deadlocks::default(),
            max_states: None,
            batch: 1 << 17,
        }
    }
}
