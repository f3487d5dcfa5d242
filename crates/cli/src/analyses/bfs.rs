//! Searches a graph breadth-first.

use crate::device::auto_device;
use crate::device::{Job, JobObserver, Plan};
use crate::error::Error;
use bfs::{BfsTree, DistanceSearch, Options, search};
use decompose::Device;
use mdp_graph::{MdpGraph, StateId};

/// Searches from `sources` on the devices of the plan.
///
/// # Errors
/// If no device succeeds.
pub(crate) fn find(
    graph: &MdpGraph,
    sources: &[StateId],
    search_by: DistanceSearch,
    plan: Plan,
    observer: &dyn JobObserver,
) -> Result<BfsTree, Error> {
    let mut attempt = |device: Device| {
        let options = Options {
            search: search_by,
            device,
            observer,
        };
        search(graph, sources, &options)
    };
    let branches = graph.num_branches() as u64;
    let verdict = || auto_device::by_branches(branches, auto_device::BRANCHES);
    let wrong = |error: &decompose::Error| Error::wrong(error.to_string());
    plan.run_observed(Job::BFS, verdict, observer, &mut attempt, &wrong)
}
