//! What the searches of `maxend explore` have found, and how much was explored.

use super::trace::Witness;
use crate::model::Model;
use gpu_explore::Counts;
use mdp_graph::StateId;
use report::SoughtKind;

/// The result of a search for one thing.
pub(super) struct SearchResult<'a> {
    pub(super) what: SoughtKind<'a>,
    /// A trace to it, if it was found.
    pub(super) found: Option<Witness>,
}

/// Returns the number of states that a sequential search visits to find everything, if everything
/// was found.
pub(super) fn searched(results: &[SearchResult<'_>]) -> Option<u64> {
    let last = results.iter().map(|result| Some(result.found.as_ref()?.at));
    let last: Option<Vec<StateId>> = last.collect();
    last?.into_iter().max().map(|last| u64::from(last.0) + 1)
}

/// Returns the size of the state space of a model.
pub(super) fn counts_of(model: &Model) -> Counts {
    let graph = &model.graph;
    Counts {
        states: graph.num_states() as u64,
        choices: graph.num_choices() as u64,
        transitions: graph.num_branches() as u64,
        deadlocks: model.construction.deadlocks,
    }
}
