//! Lays out a graph that is already on the device, for the worklist engine.

use super::csr::LaidOut;
use super::input::{DeviceArrays, Rows};
use super::rows::DeviceRows;
use crate::Error;
use crate::cost::{EdgeSample, Problem};
use crate::gpu::device_graph::DeviceGraph;
use crate::gpu::options::GpuOptions;
use crate::sample::VERY_FAR;
use ::gpu::kernels::{FarParams, csr};
use ::gpu::{Buffer, Gpu, Groups, Recording};
use mdp_graph::ComponentKind;

/// Lays out the edges of a graph, in shards of at most `limit` edges. Also returns the states that
/// have a self-loop: one bit for each state, from the lowest bit of each word.
pub(super) fn edges(
    gpu: &Gpu,
    graph: &DeviceGraph,
    limit: u64,
    options: &GpuOptions,
) -> Result<(LaidOut, Buffer<u32>), Error> {
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
    Ok((laid_out, loops))
}

/// Lays out the choices of a graph, in shards of at most `limit` branches.
pub(super) fn choices(
    gpu: &Gpu,
    graph: &DeviceGraph,
    limit: u64,
    options: &GpuOptions,
) -> Result<LaidOut, Error> {
    let arrays = DeviceArrays {
        choice_offsets: Some(graph.choice_offsets().clone()),
        row_offsets: graph.branch_offsets().clone(),
        targets: graph.targets_of_choices()?,
    };
    Rows::OnDevice(&arrays).lay_out(gpu, limit, options.laid_out_row)
}

/// The number of states in the sample, and the number of edges of each.
const SAMPLE: u32 = 1024;

/// Returns the problem that the host would have to solve, with a sample of the edges between
/// different states in the first shard, of which the device counts those that lead very far.
pub(super) fn problem(gpu: &Gpu, kind: ComponentKind, rows: &DeviceRows) -> Result<Problem, Error> {
    let tallies = gpu.zeroed("far edges", 2)?;
    let states = rows.range(0).end_state;
    let params = FarParams {
        states,
        step: states.div_ceil(SAMPLE).max(1),
        most: SAMPLE,
        far: VERY_FAR,
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
        sample: EdgeSample::of_very_far(counts[0], counts[1]),
    })
}
