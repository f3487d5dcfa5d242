//! [`DeviceRows`]: the rows of one direction on a device, cut into shards that can be bound.

use crate::Error;
use ::gpu::kernels::Rows;
use ::gpu::{Buffer, Gpu};
use warp_segments::{Segments, Shard};

/// The `offsets` and `trans` of one direction.
#[derive(Debug)]
pub(super) struct DeviceRows {
    /// `n + 1` positions.
    pub(super) offsets: Buffer<u32>,
    /// One at least.
    pub(super) shards: Vec<DeviceShard>,
    /// W.
    pub(super) lanes: u32,
    /// The entries of all shards.
    pub(super) num_entries: u32,
    /// How many low bits of an entry are the state.
    state_bits: u32,
    interleaved: u32,
}

/// The entries of consecutive states.
#[derive(Debug)]
pub(super) struct DeviceShard {
    pub(super) range: Shard,
    pub(super) entries: Buffer<u32>,
    /// Beside each entry its group, where groups do not fit entries.
    groups: Option<Buffer<u32>>,
}

impl DeviceRows {
    /// Puts `segments` on the device, in shards of at most `limit` entries.
    pub(super) fn upload(
        gpu: &Gpu,
        name: &str,
        segments: &Segments,
        limit: u64,
    ) -> Result<Self, Error> {
        let upload = |range: Shard| {
            let bound = range.first_entry as usize..range.end_entry as usize;
            let name = |what| format!("{name} {what} from state {}", range.first_state);
            let groups = segments.groups().map(|groups| &groups[bound.clone()]);
            Ok(DeviceShard {
                range,
                entries: gpu.upload(&name("edges"), &segments.entries()[bound.clone()])?,
                groups: groups
                    .map(|groups| gpu.upload(&name("groups"), groups))
                    .transpose()?,
            })
        };
        let shards = segments.shards(limit)?.into_iter().map(upload);
        Ok(Self {
            shards: shards.collect::<Result<_, Error>>()?,
            offsets: gpu.upload(&format!("{name} offsets"), segments.offsets())?,
            lanes: segments.lanes(),
            num_entries: segments.entries().len() as u32,
            state_bits: segments.state_bits(),
            interleaved: segments.num_interleaved(),
        })
    }

    /// What a kernel has to know of a shard; of one past the last, that it has no states.
    pub(super) fn range(&self, shard: usize) -> Rows {
        self.shards
            .get(shard)
            .map_or(Rows::default(), |shard| Rows {
                first_state: shard.range.first_state,
                end_state: shard.range.end_state,
                first_entry: shard.range.first_entry,
                interleaved: self.interleaved,
                state_bits: self.state_bits,
                groups_apart: u32::from(shard.groups.is_some()),
                ..Rows::default()
            })
    }

    /// The entries of a shard; of one past the last, something to bind.
    pub(super) fn entries(&self, shard: usize) -> &Buffer<u32> {
        &self.shards[shard.min(self.shards.len() - 1)].entries
    }

    /// The groups of a shard's entries; the entries themselves where they hold the groups too.
    pub(super) fn groups(&self, shard: usize) -> &Buffer<u32> {
        let groups = &self.shards[shard.min(self.shards.len() - 1)].groups;
        groups.as_ref().unwrap_or(self.entries(shard))
    }

    /// Whether the device holds what was uploaded.
    pub(super) fn is_as_uploaded(&self, gpu: &Gpu, segments: &Segments) -> Result<bool, Error> {
        for DeviceShard { range, entries, .. } in &self.shards {
            let uploaded =
                &segments.entries()[range.first_entry as usize..range.end_entry as usize];
            if gpu.read(entries)? != uploaded {
                return Ok(false);
            }
        }
        Ok(gpu.read(&self.offsets)? == segments.offsets())
    }
}
