//! Finds the components of a graph that is already on the device.

use super::context::GpuContext;
use super::device_graph::DeviceGraph;
use super::options::GpuOptions;
use super::{NUMBER_BYTES, report};
use crate::{Error, Observer, Phase};
use mdp_graph::{ComponentKind, Components, StateId};

impl GpuContext {
    /// Returns the components of a graph that is on this device, by the worklist engine. Only the
    /// answer is copied to the host, and the graph only if the host has to finish the search, or if
    /// bottom components are wanted.
    ///
    /// # Errors
    /// [`Error::Cancelled`]; [`Error::Gpu`], also if the device has no room for the engine. In that
    /// case, [download](DeviceGraph::download) the graph and decompose it on the host.
    pub fn decompose_resident(
        &self,
        graph: &DeviceGraph,
        kind: ComponentKind,
        options: &GpuOptions,
        observer: &dyn Observer,
    ) -> Result<Components, Error> {
        observer.device(&self.name());
        observer.phase(Phase::LayOut);
        let (components, profile) = match kind {
            ComponentKind::Mec => {
                let loaded = self.load_resident_worklist_mdp(graph, options)?;
                let (marks, profile) = loaded.mecs(observer)?;
                observer.moves(NUMBER_BYTES * marks.len() as u64);
                (Components::from_mec_marks(marks), profile)
            }
            ComponentKind::Scc | ComponentKind::Bscc => {
                let loaded = self.load_resident_worklist(graph, options)?;
                let (marks, profile) = loaded.graph.sccs(observer)?;
                let loops = loaded.self_loops()?;
                observer.moves(NUMBER_BYTES * (marks.len() + loops.len()) as u64);
                let has_loop = |StateId(s): StateId| loops[s as usize / 32] >> (s % 32) & 1 != 0;
                let sccs = Components::from_scc_marks_and_loops(marks, has_loop);
                (sccs, profile)
            }
        };
        let size = [graph.num_states(), graph.num_branches()];
        report::report(observer, self.gpu(), report::of_worklist(&profile), size)?;
        match kind {
            ComponentKind::Bscc => Ok(components.only_bottom(&graph.download()?)),
            _ => Ok(components),
        }
    }
}
