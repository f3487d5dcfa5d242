//! The buffers that the worklist engine writes to on a device, and the meaning of their words for
//! the host.

use super::profile::Profile;
use super::rows::DeviceRows;
use super::tuning::Tuning;
use crate::Error;
use ::gpu::kernels::worklist::{
    MAX_NUMBER_BITS, NAMES_PER_STATE_OF_MECS, NAMES_PER_STATE_OF_SCCS, REACHED_PER_WORD,
};
use ::gpu::{Buffer, Gpu};

/// The mark of a state that a search has left to the host. No state has this number.
pub(super) const UNDECIDED: u32 = u32::MAX - 1;
/// The most states: the key of a candidate numbers its state
/// (`shaders/worklist/lib/candidates.wgsl`).
pub(super) const MAX_STATES: u64 = (1 << MAX_NUMBER_BITS) - 1;

/// The buffers that a search writes to on the device (`shaders/worklist/`).
#[derive(Debug)]
pub(super) struct SearchState {
    pub(super) states: u32,
    pub(super) regions: Buffer<u32>,
    pub(super) degrees: Buffer<u32>,
    pub(super) reached: Buffer<u32>,
    pub(super) pivots: Buffer<u32>,
    pub(super) queue: Buffer<u32>,
    /// The hubs of two iterations, whose rows all workgroups share.
    pub(super) hubs: Buffer<[u32; 2]>,
    /// For each phase the edges that were visited, if that is measured.
    pub(super) visited: Buffer<u32>,
    /// For each state the key of another one.
    pub(super) colours: Buffer<u32>,
}

impl SearchState {
    pub(super) fn new(
        gpu: &Gpu,
        states: u32,
        hub_rows: u32,
        has_choices: bool,
    ) -> Result<Self, Error> {
        let n = u64::from(states);
        // The names that pivots and colours give to regions; then the place of the first candidate.
        let names = match has_choices {
            true => NAMES_PER_STATE_OF_MECS,
            false => NAMES_PER_STATE_OF_SCCS,
        };
        let regions = u64::from(names + 1) * n + 2;
        Ok(Self {
            states,
            regions: gpu.zeroed("regions", n)?,
            degrees: gpu.zeroed("degrees", 2 * n)?,
            reached: gpu.zeroed("reached", n.div_ceil(REACHED_PER_WORD.into()))?,
            pivots: gpu.zeroed("pivots", regions)?,
            queue: gpu.zeroed("queue", 3 * n)?,
            hubs: hub_buffer(gpu, hub_rows)?,
            visited: gpu.zeroed("visited edges", Profile::edge_words())?,
            colours: gpu.zeroed("colours", n)?,
        })
    }
}

pub(super) fn hub_buffer(gpu: &Gpu, rows: u32) -> Result<Buffer<[u32; 2]>, Error> {
    Ok(gpu.zeroed("hubs", 2 * u64::from(rows.max(1)))?)
}

/// Returns the number of hubs that an iteration can defer at most.
pub(super) fn hub_rows(rows: [&DeviceRows; 2], tuning: &Tuning) -> u32 {
    rows.iter()
        .map(|rows| rows.longer_than(tuning.hub_degree))
        .sum()
}

/// The choices of a graph on a device.
#[derive(Debug)]
pub(super) struct Choices {
    /// For each state the number of its choices, and whether one leads to the state alone
    /// (`shaders/worklist/lib/choices.wgsl`).
    pub(super) all: Buffer<u32>,
    /// The number of choices of each state that are left.
    pub(super) retained: Buffer<u32>,
    /// One bit for each choice.
    pub(super) removed: Buffer<u32>,
    /// The choices that were removed when the round began.
    pub(super) removed_snapshot: Buffer<u32>,
}

impl Choices {
    /// Allocates the buffers for this number of choices. `all` is stored as it is.
    pub(super) fn new(gpu: &Gpu, all: Buffer<u32>, choices: u64) -> Result<Self, Error> {
        let words = choices.div_ceil(32);
        Ok(Self {
            retained: gpu.zeroed("retained choices", all.len())?,
            all,
            removed: gpu.zeroed("removed choices", words)?,
            removed_snapshot: gpu.zeroed("removed snapshot", words)?,
        })
    }
}
