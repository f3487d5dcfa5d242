//! Produces certificates for finished answers. The check does not rely on this code: it judges
//! every certificate by separate code.
//!
//! | step | SCCs | MECs |
//! | --- | --- | --- |
//! | large components, and single states before them, as far as [`levels`] go | sweeps: [`giant`], [`mod@singles`] | the same |
//! | single states among the rest | on several threads: [`mod@parallel_search`], with [`waiting`] | the same, with one thread, too |
//! | the states of another class, and their ways back | [`search`] over all edges | a search in [`places`] along retained choices |
//! | the order of these | the one in which the search leaves them | an attractor in [`mod@mec`] |
//!
//! All steps together take time O(n + m), also for wrong answers. If no certificate exists, one of
//! the steps finds that out.

mod answer;
mod cell;
mod giant;
mod levels;
mod marks;
mod mec;
mod parallel_search;
mod pending_choices;
mod places;
mod rows;
mod scc;
mod search;
mod shape;
mod singles;
#[cfg(test)]
mod tests;
mod waiting;

use crate::observer::{Silent, Watch};
use crate::{Certificate, Error, Observer, Violation};
use answer::Answer;
use levels::Levels;
use mdp_graph::{ComponentKind, Components, MdpGraph, StateRows};
use rows::Rows;
use shape::{Limits, Shape};

/// Produces a certificate for `components`, if they are the strongly connected or the maximal end
/// components of `graph`, depending on their kind.
///
/// # Errors
/// The obligation that no certificate can meet, and the place where it fails.
pub fn produce(graph: &MdpGraph, components: &Components) -> Result<Certificate, Violation> {
    produce_observed(graph, components, &Silent).map_err(Error::into_violation)
}

/// Like [`produce`], with an observer.
///
/// # Errors
/// The obligation that no certificate can meet, and the place where it fails; [`Error::Cancelled`]
/// if the observer cancels the work.
pub fn produce_observed(
    graph: &MdpGraph,
    components: &Components,
    observer: &dyn Observer,
) -> Result<Certificate, Error> {
    if components.num_states() != graph.num_states() {
        let (graph, answer) = (graph.num_states(), components.num_states());
        return Err(Violation::OtherGraph { graph, answer }.into());
    }
    let answer = Answer {
        graph,
        components,
        watch: Watch::new(observer, graph.num_states()),
    };
    match attempt(answer, Some(Limits::USUAL)) {
        // The results of sweeps for a wrong answer may depend on the threads. They must not
        // determine the reported violation.
        Err(Error::Violation(_)) => attempt(answer, None),
        outcome => outcome,
    }
}

/// Produces a certificate by searches and, if they are worthwhile, by sweeps.
fn attempt(answer: Answer<'_>, limits: Option<Limits>) -> Result<Certificate, Error> {
    let graph = answer.graph;
    let shape = limits.and_then(|limits| Shape::new(graph, limits));
    let offsets = StateRows::new(graph);
    let rows = Rows::new(&offsets, graph);
    let levels = match shape {
        None => Levels::none(graph.num_states()),
        Some(shape) => {
            let found = levels::by_sweeps(answer, rows, shape);
            // If sweeps were cancelled, their results cannot be used.
            answer.watch.check()?;
            match found {
                Ok(certificate) => return Ok(certificate),
                Err(levels) => *levels,
            }
        }
    };
    match answer.components.kind() {
        ComponentKind::Scc | ComponentKind::Bscc => scc::produce(answer, rows, &levels, shape),
        ComponentKind::Mec => mec::produce(answer, rows, &levels, shape),
    }
}
