//! [`Exploration`]: the result of an exploration.

use crate::states::States;
use mdp_graph::MdpGraph;

/// The result of [`explore`](crate::explore()).
#[derive(Clone, Debug)]
pub struct Exploration {
    /// The reachable states, their choices, and their branches.
    pub graph: MdpGraph,
    /// The states, packed.
    pub states: States,
    /// The number of states whose choices are known. These are the first states, and all states
    /// unless a [`Goal`](crate::Goal) was met. The other states have no choices in the graph.
    pub expanded: usize,
    /// The number of initial states. These are the first states, in the order in which the system
    /// reported them.
    pub num_initial: usize,
    /// The action of each choice, if the options ask for it.
    pub actions: Option<Vec<u32>>,
    /// The probability of each branch, if the options ask for it.
    pub probabilities: Option<Vec<f64>>,
    /// The number of expanded states that had no choice, before self-loops were added.
    pub deadlocks: u64,
    /// The number of branches that were dropped because their probability was 0.
    pub dropped_branches: u64,
}
