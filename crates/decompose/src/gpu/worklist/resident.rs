//! Lays out a graph that is already on the device, for the worklist engine.

use super::host_fallback::GraphPlace;
use super::input::{DeviceArrays, Rows};
use super::rows::DeviceRows;
use super::state::Choices;
use super::upload::{WorklistGraph, WorklistMdp, check, check_states};
use crate::Error;
use crate::cost::{EdgeSample, Problem};
use crate::gpu::context::GpuContext;
use crate::gpu::device_graph::DeviceGraph;
use crate::gpu::options::GpuOptions;
use ::gpu::kernels::{FarParams, csr};
use ::gpu::{Buffer, Gpu, Groups, Recording};
use mdp_graph::ComponentKind;

/// A graph that was on the device, to be searched for strongly connected components.
#[derive(Debug)]
pub struct ResidentScc<'g> {
    /// Its edges.
    pub graph: WorklistGraph<'g>,
    /// The states that have a self-loop: one bit for each state, from the lowest bit of each word.
    loops: Buffer<u32>,
}

impl ResidentScc<'_> {
    /// Returns the states that have a self-loop: one bit for each state, from the lowest bit of
    /// each word.
    ///
    /// # Errors
    /// [`Error::Gpu`] if the device fails.
    pub fn self_loops(&self) -> Result<Vec<u32>, Error> {
        Ok(self.graph.gpu.read(&self.loops)?)
    }
}

impl GpuContext {
    /// As [`load_worklist`](Self::load_worklist), for a graph that is on this device and stays
    /// there. A state may have several edges to the same target.
    ///
    /// # Errors
    /// As [`load_worklist`](Self::load_worklist).
    pub fn load_resident_worklist<'g>(
        &self,
        graph: &'g DeviceGraph,
        options: &GpuOptions,
    ) -> Result<ResidentScc<'g>, Error> {
        let (gpu, kind) = (self.gpu(), ComponentKind::Scc);
        check_states(graph.num_states())?;
        let limit = check(gpu, kind, options)?;
        let (of_states, of_choices) = (graph.choice_offsets(), graph.branch_offsets());
        let offsets = gpu.zeroed("row offsets", of_states.len())?;
        let pass = csr::Gather {
            choice_offsets: of_states,
            kept_offsets: of_choices,
            offsets: &offsets,
        };
        gpu.run(Recording::new().dispatch(&pass, Groups::Over(offsets.len())))?;
        let arrays = DeviceArrays {
            choice_offsets: None,
            row_offsets: offsets,
            targets: graph.targets_of_states().to_vec(),
        };
        let laid_out = Rows::OnDevice(&arrays).lay_out(gpu, limit, options.laid_out_row)?;
        let loops = gpu.zeroed("self-loops", graph.num_states().div_ceil(32) as u64)?;
        let pass = csr::Loops {
            row_offsets: &arrays.row_offsets,
            kept_offsets: &laid_out.forward.offsets,
            loops: &loops,
        };
        gpu.run(Recording::new().dispatch(&pass, Groups::Over(loops.len())))?;
        let problem = problem(gpu, kind, &laid_out.forward)?;
        let host = GraphPlace::OnDevice(graph, kind);
        let rows = [laid_out.forward, laid_out.backward];
        let graph = WorklistGraph::new(gpu, host, problem, rows, None)?;
        Ok(ResidentScc { graph, loops })
    }

    /// As [`load_worklist_mdp`](Self::load_worklist_mdp), for a graph that is on this device and
    /// stays there.
    ///
    /// # Errors
    /// As [`load_resident_worklist`](Self::load_resident_worklist).
    pub fn load_resident_worklist_mdp<'g>(
        &self,
        graph: &'g DeviceGraph,
        options: &GpuOptions,
    ) -> Result<WorklistMdp<'g>, Error> {
        let (gpu, kind) = (self.gpu(), ComponentKind::Mec);
        check_states(graph.num_states())?;
        let limit = check(gpu, kind, options)?;
        let arrays = DeviceArrays {
            choice_offsets: Some(graph.choice_offsets().clone()),
            row_offsets: graph.branch_offsets().clone(),
            targets: graph.targets_of_choices()?,
        };
        let laid_out = Rows::OnDevice(&arrays).lay_out(gpu, limit, options.laid_out_row)?;
        let num_choices = graph.num_choices() as u64;
        let choices = laid_out
            .choices
            .map(|all| Choices::new(gpu, all, num_choices));
        let problem = problem(gpu, kind, &laid_out.forward)?;
        let host = GraphPlace::OnDevice(graph, kind);
        let rows = [laid_out.forward, laid_out.backward];
        let graph = WorklistGraph::new(gpu, host, problem, rows, choices.transpose()?)?;
        Ok(WorklistMdp { graph })
    }
}

/// The number of states in the sample, and the number of edges of each.
const SAMPLE: u32 = 1024;

/// An edge that leads this many states away counts as scattered.
const FAR: u32 = 1 << 17;

/// Returns the problem that the host would have to solve, with a sample of the edges between
/// different states in the first shard.
fn problem(gpu: &Gpu, kind: ComponentKind, rows: &DeviceRows) -> Result<Problem, Error> {
    let tallies = gpu.zeroed("far edges", 2)?;
    let states = rows.range(0).end_state;
    let params = FarParams {
        states,
        step: states.div_ceil(SAMPLE).max(1),
        most: SAMPLE,
        far: FAR,
    };
    let pass = csr::Far {
        offsets: &rows.offsets,
        edges: rows.targets(0),
        tallies: &tallies,
        params,
    };
    let mut recording = Recording::new();
    recording.dispatch(&pass, Groups::Over(SAMPLE.into()));
    let tallies = recording.read(&tallies, 0..2);
    let counts = gpu.run(&recording)?.get(tallies);
    Ok(Problem {
        kind,
        states: rows.num_states().into(),
        branches: rows.num_edges(),
        sample: EdgeSample::counted(counts[0], counts[1]),
    })
}
