//! Runs a recording with one loop, and lets an observer stop it.

use crate::{Error, Observer};
use ::gpu::{Control, Gpu, LoopTicket, Progress, Recording};
use std::ops::ControlFlow;

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
    let mut between = |progress: Progress<'_>| {
        if progress.is_compiling {
            observer.compiling();
        }
        match observer.is_cancelled() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    };
    let mut control = Control {
        observer: Some(&mut between),
        time_passes: false,
    };
    let outcome = gpu.run_with(recording, &mut control)?;
    Ok(Statistics {
        iterations: outcome[ticket].iterations,
        submissions: outcome.submissions,
    })
}
