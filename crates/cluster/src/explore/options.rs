//! [`ExploreOptions`]: the options of exploring.

use mdp_graph::Deadlocks;

/// The order in which states are numbered. It depends on the system alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Numbering {
    /// That of a sequential search.
    #[default]
    Sequential,
    /// Level by level of a breadth-first search; within a level, in the order of the first state
    /// that leads to a state, and then of a hash. This is faster to compute.
    ByLevels,
}

/// The options of exploring.
#[derive(Clone, Copy, Debug)]
pub struct ExploreOptions {
    /// The treatment of states without a choice.
    pub deadlocks: Deadlocks,
    /// The largest number of states.
    pub max_states: Option<u64>,
    /// The numbers of the states.
    pub numbering: Numbering,
    /// The approximate number of branches of each worker that are processed at once.
    pub batch: u64,
    /// The largest numbers of states and of branches that a worker may find. Tests reduce it.
    pub most_per_worker: u64,
    /// Up to this number of states, their numbers are sent as 32 bits, and otherwise as 64. Tests
    /// reduce it.
    pub narrow: u64,
}

/// The largest number that 32-bit offsets can count, minus a batch.
const MAX: u64 = u32::MAX as u64 - (1 << 26);

impl Default for ExploreOptions {
    fn default() -> Self {
        Self {
            deadlocks: Deadlocks::default(),
            max_states: None,
            numbering: Numbering::default(),
            batch: 1 << 17,
            most_per_worker: MAX,
            narrow: u32::MAX.into(),
        }
    }
}
