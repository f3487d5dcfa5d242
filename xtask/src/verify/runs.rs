//! Small graphs on the interpreter, and whether the answers are right.

use std::collections::BTreeMap;

use bfs::gpu::{DeviceGraph, LevelSearch, Parallel, Relaxation, Tuning};
use bfs::{Error, Flags};
use decompose::gpu::{GpuContext, GpuDevice, GpuOptions, Pivot};
use decompose::{Device, Options, Search, Silent, decompose};
use gpu::{Buffer, Gpu};
use mdp_graph::{ComponentKind, MdpGraph, StateId};
use rayon::prelude::*;
use verify::run::{Interpreter, KernelRuns, Schedule, Settings};
use verify::small::{Model, digraphs, mdps};

/// What was run.
#[derive(Default)]
pub(super) struct Ran {
    pub(super) digraphs: usize,
    pub(super) mdps: usize,
    pub(super) kernels: BTreeMap<String, KernelRuns>,
    /// What was wrong.
    pub(super) faults: Vec<String>,
}

/// Runs all digraphs of up to three states, all MDPs of two, and every `every`th of three.
pub(super) fn all(every: usize) -> Ran {
    let digraphs: Vec<Model> = (1..=3).flat_map(digraphs).collect();
    let mdps: Vec<Model> = mdps(2).chain(mdps(3).step_by(every)).collect();
    let mut ran = Ran {
        digraphs: digraphs.len(),
        mdps: mdps.len(),
        ..Ran::default()
    };
    for (models, kind) in [(digraphs, ComponentKind::Scc), (mdps, ComponentKind::Mec)] {
        let each = models.par_iter().enumerate();
        let all: Vec<_> = each
            .map(|(seed, model)| one(model, seed as u64, kind))
            .collect();
        for (kernels, faults) in all {
            ran.faults.extend(faults);
            for (name, runs) in kernels {
                let sum = ran.kernels.entry(name).or_default();
                sum.dispatches += runs.dispatches;
                sum.steps += runs.steps;
            }
        }
    }
    ran
}

/// A model on a device of its own: which kernels were run, and what was wrong.
fn one(
    model: &Model,
    seed: u64,
    kind: ComponentKind,
) -> (BTreeMap<String, KernelRuns>, Vec<String>) {
    let device = Interpreter::new(settings(seed));
    let context = GpuContext::on(device.gpu());
    let graph = graph(model);
    let mut faults = Vec::new();
    let mut note = |what: String, is_right: Result<bool, String>| match is_right {
        Ok(true) => {}
        Ok(false) => faults.push(format!("{model:?}, seed {seed}, {what}: a wrong answer")),
        Err(error) => faults.push(format!("{model:?}, seed {seed}, {what}: {error}")),
    };
    for (search, options) in [
        (Search::Auto, GpuOptions::default()),
        (Search::Fbt, options(seed)),
        (Search::Bfbt, options(seed / 3)),
    ] {
        let what = format!("{search:?}, {options:?}");
        note(
            what,
            is_decomposed(&context, &graph, kind, search, &options),
        );
    }
    if kind == ComponentKind::Scc {
        for which in 0..10 {
            note(
                format!("breadth-first search {which}"),
                is_searched(&context, &graph, which),
            );
        }
    }
    let found = device.findings().into_iter();
    faults.extend(
        found.map(|(kernel, finding)| format!("{model:?}, seed {seed}, {kernel}: {finding}")),
    );
    (device.runs(), faults)
}

/// The graph of a model, which is one.
fn graph(model: &Model) -> MdpGraph {
    MdpGraph::from_choices(model).expect("a small model is well formed")
}

fn settings(seed: u64) -> Settings {
    Settings {
        schedule: match seed % 3 {
            0 => Schedule::Random,
            1 => Schedule::Priorities { changes: 3 },
            _ => Schedule::RoundRobin,
        },
        seed,
        subgroup: [4, 8, 32, 64][seed as usize / 3 % 4],
        resident: 1 + seed as u32 / 5 % 4,
        stale: seed / 7 % 2 == 1,
    }
}

/// The options of the papers' engine in turns: with and without segments, cache, transpose, hybrid
/// search and aggregation.
fn options(seed: u64) -> GpuOptions {
    let bit = |k: u64| seed >> k & 1 == 1;
    GpuOptions {
        segment_interval: if bit(0) { 0 } else { 2 },
        cache_hops: if bit(1) { 0 } else { 3 },
        hybrid: bit(2),
        transpose: bit(3),
        pivot: if bit(4) {
            Pivot::Plain
        } else {
            Pivot::Aggregated
        },
        ..GpuOptions::default()
    }
}

/// Whether an engine's answer is the CPU's.
fn is_decomposed(
    context: &GpuContext,
    graph: &MdpGraph,
    kind: ComponentKind,
    search: Search,
    options: &GpuOptions,
) -> Result<bool, String> {
    let on_gpu = Options {
        search,
        device: Device::Gpu(GpuDevice {
            options: options.clone(),
            context: Some(context.clone()),
        }),
        ..Options::default()
    };
    let found = decompose(graph, kind, &on_gpu).map_err(|error| error.to_string())?;
    let expected = decompose(graph, kind, &Options::default());
    Ok(found == expected.map_err(|error| error.to_string())?)
}

/// Whether a breadth-first search from state 0 finds what the CPU finds: 0 and 1 are those by
/// levels, and 2 to 9 those by relaxation.
fn is_searched(context: &GpuContext, graph: &MdpGraph, which: usize) -> Result<bool, String> {
    let source = [StateId(0)];
    let expected = bfs::search(graph, &source, &bfs::Options::default());
    let expected = expected.map_err(|error| error.to_string())?;
    let found = searched(context.gpu(), graph, &source, which);
    let [distances, parents] = found.map_err(|error| error.to_string())?;
    Ok(distances == expected.distances() && parents == expected.parents())
}

/// The distances and parents that a search finds.
fn searched(
    gpu: &Gpu,
    graph: &MdpGraph,
    source: &[StateId],
    which: usize,
) -> Result<[Vec<u32>; 2], Error> {
    let mut loaded = DeviceGraph::upload(gpu, graph)?;
    if which == 1 {
        loaded = loaded.with_reverse()?;
    }
    let read = |distances: &Buffer<u32>| {
        let parents = loaded.parents(distances)?;
        Ok([gpu.read(distances)?, gpu.read(&parents)?])
    };
    if which < 2 {
        let mut search = LevelSearch::new(&loaded, source)?;
        // As on hardware, with fewer workgroups.
        search.tune(Tuning {
            most_groups: 3,
            levels: 2,
            fixed_grid: true,
        });
        search.run(&Silent)?;
        return read(search.distances());
    }
    let parallel = [Parallel::Vertices, Parallel::Edges][which % 2];
    let search = Relaxation::new(&loaded, source, parallel, Flags::ALL[(which - 2) / 2])?;
    search.run(&Silent)?;
    read(search.distances())
}
