//! Runs a recording with one loop, which an observer can cancel.

use crate::{Error, Observer};
use ::gpu::{Gpu, LoopHandle, LoopRecord, PassTime, Recording, RunOptions};
use decompose::gpu::watch;
use std::ops::AddAssign;

/// The work of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// The number of iterations of its loops.
    pub iterations: u64,
    /// The number of submissions to the device.
    pub submissions: u64,
}

impl AddAssign for Statistics {
    fn add_assign(&mut self, other: Self) {
        self.iterations += other.iterations;
        self.submissions += other.submissions;
    }
}

/// The result of a run.
pub(super) struct Outcome {
    pub(super) statistics: Statistics,
    /// The words that kernels left in the last record of the loop.
    pub(super) words: [u32; LoopRecord::WORDS],
    /// The times of its kernels, if the caller asks for them.
    pub(super) times: Vec<PassTime>,
}

/// Runs `recording`, whose loop is `handle`. If `time_passes` is set, each kernel is timed.
pub(super) fn run(
    gpu: &Gpu,
    recording: &Recording,
    handle: LoopHandle,
    observer: &dyn Observer,
    time_passes: bool,
) -> Result<Outcome, Error> {
    let mut watch = watch(observer);
    let mut run_options = RunOptions {
        observer: Some(&mut watch),
        time_passes,
    };
    let mut outcome = gpu.run_with(recording, &mut run_options)?;
    Ok(Outcome {
        statistics: Statistics {
            iterations: outcome[handle].iterations,
            submissions: outcome.submissions,
        },
        words: outcome[handle].last.words,
        times: std::mem::take(&mut outcome.times),
    })
}
