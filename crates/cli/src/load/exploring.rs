//! Explores the states of a system, and keeps the parts of the result that are needed.

mod observer;

use super::request::{Extent, Request, Sizes, Wanted};
use explore::{Exploration, Limits, Options};
use observer::ExplorationObserver;

/// Explores the states by calling `explore`, and keeps the wanted details. If details are wanted
/// only of small models, the first exploration keeps none, and a small model is explored again.
pub(super) fn find_and_keep<E>(
    request: Request<'_>,
    explore: impl Fn(&Options<'_>) -> Result<Exploration, E>,
) -> Result<Exploration, E> {
    let Wanted { details, sizes, .. } = request.wanted;
    if sizes == Sizes::All {
        return find_states(request, details, explore);
    }
    let found = find_states(request, Extent::Nothing, &explore)?;
    match details != Extent::Nothing && sizes.include(found.graph.num_states()) {
        true => find_states(request, details, explore),
        false => Ok(found),
    }
}

/// Explores the states by calling `explore`, and keeps these details.
pub(super) fn find_states<T, E>(
    request: Request<'_>,
    details: Extent,
    explore: impl Fn(&Options<'_>) -> Result<T, E>,
) -> Result<T, E> {
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
        goal: None,
        observer: &observer,
    };
    let found = explore(&options);
    observer.finish();
    found
}
