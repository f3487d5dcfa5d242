//! Runs a recording with one loop, and lets an observer stop it.

use crate::{Error, Observer};
use ::gpu::{Control, Gpu, LoopRecord, LoopTicket, PassTime, Recording};
use decompose::gpu::watch;
use std::ops::AddAssign;

/// How much was done in a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// The iterations of its loops.
    pub iterations: u64,
    /// How often commands were submitted to the device.
    pub submissions: u64,
}

impl AddAssign for Statistics {
    fn add_assign(&mut self, other: Self) {
        self.iterations += other.iterations;
        self.submissions += other.submissions;
    }
}

/// How a run ended.
pub(super) struct Outcome {
    pub(super) statistics: Statistics,
    /// The kernels' words of the record that ended its loop.
    pub(super) words: [u32; LoopRecord::WORDS],
    /// The times of its kernels, if that was asked for.
    pub(super) times: Vec<PassTime>,
}

/// Runs `recording`, whose loop is `ticket`. `time_passes`: each kernel is timed.
pub(super) fn run(
    gpu: &Gpu,
    recording: &Recording,
    ticket: LoopTicket,
    observer: &dyn Observer,
    time_passes: bool,
) -> Result<Outcome, Error> {
    let mut watch = watch(observer);
    let mut control = Control {
        observer: Some(&mut watch),
        time_passes,
    };
    let mut outcome = gpu.run_with(recording, &mut control)?;
    Ok(Outcome {
        statistics: Statistics {
            iterations: outcome[ticket].iterations,
            submissions: outcome.submissions,
        },
        words: outcome[ticket].last.words,
        times: std::mem::take(&mut outcome.times),
    })
}
