//! Searches small graphs on the interpreter, with all engines and many options, and checks the
//! answers.
//!
//! `corner_cases.rs` draws graphs for code that other graphs do not reach.

mod corner_cases;
mod hubs;

use std::fmt;

use bfs::gpu::{DeviceEdges, LevelSearch, Parallel, Relaxation, Tuning};
use bfs::{Error, Flags};
use decompose::gpu::{Candidates, FbtOptions, GpuOptions, Pivot};
use decompose::{ComponentSearch, Device, Options, Silent, decompose};
use gpu::kernels::worklist::{NAMES_PER_STATE_OF_MECS, NAMES_PER_STATE_OF_SCCS};
use gpu::{Buffer, Gpu};
use mdp_graph::{ComponentKind, Components, MdpGraph, StateId};
use verify::run::{Interpreter, Settings};
use verify::small::Model;

use corner_cases::CornerCase;
use hubs::{hubs, sparse, triangles, varied};

use super::trial::{HostLoop, Trial, WRONG_ANSWER, is_small};
use super::tuned;
use crate::rng::Rng;
use crate::soak::models;

/// A graph, and the kind of components to be found in it.
struct Searched {
    name: String,
    graph: MdpGraph,
    kind: ComponentKind,
    seed: u64,
    /// The only host loops that are run.
    loops: &'static [HostLoop],
    /// The case for which the graph is made, if any. It says how the graph is searched.
    case: Option<&'static CornerCase>,
}

/// The host loops that search from a state.
const SEARCHES: &[HostLoop] = &[HostLoop::Levels, HostLoop::Relaxation];

/// The host loop that is fastest on the interpreter if there are many states.
const WORKLIST: &[HostLoop] = &[HostLoop::Worklist];

/// The host loops that find components.
const DECOMPOSITIONS: &[HostLoop] = &[HostLoop::Worklist, HostLoop::Papers];

/// The largest number of states of a random model.
const DRAWN_STATES: u32 = 48;

pub(super) fn small(
    models: impl Iterator<Item = Model>,
    kind: ComponentKind,
) -> Vec<Box<dyn Trial>> {
    let trial = |(seed, model): (u64, Model)| {
        let (name, graph) = (format!("{model:?}"), graph(&model));
        boxed(Searched {
            name,
            graph,
            kind,
            seed,
            loops: &HostLoop::ALL,
            case: None,
        })
    };
    (0..).zip(models).map(trial).collect()
}

/// Returns models of many shapes. In every fourth, states lose their last edges on both sides at
/// the same time.
pub(super) fn random(count: u64) -> Vec<Box<dyn Trial>> {
    let trial = |seed: u64| {
        let mut rng = Rng::new(seed);
        let finds_mecs = seed / 4 % 2 == 1;
        let drawn = match seed % 4 {
            0 => models::twice(&mut rng, DRAWN_STATES, names_per_state(finds_mecs)),
            _ => models::draw(&mut rng, DRAWN_STATES),
        };
        boxed(Searched {
            name: drawn.name,
            graph: drawn.graph,
            kind: [ComponentKind::Scc, ComponentKind::Mec][usize::from(finds_mecs)],
            seed,
            loops: &HostLoop::ALL,
            case: None,
        })
    };
    (0..count).map(trial).collect()
}

/// Returns graphs and MDPs with wide searches: the first state leads to 20 others, and degrees vary
/// from none to very many. Every fourth model consists of triangles.
pub(super) fn wide(count: u64) -> Vec<Box<dyn Trial>> {
    let searched = |seed: u64, name: String, model: &Model, loops| {
        let kind = [ComponentKind::Scc, ComponentKind::Mec][usize::from(seed % 3 == 2)];
        boxed(Searched {
            name,
            graph: graph(model),
            kind,
            seed,
            loops,
            case: None,
        })
    };
    let trials = |seed: u64| match seed {
        1 | 4 | 6 => {
            // Searches from a state have pieces of 2,048 edges. In decompositions, some dispatches
            // have a workgroup for each state, and would take most of a minute.
            let (many, few) = (hubs(2100), hubs(400));
            let name = |kind| format!("{kind} {seed}");
            vec![
                searched(seed, name("hubs"), &many, SEARCHES),
                searched(seed, name("smaller hubs"), &few, DECOMPOSITIONS),
                searched(seed, name("sparse graph"), &sparse(2100), WORKLIST),
            ]
        }
        _ => {
            let (name, model) = match seed % 4 {
                3 => ("triangles", triangles(12)),
                _ => ("wide graph", varied(seed, seed % 3 == 2)),
            };
            let name = format!("{name} {seed}");
            vec![searched(seed, name, &model, &HostLoop::ALL)]
        }
    };
    (0..count).flat_map(trials).collect()
}

/// Returns this many graphs in which no state leads to two others: cycles of random lengths, or
/// random successors; some states have none. Every third is an MDP, in which choices may also stay.
pub(super) fn functional(count: u64) -> Vec<Box<dyn Trial>> {
    let trial = |seed: u64| {
        let mut rng = Rng::new(seed);
        let kind = [ComponentKind::Scc, ComponentKind::Mec][usize::from(seed % 3 == 2)];
        let model = match seed % 2 {
            0 => functional_model(&mut rng, kind),
            _ => permutation(&mut rng),
        };
        boxed(Searched {
            name: format!("functional graph {seed}"),
            graph: graph(&model),
            kind,
            seed,
            loops: WORKLIST,
            case: None,
        })
    };
    (0..count).map(trial).collect()
}

/// A function that draws a model.
type Drawer = fn(&mut Rng) -> Model;

/// Returns this many graphs of each kind that is made for rarely executed code of the kernels of
/// level-synchronous searches. Their seeds are such that workgroups are small.
pub(super) fn level_cases(count: u64) -> Vec<Box<dyn Trial>> {
    const KINDS: [(&str, Drawer); 3] = [
        ("fan", fan),
        ("layers", layers),
        ("chain of hubs", chain_of_hubs),
    ];
    let seeds = (0..).filter(|&seed| is_small(seed)).take(count as usize);
    let each = seeds.flat_map(|seed| KINDS.map(|(name, model)| (seed, name, model)));
    each.map(|(seed, name, model)| {
        boxed(Searched {
            name: format!("{name} {seed}"),
            graph: graph(&model(&mut Rng::new(seed))),
            kind: ComponentKind::Scc,
            seed,
            loops: &[HostLoop::Levels],
            case: None,
        })
    })
    .collect()
}

/// Returns this many MDPs whose end components are pairs of states. Choices lead from pair to pair,
/// but may also leave for good: once these are removed, the pairs that they connect must be
/// separated.
pub(super) fn leaky_pairs(count: u64) -> Vec<Box<dyn Trial>> {
    let trial = |seed: u64| {
        let model = corner_cases::leaky(&mut Rng::new(seed));
        boxed(Searched {
            name: format!("leaky pairs {seed}"),
            graph: graph(&model),
            kind: ComponentKind::Mec,
            seed,
            loops: &HostLoop::ALL,
            case: None,
        })
    };
    (0..count).map(trial).collect()
}

/// Returns this many MDPs with paths that begin at forks. A search that soon becomes slow trims
/// these paths at once, some of their states from one end and some from the other.
pub(super) fn forks(count: u64) -> Vec<Box<dyn Trial>> {
    let trial = |seed: u64| {
        boxed(Searched {
            name: format!("forks {seed}"),
            graph: graph(&models::forks(&mut Rng::new(seed), 2 * DRAWN_STATES)),
            kind: ComponentKind::Mec,
            seed,
            loops: WORKLIST,
            case: None,
        })
    };
    (0..count).map(trial).collect()
}

/// Returns this many graphs of each kind that is made for code which other graphs do not reach.
/// Their seeds are such that workgroups are small.
pub(super) fn corner_cases(count: u64) -> Vec<Box<dyn Trial>> {
    // Several workgroups run at a time.
    let seeds = (8..).filter(|&seed| is_small(seed)).take(count as usize);
    let each = seeds.flat_map(|seed| corner_cases::all().map(move |case| (seed, case)));
    let trial = |(seed, case): (u64, &'static CornerCase)| {
        boxed(Searched {
            name: format!("{} {seed}", case.name),
            graph: graph(&(case.model)(&mut Rng::new(seed))),
            kind: case.kind,
            seed,
            loops: case.loops,
            case: Some(case),
        })
    };
    each.map(trial).collect()
}

/// Returns a graph in which state 0 leads to more states than one workgroup searches, with up to
/// three edges each. A few of them have together fewer edges than a workgroup has invocations, and
/// the edges of the last ones are at the end of the array.
fn fan(rng: &mut Rng) -> Model {
    let leaves = rng.below(8) + 13;
    let degrees = rng.below(3) + 1;
    let leaf = |_| {
        let degree = rng.below(degrees) + 1;
        let targets = (0..degree).map(|k| (leaves - k) * rng.below(2));
        vec![targets.collect()]
    };
    let leaves: Model = (0..leaves).map(leaf).collect();
    let all = (1..=leaves.len() as u32).collect();
    [vec![vec![all]], leaves].concat()
}

/// Returns layers of few states, each of which has edges to most of the next layer. One workgroup
/// searches them alone, and a layer has more edges than are laid out at a time.
fn layers(rng: &mut Rng) -> Model {
    const WIDTH: u32 = 8;
    let layers = rng.below(4) + 4;
    let row = |layer: u32| {
        let first = 1 + (layer + 1) * WIDTH;
        let all = (first..first + WIDTH).filter(|_| rng.below(8) != 0);
        vec![all.collect::<Vec<u32>>()]
    };
    let rows = (0..layers * WIDTH).map(|state| state / WIDTH).map(row);
    let mut model: Model = vec![vec![(1..=WIDTH).collect()]];
    model.extend(rows);
    model.extend((0..WIDTH).map(|_| Vec::new()));
    model
}

/// Returns a chain of hubs. A state leads to a hub, and to states with one edge each, which are
/// found at the same time. The hub, whose row is cut into pieces, leads to the next such state, and
/// to the leaves, to which all hubs lead.
fn chain_of_hubs(rng: &mut Rng) -> Model {
    const HUBS: u32 = 4;
    const LEAVES: u32 = 2060;
    let beside = rng.below(3) + 3;
    // A state is followed by its hub and by the states beside the hub; the leaves come last.
    let size = 2 + beside;
    let leaves = HUBS * size + 1;
    let mut model = Model::new();
    for first in (0..HUBS).map(|hub| hub * size) {
        model.push(vec![(first + 1..first + size).collect()]);
        let next = std::iter::once(first + size);
        model.push(vec![next.chain(leaves..leaves + LEAVES).collect()]);
        model.extend((0..beside).map(|k| vec![vec![leaves + k]]));
    }
    model.extend((0..=LEAVES).map(|_| Vec::new()));
    model
}

/// Returns a graph in which each state has at most one successor, which is random.
fn functional_model(rng: &mut Rng, kind: ComponentKind) -> Model {
    let states = rng.below(150) + 20;
    let row = |state: u32| {
        let mut choices = Vec::new();
        if rng.one_in(4) {
            choices.push(vec![state]);
        }
        if !rng.one_in(20) {
            let stays = kind == ComponentKind::Mec && rng.one_in(3);
            let target = rng.below(states);
            choices.push(if stays {
                vec![state, target]
            } else {
                vec![target]
            });
        }
        choices
    };
    (0..states).map(row).collect()
}

/// Returns cycles of random lengths, with their states in a random order.
fn permutation(rng: &mut Rng) -> Model {
    let states = rng.below(150) + 20;
    let mut targets: Vec<u32> = (0..states).collect();
    for last in (1..states).rev() {
        targets.swap(last as usize, rng.below(last + 1) as usize);
    }
    targets
        .into_iter()
        .map(|target| vec![vec![target]])
        .collect()
}

/// Returns the number of names of regions for each pivot.
fn names_per_state(finds_mecs: bool) -> u32 {
    match finds_mecs {
        false => NAMES_PER_STATE_OF_SCCS,
        true => NAMES_PER_STATE_OF_MECS,
    }
}

impl Trial for Searched {
    fn seed(&self) -> u64 {
        self.seed
    }

    fn settings(&self, by_seed: Settings) -> Settings {
        match self.case {
            Some(case) => case.settings(by_seed),
            None => by_seed,
        }
    }

    fn wrong_answers(&self, device: &Interpreter, loops: &[HostLoop]) -> Vec<String> {
        let gpu = device.gpu();
        let mut faults = Vec::new();
        let mut note = |what: String, is_right: Result<bool, String>| match is_right {
            Ok(true) => {}
            Ok(false) => faults.push(format!("{self}, {what}: {WRONG_ANSWER}")),
            Err(error) => faults.push(format!("{self}, {what}: {error}")),
        };
        let (graph, kind, seed) = (&self.graph, self.kind, self.seed);
        let runs = |host_loop| loops.contains(&host_loop) && self.loops.contains(&host_loop);
        for (host_loop, search, options) in [
            (
                HostLoop::Worklist,
                ComponentSearch::Auto,
                GpuOptions::default(),
            ),
            (HostLoop::Papers, ComponentSearch::Fbt, options(seed)),
            (HostLoop::Papers, ComponentSearch::Bfbt, options(seed / 3)),
        ] {
            if runs(host_loop) {
                // Every third trial of the papers' engine binds the edges in pieces.
                let cuts = host_loop == HostLoop::Papers && seed % 3 == 1;
                let is_right = is_decomposed(&gpu, graph, kind, (search, cuts), &options);
                note(format!("{search:?}, {options:?}"), is_right);
            }
        }
        if runs(HostLoop::Worklist) {
            for which in 0..2 {
                let mut tuned = tuned::Variant::drawn(2 * seed + which);
                if let Some(case) = self.case {
                    tuned.tune(case.tune);
                }
                let is_right = |found: Result<Option<Components>, decompose::Error>| {
                    let found = found.map_err(|error| error.to_string());
                    let expected = decompose(graph, kind, &Options::default());
                    let expected = expected.map_err(|error| error.to_string());
                    found.and_then(|found| Ok(found == Some(expected?)))
                };
                let found = tuned.components(&gpu, graph, kind);
                note(format!("{tuned:?}"), is_right(found.map(Some)));
                if self.case.is_some_and(|case| case.is_searched_alone) {
                    let found = tuned.without_trimming(&gpu, graph);
                    note(format!("{tuned:?}, without trimming"), is_right(found));
                }
            }
        }
        for (host_loop, variants) in [(HostLoop::Levels, 0..4), (HostLoop::Relaxation, 4..12)] {
            for which in variants {
                if runs(host_loop) && kind == ComponentKind::Scc {
                    let is_right = is_searched(&gpu, graph, which);
                    note(format!("breadth-first search {which}"), is_right);
                }
            }
        }
        faults
    }
}

impl fmt::Display for Searched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

fn boxed(trial: Searched) -> Box<dyn Trial> {
    Box::new(trial)
}

/// Returns the graph of a model.
pub(super) fn graph(model: &Model) -> MdpGraph {
    MdpGraph::from_choices(model).expect("a small model is well formed")
}

/// Returns options of the papers' engine. Successive seeds give all sets of options.
fn options(seed: u64) -> GpuOptions {
    let bit = |k: u64| seed >> k & 1;
    let [long_row, candidates, lanes] =
        [(1, 5), (0, 6), (2, 5)].map(|(one, other)| u64::from(bit(one) == bit(other)));
    options_of(seed & 31 | long_row << 5 | candidates << 6 | lanes << 7)
}

/// The number of sets of options.
pub(super) const SETS_OF_OPTIONS: u64 = 1 << 8;

/// Returns a set of options of the papers' engine. The bits decide about segments, cache,
/// transpose, hybrid search, aggregation, rows that many invocations share, and candidates.
pub(super) fn options_of(bits: u64) -> GpuOptions {
    let bit = |k: u64| bits >> k & 1 == 1;
    let papers = FbtOptions {
        segment_interval: if bit(0) { 0 } else { 2 },
        cache_hops: if bit(1) { 0 } else { 3 },
        hybrid: bit(2),
        transpose: bit(3),
        pivot: if bit(4) {
            Pivot::Plain
        } else {
            Pivot::Aggregated
        },
        long_row: if bit(5) { 2 } else { 1 << 14 },
        candidates: if bit(6) {
            Candidates::Join
        } else {
            Candidates::All
        },
        lanes: Some(if bit(7) { 4 } else { 32 }),
    };
    papers.into()
}

/// Returns whether an engine finds the same components as the CPU.
fn is_decomposed(
    gpu: &Gpu,
    graph: &MdpGraph,
    kind: ComponentKind,
    search: (ComponentSearch, bool),
    options: &GpuOptions,
) -> Result<bool, String> {
    let found = components(gpu, graph, kind, search, options)?;
    let expected = decompose(graph, kind, &Options::default());
    Ok(found == expected.map_err(|error| error.to_string())?)
}

/// Returns the components that an engine finds, with all edges bound at once or in pieces.
pub(super) fn components(
    gpu: &Gpu,
    graph: &MdpGraph,
    kind: ComponentKind,
    (search, cuts): (ComponentSearch, bool),
    options: &GpuOptions,
) -> Result<Components, String> {
    let found = tuned::in_shards(graph, cuts, |max_binding| {
        let on_gpu = Options {
            search,
            device: Device::Gpu {
                options: GpuOptions {
                    max_binding,
                    ..options.clone()
                },
                open: Some(gpu.clone()),
            },
            ..Options::default()
        };
        decompose(graph, kind, &on_gpu)
    });
    found.map_err(|error| error.to_string())
}

/// Returns whether a breadth-first search from state 0 finds the same distances as the CPU. 0 to 3
/// are level-synchronous searches, of which 2 and 3 treat frontiers as dense; 4 to 11 are searches
/// by relaxation.
pub(super) fn is_searched(gpu: &Gpu, graph: &MdpGraph, which: usize) -> Result<bool, String> {
    let source = [StateId(0)];
    let expected = bfs::search(graph, &source, &bfs::Options::default());
    let expected = expected.map_err(|error| error.to_string())?;
    let found = searched(gpu, graph, &source, which);
    let [distances, parents] = found.map_err(|error| error.to_string())?;
    Ok(distances == expected.distances() && parents == expected.parents())
}

/// Returns the distances and parents that a search finds.
fn searched(
    gpu: &Gpu,
    graph: &MdpGraph,
    source: &[StateId],
    which: usize,
) -> Result<[Vec<u32>; 2], Error> {
    let mut loaded = DeviceEdges::upload(gpu, graph)?;
    if which < 4 && which % 2 == 1 {
        loaded = loaded.with_reverse()?;
    }
    let read = |distances: &Buffer<u32>| {
        let parents = loaded.parents(distances)?;
        Ok([gpu.read(distances)?, gpu.read(&parents)?])
    };
    if which < 4 {
        let mut search = LevelSearch::new(&loaded, source)?;
        // The tuning is that for hardware, with fewer workgroups.
        search.tune(Tuning {
            most_groups: 3,
            levels: 2,
            fixed_grid: true,
            dense_edges: (which >= 2).then_some(2),
            // Every second search has hardly any room for early rows.
            early_rows: if which.is_multiple_of(2) { 1 << 10 } else { 3 },
            ..Tuning::default()
        })?;
        search.run(&Silent)?;
        return read(search.distances());
    }
    let parallel = [Parallel::Vertices, Parallel::Edges][which % 2];
    let search = Relaxation::new(&loaded, source, parallel, Flags::ALL[(which - 4) / 2])?;
    search.run(&Silent)?;
    read(search.distances())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::small::SMALL;

    /// States that lose their last choice when the last part of a long row is walked have to be
    /// examined again. A state with a long row is examined only once.
    #[test]
    fn a_long_row_that_is_walked_in_parts() {
        let graph = graph(&varied(38, true));
        let papers = SMALL.iter().position(|scale| scale.kernels == "fbt/");
        let papers = papers.expect("there is one");
        for seed in [1, 4, 14, 31, 32] {
            let settings = Settings {
                seed,
                scales: &SMALL[papers..=papers],
                ..Settings::default()
            };
            let options = FbtOptions {
                segment_interval: 2,
                long_row: 2,
                lanes: Some(32),
                hybrid: false,
                cache_hops: if seed % 4 < 2 { 3 } else { 0 },
                pivot: [Pivot::Plain, Pivot::Aggregated][seed as usize % 2],
                candidates: Candidates::Join,
                ..FbtOptions::default()
            };
            let device = Interpreter::new(settings);
            let gpu = device.gpu();
            let kind = ComponentKind::Mec;
            let is_right = is_decomposed(
                &gpu,
                &graph,
                kind,
                (ComponentSearch::Bfbt, false),
                &options.into(),
            );
            assert_eq!(is_right, Ok(true), "seed {seed}");
            assert_eq!(device.findings(), []);
        }
    }
}
