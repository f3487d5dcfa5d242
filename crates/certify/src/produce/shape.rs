//! Decides which kinds of sweeps pay, from the edges of a sample of the states.

use mdp_graph::{MdpGraph, StateId};

/// The number of states that are looked at, about.
const SAMPLE: usize = 1 << 9;

/// What sweeps need to be worth while.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// A component of fewer states is in a cache whatever is done with it.
    pub(super) large: usize,
    /// A target that is farther away than this many states is in no cache when a search comes to
    /// it.
    pub(super) far: u32,
}

impl Limits {
    pub(super) const USUAL: Self = Self {
        large: 1 << 14,
        far: 1 << 12,
    };
}

/// A model for which sweeps may be worth while.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    /// [`Limits::large`].
    pub(super) large: usize,
    /// Whether most edges lead far. Where they do not, a depth-first search finds what it looks up
    /// in a cache, and paths may be as long as the graph, so that each thread would wait for what
    /// another one finds.
    pub(super) far: bool,
    /// Whether most states have an edge to a later one. From the others, paths run against the
    /// numbers: a sweep from the last state to the first takes one step of these.
    pub(super) on: bool,
    /// Whether most states have an edge to an earlier one.
    pub(super) back: bool,
}

impl Shape {
    /// None of a model that is too small.
    pub(super) fn new(graph: &MdpGraph, limits: Limits) -> Option<Self> {
        if graph.num_states() < limits.large {
            return None;
        }
        let step = (graph.num_states() / SAMPLE).max(1);
        let sample = graph.states().step_by(step);
        let (mut far, mut on, mut back) = (0, 0, 0);
        for state in sample.clone() {
            let targets = graph.successors(state);
            let any =
                |is: fn(StateId, StateId) -> bool| targets.iter().any(|&target| is(target, state));
            far += usize::from(
                targets
                    .iter()
                    .any(|target| target.0.abs_diff(state.0) >= limits.far),
            );
            on += usize::from(any(|target, state| target > state));
            back += usize::from(any(|target, state| target < state));
        }
        let states = sample.len();
        Some(Self {
            large: limits.large,
            far: 2 * far >= states,
            on: 4 * on >= 3 * states,
            back: 4 * back >= 3 * states,
        })
    }
}
