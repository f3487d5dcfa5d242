//! Explores the states of a system, and keeps of them what is wanted.

mod observer;

use super::request::{Extent, FEW_STATES, Request, Wanted};
use explore::{Error, Exploration, Limits, Options, System, explore};
use observer::ExplorationObserver;

/// Explores the states, and keeps the details that are wanted. If details are wanted only of small
/// models, the first exploration keeps none; a model that turns out to be small is explored again.
pub(super) fn find_and_keep<S: System>(
    system: &S,
    request: Request<'_>,
) -> Result<Exploration, Error<S::Error>> {
    let Wanted {
        details,
        only_of_few,
        ..
    } = request.wanted;
    if !only_of_few {
        return find_states(system, request, details);
    }
    let found = find_states(system, request, Extent::Nothing)?;
    match found.graph.num_states() <= FEW_STATES && details != Extent::Nothing {
        true => find_states(system, request, details),
        false => Ok(found),
    }
}

fn find_states<S: System>(
    system: &S,
    request: Request<'_>,
    details: Extent,
) -> Result<Exploration, Error<S::Error>> {
    let observer = ExplorationObserver::new(request.progress, request.size_hint);
    let args = &request.args.builder;
    let options = Options {
        deadlocks: request.deadlocks,
        actions: details != Extent::Nothing,
        probabilities: details == Extent::Everything,
        limits: Limits {
            states: args.max_states,
            memory: args.max_memory,
        },
        observer: &observer,
    };
    let found = explore(system, &options);
    observer.finish();
    found
}
