//! Finds the components of a graph that is already on the device.

use super::device_graph::DeviceGraph;
use super::graph_location::GraphLocation;
use super::options::GpuOptions;
use super::worklist::{Found, Tuning, WorklistGraph};
use super::{NUMBER_BYTES, report};
use crate::{Error, Observer};
use mdp_graph::{ComponentKind, Components, StateId};

impl DeviceGraph {
    /// Returns the components of this graph, which the worklist engine finds on the device of the
    /// graph. Only the answer is copied to the host, and the graph only if the host has to finish
    /// the search, or if bottom components are wanted.
    ///
    /// # Errors
    /// [`Error::Cancelled`]; [`Error::Gpu`], also if the device has no room for the engine. In that
    /// case, [download](Self::download) the graph and decompose it on the host.
    pub fn decompose(
        &self,
        kind: ComponentKind,
        options: &GpuOptions,
        observer: &dyn Observer,
    ) -> Result<Components, Error> {
        let gpu = self.gpu();
        observer.device(&gpu.info().to_string());
        let graph = GraphLocation::OnDevice(self, kind);
        let tuning = Tuning::of(gpu.info());
        let Found {
            marks,
            self_loops,
            profile,
        } = WorklistGraph::find_once(gpu, graph, options, tuning, observer)?;
        observer.moves(NUMBER_BYTES * marks.len() as u64);
        let components = match self_loops {
            None => Components::from_mec_marks(marks),
            Some(loops) => {
                observer.moves(NUMBER_BYTES * loops.len() as u64);
                let has_loop = |StateId(s): StateId| loops[s as usize / 32] >> (s % 32) & 1 != 0;
                Components::from_scc_marks_and_loops(marks, has_loop)
            }
        };
        let size = [self.num_states(), self.num_branches()];
        report::report(observer, gpu, report::of_worklist(&profile), size)?;
        match kind {
            ComponentKind::Bscc => Ok(components.only_bottom(&self.download()?)),
            _ => Ok(components),
        }
    }
}
