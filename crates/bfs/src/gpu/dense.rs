//! The data of dense iterations of the search by levels: sets of states as bits.

use super::upload::DeviceEdges;
use crate::Error;
use ::gpu::kernels::LevelParams;
use ::gpu::kernels::bfs::{Collect, Enter, LINE_LOG2, Mark};
use ::gpu::{Buffer, Gpu};

/// Sets of states, 32 to a word.
#[derive(Debug)]
pub(super) struct Dense {
    /// The states that were reached, including those that the current iteration has marked: a power
    /// of two of cache lines, over which the words are spread (`shaders/bfs/lib/bits.wgsl`).
    reached: Buffer<u32>,
    /// The states that were reached before the current iteration.
    seen: Buffer<u32>,
    /// The states of the frontier.
    fresh: Buffer<u32>,
}

impl Dense {
    pub(super) fn new(gpu: &Gpu, states: u32) -> Result<Self, Error> {
        let words: u64 = states.div_ceil(u32::BITS).into();
        let lines = words.div_ceil(1 << LINE_LOG2).next_power_of_two();
        Ok(Self {
            reached: gpu.zeroed("reached", lines << LINE_LOG2)?,
            seen: gpu.zeroed("seen", words)?,
            fresh: gpu.zeroed("fresh", words)?,
        })
    }

    /// Prepares the first dense iteration: sets the bits of the states that have a distance, and of
    /// the states of the frontier.
    pub(super) fn enter<'a>(
        &'a self,
        distances: &'a Buffer<u32>,
        params: LevelParams,
    ) -> Enter<'a> {
        Enter {
            distances,
            reached: &self.reached,
            seen: &self.seen,
            fresh: &self.fresh,
            params,
        }
    }

    /// Returns the first half of an iteration.
    pub(super) fn mark<'a>(
        &'a self,
        graph: &'a DeviceEdges<'_>,
        queue: &'a Buffer<[u32; 2]>,
        params: LevelParams,
    ) -> Mark<'a> {
        let backward = graph.backward.as_ref();
        Mark {
            targets: &graph.forward.ends,
            queue,
            reached: &self.reached,
            seen: &self.seen,
            fresh: backward.map(|_| &self.fresh),
            back_offsets: backward.map(|rows| &rows.offsets),
            back_targets: backward.map(|rows| &rows.ends),
            params,
            transposed: backward.is_some(),
        }
    }

    /// Returns the second half of an iteration.
    pub(super) fn collect<'a>(
        &'a self,
        graph: &'a DeviceEdges<'_>,
        queue: &'a Buffer<[u32; 2]>,
        distances: &'a Buffer<u32>,
        params: LevelParams,
    ) -> Collect<'a> {
        Collect {
            offsets: &graph.forward.offsets,
            reached: &self.reached,
            seen: &self.seen,
            fresh: &self.fresh,
            distances,
            queue,
            params,
        }
    }
}
