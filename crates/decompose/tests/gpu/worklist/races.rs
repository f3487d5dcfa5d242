//! Tests of many states that lose their last incoming and their last outgoing edge at the same
//! moment. A second entry in the queue must not change the answer.

use crate::agreement::labels;
use crate::device::{self, engine};
use crate::models;
use crate::variants::Kind;
use decompose::Silent;
use decompose::gpu::worklist::{Tuning, WorklistGraph};
use decompose::gpu::{GpuOptions, HostGraph};
use gpu::Gpu;
use gpu::kernels::worklist::{NAMES_PER_STATE_OF_MECS, NAMES_PER_STATE_OF_SCCS};
use mdp_graph::{ChunkBuilder, Components, Deadlocks, Digraph, MdpGraph, StateId, assemble};
use test_models::draws;

/// The parameters of a model of blocks, which [`Blocks::graph`] describes.
#[derive(Clone, Copy, Debug)]
struct Blocks {
    blocks: u32,
    /// The number of states of a block that are trimmed from both sides at once.
    doublers: u32,
    kind: Kind,
    seed: u64,
}

impl Blocks {
    /// Returns the graph. Its blocks have these edges:
    ///
    /// ```text
    /// root <-> helpers, root -> x <-> x', x -> hub <-> helpers, hub -> t <-> t'
    /// x -> u -> doublers -> v -> t, first doubler -> t, x -> second doubler
    /// ```
    ///
    /// The root and the hub have more edges than any other state, and so they are the pivots of two
    /// rounds. When the searches from the hub are over, u has lost its last incoming edge and v its
    /// last outgoing edge, and the doublers lose both of theirs at once. The states that the hub
    /// reaches, and those that reach it, are then regions whose names are the numbers of the first
    /// and the second doubler. The results of these two doublers, which are decided, are the same
    /// numbers. If such a result is mistaken for the name of a region, the edge to t, or the one
    /// from x, is subtracted once more. Then t, or x, is trimmed, too.
    fn graph(self) -> MdpGraph {
        let of_hub = self.doublers / 2 + 2;
        let of_root = of_hub + 2;
        let block = 10 + of_root + of_hub + self.doublers - 2;
        let numbers = self.numbers(block);
        let mut rows: Vec<Vec<u32>> = vec![Vec::new(); numbers.len()];
        for own in numbers.chunks(block as usize) {
            let &[hub, first, second, root, x, y, t, t2, u, v, ..] = own else {
                unreachable!("a block has as many states")
            };
            let (helpers, doublers) = own[10..].split_at((of_root + of_hub) as usize);
            let (of_root, of_hub) = helpers.split_at(of_root as usize);
            let mut edge = |from: u32, to: u32| rows[from as usize].push(to);
            for (from, to) in [
                (root, x),
                (x, y),
                (y, x),
                (x, hub),
                (x, u),
                (hub, t),
                (t, t2),
            ] {
                edge(from, to);
            }
            for (from, to) in [(t2, t), (v, t), (first, t), (x, second)] {
                edge(from, to);
            }
            for &helper in helpers {
                let centre = if of_root.contains(&helper) { root } else { hub };
                edge(centre, helper);
                edge(helper, centre);
            }
            assert!(!of_hub.is_empty());
            for &doubler in doublers.iter().chain([&first, &second]) {
                edge(u, doubler);
                edge(doubler, v);
                // In a search for MECs, only a state that may stay keeps its number.
                edge(doubler, doubler);
            }
        }
        self.with_choices(&rows)
    }

    /// Returns the number of region names that a pivot has.
    fn names(self) -> u32 {
        match self.kind {
            Kind::Sccs => NAMES_PER_STATE_OF_SCCS,
            Kind::Mecs => NAMES_PER_STATE_OF_MECS,
        }
    }

    /// Returns the numbers of the states, block by block. The numbers of the first two doublers are
    /// those of the regions that the hub of their block names. All other states except the hubs
    /// have random numbers.
    fn numbers(self, block: u32) -> Vec<u32> {
        let named = |i: u32| {
            let hub = self.blocks + i;
            [hub, self.names() * hub + 1, self.names() * hub + 2]
        };
        let count = self.blocks * block;
        let mut is_named = vec![false; count as usize];
        (0..self.blocks)
            .flat_map(named)
            .for_each(|state| is_named[state as usize] = true);
        let mut others: Vec<u32> = (0..count)
            .filter(|&state| !is_named[state as usize])
            .collect();
        let mut draw = draws(self.seed);
        for i in (1..others.len()).rev() {
            others.swap(i, draw() as usize % (i + 1));
        }
        let mut others = others.into_iter();
        let mut own = |i| {
            let others = others.by_ref().take(block as usize - 3);
            named(i).into_iter().chain(others).collect::<Vec<_>>()
        };
        (0..self.blocks).flat_map(&mut own).collect()
    }

    /// Returns the graph in which each edge is a choice.
    fn with_choices(self, rows: &[Vec<u32>]) -> MdpGraph {
        let mut chunk = ChunkBuilder::default();
        for (state, row) in rows.iter().enumerate() {
            for &target in row {
                chunk.push_choice(StateId::from_index(state), &[StateId(target)]);
            }
        }
        let built = assemble(rows.len() as u32, vec![chunk.finish()], Deadlocks::Keep);
        built.expect("the blocks are well formed").graph
    }
}

/// How a graph is searched.
#[derive(Clone, Copy, Debug)]
struct How<'a> {
    /// `None`: the default tuning.
    tuning: Option<&'a Tuning>,
    /// The most bytes of a binding; `None`: what the device allows.
    max_binding: Option<u64>,
    runs: usize,
}

/// Returns the components that the worklist engine finds in each run.
fn finds(engine: &Gpu, graph: &MdpGraph, kind: Kind, how: How<'_>) -> Vec<Components> {
    let options = GpuOptions {
        max_binding: how.max_binding,
        ..GpuOptions::default()
    };
    let digraph = Digraph::new(graph);
    let host = match kind {
        Kind::Sccs => HostGraph::Edges(&digraph),
        Kind::Mecs => HostGraph::Choices(graph),
    };
    let loaded = WorklistGraph::load(engine, host, &options);
    let mut loaded = loaded.expect("the graph fits");
    if let Some(tuning) = how.tuning {
        loaded.tune(tuning).expect("there is room");
    }
    let run = |_| {
        let found = loaded.find_components(&Silent);
        let (marks, _) = found.expect("the search succeeds");
        match kind {
            Kind::Sccs => Components::from_scc_marks(graph, marks),
            Kind::Mecs => Components::from_mec_marks(marks),
        }
    };
    (0..how.runs).map(run).collect()
}

/// Checks the components with few workgroups and with many, which spill what they find after each
/// hop or late.
fn check(engine: &Gpu, blocks: Blocks) {
    let graph = blocks.graph();
    let expected = device::expected(&graph, blocks.kind);
    let base = super::alone();
    for (most_groups, hops, max_binding) in [
        (1, 0, None),
        (3, base.hops, Some(65_536)),
        (64, 0, Some(4_096)),
    ] {
        let tuning = Tuning {
            most_groups,
            hops,
            most_thin: 8,
            left_times: 1000,
            most_slow_rounds: 2,
            ..base
        };
        let how = How {
            tuning: Some(&tuning),
            max_binding,
            runs: 1,
        };
        for found in finds(engine, &graph, blocks.kind, how) {
            assert!(found == expected, "{blocks:?}, {tuning:?}, {max_binding:?}");
        }
    }
}

#[test]
fn states_that_lose_both_last_edges_at_once_are_trimmed_once() {
    let Some(engine) = engine() else { return };
    for (kind, blocks, doublers) in [
        (Kind::Sccs, 1, 2),
        (Kind::Sccs, 60, 4),
        (Kind::Mecs, 1, 2),
        (Kind::Mecs, 60, 4),
    ] {
        for seed in [1, 2] {
            let blocks = Blocks {
                blocks,
                doublers,
                kind,
                seed,
            };
            check(engine, blocks);
        }
    }
}

/// With the default tuning, there are so many blocks that workgroups spill what they find. The
/// graph is in one piece or in shards.
#[test]
fn many_blocks_are_decomposed_right_with_the_default_tuning() {
    let Some(engine) = engine() else { return };
    for (kind, max_binding) in [(Kind::Sccs, None), (Kind::Mecs, Some(100_000))] {
        let blocks = Blocks {
            blocks: 1000,
            doublers: 6,
            kind,
            seed: 2,
        };
        let graph = blocks.graph();
        let expected = device::expected(&graph, kind);
        let how = How {
            tuning: None,
            max_binding,
            runs: 1,
        };
        for found in finds(engine, &graph, kind, how) {
            assert!(found == expected, "{blocks:?}, {max_binding:?}");
        }
    }
}

/// These are the models for which an answer was once wrong. Each is searched as often as
/// `MAXEND_RACES` says, by default once, because the workgroups of a software device with one
/// thread take the same turns each time.
#[test]
fn models_that_once_raced_have_the_known_components() {
    let Some(engine) = engine() else { return };
    let Some(races) = test_models::races() else {
        return;
    };
    let runs = std::env::var("MAXEND_RACES").ok();
    let runs = runs.and_then(|runs| runs.parse().ok()).unwrap_or(1);
    for files in races {
        let model = models::model(&files, u32::MAX).expect("a model is there");
        let sccs = files.file("scc").map(|path| models::known(&path));
        let (kind, known) = match sccs {
            Some(known) => (Kind::Sccs, known),
            None => (Kind::Mecs, model.mecs.expect("its MECs are known")),
        };
        eprintln!("{files}, {runs} runs");
        for max_binding in [None, Some(200_000)] {
            let how = How {
                tuning: None,
                max_binding,
                runs,
            };
            let found = finds(engine, &model.graph, kind, how);
            assert!(found.iter().all(|found| labels(found) == known), "{files}");
        }
    }
}
