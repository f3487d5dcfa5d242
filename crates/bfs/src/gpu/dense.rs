//! What the dense loop of the search by levels works on: a bit for each state.

use super::upload::DeviceGraph;
use crate::Error;
use ::gpu::kernels::bfs::{BLOCK, Collect, Enter, Mark};
use ::gpu::kernels::{EnterParams, LevelParams};
use ::gpu::{Buffer, Gpu, Groups, MAX_WORKGROUPS, Recording};

/// Sets of states, 32 to a word.
#[derive(Debug)]
pub(super) struct Dense {
    /// States that are reached, with those that an iteration has marked.
    reached: Buffer<u32>,
    /// States that were reached when the iteration began.
    seen: Buffer<u32>,
    /// The states of the frontier.
    fresh: Buffer<u32>,
    states: u32,
}

impl Dense {
    pub(super) fn new(gpu: &Gpu, states: u32) -> Result<Self, Error> {
        let words = states.div_ceil(u32::BITS).into();
        Ok(Self {
            reached: gpu.zeroed("reached", words)?,
            seen: gpu.zeroed("seen", words)?,
            fresh: gpu.zeroed("fresh", words)?,
            states,
        })
    }

    /// Records that the bits are set of the states that have a distance; the frontier is those at
    /// the distance `level`.
    pub(super) fn enter(&self, recording: &mut Recording, distances: &Buffer<u32>, level: u32) {
        let pass = Enter {
            distances,
            reached: &self.reached,
            seen: &self.seen,
            fresh: &self.fresh,
            params: EnterParams {
                states: self.states,
                level,
            },
        };
        let blocks = self.states.div_ceil(BLOCK).clamp(1, MAX_WORKGROUPS);
        recording.dispatch(&pass, Groups::Fixed([blocks, 1, 1]));
    }

    /// The first half of an iteration.
    pub(super) fn mark<'a>(
        &'a self,
        graph: &'a DeviceGraph<'_>,
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

    /// The second half of an iteration.
    pub(super) fn collect<'a>(
        &'a self,
        graph: &'a DeviceGraph<'_>,
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
