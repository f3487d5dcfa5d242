//! [`DeviceRows`]: compressed sparse rows on a device, without self-loops, cut into shards that can
//! be bound. [`RowOffsets`]: where rows begin, which is known before there are edges.

use ::gpu::kernels::WorklistRows;
use ::gpu::{Buffer, Shard};

/// Where the rows of states begin in one direction, and how long they are.
#[derive(Debug)]
pub(super) struct RowOffsets {
    /// The positions at which the rows start, and the end: `n + 1` numbers.
    pub(super) offsets: Buffer<u32>,
    pub(super) lengths: RowLengths,
}

/// The number of rows of each length from 2^k to 2^(k+1) - 1 edges.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowLengths(pub(super) [u32; 32]);

impl RowLengths {
    /// Returns an upper bound on the number of rows with more than `length` edges; for 0, the exact
    /// number.
    pub(super) fn longer_than(&self, length: u32) -> u32 {
        self.0[length.max(1).ilog2() as usize..].iter().sum()
    }
}

/// The edges of one direction.
#[derive(Debug)]
pub(super) struct DeviceRows {
    /// The positions at which the rows of states start, and the end: `n + 1` numbers.
    pub(super) offsets: Buffer<u32>,
    /// The shards of the targets, at least one.
    shards: Vec<Shard<u32>>,
    /// For each shard the choices of its edges, if the graph has choices.
    choices: Vec<Buffer<u32>>,
    lengths: RowLengths,
}

impl DeviceRows {
    /// Makes rows from arrays that are on the device.
    pub(super) fn new(
        rows: RowOffsets,
        shards: Vec<Shard<u32>>,
        choices: Vec<Buffer<u32>>,
    ) -> Self {
        Self {
            offsets: rows.offsets,
            shards,
            choices,
            lengths: rows.lengths,
        }
    }

    pub(super) fn num_states(&self) -> u32 {
        self.offsets.len() as u32 - 1
    }

    pub(super) fn num_shards(&self) -> usize {
        self.shards.len()
    }

    pub(super) fn num_edges(&self) -> u64 {
        self.shards.last().map_or(0, |shard| shard.elements.end)
    }

    /// Returns an upper bound on the number of rows with more than `length` edges; for 0, the exact
    /// number.
    pub(super) fn longer_than(&self, length: u32) -> u32 {
        self.lengths.longer_than(length)
    }

    /// Returns the range of a shard, for kernels. The range of a shard after the last one has no
    /// states.
    pub(super) fn range(&self, shard: usize) -> WorklistRows {
        self.shards
            .get(shard)
            .map_or(WorklistRows::default(), |shard| WorklistRows {
                first_state: shard.rows.start,
                end_state: shard.rows.end,
                first_edge: shard.elements.start as u32,
                padding: 0,
            })
    }

    /// Returns the edges of a shard. For a shard after the last one, returns any buffer that can be
    /// bound.
    pub(super) fn targets(&self, shard: usize) -> &Buffer<u32> {
        &self.shards[shard.min(self.shards.len() - 1)].buffer
    }

    /// Returns the choices of a shard's edges, if the graph has choices.
    pub(super) fn choices(&self, shard: usize) -> Option<&Buffer<u32>> {
        self.choices.get(shard.min(self.shards.len() - 1))
    }
}
