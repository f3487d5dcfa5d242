//! [`ExploreOptions`]: how to explore.

use mdp_graph::Deadlocks;

/// How to explore.
#[derive(Clone, Copy, Debug)]
pub struct ExploreOptions {
    /// What becomes of states without a choice.
    pub deadlocks: Deadlocks,
    /// The largest number of states.
    pub max_states: Option<u64>,
    /// Whether states get other numbers than those of a sequential search: level by level of a
    /// breadth-first search, within a level in the order of the first state that leads there, and
    /// then of a hash. They too depend on the system alone, and take less to find.
    pub unordered: bool,
    /// About this many branches are on their way at once, for each worker.
    pub batch: u64,
    /// The most states, and the most branches, that a worker finds. A test lowers it.
    pub most_per_worker: u64,
    /// Numbers are sent in 32 bits up to this many states, and in 64 beyond. A test lowers it.
    pub narrow: u64,
}

/// What offsets of 32 bits can count, and a batch less.
const MOST: u64 = u32::MAX as u64 - (1 << 26);

impl Default for ExploreOptions {
    fn default() -> Self {
        Self {
            deadlocks: Deadlocks::default(),
            max_states: None,
            unordered: false,
            batch: 1 << 17,
            most_per_worker: MOST,
            narrow: u32::MAX.into(),
        }
    }
}
