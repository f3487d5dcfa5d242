//! What the worklist engine writes to on a device, and what the words there mean on the host.

use super::profile::Profile;
use super::rows::DeviceRows;
use super::tuning::Tuning;
use crate::Error;
use ::gpu::{Buffer, Gpu};

/// The part of a word of `regions` that names the component (`shaders/worklist/lib/words.wgsl`).
pub(super) const NAME: u32 = (1 << 30) - 1;
/// Said of a state that is in a component.
pub(super) const DONE: u32 = 1 << 31;
/// Beside [`DONE`], with choices: the component is an end component.
pub(super) const FALLEN: u32 = 1 << 30;
/// The mark of a state that a search has left to the host. No state has this number.
pub(super) const UNDECIDED: u32 = u32::MAX - 1;
/// The most states: a candidate's key tells which one it is (`shaders/worklist/lib/candidates.wgsl`), and up to four regions a
/// state have names of 30 bits.
pub(super) const MAX_STATES: u64 = (1 << 28) - 1;

/// What a search writes to on the device (`shaders/worklist/lib/`).
#[derive(Debug)]
pub(super) struct SearchState {
    pub(super) states: u32,
    pub(super) regions: Buffer<u32>,
    pub(super) degrees: Buffer<u32>,
    pub(super) reached: Buffer<u32>,
    pub(super) pivots: Buffer<u32>,
    pub(super) queue: Buffer<u32>,
    /// Rows left to all workgroups: two halves.
    pub(super) heavy: Buffer<[u32; 2]>,
    /// For each part the edges that were looked at, if somebody asks.
    pub(super) touched: Buffer<u32>,
    /// For each state the key of another one.
    pub(super) signatures: Buffer<u32>,
}

impl SearchState {
    pub(super) fn new(
        gpu: &Gpu,
        states: u32,
        heavy_rows: u32,
        has_choices: bool,
    ) -> Result<Self, Error> {
        let n = u64::from(states);
        // Those of pivots, and those of signatures; then the first candidate.
        let regions = if has_choices { 4 * n } else { 3 * n } + 2;
        Ok(Self {
            states,
            regions: gpu.zeroed("regions", n)?,
            degrees: gpu.zeroed("degrees", 2 * n)?,
            reached: gpu.zeroed("reached", n.div_ceil(16))?,
            pivots: gpu.zeroed("pivots", regions)?,
            queue: gpu.zeroed("queue", 3 * n)?,
            heavy: heavy_buffer(gpu, heavy_rows)?,
            touched: gpu.zeroed("touched edges", Profile::EDGE_WORDS)?,
            signatures: gpu.zeroed("signatures", n)?,
        })
    }
}

pub(super) fn heavy_buffer(gpu: &Gpu, rows: u32) -> Result<Buffer<[u32; 2]>, Error> {
    Ok(gpu.zeroed("heavy rows", 2 * u64::from(rows.max(1)))?)
}

/// How many rows are left to all workgroups, in an iteration, at most.
pub(super) fn heavy_rows(rows: [&DeviceRows; 2], tuning: &Tuning) -> u32 {
    rows.iter()
        .map(|rows| rows.longer_than(tuning.heavy_degree))
        .sum()
}

/// The choices of a graph on a device.
#[derive(Debug)]
pub(super) struct Choices {
    /// For each state the number of its choices, and whether one leads to the state alone
    /// (`shaders/worklist/lib/choices.wgsl`).
    pub(super) all: Buffer<u32>,
    /// What is left of them.
    pub(super) retained: Buffer<u32>,
    /// A bit a choice.
    pub(super) removed: Buffer<u32>,
    /// As `removed`, when a round began.
    pub(super) absent: Buffer<u32>,
}

impl Choices {
    /// `all` as above; the number of all choices.
    pub(super) fn new(gpu: &Gpu, all: Buffer<u32>, choices: u64) -> Result<Self, Error> {
        let words = choices.div_ceil(32);
        Ok(Self {
            retained: gpu.zeroed("retained choices", all.len())?,
            all,
            removed: gpu.zeroed("removed choices", words)?,
            absent: gpu.zeroed("absent choices", words)?,
        })
    }
}
