//! [`DeviceRows`]: the rows of one direction on a device, cut into shards that can be bound.

use crate::Error;
use ::gpu::kernels::Rows;
use ::gpu::{Buffer, Gpu};
use rayon::prelude::*;
use warp_segments::{Segments, Shard};

/// The way in which rows are cut into shards.
pub(super) struct Cut {
    shards: Vec<Shard>,
    long_row: u32,
}

impl Cut {
    /// Cuts rows into shards of at most `limit` entries.
    pub(super) fn new(segments: &Segments, limit: u64, long_row: u32) -> Result<Self, Error> {
        Ok(Self {
            shards: segments.shards(limit)?,
            long_row: long_row.max(1),
        })
    }

    /// Returns the number of words that kernels keep for long rows.
    pub(super) fn progress_words(&self) -> u32 {
        let each = self.shards.iter();
        each.map(|shard| progress_words(shard, self.long_row)).sum()
    }
}

/// Returns the number of words for the long rows of a shard. No two long rows begin in the same
/// `long_row` entries.
fn progress_words(shard: &Shard, long_row: u32) -> u32 {
    (shard.end_entry - shard.first_entry) / long_row + 1
}

/// Returns whether a row of its own has more than this many entries.
fn has_longer(segments: &Segments, long_row: u32) -> bool {
    let own = &segments.offsets()[segments.num_interleaved() as usize..];
    own.par_windows(2).any(|row| row[1] - row[0] > long_row)
}

/// The `offsets` and `trans` of one direction.
#[derive(Debug)]
pub(super) struct DeviceRows {
    /// The positions at which the rows of states start, and the end: `n + 1` numbers.
    pub(super) offsets: Buffer<u32>,
    /// The shards, at least one.
    pub(super) shards: Vec<DeviceShard>,
    /// The number of lanes, W in the papers.
    pub(super) lanes: u32,
    /// The number of entries of all shards.
    pub(super) num_entries: u32,
    /// The number of low bits of an entry that contain the state.
    state_bits: u32,
    interleaved: u32,
    /// Rows of more entries are long (`shaders/fbt/lib/rows.wgsl`).
    long_row: u32,
    /// Whether there is a long row.
    pub(super) has_long: bool,
}

/// The entries of consecutive states.
#[derive(Debug)]
pub(super) struct DeviceShard {
    pub(super) range: Shard,
    pub(super) entries: Buffer<u32>,
    /// The group of each entry, if groups do not fit into entries.
    groups: Option<Buffer<u32>>,
    /// The place of the first word for its long rows.
    progress_at: u32,
}

impl DeviceRows {
    /// Puts `segments` on the device, in shards as `cut` says. Words for long rows begin at
    /// `progress_at`.
    pub(super) fn upload(
        gpu: &Gpu,
        name: &str,
        segments: &Segments,
        cut: &Cut,
        mut progress_at: u32,
    ) -> Result<Self, Error> {
        let upload = |range: &Shard| {
            let range = *range;
            let bound = range.first_entry as usize..range.end_entry as usize;
            let name = |what| format!("{name} {what} from state {}", range.first_state);
            let groups = segments.groups().map(|groups| &groups[bound.clone()]);
            let own_progress = progress_at;
            progress_at += progress_words(&range, cut.long_row);
            Ok(DeviceShard {
                progress_at: own_progress,
                entries: gpu.upload(&name("edges"), &segments.entries()[bound.clone()])?,
                groups: groups
                    .map(|groups| gpu.upload(&name("groups"), groups))
                    .transpose()?,
                range,
            })
        };
        let shards = cut.shards.iter().map(upload);
        Ok(Self {
            shards: shards.collect::<Result<_, Error>>()?,
            offsets: gpu.upload(&format!("{name} offsets"), segments.offsets())?,
            lanes: segments.lanes(),
            num_entries: segments.entries().len() as u32,
            state_bits: segments.state_bits(),
            interleaved: segments.num_interleaved(),
            long_row: cut.long_row,
            has_long: has_longer(segments, cut.long_row),
        })
    }

    /// Returns the range of a shard, for kernels. The range of a shard after the last one has no
    /// states.
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
                long_row: self.long_row,
                progress_at: shard.progress_at,
            })
    }

    /// Returns the number of pieces of the largest shard, if there are long rows
    /// (`shaders/fbt/lib/pieces.wgsl`).
    pub(super) fn num_pieces(&self) -> u32 {
        let entries = self.shards.iter().map(|shard| shard.entries.len());
        match self.has_long {
            true => entries.max().unwrap_or(0).div_ceil(self.long_row.into()) as u32,
            false => 0,
        }
    }

    /// Returns the entries of a shard. For a shard after the last one, returns any buffer that can
    /// be bound.
    pub(super) fn entries(&self, shard: usize) -> &Buffer<u32> {
        &self.shards[shard.min(self.shards.len() - 1)].entries
    }

    /// Returns the groups of a shard's entries, or the entries if they contain the groups.
    pub(super) fn groups(&self, shard: usize) -> &Buffer<u32> {
        let groups = &self.shards[shard.min(self.shards.len() - 1)].groups;
        groups.as_ref().unwrap_or(self.entries(shard))
    }

    /// Returns whether the device holds what was uploaded.
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
