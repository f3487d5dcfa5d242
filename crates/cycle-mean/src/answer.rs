//! [`Answer`]: the optimal value of each component, and its proof.

use crate::Ratio;
use mdp_graph::{BranchId, ComponentId, Components, Objective};
use std::time::Duration;

/// The optimal value of the cycles of a component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Optimum {
    /// The component.
    pub component: ComponentId,
    /// The optimal value of its cycles.
    pub value: Ratio,
    /// A cycle that has this value: its branches in order, from its smallest state.
    pub cycle: Vec<BranchId>,
    /// The number of improvements during the search: policies of Howard's algorithm, halvings of
    /// the interval of Lawler's, or changes of the tree of Young's, Tarjan's and Orlin's.
    pub iterations: u32,
}

/// The optimal values of all components that have cycles.
#[derive(Clone, Debug)]
pub struct Answer {
    pub(crate) objective: Objective,
    pub(crate) components: Components,
    pub(crate) optima: Vec<Optimum>,
    pub(crate) potentials: Vec<i64>,
    pub(crate) work: Option<Work>,
}

/// The work of a GPU that found an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// The number of policies that were evaluated, each for all components at once.
    pub policies: u32,
    /// The number of times that a policy was evaluated again, because there were too few passes.
    pub repeated: u32,
    /// The number of times that the walks along a policy were doubled.
    pub doublings: u64,
    /// The number of levels of the searches that led states to the best cycle of their component;
    /// with [`MeanSearch::Paper`](crate::MeanSearch::Paper), also those of its other searches.
    pub levels: u64,
    /// The number of states of components that were left to the host.
    pub host_states: u64,
    /// The time for uploading the components to the device.
    pub upload: Duration,
    /// The time of the search on the device after that.
    pub search: Duration,
    /// The times of kernels on the device, if they were requested and the adapter has timestamps.
    pub passes: Vec<PassTime>,
}

/// The time of all dispatches of one kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassTime {
    /// The kernel with its variant.
    pub name: String,
    /// The number of dispatches.
    pub calls: u64,
    /// The total time of these dispatches.
    pub time: Duration,
}

impl Answer {
    /// Returns the strongly connected components of the graph.
    #[must_use]
    pub fn components(&self) -> &Components {
        &self.components
    }

    /// Returns the optimum of each component that has a cycle, in the order of components.
    #[must_use]
    pub fn optima(&self) -> &[Optimum] {
        &self.optima
    }

    /// Returns the optimum of all cycles, or `None` if there is no cycle. If several components
    /// attain it, this is the first of them.
    #[must_use]
    pub fn optimal(&self) -> Option<&Optimum> {
        let is_better = |other: &Optimum, best: &Optimum| match self.objective {
            Objective::Min => other.value < best.value,
            Objective::Max => other.value > best.value,
        };
        let better = |best, other| match is_better(other, best) {
            true => other,
            false => best,
        };
        self.optima.iter().reduce(better)
    }

    /// Returns the potential V of each state, which proves that values are optimal: for each edge u
    /// -> v inside a component whose value is p/q in lowest terms, q weight - p time + V(u) - V(v)
    /// is at least 0. If the greatest value is sought, this holds with weight and p negated. States
    /// on no cycle have potential 0.
    #[must_use]
    pub fn potentials(&self) -> &[i64] {
        &self.potentials
    }

    /// Returns the work of the GPU, if one was used.
    #[must_use]
    pub fn work(&self) -> Option<&Work> {
        self.work.as_ref()
    }
}
