//! Searches on GPUs.
//!
//! `upload.rs` uploads a graph to a device. `levels.rs`, with `dense.rs`, searches it level by
//! level, and `relax.rs` by relaxation. `parents.rs` then finds the parents from the distances.

mod dense;
mod levels;
mod parents;
mod relax;
mod run;
mod sources;
mod tuning;
mod upload;

pub use levels::LevelSearch;
pub use relax::{Parallel, Relaxation};
pub use run::Statistics;
pub use tuning::Tuning;
pub use upload::DeviceEdges;

use crate::{BfsTree, DistanceSearch, Error, Observer};
use ::gpu::Gpu;
use decompose::Phase;
use mdp_graph::{MdpGraph, StateId};

/// The size in bytes of a number that is copied to the host.
const NUMBER_BYTES: u64 = 4;

/// Runs [`crate::search`] on an open device.
///
/// This function does not build the reverse graph, because that takes longer than it saves in a
/// single search. Therefore the search never goes bottom up.
///
/// # Errors
/// As [`crate::search`].
///
/// # Panics
/// As [`crate::search`].
pub fn search(
    gpu: &Gpu,
    graph: &MdpGraph,
    sources: &[StateId],
    search: DistanceSearch,
    observer: &dyn Observer,
) -> Result<BfsTree, Error> {
    observer.device(&gpu.info().to_string());
    observer.phase(Phase::Upload);
    let device = DeviceEdges::upload(gpu, graph)?;
    observer.moves(NUMBER_BYTES * (graph.num_states() + 1 + graph.num_branches()) as u64);
    let distances = match search {
        DistanceSearch::Levels => {
            let search = LevelSearch::new(&device, sources)?;
            observer.phase(Phase::Decompose);
            search.run(observer)?;
            search.into_distances()
        }
        DistanceSearch::Vertex(flags) => {
            relaxed(&device, sources, Parallel::Vertices, flags, observer)?
        }
        DistanceSearch::Edge(flags) => relaxed(&device, sources, Parallel::Edges, flags, observer)?,
    };
    let parents = device.parents(&distances)?;
    observer.phase(Phase::Download);
    observer.moves(2 * NUMBER_BYTES * graph.num_states() as u64);
    Ok(BfsTree::new(gpu.read(&distances)?, gpu.read(&parents)?))
}

fn relaxed(
    device: &DeviceEdges<'_>,
    sources: &[StateId],
    parallel: Parallel,
    flags: crate::Flags,
    observer: &dyn Observer,
) -> Result<::gpu::Buffer<u32>, Error> {
    let search = Relaxation::new(device, sources, parallel, flags)?;
    observer.phase(Phase::Decompose);
    search.run(observer)?;
    Ok(search.into_distances())
}
