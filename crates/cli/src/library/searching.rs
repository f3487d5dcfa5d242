//! Searches a graph breadth-first.

use super::devices::{DeviceChoice, Observer};
use super::pool::on_threads;
use super::{Failure, Supervisor};
use crate::{analyses, certificate};
use bfs::{BfsTree, DistanceSearch};
use mdp_graph::{MdpGraph, StateId};
use std::num::NonZeroUsize;

/// The options of a breadth-first search.
#[derive(Clone, Debug)]
pub struct Searching {
    /// The device to be used.
    pub device: DeviceChoice,
    /// The number of threads; by default one for each core.
    pub threads: Option<NonZeroUsize>,
    /// Whether to check the answer, with code that shares nothing with the search.
    pub certify: bool,
}

/// The distances of states from the sources of a search.
#[derive(Clone, Debug)]
pub struct Distances {
    /// The distance and the parent of each state.
    pub tree: BfsTree,
    /// The name of the device that found them, as it is printed.
    pub device: String,
}

/// Searches a graph breadth-first from the states `sources`.
///
/// # Errors
/// What `maxend bfs` would print.
///
/// # Panics
/// Panics if one of `sources` is not a state of the graph.
pub fn search(
    graph: &MdpGraph,
    sources: &[StateId],
    how: &Searching,
    supervisor: &Supervisor,
) -> Result<Distances, Failure> {
    let found = on_threads(how.threads, || {
        let observer = Observer::new("searching", graph.num_states(), supervisor);
        let (by, plan) = (DistanceSearch::Levels, how.device.clone().plan());
        let tree = analyses::bfs::find(graph, sources, by, plan, &observer)?;
        if how.certify {
            supervisor.begin("checking", Some(graph.num_states() as u64));
            certificate::check_distances(graph, sources, &tree)?;
        }
        let device = observer.device();
        Ok(Distances { tree, device })
    });
    Ok(found?)
}
