//! Lays out a graph that is already on the device, for the worklist engine.

use super::csr::LaidOut;
use super::input::{DeviceArrays, Rows};
use super::rows::DeviceRows;
use super::tuning::Tuning;
use crate::Error;
use crate::cost::{EdgeSample, Problem};
use crate::gpu::device_graph::DeviceGraph;
use crate::gpu::options::GpuOptions;
use crate::sample::VERY_FAR;
use ::gpu::kernels::{FarParams, csr};
use ::gpu::{Buffer, Gpu, Groups, Recording};
use mdp_graph::ComponentKind;

/// Returns the edges of a graph, with a row for each state.
fn rows_of_states(gpu: &Gpu, graph: &DeviceGraph) -> Result<DeviceArrays, Error> {
    let (of_states, of_choices) = (graph.choice_offsets(), graph.branch_offsets());
    let offsets = gpu.zeroed("row offsets", of_states.len())?;
    let pass = csr::Gather {
        choice_offsets: of_states,
        kept_offsets: of_choices,
        offsets: &offsets,
    };
    gpu.run(Recording::new().dispatch(&pass, Groups::Over(offsets.len())))?;
    Ok(DeviceArrays {
        choice_offsets: None,
        row_offsets: offsets,
        targets: graph.targets_of_states().to_vec(),
    })
}

/// Lays out the edges of a graph, in shards of at most `limit` edges. Also returns the states that
/// have a self-loop: one bit for each state, from the lowest bit of each word.
pub(super) fn edges(
    gpu: &Gpu,
    graph: &DeviceGraph,
    limit: u64,
    options: &GpuOptions,
) -> Result<(LaidOut, Buffer<u32>), Error> {
    let arrays = rows_of_states(gpu, graph)?;
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

/// Lays out the choices of a graph, in shards of at most `limit` branches. If `first` is given, and
/// a search with this tuning would first try if the graph is one component, lays out only the
/// edges.
pub(super) fn choices(
    gpu: &Gpu,
    graph: &DeviceGraph,
    limit: u64,
    options: &GpuOptions,
    first: Option<&Tuning>,
) -> Result<LaidOut, Error> {
    let arrays = DeviceArrays {
        choice_offsets: Some(graph.choice_offsets().clone()),
        row_offsets: graph.branch_offsets().clone(),
        targets: graph.targets_of_choices()?,
    };
    let mut counted = Rows::OnDevice(&arrays).count(gpu, limit, options.laid_out_row)?;
    let forward = first.map(|tuning| counted.if_one_component(tuning));
    match forward.transpose()?.flatten() {
        None => counted.lay_out(),
        Some(forward) => {
            let arrays = rows_of_states(gpu, graph)?;
            let rows = Rows::OnDevice(&arrays);
            counted.without_choices(rows, forward)?.lay_out()
        }
    }
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
