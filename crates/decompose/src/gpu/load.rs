//! Loads a graph for a search on a GPU: [`load`] chooses the engine, which then lays out the graph
//! on the device. No other file chooses.

use super::fbt::FbtGraph;
use super::graph_location::HostGraph;
use super::options::GpuOptions;
use super::worklist::WorklistGraph;
use crate::{ComponentSearch, Error};
use ::gpu::Gpu;

/// A graph on a GPU, ready to be searched by an engine.
#[derive(Debug)]
pub(super) enum Loaded<'g> {
    Worklist(WorklistGraph<'g>),
    Fbt(FbtGraph),
}

/// Loads a graph for the worklist engine, if `search` and `options` allow that and the device can;
/// otherwise for the papers' engine, which needs less. A graph that is already on the GPU has no
/// such choice: only [`WorklistGraph::load`] takes it.
///
/// # Errors
/// Those of [`WorklistGraph::load`] and [`FbtGraph::load`].
pub(super) fn load<'g>(
    gpu: &Gpu,
    graph: HostGraph<'g>,
    search: ComponentSearch,
    options: &GpuOptions,
) -> Result<Loaded<'g>, Error> {
    if search == ComponentSearch::Auto && options.papers.is_none() {
        match WorklistGraph::load(gpu, graph, options) {
            Ok(loaded) => return Ok(Loaded::Worklist(loaded)),
            Err(error) => without_worklist(error)?,
        }
    }
    FbtGraph::load(gpu, graph, options).map(Loaded::Fbt)
}

/// Goes on with the papers' engine, which needs less, if the worklist engine has no room or binds
/// too many buffers; and says so.
fn without_worklist(error: Error) -> Result<(), Error> {
    match error {
        Error::Gpu(
            error @ (::gpu::Error::OutOfMemory { .. } | ::gpu::Error::LimitExceeded { .. }),
        ) => {
            tracing::warn!("the search is by `--search fbt`, which is slower: {error}");
            Ok(())
        }
        error => Err(error),
    }
}
