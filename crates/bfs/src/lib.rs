//! Breadth-first search (BFS): the distance of each state from the nearest source, and a shortest
//! path to it.
//!
//! The *distance* of a state is the least number of edges on a path from a source to it, where an
//! edge leads from a state to each target of each of its choices. The *parent* of a state is the
//! smallest of its predecessors whose distance is less by one. Both are canonical: they do not
//! depend on the device, on timing or on the number of threads.
//!
//! ```
//! use bfs::{Options, search};
//! use mdp_graph::{MdpGraph, StateId};
//!
//! // 0 leads to 1 and 2, which lead to 3; nothing leads to 4.
//! let targets = [1, 2, 3, 3].map(StateId).to_vec();
//! let graph = MdpGraph::from_parts(vec![0, 1, 2, 3, 3, 3], vec![0, 2, 3, 4], targets)?;
//!
//! let tree = search(&graph, &[StateId(0)], &Options::default())?;
//! assert_eq!(tree.distance(StateId(3)), Some(2));
//! assert_eq!(tree.distance(StateId(4)), None);
//! assert_eq!(tree.path_to(StateId(3)), Some([0, 1, 3].map(StateId).to_vec()));
//! assert_eq!(tree.level_sizes(), [1, 2, 1]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | what | where | source |
//! | --- | --- | --- |
//! | sequential search | CPU | |
//! | search by levels, with a queue | GPU | `shaders/bfs/level.wgsl` |
//! | relaxation by vertices or by edges, with 0 to 3 arrays of flags | GPU | J. Smits (2020) |
//!
//! `docs/bfs.md` proves that each of these searches finds the distances. This crate does not know
//! about files.

#![forbid(unsafe_code)]

mod cpu;
#[cfg(feature = "gpu")]
pub mod gpu;
mod options;
mod tree;

pub use options::{DistanceSearch, Flags, Options};
pub use tree::BfsTree;

use decompose::OpenDevice;
pub use decompose::{Device, Error, Observer, Silent};
use mdp_graph::{MdpGraph, StateId};

/// Searches from `sources`. There may be any number of them, in any order.
///
/// # Errors
/// [`Error::Cancelled`] if the observer cancels the search; [`Error::OutOfMemory`]; on a GPU also
/// [`Error::Gpu`].
///
/// # Panics
/// Panics if one of `sources` is not a state of the graph.
pub fn search(
    graph: &MdpGraph,
    sources: &[StateId],
    options: &Options<'_>,
) -> Result<BfsTree, Error> {
    match options.device.open(options.observer)? {
        OpenDevice::Cpu => cpu::search(graph, sources, options.observer),
        #[cfg(feature = "gpu")]
        OpenDevice::Gpu(gpu) => gpu::search(&gpu, graph, sources, options.search, options.observer),
        // A crate asked for the feature `gpu` of `decompose`, but none for that of this crate.
        _ => Err(Error::BuiltWithoutGpu {
            package: env!("CARGO_PKG_NAME"),
        }),
    }
}
