//! The recordings of the tests: a breadth-first search that repeats one kernel, and the distances
//! that it should find.

use gpu::kernels::{BfsParams, FillParams, basic::Fill, test::BfsLevel};
use gpu::{Body, Buffer, Gpu, Groups, LoopHandle, ReadHandle, Recording, Repeat, Shard};

/// A graph as offsets and targets.
pub(crate) struct Graph {
    offsets: Vec<u32>,
    targets: Vec<u32>,
}

impl Graph {
    /// Returns a graph of states from 0 on. The edges may have any order.
    pub(crate) fn new(states: usize, edges: &[(usize, u32)]) -> Self {
        let mut rows = vec![Vec::new(); states];
        for &(source, target) in edges {
            rows[source].push(target);
        }
        let mut offsets = vec![0];
        for row in &rows {
            offsets.push(offsets[offsets.len() - 1] + row.len() as u32);
        }
        Self {
            offsets,
            targets: rows.concat(),
        }
    }

    /// Returns a path from the first state to the last.
    pub(crate) fn path(states: usize) -> Self {
        let edges: Vec<_> = (1..states).map(|s| (s - 1, s as u32)).collect();
        Self::new(states, &edges)
    }

    pub(crate) fn states(&self) -> u32 {
        self.offsets.len() as u32 - 1
    }

    /// Returns the distances from state 0, computed by a sequential search.
    pub(crate) fn distances(&self) -> Vec<u32> {
        let mut distances = vec![u32::MAX; self.states() as usize];
        distances[0] = 0;
        let mut queue = std::collections::VecDeque::from([0]);
        while let Some(s) = queue.pop_front() {
            for &t in &self.targets[self.offsets[s] as usize..self.offsets[s + 1] as usize] {
                if distances[t as usize] == u32::MAX {
                    distances[t as usize] = distances[s] + 1;
                    queue.push_back(t as usize);
                }
            }
        }
        distances
    }
}

/// A graph on a device, with its edges in shards.
pub(crate) struct Uploaded {
    offsets: Buffer<u32>,
    shards: Vec<Shard<u32>>,
    pub(crate) distances: Buffer<u32>,
    zero: Buffer<u32>,
}

impl Uploaded {
    pub(crate) fn new(gpu: &Gpu, graph: &Graph) -> gpu::Result<Self> {
        Self::sharded(gpu, graph, u64::MAX)
    }

    /// Uploads a graph, with at most this many edges per shard.
    pub(crate) fn sharded(gpu: &Gpu, graph: &Graph, edges: u64) -> gpu::Result<Self> {
        let start = |row: u32| u64::from(graph.offsets[row as usize]);
        let pieces = gpu::cut(graph.states(), start, edges)?;
        let shards = pieces.into_iter().map(|(rows, elements)| {
            let targets = &graph.targets[elements.start as usize..elements.end as usize];
            let buffer = gpu.upload("targets", targets)?;
            Ok(Shard {
                rows,
                elements,
                buffer,
            })
        });
        Ok(Self {
            offsets: gpu.upload("offsets", &graph.offsets)?,
            shards: shards.collect::<gpu::Result<_>>()?,
            distances: gpu.zeroed("distances", graph.states().into())?,
            zero: gpu.zeroed("zero", 1)?,
        })
    }

    /// Returns the passes of one level of the search, one for each shard. If `counted`, they count
    /// the states that they find, in the first word of the loop's record.
    pub(crate) fn passes(&self, counted: bool) -> impl Iterator<Item = BfsLevel<'_>> {
        self.shards.iter().map(move |shard| BfsLevel {
            offsets: &self.offsets,
            targets: &shard.buffer,
            distances: &self.distances,
            params: BfsParams {
                first_state: shard.rows.start,
                end_state: shard.rows.end,
                first_edge: shard.elements.start as u32,
            },
            counted,
        })
    }

    /// Records the initial distances: only state 0 is reached.
    pub(crate) fn start(&self, recording: &mut Recording) {
        recording
            .fill(&self.distances, u32::MAX)
            .write(&self.distances, 0, &[0]);
    }

    /// Records the loop that finds one level of the search after the other.
    pub(crate) fn levels(
        &self,
        recording: &mut Recording,
        how: Repeat,
        counted: bool,
    ) -> LoopHandle {
        recording.repeat(how, |level| {
            for pass in self.passes(counted) {
                level.dispatch(&pass);
            }
        })
    }

    /// Records the same loop, and then the steps of `then`.
    pub(crate) fn levels_then<R>(
        &self,
        recording: &mut Recording,
        how: Repeat,
        then: impl FnOnce(&mut Recording) -> R,
    ) -> (LoopHandle, R) {
        let body = |level: &mut Body| {
            for pass in self.passes(false) {
                level.dispatch(&pass);
            }
        };
        recording.repeat_then(how, body, then)
    }

    /// Records that the last distance is read back.
    pub(crate) fn read_last(&self, recording: &mut Recording) -> ReadHandle<u32> {
        let states = self.distances.len();
        recording.read(&self.distances, states - 1..states)
    }

    /// Records that the distances are read back.
    fn read(&self, recording: &mut Recording) -> ReadHandle<u32> {
        recording.read(&self.distances, 0..self.distances.len())
    }

    /// Returns a recording of a search from state 0.
    pub(crate) fn search(
        &self,
        how: Repeat,
        counted: bool,
    ) -> (Recording, ReadHandle<u32>, LoopHandle) {
        let mut recording = Recording::new();
        self.start(&mut recording);
        let levels = self.levels(&mut recording, how, counted);
        let found = self.read(&mut recording);
        (recording, found, levels)
    }

    /// Records a search from state 0 after what is recorded already, without data from the host.
    pub(crate) fn search_again(&self, recording: &mut Recording) -> (ReadHandle<u32>, LoopHandle) {
        let unreached = Fill {
            target_words: &self.distances,
            params: FillParams { value: u32::MAX },
        };
        recording.dispatch(&unreached, Groups::Over(self.distances.len()));
        recording.copy(&self.zero, 0..1, &self.distances, 0);
        let how = Repeat::over("search", self.distances.len());
        let levels = self.levels(recording, how, false);
        (self.read(recording), levels)
    }
}
