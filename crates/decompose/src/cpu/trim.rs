//! Trimming in the search for maximal end components: finds the states that can be closed by
//! themselves, because no choice of theirs stays in their part and leads to another state. Such a
//! state is an end component by itself if a choice leads to this state alone, and in none
//! otherwise.
//!
//! Each state keeps its first choice that stays and leads to another state. Only when this choice
//! leaves does the state look for another one, among its later choices. So each choice is looked
//! at a constant number of times, however often a state loses a choice.

use super::mec::Search;
use super::steps;
use mdp_graph::{ChoiceTranspose, MdpGraph, StateId, Table};

/// The choices into each state, and the choice that each state keeps.
pub(super) struct Trim<'a> {
    graph: &'a MdpGraph,
    incoming: ChoiceTranspose,
    /// The state that has each choice.
    sources: Table<u32>,
    /// For each state: 0 before its choices were first looked at. Then one more than the first
    /// choice that is not known to leave, or to lead to this state alone.
    kept: Table<u32>,
}

impl<'a> Trim<'a> {
    /// The memory that this takes, in bytes.
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

    /// Calls `lost` for each unvisited state with a choice that may lead to `closed`, a state that
    /// was closed just now, and tells whether this state can be closed by itself.
    pub(super) fn each_that_lost(
        &mut self,
        closed: u32,
        search: &Search<'_>,
        mut lost: impl FnMut(u32, bool),
    ) {
        for choice in self.incoming.choices_into(StateId(closed)) {
            steps::count(1);
            let source = self.sources[choice.index()];
            if search.is_unvisited(source) {
                let kept = self.kept[source as usize];
                let needs_another = kept == 0 || kept == choice.0 + 1;
                let is_lone = needs_another && look(self.graph, &mut self.kept, source, search);
                lost(source, is_lone);
            }
        }
    }

    /// Whether an unvisited state can be closed by itself.
    pub(super) fn is_lone(&mut self, state: u32, search: &Search<'_>) -> bool {
        look(self.graph, &mut self.kept, state, search)
    }
}

/// Finds the choice that a state keeps, from the one that it kept before. Returns whether there is
/// none.
fn look(graph: &MdpGraph, kept: &mut [u32], state: u32, search: &Search<'_>) -> bool {
    let kept = &mut kept[state as usize];
    let choices = graph.choice_range(StateId(state));
    let offsets = graph.branch_offsets();
    let first = choices.start.max((*kept as usize).saturating_sub(1));
    let found = (first..choices.end).find(|&choice| {
        let targets = search.targets_of(offsets[choice]..offsets[choice + 1]);
        steps::count(targets.len() as u32 + 1);
        let stays = targets.iter().all(|&target| search.is_unvisited(target));
        stays && targets.iter().any(|&target| target != state)
    });
    *kept = found.unwrap_or(choices.end) as u32 + 1;
    found.is_none()
}
