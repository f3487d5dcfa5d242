//! [`Subgraph`]: some states with some of their choices, renumbered.

use crate::{ChoiceId, MdpGraph, StateId};

/// A part of a graph as a graph of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subgraph {
    /// The part, its states renumbered from 0 in their old order.
    pub graph: MdpGraph,
    /// For each state of the part, the state it was.
    pub origin: Vec<StateId>,
}

impl Subgraph {
    /// The part of `graph` that has the states and, of these, the choices for which `keep_state`
    /// and `keep_choice` hold.
    ///
    /// # Panics
    /// If a choice is kept that has a target which is not.
    pub fn new(
        graph: &MdpGraph,
        keep_state: impl Fn(StateId) -> bool,
        keep_choice: impl Fn(StateId, ChoiceId) -> bool,
    ) -> Self {
        const DROPPED: u32 = u32::MAX;
        let mut number = vec![DROPPED; graph.num_states()];
        let mut origin = Vec::new();
        for state in graph.states().filter(|&s| keep_state(s)) {
            number[state.index()] = origin.len() as u32;
            origin.push(state);
        }

        let mut choice_offsets = Vec::with_capacity(origin.len() + 1);
        let mut branch_offsets = vec![0];
        let mut targets = Vec::new();
        for &state in &origin {
            choice_offsets.push(branch_offsets.len() as u32 - 1);
            for choice in graph.choices(state).filter(|&c| keep_choice(state, c)) {
                targets.extend(graph.targets(choice).iter().map(|target| {
                    let number = number[target.index()];
                    assert_ne!(number, DROPPED, "a kept choice leads to a dropped state");
                    StateId(number)
                }));
                branch_offsets.push(targets.len() as u32);
            }
        }
        choice_offsets.push(branch_offsets.len() as u32 - 1);
        let graph = MdpGraph::from_checked_parts(choice_offsets, branch_offsets, targets);
        Self { graph, origin }
    }
}
