//! The basic sequential algorithm for maximal end components (2016, section 2.3; 2014, section
//! 2.3; "BM" in the papers' tables), which looks at the whole graph in each round.
//!
//! The papers prune only states. This is corrected here: step 2 also removes each choice that
//! leaves its component, and a component is a MEC only if it lost no choice. Then no separate step
//! is needed to remove the attractor of the MECs (step 2c): a choice that may lead into a MEC from
//! outside leaves its own component, and is removed for this reason.

use super::tarjan::{self, Live, Subgraph};
use super::ticker::Ticker;
use crate::Error;
use mdp_graph::{BitSet, ChoiceId, ChoiceTranspose, Components, MdpGraph, StateId};

/// Returns the mark of each state's MEC, or [`Components::NONE`].
pub(crate) fn mecs(graph: &MdpGraph, ticker: &mut Ticker<'_>) -> Result<Vec<u32>, Error> {
    let mut marks = vec![Components::NONE; graph.num_states()];
    let mut basic = Basic::new(graph);
    let stuck = graph.states().filter(|&s| graph.is_deadlock(s)).collect();
    basic.remove_with_attractor(stuck);
    let mut round = 0;
    while basic.live_states > 0 {
        // Step 1. Components of different rounds may have equal numbers: MECs are marked by their
        // smallest states instead.
        let component = tarjan::sccs(graph, &basic.live, ticker)?;
        // Step 2a.
        let (lost, stuck) = basic.remove_leaving_choices(&component);
        // Step 2c, before 2b, while all members of the components are there.
        basic.move_mecs_out(&component, &lost, &mut marks);
        // Step 2b. Step 3 is the next round.
        basic.remove_with_attractor(stuck);
        round += 1;
        ticker.report(graph.num_states() - basic.live_states)?;
    }
    tracing::debug!(rounds = round, "the basic MEC algorithm is done");
    Ok(marks)
}

struct Basic<'a> {
    graph: &'a MdpGraph,
    incoming: ChoiceTranspose,
    /// For each choice its state.
    source: Vec<StateId>,
    live: Live,
    live_states: usize,
    /// For each state the number of its live choices.
    live_choices: Vec<u32>,
}

impl<'a> Basic<'a> {
    fn new(graph: &'a MdpGraph) -> Self {
        let states = graph.states();
        Self {
            graph,
            incoming: ChoiceTranspose::new(graph),
            source: states
                .clone()
                .flat_map(|s| graph.choices(s).map(move |_| s))
                .collect(),
            live: Live {
                removed_states: BitSet::new(graph.num_states()),
                removed_choices: BitSet::new(graph.num_choices()),
            },
            live_states: graph.num_states(),
            live_choices: states.map(|s| graph.choices(s).len() as u32).collect(),
        }
    }

    /// Removes the choices that leave their components. Returns the components that lost one, and
    /// the states that lost all: the papers' sets U.
    fn remove_leaving_choices(&mut self, component: &[u32]) -> (BitSet, Vec<StateId>) {
        let graph = self.graph;
        let mut lost = BitSet::new(graph.num_states());
        let mut stuck = Vec::new();
        for state in graph
            .states()
            .filter(|&s| self.live.has_state(s))
            .collect::<Vec<_>>()
        {
            let own = component[state.index()];
            for choice in graph.choices(state) {
                let leaves = graph
                    .targets(choice)
                    .iter()
                    .any(|t| component[t.index()] != own);
                if leaves && self.remove_choice(choice) {
                    lost.insert(own as usize);
                    if self.live_choices[state.index()] == 0 {
                        stuck.push(state);
                    }
                }
            }
        }
        (lost, stuck)
    }

    /// Marks the components that lost no choice, and removes their states.
    fn move_mecs_out(&mut self, component: &[u32], lost: &BitSet, marks: &mut [u32]) {
        let mut smallest = vec![Components::NONE; self.graph.num_states()];
        for state in self.graph.states() {
            if self.live.has_state(state) && !lost.contains(component[state.index()] as usize) {
                let smallest = &mut smallest[component[state.index()] as usize];
                *smallest = state.0.min(*smallest);
                marks[state.index()] = *smallest;
                self.remove_state(state);
            }
        }
    }

    /// Removes states, then those that can no longer avoid a removed one, and so on.
    fn remove_with_attractor(&mut self, mut removed: Vec<StateId>) {
        while let Some(state) = removed.pop() {
            self.remove_state(state);
            for i in 0..self.incoming.choices_into(state).len() {
                let choice = self.incoming.choices_into(state)[i];
                let source = self.source[choice.index()];
                if self.remove_choice(choice) && self.live_choices[source.index()] == 0 {
                    removed.push(source);
                }
            }
        }
    }

    fn remove_state(&mut self, state: StateId) {
        if self.live.removed_states.insert(state.index()) {
            self.live_states -= 1;
        }
    }

    /// Returns whether the choice was alive.
    fn remove_choice(&mut self, choice: ChoiceId) -> bool {
        let new = self.live.removed_choices.insert(choice.index());
        if new {
            self.live_choices[self.source[choice.index()].index()] -= 1;
        }
        new
    }
}
