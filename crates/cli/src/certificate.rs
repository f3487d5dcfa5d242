//! `--certify`: makes a certificate for an answer, and checks it with code that shares nothing with
//! the search.

use crate::error::Error;
use crate::library::Supervisor;
use crate::progress::{Counting, Progress, Unit};
use bfs::BfsTree;
use certify::{ClaimedDistances, ClaimedMeans, ClaimedOptimum, Observer};
use cycle_mean::{Answer, Problem};
use mdp_graph::{Components, MdpGraph, StateId};
use std::time::{Duration, Instant};

/// Makes a certificate for `components` and checks it. If the answer consists of bottom components,
/// also checks that they are the bottom components among `components`. Returns the phases and their
/// times.
///
/// # Errors
/// [`Error::Rejected`] with the first obligation that the answer violates; [`Error::Cancelled`].
pub(crate) fn check(
    graph: &MdpGraph,
    components: &Components,
    bottom: Option<&Components>,
    progress: Progress,
) -> Result<[(&'static str, Duration); 2], Error> {
    check_room(graph)?;
    let states = graph.num_states() as u64;
    let observer = Counting::default();
    let start = Instant::now();
    let certificate = progress
        .track("certifying", Unit::States, states, &observer.done, || {
            certify::produce_observed(graph, components, &observer)
        })
        .map_err(failed)?;
    let produced = start.elapsed();
    let observer = Counting::default();
    let start = Instant::now();
    progress
        .track("checking", Unit::States, states, &observer.done, || {
            certificate.check_observed(graph, components, &observer)
        })
        .map_err(failed)?;
    if let Some(bottom) = bottom {
        certify::check_bottom(graph, components, bottom).map_err(|error| failed(error.into()))?;
    }
    Ok([("certify", produced), ("check", start.elapsed())])
}

/// Does the same as [`check`], for another program.
pub(crate) fn check_supervised(
    graph: &MdpGraph,
    components: &Components,
    bottom: Option<&Components>,
    supervisor: &Supervisor,
) -> Result<(), Error> {
    check_room(graph)?;
    let states = Some(graph.num_states() as u64);
    supervisor.begin("certifying", states);
    let certificate = certify::produce_observed(graph, components, supervisor).map_err(failed)?;
    supervisor.begin("checking", states);
    let checked = certificate.check_observed(graph, components, supervisor);
    checked.map_err(failed)?;
    if let Some(bottom) = bottom {
        certify::check_bottom(graph, components, bottom).map_err(|error| failed(error.into()))?;
    }
    Ok(())
}

impl Observer for Supervisor {
    fn progress(&self, done: u64, _: u64) {
        self.reach(done);
    }

    fn is_cancelled(&self) -> bool {
        self.is_stopped()
    }
}

/// Checks the distances and parents of a breadth-first search, which are their own certificate.
///
/// # Errors
/// [`Error::Rejected`] with the first obligation that they violate.
pub(crate) fn check_distances(
    graph: &MdpGraph,
    sources: &[StateId],
    tree: &BfsTree,
) -> Result<(), Error> {
    let claim = ClaimedDistances {
        sources,
        distances: tree.distances(),
        parents: tree.parents(),
    };
    certify::check_distances(graph, &claim).map_err(Error::rejected)
}

/// Checks the optimal values of cycles, by the cycles and the potentials of the answer. The
/// components must have been checked.
///
/// # Errors
/// [`Error::Rejected`] with the first obligation that the answer violates.
pub(crate) fn check_cycle_means(problem: &Problem<'_>, answer: &Answer) -> Result<(), Error> {
    let claimed = answer.optima().iter().map(|optimum| ClaimedOptimum {
        component: optimum.component,
        numerator: optimum.value.numerator(),
        denominator: optimum.value.denominator(),
        cycle: &optimum.cycle,
    });
    let optima: Vec<ClaimedOptimum<'_>> = claimed.collect();
    let claim = ClaimedMeans {
        weights: problem.weights(),
        times: problem.times(),
        objective: problem.objective(),
        components: answer.components(),
        optima: &optima,
        potentials: answer.potentials(),
    };
    certify::check_cycle_means(problem.graph(), &claim).map_err(Error::rejected)
}

/// Checks that there is memory for the largest certificate that the graph may need.
fn check_room(graph: &MdpGraph) -> Result<(), Error> {
    // There are sixteen numbers for each state, and a few bits for each branch.
    let mut tables = vec![4 * (graph.num_states() + 1); 16];
    tables.push(graph.num_branches());
    Ok(mdp_graph::check_room("a certificate", &tables)?)
}

fn failed(error: certify::Error) -> Error {
    match error {
        certify::Error::Cancelled => Error::Cancelled,
        certify::Error::Violation(violation) => Error::rejected(violation),
    }
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::error::Error;
    use crate::progress::Progress;
    use mdp_graph::{Components, MdpGraph};

    /// Returns a graph in which state 0 may stay, or move on to state 1, which stays.
    fn graph() -> MdpGraph {
        let graph = MdpGraph::from_choices(&[vec![[0], [1]], vec![[1]]]);
        graph.expect("the graph is well formed")
    }

    #[test]
    fn right_answers_are_accepted() {
        for components in [
            Components::from_mec_marks(vec![0, 1]),
            Components::from_scc_marks(&graph(), vec![0, 1]),
        ] {
            let phases = check(&graph(), &components, None, Progress::new(false))
                .expect("the answer is right");
            assert_eq!(phases.map(|(name, _)| name), ["certify", "check"]);
        }
    }

    #[test]
    fn wrong_answers_are_rejected_by_exit_code_3_and_the_obligation() {
        for (components, obligation) in [
            (Components::from_mec_marks(vec![0, 0]), "M3: states 0 and 1"),
            (
                Components::from_mec_marks(vec![0, Components::NONE]),
                "M4: state 1",
            ),
            (
                Components::from_scc_marks(&graph(), vec![0, 0]),
                "S1, S2: states 0 and 1",
            ),
        ] {
            let error = check(&graph(), &components, None, Progress::new(false))
                .expect_err("the answer is wrong");
            assert_eq!(error.exit_code(), 3);
            let Error::Rejected(message) = error else {
                panic!("{error:?}");
            };
            let start = format!("the answer is wrong, and is not printed: {obligation} ");
            assert!(message.starts_with(&start), "{message}");
        }
    }

    #[test]
    fn wrong_bottom_components_are_rejected() {
        let graph = graph();
        let sccs = Components::from_scc_marks(&graph, vec![0, 1]);
        let right = sccs.only_bottom(&graph);
        assert!(check(&graph, &sccs, Some(&right), Progress::new(false)).is_ok());
        let error = check(&graph, &sccs, Some(&sccs), Progress::new(false))
            .expect_err("state 0 may leave for state 1");
        assert_eq!(error.exit_code(), 3);
        let Error::Rejected(message) = error else {
            panic!("{error:?}");
        };
        assert!(message.contains(": B2: state 0, "), "{message}");
    }
}
