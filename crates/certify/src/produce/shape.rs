//! Decides which kinds of sweeps are worthwhile, from the edges of a sample of the states.

use mdp_graph::{MdpGraph, StateId};

/// The approximate number of states in the sample.
const SAMPLE: usize = 1 << 9;

/// The sizes from which sweeps are worthwhile.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// A component with fewer states fits a cache.
    pub(super) large: usize,
    /// If a target is at least this many states away, it is in no cache when a search reaches it.
    pub(super) far: u32,
}

impl Limits {
    pub(super) const USUAL: Self = Self {
        large: 1 << 14,
        far: 1 << 12,
    };
}

/// What a sample tells of a model for which sweeps may be worth while.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    /// [`Limits::large`].
    pub(super) large: usize,
    /// Whether most states have a far edge. Otherwise, a depth-first search finds its data in a
    /// cache, and paths may be as long as the graph, so that each thread would wait for others.
    pub(super) has_far_edges: bool,
    /// Whether most states have an edge to a later state. Paths from the other states run against
    /// the numbering, so that a sweep from the last state to the first makes a single step along
    /// them.
    pub(super) has_forward_edges: bool,
    /// Whether most states have an edge to an earlier state.
    pub(super) has_backward_edges: bool,
}

impl Shape {
    /// Returns `None` if the model is too small.
    pub(super) fn new(graph: &MdpGraph, limits: Limits) -> Option<Self> {
        if graph.num_states() < limits.large {
            return None;
        }
        let step = (graph.num_states() / SAMPLE).max(1);
        let sample = graph.states().step_by(step);
        let (mut far, mut forward, mut backward) = (0, 0, 0);
        for state in sample.clone() {
            let targets = graph.successors(state);
            let any =
                |is: fn(StateId, StateId) -> bool| targets.iter().any(|&target| is(target, state));
            far += usize::from(
                targets
                    .iter()
                    .any(|target| target.0.abs_diff(state.0) >= limits.far),
            );
            forward += usize::from(any(|target, state| target > state));
            backward += usize::from(any(|target, state| target < state));
        }
        let states = sample.len();
        Some(Self {
            large: limits.large,
            has_far_edges: 2 * far >= states,
            has_forward_edges: 4 * forward >= 3 * states,
            has_backward_edges: 4 * backward >= 3 * states,
        })
    }
}
