//! [`DeviceRows`]: compressed sparse rows on a device, without self-loops, cut into shards that can be bound.

use crate::Error;
use ::gpu::kernels::FastRows;
use ::gpu::{Buffer, Gpu, Shard};
use mdp_graph::{Digraph, StateId};

/// The edges of one direction.
#[derive(Debug)]
pub(super) struct DeviceRows {
    /// `n + 1` positions.
    pub(super) offsets: Buffer<u32>,
    /// One at least.
    shards: Vec<Shard<u32>>,
    /// The rows of each length of 2^k to 2^(k+1) - 1 edges.
    by_length: [u32; 32],
}

impl DeviceRows {
    /// Puts the rows of `graph` on the device, in shards of at most `limit` edges.
    pub(super) fn upload(
        gpu: &Gpu,
        name: &str,
        graph: &Digraph,
        limit: u64,
    ) -> Result<Self, Error> {
        let (offsets, targets) = without_self_loops(graph);
        let rows = offsets.len() as u32 - 1;
        let mut by_length = [0; 32];
        for pair in offsets.windows(2) {
            let length = (pair[1] - pair[0]).max(1);
            by_length[length.ilog2() as usize] += 1;
        }
        let start = |row: u32| u64::from(offsets[row as usize]);
        let shards = ::gpu::cut(rows, start, limit)?
            .into_iter()
            .map(|(rows, elements)| {
                let held = &targets[elements.start as usize..elements.end as usize];
                let name = format!("{name} edges from state {}", rows.start);
                let buffer = gpu.upload(&name, StateId::as_numbers(held))?;
                Ok(Shard {
                    rows,
                    elements,
                    buffer,
                })
            });
        Ok(Self {
            shards: shards.collect::<Result<_, Error>>()?,
            offsets: gpu.upload(&format!("{name} offsets"), &offsets)?,
            by_length,
        })
    }

    pub(super) fn num_shards(&self) -> usize {
        self.shards.len()
    }

    /// No more rows than this have more than `length` edges.
    pub(super) fn longer_than(&self, length: u32) -> u32 {
        self.by_length[length.max(1).ilog2() as usize..]
            .iter()
            .sum()
    }

    /// What a kernel has to know of a shard; of one past the last, that it has no states.
    pub(super) fn range(&self, shard: usize) -> FastRows {
        self.shards
            .get(shard)
            .map_or(FastRows::default(), |shard| FastRows {
                first_state: shard.rows.start,
                end_state: shard.rows.end,
                first_edge: shard.elements.start as u32,
                padding: 0,
            })
    }

    /// The edges of a shard; of one past the last, something to bind.
    pub(super) fn targets(&self, shard: usize) -> &Buffer<u32> {
        &self.shards[shard.min(self.shards.len() - 1)].buffer
    }
}

/// Offsets and targets of the edges between different states.
fn without_self_loops(graph: &Digraph) -> (Vec<u32>, Vec<StateId>) {
    let mut offsets = Vec::with_capacity(graph.num_states() + 1);
    let mut targets = Vec::with_capacity(graph.num_edges());
    offsets.push(0);
    for state in (0..graph.num_states()).map(StateId::from_index) {
        targets.extend(
            graph
                .successors(state)
                .iter()
                .filter(|&&target| target != state),
        );
        offsets.push(targets.len() as u32);
    }
    (offsets, targets)
}
