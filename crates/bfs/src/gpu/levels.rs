//! The search by levels. Each iteration of a loop on the device explores one level, or many narrow
//! levels. There are sparse iterations (`shaders/bfs/level.wgsl`) and dense ones
//! (`shaders/bfs/mark.wgsl`, `shaders/bfs/collect.wgsl`).
//!
//! The first loop has a few sparse iterations and then dense ones. So the search of a wide graph is
//! a single submission, for which the host waits once. If this loop does not finish the search,
//! further loops follow, each with iterations of one kind.

use super::dense::Dense;
use super::run::{self, Outcome, Statistics};
use super::sources::{distinct, mark};
use super::tuning::Tuning;
use super::upload::DeviceEdges;
use crate::{BfsTree, Error, Observer};
use ::gpu::kernels::LevelParams;
use ::gpu::kernels::bfs::{
    CONTROL_ADDED, CONTROL_CARRIED, CONTROL_EDGES, CONTROL_LOST, CONTROL_SPARSE_LEVELS, Level,
    NARROW_EDGES, NARROW_ROWS, PIECE,
};
use ::gpu::{Buffer, Gpu, LoopHandle, LoopRecord, PassTime, Recording, Repeat};
use mdp_graph::StateId;

/// A search from given sources, which can be run any number of times.
#[derive(Debug)]
pub struct LevelSearch<'d> {
    graph: &'d DeviceEdges<'d>,
    sources: Buffer<u32>,
    /// The number of rows of the sources, which are at the front of the queue, and the number of
    /// their edges.
    first_rows: u32,
    first_edges: u32,
    queue: Buffer<[u32; 2]>,
    early: Buffer<[u32; 2]>,
    distances: Buffer<u32>,
    dense: Dense,
    tuning: Tuning,
}

/// The number of sparse iterations at the beginning of a search. One of them handles all narrow
/// levels, and each of the others one level. In a wide graph, the number of edges of these levels
/// grows by a factor.
const FIRST_SPARSE: u64 = 4;

/// If all iterations of a loop have the same number of workgroups, sparse ones have one in this
/// many of them, so that each begins and ends earlier.
const SPARSE_SHARE: u32 = 4;

/// Allocates the room for early rows. A buffer is never empty.
fn early_rows(gpu: &Gpu, tuning: &Tuning) -> Result<Buffer<[u32; 2]>, Error> {
    Ok(gpu.zeroed("early rows", tuning.early_rows.max(1).into())?)
}

/// The words that a loop passes to the next one, and that the sources pass to the first loop.
type Words = [u32; LoopRecord::WORDS];

impl<'d> LevelSearch<'d> {
    /// Prepares a search from `sources`.
    ///
    /// # Errors
    /// [`Error::Gpu`] if the device has no room for it, or cannot run its kernel.
    ///
    /// # Panics
    /// Panics if one of `sources` is not a state of the graph.
    pub fn new(graph: &'d DeviceEdges<'d>, sources: &[StateId]) -> Result<Self, Error> {
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
        let queue = gpu.zeroed("queue", graph.most_rows(PIECE))?;
        let tuning = Tuning::of(gpu.info());
        gpu.write(&queue, 0, &first)?;
        Ok(Self {
            sources: gpu.upload("sources", &sources)?,
            first_rows: first.len() as u32,
            first_edges,
            queue,
            early: early_rows(gpu, &tuning)?,
            distances: gpu.zeroed("distances", graph.num_states().into())?,
            dense: Dense::new(gpu, graph.num_states())?,
            tuning,
            graph,
        })
    }

    /// Changes the distribution of work.
    ///
    /// # Errors
    /// [`Error::Gpu`] if the device has no room for [`Tuning::early_rows`].
    pub fn tune(&mut self, tuning: Tuning) -> Result<(), Error> {
        let tuning = tuning.bounded();
        self.early = early_rows(&self.graph.gpu, &tuning)?;
        self.tuning = tuning;
        Ok(())
    }

    /// Runs the search. The answer stays on the device.
    ///
    /// # Errors
    /// [`Error::Cancelled`]; [`Error::Gpu`] if the device fails.
    pub fn run(&self, observer: &dyn Observer) -> Result<Statistics, Error> {
        let mut statistics = Statistics::default();
        self.run_loops(observer, false, |outcome| statistics += outcome.statistics)?;
        Ok(statistics)
    }

    /// Runs the search, and returns the time of each kernel, if the device can measure it.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn profile(&self, observer: &dyn Observer) -> Result<Vec<PassTime>, Error> {
        let mut times = Vec::new();
        let timed = self.graph.gpu.info().timestamps;
        self.run_loops(observer, timed, |outcome| times.extend(outcome.times))?;
        Ok(times)
    }

    /// Runs one loop after the other, until the frontier is empty.
    fn run_loops(
        &self,
        observer: &dyn Observer,
        time_passes: bool,
        mut each: impl FnMut(Outcome),
    ) -> Result<(), Error> {
        let (mut recording, mut words) = self.start();
        let mut is_first = true;
        let mut most_span = self.tuning.most_span;
        loop {
            let is_dense = words[CONTROL_EDGES as usize] > self.dense_edges();
            let handle = match (is_dense, is_first) {
                (true, _) => self.record_both(&mut recording, words, 0, most_span),
                (false, true) => self.record_both(&mut recording, words, FIRST_SPARSE, most_span),
                (false, false) => self.record_sparse(&mut recording, words, most_span),
            };
            let gpu = &self.graph.gpu;
            let outcome = run::run(gpu, &recording, handle, observer, time_passes)?;
            words = outcome.words;
            each(outcome);
            if words[CONTROL_LOST as usize] != 0 {
                // There was no room for the rows that a batch of levels left to the next iteration.
                // A search without batches leaves none.
                most_span = 1;
                (recording, words) = self.start();
                is_first = true;
                continue;
            }
            if words[CONTROL_ADDED as usize] == 0 && words[CONTROL_CARRIED as usize] == 0 {
                return Ok(());
            }
            is_first = false;
            recording = Recording::new();
        }
    }

    /// Returns the steps before the first loop, and the words of this loop, which runs even if no
    /// source has a row.
    fn start(&self) -> (Recording, Words) {
        let mut recording = Recording::new();
        recording.fill(&self.distances, BfsTree::NONE);
        mark(&mut recording, &self.sources, &self.distances, 0);
        let mut words = [0; LoopRecord::WORDS];
        words[CONTROL_ADDED as usize] = self.first_rows;
        words[CONTROL_EDGES as usize] = self.first_edges;
        (recording, words)
    }

    fn dense_edges(&self) -> u32 {
        self.tuning.dense_edges(self.graph.num_states())
    }

    /// Records a loop for frontiers with few edges.
    fn record_sparse(&self, recording: &mut Recording, words: Words, most_span: u32) -> LoopHandle {
        let groups = match self.tuning.fixed_grid {
            true => self.tuning.most_groups.div_ceil(SPARSE_SHARE),
            false => self.tuning.most_groups,
        };
        let how = self.how("sparse levels", groups, words).pipelined();
        recording.repeat(how, |body| {
            body.dispatch(&self.level(0, most_span));
        })
    }

    /// Records a loop of this many sparse iterations, and of dense ones if the frontier is dense
    /// after these.
    fn record_both(
        &self,
        recording: &mut Recording,
        mut words: Words,
        sparse: u64,
        most_span: u32,
    ) -> LoopHandle {
        words[CONTROL_SPARSE_LEVELS as usize] = 0;
        let name = match sparse {
            0 => "dense levels",
            _ => "levels",
        };
        let how = self.how(name, self.tuning.most_groups, words);
        let groups = self.tuning.most_groups;
        let (graph, queue, params) = (self.graph, &self.queue, self.params(groups, most_span));
        let enter = self.dense.enter(&self.distances, params);
        let mark = self.dense.mark(graph, queue, params);
        let collect = self.dense.collect(graph, queue, &self.distances, params);
        recording.repeat(how, |body| {
            if sparse > 0 {
                body.dispatch_in(0..sparse, &self.level(groups, most_span));
            }
            body.dispatch_in(sparse..sparse + 1, &enter)
                .dispatch_in(sparse..u64::MAX, &mark)
                .dispatch_in(sparse..u64::MAX, &collect);
        })
    }

    /// Returns a loop that begins with `words`, and whose iterations have at most this many
    /// workgroups.
    fn how(&self, name: &str, most_groups: u32, words: Words) -> Repeat {
        let (rows, edges) = (words[CONTROL_ADDED as usize], words[CONTROL_EDGES as usize]);
        let is_narrow = rows <= NARROW_ROWS && edges <= NARROW_EDGES;
        let is_alone = is_narrow && edges <= self.dense_edges() && !self.tuning.fixed_grid;
        let groups = match is_alone {
            true => 1,
            false => most_groups,
        };
        let how = Repeat::groups(name, [groups, 1, 1]).words(words);
        match self.tuning.fixed_grid {
            true => how.fixed_grid(),
            false => how,
        }
    }

    /// Returns a sparse iteration; `dense_groups` and `most_span` as in [`LevelParams`].
    fn level(&self, dense_groups: u32, most_span: u32) -> Level<'_> {
        Level {
            offsets: &self.graph.forward.offsets,
            targets: &self.graph.forward.ends,
            distances: &self.distances,
            queue: &self.queue,
            early: &self.early,
            params: self.params(dense_groups, most_span),
        }
    }

    fn params(&self, dense_groups: u32, most_span: u32) -> LevelParams {
        LevelParams {
            states: self.graph.num_states(),
            edges: self.graph.num_edges(),
            most_groups: self.tuning.most_groups,
            levels: self.tuning.levels,
            dense_edges: self.dense_edges(),
            dense_groups,
            most_span,
            early_rows: self.tuning.early_rows,
        }
    }

    /// Returns the distance of each state, or [`BfsTree::NONE`], after a run.
    pub fn distances(&self) -> &Buffer<u32> {
        &self.distances
    }

    pub(super) fn into_distances(self) -> Buffer<u32> {
        self.distances
    }
}
