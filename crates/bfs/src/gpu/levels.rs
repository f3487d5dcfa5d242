//! The search by levels: loops on the device, each iteration of which explores a level or, where
//! levels are narrow, many. The sparse loop (`shaders/bfs/level.wgsl`) and the dense one
//! (`shaders/bfs/mark.wgsl`, `shaders/bfs/collect.wgsl`) take turns.

use super::dense::Dense;
use super::run::{self, Outcome, Statistics};
use super::sources::{distinct, mark};
use super::tuning::Tuning;
use super::upload::DeviceGraph;
use crate::{BfsTree, Error, Observer};
use ::gpu::kernels::LevelParams;
use ::gpu::kernels::bfs::{
    CONTROL_ADDED, CONTROL_EDGES, CONTROL_LEVEL, CONTROL_SPARSE_LEVELS, Level, NARROW_EDGES,
    NARROW_ROWS, PIECE,
};
use ::gpu::{Buffer, LoopRecord, LoopTicket, PassTime, Recording, Repeat};
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
    dense: Dense,
    tuning: Tuning,
}

/// What a loop leaves to the next one, or the sources to the first.
type Words = [u32; LoopRecord::WORDS];

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
            queue: gpu.zeroed("queue", graph.most_rows(PIECE))?,
            distances: gpu.zeroed("distances", graph.num_states().into())?,
            dense: Dense::new(gpu, graph.num_states())?,
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
        let mut statistics = Statistics::default();
        self.run_loops(observer, false, |outcome| statistics += outcome.statistics)?;
        Ok(statistics)
    }

    /// Searches, and returns how long the device was busy with each kernel, where it can tell.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn profile(&self, observer: &dyn Observer) -> Result<Vec<PassTime>, Error> {
        let mut times = Vec::new();
        let timed = self.graph.gpu.info().timestamps;
        self.run_loops(observer, timed, |outcome| times.extend(outcome.times))?;
        Ok(times)
    }

    /// Runs one loop after the other, until there is no frontier left.
    fn run_loops(
        &self,
        observer: &dyn Observer,
        time_passes: bool,
        mut each: impl FnMut(Outcome),
    ) -> Result<(), Error> {
        let (mut recording, mut words) = self.start();
        loop {
            let ticket = match words[CONTROL_EDGES as usize] > self.dense_edges() {
                true => self.record_dense(&mut recording, words),
                false => self.record_sparse(&mut recording, words),
            };
            let gpu = &self.graph.gpu;
            let outcome = run::run(gpu, &recording, ticket, observer, time_passes)?;
            words = outcome.words;
            each(outcome);
            if words[CONTROL_ADDED as usize] == 0 {
                return Ok(());
            }
            recording = Recording::new();
        }
    }

    /// What comes before the first loop, which runs even if no source has a row; and its words.
    fn start(&self) -> (Recording, Words) {
        let mut recording = Recording::new();
        recording.fill(&self.distances, BfsTree::NONE);
        mark(&mut recording, &self.sources, &self.distances, 0);
        recording.copy(&self.first, 0..self.first.len(), &self.queue, 0);
        let mut words = [0; LoopRecord::WORDS];
        words[CONTROL_ADDED as usize] = self.first.len() as u32;
        words[CONTROL_EDGES as usize] = self.first_edges;
        (recording, words)
    }

    fn dense_edges(&self) -> u32 {
        self.tuning.dense_edges(self.graph.num_states())
    }

    /// Records the loop for frontiers with few edges.
    fn record_sparse(&self, recording: &mut Recording, words: Words) -> LoopTicket {
        let (rows, edges) = (words[CONTROL_ADDED as usize], words[CONTROL_EDGES as usize]);
        let is_narrow = rows <= NARROW_ROWS && edges <= NARROW_EDGES;
        let groups = match is_narrow && !self.tuning.fixed_grid {
            true => 1,
            false => self.tuning.most_groups,
        };
        let how = self.how("sparse levels", groups, words).pipelined();
        recording.repeat(how, |body| {
            body.dispatch(&self.level());
        })
    }

    /// Records the loop for frontiers with many edges, and what it needs.
    fn record_dense(&self, recording: &mut Recording, mut words: Words) -> LoopTicket {
        words[CONTROL_SPARSE_LEVELS as usize] = 0;
        let level = words[CONTROL_LEVEL as usize];
        self.dense.enter(recording, &self.distances, level);
        let how = self.how("dense levels", self.tuning.most_groups, words);
        let (graph, queue, params) = (self.graph, &self.queue, self.params());
        let mark = self.dense.mark(graph, queue, params);
        let collect = self.dense.collect(graph, queue, &self.distances, params);
        recording.repeat(how, |body| {
            body.dispatch(&mark).dispatch(&collect);
        })
    }

    fn how(&self, name: &str, groups: u32, words: Words) -> Repeat {
        let how = Repeat::groups(name, [groups, 1, 1]).words(words);
        match self.tuning.fixed_grid {
            true => how.fixed_grid(),
            false => how,
        }
    }

    fn level(&self) -> Level<'_> {
        Level {
            offsets: &self.graph.forward.offsets,
            targets: &self.graph.forward.ends,
            distances: &self.distances,
            queue: &self.queue,
            params: self.params(),
        }
    }

    fn params(&self) -> LevelParams {
        LevelParams {
            states: self.graph.num_states(),
            edges: self.graph.num_edges(),
            most_groups: self.tuning.most_groups,
            levels: self.tuning.levels,
            dense_edges: self.dense_edges(),
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
