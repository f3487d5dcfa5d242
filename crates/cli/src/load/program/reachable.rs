//! The states of an explored interval model that its initial states still reach when the branches
//! that nature cannot take are gone.

use crate::error::Error;
use explore::{Exploration, States};
use mdp_graph::{MdpGraph, StateId, check_room};

const UNKNOWN: u32 = u32::MAX;

/// Returns the states that the initial ones reach, in the order in which an exploration finds them.
///
/// # Errors
/// If there is not enough memory.
pub(super) fn search(graph: &MdpGraph, num_initial: usize) -> Result<Order, Error> {
    let n = graph.num_states();
    check_room("an order of the states", &[4 * n, 4 * n])?;
    let mut order = Order {
        states: Vec::with_capacity(n),
        numbers: vec![UNKNOWN; n],
    };
    for state in (0..num_initial as u32).map(StateId) {
        order.find(state);
    }
    let mut expanded = 0;
    while let Some(&state) = order.states.get(expanded) {
        for &target in graph.successors(state) {
            order.find(target);
        }
        expanded += 1;
    }
    Ok(order)
}

/// An order of some of the states.
pub(super) struct Order {
    states: Vec<StateId>,
    /// The place of each state in the order, or [`UNKNOWN`].
    numbers: Vec<u32>,
}

impl Order {
    fn find(&mut self, state: StateId) {
        let number = &mut self.numbers[state.index()];
        if *number == UNKNOWN {
            *number = self.states.len() as u32;
            self.states.push(state);
        }
    }

    /// Returns whether all states are in the order, by number.
    pub(super) fn is_trivial(&self) -> bool {
        let same = |(number, state): (usize, &StateId)| state.index() == number;
        self.states.len() == self.numbers.len() && self.states.iter().enumerate().all(same)
    }

    pub(super) fn contains(&self, state: StateId) -> bool {
        self.numbers[state.index()] != UNKNOWN
    }

    /// Returns the part of an exploration that has these states, and the same part of the lower
    /// bounds. All targets of these states must be in the order.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn part_of(
        &self,
        found: &Exploration,
        lower: &[f64],
    ) -> Result<(Exploration, Vec<f64>), Error> {
        let graph = &found.graph;
        let (choices, branches) = (graph.num_choices(), graph.num_branches());
        let words = found.states.packed().len();
        let room = [
            4 * (self.states.len() + 2 * choices),
            20 * branches,
            8 * words,
        ];
        check_room("the states that are reached", &room)?;
        let (mut choice_offsets, mut branch_offsets) = (vec![0], vec![0]);
        let (mut targets, mut packed) = (Vec::new(), Vec::new());
        let (mut actions, mut upper, mut low) = (Vec::new(), Vec::new(), Vec::new());
        for &state in &self.states {
            packed.extend_from_slice(found.states.get(state));
            for choice in graph.choices(state) {
                let to = graph.targets(choice).iter();
                targets.extend(to.map(|to| StateId(self.numbers[to.index()])));
                branch_offsets.push(targets.len() as u32);
            }
            choice_offsets.push(branch_offsets.len() as u32 - 1);
            let branches = graph.branch_range(state);
            low.extend_from_slice(&lower[branches.clone()]);
            if let Some(all) = &found.probabilities {
                upper.extend_from_slice(&all[branches]);
            }
            if let Some(all) = &found.actions {
                actions.extend_from_slice(&all[graph.choice_range(state)]);
            }
        }
        let graph = MdpGraph::from_parts(choice_offsets, branch_offsets, targets);
        let part = Exploration {
            graph: graph.map_err(|error| Error::wrong(error.to_string()))?,
            states: States::from_packed(found.states.words(), packed),
            expanded: self.states.len(),
            num_initial: found.num_initial,
            actions: found.actions.as_ref().map(|_| actions),
            probabilities: found.probabilities.as_ref().map(|_| upper),
            deadlocks: found.deadlocks,
            dropped_branches: found.dropped_branches,
        };
        Ok((part, low))
    }
}
