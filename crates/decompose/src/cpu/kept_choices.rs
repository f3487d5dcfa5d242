//! [`KeptChoices`]: finds the states that a search for maximal end components can close by
//! themselves, because no choice of theirs stays in their part and leads to another state. Such a
//! state is an end component by itself if a choice leads to this state alone, and in none
//! otherwise.
//!
//! Each state keeps its first choice that stays and leads to another state. Only when this choice
//! leaves does the state look for another one, among its later choices. So each choice is looked
//! at a constant number of times, however often a state loses a choice.

use super::steps;
use mdp_graph::{ChoiceId, ChoiceTranspose, MdpGraph, StateId, Table};

/// The choices into each state, and the choice that each state keeps.
pub(super) struct KeptChoices<'a> {
    graph: &'a MdpGraph,
    incoming: ChoiceTranspose,
    /// The state that has each choice.
    sources: Table<u32>,
    /// For each state: 0 before its choices were first looked at. Then one more than the first
    /// choice that is not known to leave, or to lead to this state alone.
    kept: Table<u32>,
}

impl<'a> KeptChoices<'a> {
    /// Returns the memory that this takes, in bytes.
    pub(super) fn bytes(graph: &MdpGraph) -> usize {
        let (states, choices) = (graph.num_states(), graph.num_choices());
        4 * (2 * states + 1 + choices + graph.num_branches())
    }

    pub(super) fn new(graph: &'a MdpGraph) -> Self {
        let mut sources = Table::new(graph.num_choices());
        for state in graph.states() {
            sources[graph.choice_range(state)].fill(state.0);
        }
        Self {
            graph,
            incoming: ChoiceTranspose::new(graph),
            sources,
            kept: Table::new(graph.num_states()),
        }
    }

    /// Calls `lost` for each state of the part with a choice that may lead to `closed`, a state
    /// that was closed just now, and tells whether this state can be closed by itself.
    pub(super) fn each_that_lost(
        &mut self,
        closed: u32,
        is_in_part: impl Fn(u32) -> bool + Copy,
        mut lost: impl FnMut(u32, bool),
    ) {
        for choice in self.incoming.choices_into(StateId(closed)) {
            steps::count(1);
            let source = self.sources[choice.index()];
            if is_in_part(source) {
                let kept = self.kept[source as usize];
                let needs_another = kept == 0 || kept == choice.0 + 1;
                let is_lone = needs_another && look(self.graph, &mut self.kept, source, is_in_part);
                lost(source, is_lone);
            }
        }
    }

    /// Returns whether a state of the part can be closed by itself.
    pub(super) fn is_lone(&mut self, state: u32, is_in_part: impl Fn(u32) -> bool) -> bool {
        look(self.graph, &mut self.kept, state, is_in_part)
    }
}

/// Finds the choice that a state keeps, from the one that it kept before. Returns whether there is
/// none.
fn look(graph: &MdpGraph, kept: &mut [u32], state: u32, is_in_part: impl Fn(u32) -> bool) -> bool {
    let kept = &mut kept[state as usize];
    let choices = graph.choice_range(StateId(state));
    let first = choices.start.max((*kept as usize).saturating_sub(1));
    let found = (first..choices.end).find(|&choice| {
        let targets = graph.targets(ChoiceId::from_index(choice));
        steps::count(targets.len() as u32 + 1);
        let stays = targets.iter().all(|target| is_in_part(target.0));
        stays && targets.iter().any(|target| target.0 != state)
    });
    *kept = found.unwrap_or(choices.end) as u32 + 1;
    found.is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the choices of a few states, and an order in which these states are closed.
    fn model_and_order() -> impl Strategy<Value = (Vec<Vec<Vec<u32>>>, Vec<u32>)> {
        (1..12u32).prop_flat_map(|n| {
            let choice = prop::collection::vec(0..n, 1..4);
            let choices = prop::collection::vec(prop::collection::vec(choice, 0..5), n as usize);
            let order: Vec<u32> = (0..n).collect();
            (choices, Just(order).prop_shuffle())
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        /// All states are closed one after another. Each time, the states that have lost a choice
        /// are reported. A state is lone if it has no choice left that stays and also leads to
        /// another state.
        #[test]
        fn lone_states_are_those_that_no_choice_leads_from((model, order) in model_and_order()) {
            let graph = MdpGraph::from_choices(&model).expect("it is a graph");
            let mut kept = KeptChoices::new(&graph);
            let mut part = vec![true; model.len()];
            let mut was_lone = vec![false; model.len()];
            for closed in order {
                part[closed as usize] = false;
                let mut lost = Vec::new();
                let is_in_part = |state: u32| part[state as usize];
                kept.each_that_lost(closed, is_in_part, |state, is_lone| {
                    was_lone[state as usize] |= is_lone;
                    lost.push(state);
                });
                for (state, choices) in (0..).zip(&model).filter(|&(state, _)| is_in_part(state)) {
                    let leads = |choice: &Vec<u32>| choice.contains(&closed);
                    prop_assert_eq!(lost.contains(&state), choices.iter().any(leads));
                    let keeps = |choice: &Vec<u32>| {
                        let stays = choice.iter().all(|&to| is_in_part(to));
                        stays && choice.iter().any(|&to| to != state)
                    };
                    if lost.contains(&state) {
                        prop_assert_eq!(was_lone[state as usize], !choices.iter().any(keeps));
                        let mut other = KeptChoices::new(&graph);
                        prop_assert_eq!(other.is_lone(state, is_in_part), was_lone[state as usize]);
                    }
                }
            }
        }
    }

    /// A state keeps one wide choice to the end. It loses its other choices one at a time.
    #[test]
    fn a_choice_that_is_kept_is_not_looked_at_again() {
        let n = 1000;
        let mut model = vec![vec![(1..=n).collect::<Vec<u32>>()]];
        model[0].extend((n + 1..=2 * n).map(|other| vec![other]));
        model.extend((1..=2 * n).map(|_| vec![vec![0]]));
        let graph = MdpGraph::from_choices(&model).expect("it is a graph");
        let mut kept = KeptChoices::new(&graph);
        let steps = steps::of(|| {
            for closed in n + 1..=2 * n {
                let is_in_part = |state: u32| state <= n || state > closed;
                kept.each_that_lost(closed, is_in_part, |_, is_lone| assert!(!is_lone));
            }
        });
        assert!(steps < 4 * u64::from(n), "{steps}");
    }
}
