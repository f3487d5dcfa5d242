//! Runs a recording with one loop, and lets an observer stop it.

use crate::{Error, Observer};
use ::gpu::{Control, Gpu, LoopTicket, Recording};
use decompose::gpu::watch;

/// How much was done in a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statistics {
    /// The iterations of its loop.
    pub iterations: u64,
    /// How often commands were submitted to the device.
    pub submissions: u64,
}

/// Runs `recording`, whose loop is `ticket`.
pub(super) fn run(
    gpu: &Gpu,
    recording: &Recording,
    ticket: LoopTicket,
    observer: &dyn Observer,
) -> Result<Statistics, Error> {
    let mut watch = watch(observer);
    let mut control = Control {
        observer: Some(&mut watch),
        time_passes: false,
    };
    let outcome = gpu.run_with(recording, &mut control)?;
    Ok(Statistics {
        iterations: outcome[ticket].iterations,
        submissions: outcome.submissions,
    })
}
