//! The search by levels: a loop on the device, each iteration of which explores a level or, where
//! levels are narrow, many (`shaders/bfs/level.wgsl`).

use super::run::{self, Statistics};
use super::sources::{distinct, mark};
use super::tuning::Tuning;
use super::upload::DeviceGraph;
use crate::{BfsTree, Error, Observer};
use ::gpu::kernels::LevelParams;
use ::gpu::kernels::bfs::{CONTROL_ADDED, CONTROL_EDGES, Level, NARROW_EDGES, NARROW_ROWS, PIECE};
use ::gpu::{Buffer, LoopRecord, Recording, Repeat};
use mdp_graph::StateId;

/// A search from some sources, which can be run any number of times.
#[derive(Debug)]
pub struct LevelSearch<'d> {
    graph: &'d DeviceGraph<'d>,
    sources: Buffer<u32>,
    /// The rows of the sources.
    first: Buffer<[u32; 2]>,
    first_edges: u32,
    queue: Buffer<[u32; 2]>,
    distances: Buffer<u32>,
    tuning: Tuning,
}

impl<'d> LevelSearch<'d> {
    /// A search from `sources`.
    ///
    /// # Errors
    /// [`Error::Gpu`] if the device has no room for it, or cannot run its kernel.
    ///
    /// # Panics
    /// Panics if one of `sources` is no state of the graph.
    pub fn new(graph: &'d DeviceGraph<'d>, sources: &[StateId]) -> Result<Self, Error> {
        let gpu = &graph.gpu;
        let sources = distinct(sources, graph.num_states());
        let mut first = Vec::new();
        let mut first_edges = 0;
        for &source in &sources {
            let row = graph.rows.row(StateId(source));
            first_edges += row.end - row.start;
            first.extend(
                row.clone()
                    .step_by(PIECE as usize)
                    .map(|at| [at, row.end.min(at + PIECE)]),
            );
        }
        Ok(Self {
            sources: gpu.upload("sources", &sources)?,
            first: gpu.upload("first rows", &first)?,
            first_edges,
            queue: gpu.zeroed("queue", graph.pieces(PIECE))?,
            distances: gpu.zeroed("distances", graph.num_states().into())?,
            tuning: Tuning::of(gpu.info()),
            graph,
        })
    }

    /// Distributes work in another way.
    pub fn tune(&mut self, tuning: Tuning) {
        self.tuning = tuning.bounded();
    }

    /// Searches. The answer stays on the device.
    ///
    /// # Errors
    /// [`Error::Cancelled`]; [`Error::Gpu`] if the device fails.
    pub fn run(&self, observer: &dyn Observer) -> Result<Statistics, Error> {
        let mut recording = Recording::new();
        recording.fill(&self.distances, BfsTree::NONE);
        mark(&mut recording, &self.sources, &self.distances, 0);
        recording.copy(&self.first, 0..self.first.len(), &self.queue, 0);
        let ticket = recording.repeat(self.how(), |body| {
            body.dispatch(&self.level());
        });
        run::run(&self.graph.gpu, &recording, ticket, observer)
    }

    /// How the loop begins: with the rows of the sources as its frontier.
    fn how(&self) -> Repeat {
        let rows = self.first.len() as u32;
        let mut words = [0; LoopRecord::WORDS];
        words[CONTROL_ADDED as usize] = rows;
        words[CONTROL_EDGES as usize] = self.first_edges;
        let is_narrow = rows <= NARROW_ROWS && self.first_edges <= NARROW_EDGES;
        let groups = match is_narrow && !self.tuning.fixed_grid {
            // Unless it goes bottom up, which is right with one workgroup, too.
            true => 1,
            false => self.tuning.most_groups,
        };
        let how = Repeat::groups("breadth-first search", [groups, 1, 1])
            .words(words)
            .pipelined();
        match self.tuning.fixed_grid {
            true => how.fixed_grid(),
            false => how,
        }
    }

    fn level(&self) -> Level<'_> {
        let graph = self.graph;
        let backward = graph.backward.as_ref();
        Level {
            offsets: &graph.forward.offsets,
            targets: &graph.forward.ends,
            distances: &self.distances,
            queue: &self.queue,
            params: LevelParams {
                states: graph.num_states(),
                edges: graph.num_edges(),
                most_groups: self.tuning.most_groups,
                levels: self.tuning.levels,
            },
            back_offsets: backward.map(|rows| &rows.offsets),
            back_targets: backward.map(|rows| &rows.ends),
            transposed: backward.is_some(),
        }
    }

    /// The distance of each state, or [`BfsTree::NONE`], after a run.
    pub fn distances(&self) -> &Buffer<u32> {
        &self.distances
    }

    pub(super) fn into_distances(self) -> Buffer<u32> {
        self.distances
    }
}
