//! [`Exploration`]: what an exploration found.

use crate::states::States;
use mdp_graph::MdpGraph;

/// What [`explore`](crate::explore()) found.
#[derive(Clone, Debug)]
pub struct Exploration {
    /// The states that can be reached, their choices and where these lead.
    pub graph: MdpGraph,
    /// The states, packed.
    pub states: States,
    /// The choices of so many states are known: those of the first ones, and of all unless a
    /// [`Goal`](crate::Goal) was met before. The others have none in the graph.
    pub expanded: usize,
    /// So many states are initial: the first ones, in the order in which the system named them.
    pub num_initial: usize,
    /// The action of each choice, if asked for.
    pub actions: Option<Vec<u32>>,
    /// The probability of each branch, if asked for.
    pub probabilities: Option<Vec<f64>>,
    /// How many expanded states had no choice, whatever became of them.
    pub deadlocks: u64,
    /// How many branches were dropped because their probability was 0.
    pub dropped_branches: u64,
}
