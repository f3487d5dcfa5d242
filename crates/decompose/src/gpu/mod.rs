//! Strongly connected and maximal end components on a GPU.
//!
//! A [`GpuContext`] is an open device; a [`PendingDevice`] opens one while there is no graph yet.
//! There are two engines: [`fbt`], the papers' engine, and [`worklist`], the project's own, which
//! [`Search::Auto`] uses if no options of the papers' engine are set. These files of both do the
//! same: `upload.rs` copies a graph to the device, `rows.rs` keeps its rows there, `state.rs` has
//! the buffers of a search, `passes.rs` records the kernels, `driver.rs` runs their loop, and
//! `mec.rs` finds maximal end components. Each engine has further files for what only it does.
//!
//! This file chooses the engine.

mod context;
mod device_graph;
pub mod fbt;
mod options;
mod pending;
mod report;
mod requirements;
mod resident;
#[cfg(test)]
mod test_context;
mod watch;
pub mod worklist;

pub use ::gpu::PassTime;
pub use context::{GpuContext, GpuDevice};
pub use device_graph::DeviceGraph;
pub use fbt::{FbtGraph, FbtMdp, Statistics};
pub use options::{Candidates, FbtOptions, GpuOptions, Pivot};
pub use pending::{Opening, PendingDevice, WarmUp};
pub use requirements::{can_search, can_search_worklist};
pub use watch::watch;

use crate::{Error, Observer, Phase, Search};
use mdp_graph::{ComponentKind, Components, Digraph, MdpGraph};

/// The bytes of a number that goes over the bus.
const NUMBER_BYTES: u64 = 4;

impl GpuContext {
    /// Returns the strongly connected components of `graph`, on this device.
    pub(crate) fn scc(
        &self,
        graph: &MdpGraph,
        search: Search,
        options: &GpuOptions,
        observer: &dyn Observer,
    ) -> Result<Components, Error> {
        observer.device(&self.name());
        observer.phase(Phase::Upload);
        let digraph = Digraph::new(graph);
        let loaded = self.worklist(ComponentKind::Scc, search, options, || {
            self.load_worklist(&digraph, options)
        })?;
        let (marks, done) = if let Some(loaded) = loaded {
            let words = digraph.offsets().len() + digraph.num_edges();
            observer.moves(NUMBER_BYTES * words as u64);
            let (marks, profile) = loaded.sccs(observer)?;
            observer.moves(NUMBER_BYTES * marks.len() as u64);
            (marks, report::of_worklist(&profile))
        } else {
            let (marks, run) = self
                .load_fbt(&digraph, options)?
                .sccs_measured(search, observer)?;
            (marks, report::of_fbt(&run))
        };
        let components = Components::from_scc_marks(graph, marks);
        let size = [digraph.num_states(), digraph.num_edges()];
        report::report(observer, &self.gpu, done, size)?;
        Ok(components)
    }

    /// Returns the maximal end components of `graph`, on this device.
    pub(crate) fn mec(
        &self,
        graph: &MdpGraph,
        search: Search,
        options: &GpuOptions,
        observer: &dyn Observer,
    ) -> Result<Components, Error> {
        observer.device(&self.name());
        observer.phase(Phase::Upload);
        let loaded = self.worklist(ComponentKind::Mec, search, options, || {
            self.load_worklist_mdp(graph, options)
        })?;
        let (marks, done) = if let Some(loaded) = loaded {
            let offsets = graph.choice_offsets().len() + graph.branch_offsets().len();
            observer.moves(NUMBER_BYTES * (offsets + graph.num_branches()) as u64);
            let (marks, profile) = loaded.mecs(observer)?;
            observer.moves(NUMBER_BYTES * marks.len() as u64);
            (marks, report::of_worklist(&profile))
        } else {
            let (marks, run) = self
                .load_fbt_mdp(graph, options)?
                .mecs_measured(search, observer)?;
            (marks, report::of_fbt(&run))
        };
        let components = Components::from_mec_marks(marks);
        let size = [graph.num_states(), graph.num_branches()];
        report::report(observer, &self.gpu, done, size)?;
        Ok(components)
    }

    /// Returns the graph as the worklist engine has it, if that is to search and can.
    fn worklist<T>(
        &self,
        kind: ComponentKind,
        search: Search,
        options: &GpuOptions,
        load: impl FnOnce() -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        if search != Search::Auto || options.papers.is_some() {
            return Ok(None);
        }
        match can_search_worklist(self.gpu.info(), kind).and_then(|()| load()) {
            Ok(loaded) => Ok(Some(loaded)),
            Err(error) => without_worklist(error).map(|()| None),
        }
    }
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
