//! Livelocks: cycles of internal actions. They are found as the non-trivial strongly connected
//! components of the graph that has only the internal choices.

use super::trace::{Found, Trace, cycle};
use crate::error::Error;
use crate::interrupt;
use crate::load::Model;
use decompose::{Observer, Options, scc};
use lts_formats::is_internal;
use mdp_graph::StateId;
use prism_explicit::ModelType;

/// Asks whether the user wants to stop.
struct Stop;

impl Observer for Stop {
    fn is_cancelled(&self) -> bool {
        interrupt::is_cancelled()
    }
}

/// A shortest trace to a state on a cycle of internal actions, and such a cycle.
pub(super) fn find(model: &Model) -> Result<Option<Found>, Error> {
    let Some(details) = &model.details else {
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
    let is_internal =
        |choice: mdp_graph::ChoiceId| is_internal[details.actions[choice.index()] as usize];
    let graph = &model.graph;
    let internal = graph
        .retain_choices(|_, choice| is_internal(choice))
        .map_err(|error| Error::wrong(error.to_string()))?;
    let options = Options {
        observer: &Stop,
        ..Options::default()
    };
    let components = scc(&internal, &options).map_err(|error| match error {
        decompose::Error::Cancelled => Error::Cancelled,
        error => Error::wrong(error.to_string()),
    })?;
    // Components ascend by their smallest states.
    let first = components.ids().find(|&id| !components.is_trivial(id));
    let Some(first) = first.map(|id| components.smallest(id)) else {
        return Ok(None);
    };
    let inside = |state: StateId| components.component(state) == components.component(first);
    let mut trace = Trace::to(model, first);
    let steps = cycle(graph, first, |_, choice, target| {
        is_internal(choice) && inside(target)
    });
    trace.push_cycle(steps.unwrap_or_default());
    Ok(Some(Found { at: first, trace }))
}
