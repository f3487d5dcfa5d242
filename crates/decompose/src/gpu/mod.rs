//! Strongly connected and maximal end components on a GPU.
//!
//! A [`Gpu`] is an open device; a [`PendingGpu`] opens one while there is no graph yet. The front
//! page of this crate has a table of all types that stand for a device.
//!
//! There are two engines: [`fbt`], the papers' engine, and [`worklist`], the worklist engine, which
//! [`ComponentSearch::Auto`](crate::ComponentSearch::Auto) uses if no options of the papers' engine
//! are set. Only `load.rs` chooses between them. The chosen engine lays out the graph on the
//! device, as a [`WorklistGraph`](worklist::WorklistGraph) or a [`FbtGraph`]; each has one function
//! `load` for graphs of all kinds. `resident.rs` decomposes a graph that is on a device already.
//!
//! These files of both engines do the same: `upload.rs` copies a graph to the device, `rows.rs`
//! keeps its rows there, `state.rs` has the buffers of a search, `passes.rs` records the kernels,
//! `driver.rs` runs their loop, and `mec.rs` finds maximal end components. Each engine has further
//! files for what only it does.

mod device_graph;
pub mod fbt;
mod graph_location;
mod load;
mod options;
mod pending;
mod report;
mod requirements;
mod resident;
#[cfg(test)]
mod test_gpu;
mod watch;
pub mod worklist;

pub use ::gpu::PassTime;
pub use device_graph::DeviceGraph;
pub use fbt::{FbtGraph, Statistics};
pub use graph_location::{GraphLocation, HostGraph};
pub use options::{Candidates, FbtOptions, GpuOptions, Pivot};
pub use pending::{Opening, PendingGpu, WarmUp};
pub use requirements::{can_search, can_search_worklist};
pub use watch::watch;

use crate::{Error, Options, Phase};
use ::gpu::Gpu;
use load::{Loaded, load};
use mdp_graph::{ComponentKind, Components, Digraph, MdpGraph};

/// The bytes of a number that goes over the bus.
const NUMBER_BYTES: u64 = 4;

/// Returns the strongly connected or the maximal end components of `graph`, which a GPU finds.
pub(crate) fn decompose(
    gpu: &Gpu,
    graph: &MdpGraph,
    kind: ComponentKind,
    how: &GpuOptions,
    options: &Options<'_>,
) -> Result<Components, Error> {
    let Options {
        search, observer, ..
    } = *options;
    observer.device(&gpu.info().to_string());
    observer.phase(Phase::Upload);
    let digraph;
    let host = match kind {
        ComponentKind::Mec => HostGraph::Choices(graph),
        ComponentKind::Scc | ComponentKind::Bscc => {
            digraph = Digraph::new(graph);
            HostGraph::Edges(&digraph)
        }
    };
    let (marks, done) = match load(gpu, host, search, how)? {
        Loaded::Worklist(loaded) => {
            observer.moves(NUMBER_BYTES * host.num_numbers() as u64);
            let (marks, profile) = loaded.find_components(observer)?;
            observer.moves(NUMBER_BYTES * marks.len() as u64);
            (marks, report::of_worklist(&profile))
        }
        Loaded::Fbt(loaded) => {
            let (marks, run) = loaded.find_measured(search, observer)?;
            (marks, report::of_fbt(&run))
        }
    };
    let components = match kind {
        ComponentKind::Mec => Components::from_mec_marks(marks),
        ComponentKind::Scc | ComponentKind::Bscc => Components::from_scc_marks(graph, marks),
    };
    let size = [host.num_states(), host.num_edges()];
    report::report(observer, gpu, done, size)?;
    Ok(components)
}
