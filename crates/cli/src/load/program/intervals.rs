//! The lower bounds of the probabilities in an explored interval model. The exploration uses the
//! upper bounds to find the branches, so it may find states that no possible branch leads to.

use super::reachable;
use crate::error::Error;
use crate::interrupt;
use crate::model::intervals::Intervals;
use explore::Exploration;
use mdp_graph::{BuildError, MdpGraph, OutOfMemory, StateId, check_room};
use prism_language::{ActionId, Program, Visitor};

/// Checks that there is memory for the lower bounds.
pub(super) fn room(found: &Exploration) -> Result<(), OutOfMemory> {
    let bounds = found.graph.num_branches() * size_of::<f64>();
    check_room("the lower bounds of intervals", &[bounds])
}

/// The lower bounds of an exploration.
pub(super) struct LowerBounds {
    of_branches: Vec<f64>,
    /// The states for which the program has no choice.
    deadlocks: Vec<StateId>,
}

/// Returns the lower bound of each branch. After Ctrl-C they are incomplete, and must not be used.
pub(super) fn evaluate(
    program: &Program,
    found: &Exploration,
) -> Result<LowerBounds, prism_language::Error> {
    let program = program.with_lower_bounds();
    let mut scratch = program.scratch();
    let mut lower = vec![0.0; found.graph.num_branches()];
    let mut deadlocks = Vec::new();
    for state in found.graph.states() {
        let mut fill = Fill {
            found,
            lower: &mut lower,
            branches: 0..0,
            next: found.graph.choice_range(state).start,
        };
        let begun = fill.next;
        program.successors(&mut scratch, found.states.get(state), &mut fill)?;
        if fill.is_over() {
            break;
        }
        if fill.next == begun {
            // A deadlock keeps the self-loop that it was given.
            lower[found.graph.branch_range(state)].fill(1.0);
            deadlocks.push(state);
        }
    }
    Ok(LowerBounds {
        of_branches: lower,
        deadlocks,
    })
}

/// Returns the exploration and its lower bounds, without the branches that nature cannot take, and
/// without the states that only these branches lead to.
pub(super) fn possible(
    found: Exploration,
    lower: &LowerBounds,
) -> Result<(Exploration, Vec<f64>), Error> {
    let upper = found.probabilities.unwrap_or_default();
    let intervals = Intervals {
        graph: &found.graph,
        lower: &lower.of_branches,
        upper: &upper,
    };
    let wrong = |error: BuildError| Error::wrong(error.to_string());
    let left = intervals.possible().map_err(wrong)?;
    let dropped = upper.len() - left.upper.len();
    let found = Exploration {
        graph: left.graph,
        probabilities: Some(left.upper),
        ..found
    };
    if dropped == 0 {
        return Ok((found, left.lower));
    }
    let reached = reachable::search(&found.graph, found.num_initial)?;
    let deadlocks = lower.deadlocks.iter();
    let found = Exploration {
        deadlocks: deadlocks.filter(|&&state| reached.contains(state)).count() as u64,
        dropped_branches: found.dropped_branches + dropped as u64,
        ..found
    };
    match reached.is_trivial() {
        true => Ok((found, left.lower)),
        false => reached.part_of(&found, &left.lower),
    }
}

/// Adds up the lower bounds of the branches of one state.
struct Fill<'f> {
    found: &'f Exploration,
    lower: &'f mut [f64],
    /// The branches of the choice.
    branches: std::ops::Range<usize>,
    /// The next choice.
    next: usize,
}

impl Fill<'_> {
    /// Returns the branch of the choice that leads to a state.
    fn branch_to(&self, target: &[u64]) -> Option<usize> {
        let graph: &MdpGraph = &self.found.graph;
        let leads = |branch: &usize| {
            let to: StateId = graph.all_targets()[*branch];
            self.found.states.get(to) == target
        };
        self.branches.clone().find(leads)
    }
}

impl Visitor for Fill<'_> {
    fn choice(&mut self, _: Option<ActionId>) {
        let offsets = self.found.graph.branch_offsets();
        self.branches = offsets[self.next] as usize..offsets[self.next + 1] as usize;
        self.next += 1;
    }

    fn branch(&mut self, bound: f64, target: &[u64]) {
        if let Some(branch) = self.branch_to(target) {
            self.lower[branch] += bound;
        }
    }

    fn is_over(&mut self) -> bool {
        interrupt::is_cancelled()
    }
}
