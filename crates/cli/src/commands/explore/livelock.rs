//! Livelocks: cycles of internal actions. They are found as the non-trivial strongly connected
//! components of the graph that has only the internal branches.

use super::trace::{Trace, Witness, cycle};
use crate::error::Error;
use crate::model::Model;
use crate::progress::Counting;
use decompose::{Options, scc};
use lts_formats::is_internal;
use mdp_graph::{ChoiceId, MdpGraph, StateId, check_room};
use prism_explicit::ModelType;

/// Returns a shortest trace to a state on a cycle of internal actions, and that cycle.
pub(super) fn find(model: &Model) -> Result<Option<Witness>, Error> {
    let Some(details) = &model.choices.details else {
        return Ok(None);
    };
    let is_internal: Vec<bool> = details
        .names
        .iter()
        .map(|name| match model.model_type {
            ModelType::Lts => is_internal(name),
            _ => name.is_empty(),
        })
        .collect();
    let internal_action = |choice: ChoiceId, branch: usize| {
        let mut actions = model.choices.actions(choice, branch);
        actions.find(|&action| is_internal[action as usize])
    };
    let graph = &model.graph;
    let internal = retain(graph, |choice, branch| {
        internal_action(choice, branch).is_some()
    })?;
    let options = Options {
        observer: &Counting::default(),
        ..Options::default()
    };
    let components = scc(&internal, &options).map_err(|error| match error {
        decompose::Error::Cancelled => Error::Cancelled,
        error => Error::wrong(error.to_string()),
    })?;
    // Components are in the order of their smallest states.
    let first = components.ids().find(|&id| !components.is_trivial(id));
    let Some(first) = first.map(|id| components.smallest(id)) else {
        return Ok(None);
    };
    let inside = |state: StateId| components.component(state) == components.component(first);
    let mut trace = Trace::to(model, first)?;
    let steps = cycle(graph, first, |choice, branch, target| {
        internal_action(choice, branch).filter(|_| inside(target))
    });
    trace.push_cycle(steps.unwrap_or_default());
    Ok(Some(Witness { at: first, trace }))
}

/// Returns the graph that has only the branches for which `keep` holds, each as a separate choice.
fn retain(graph: &MdpGraph, keep: impl Fn(ChoiceId, usize) -> bool) -> Result<MdpGraph, Error> {
    let bytes = [graph.num_states() * 4, graph.num_branches() * 4];
    check_room("the graph of internal actions", &bytes)?;
    let (mut rows, mut targets) = (vec![0], Vec::new());
    for state in graph.states() {
        for choice in graph.choices(state) {
            let first = graph.branch_offsets()[choice.index()] as usize;
            let branches = (first..).zip(graph.targets(choice));
            let kept = branches.filter(|&(branch, _)| keep(choice, branch));
            targets.extend(kept.map(|(_, &target)| target));
        }
        rows.push(targets.len() as u32);
    }
    MdpGraph::from_rows(rows.into(), targets.into())
        .map_err(|error| Error::wrong(error.to_string()))
}
