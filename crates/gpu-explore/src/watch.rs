//! Reports the progress of a search on a device to its observer, which may cancel the search.

use crate::Error;
use explore::{Observer, Progress};
use gpu::{Gpu, LoopRecord, Outcome, Recording, RunOptions};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// The time between two reports of progress.
const PROGRESS_EVERY: Duration = Duration::from_millis(200);

/// The observer of a search, the start of the search, and the time of the last report.
pub(crate) struct Watch<'a> {
    observer: &'a dyn Observer,
    began: Instant,
    told: Duration,
}

impl<'a> Watch<'a> {
    /// Starts the clock.
    pub(crate) fn new(observer: &'a dyn Observer) -> Self {
        Self {
            observer,
            began: Instant::now(),
            told: Duration::ZERO,
        }
    }

    /// Runs `recording` for a search with the progress `reached`. `update` adds the record of an
    /// iteration to this progress. If `time_passes` is set, each kernel is timed.
    ///
    /// # Errors
    /// [`explore::Error::Cancelled`] if the observer cancels the search; [`Error::Gpu`] if the
    /// device fails.
    pub(crate) fn run(
        &mut self,
        gpu: &Gpu,
        recording: &Recording,
        time_passes: bool,
        mut reached: Progress,
        update: impl Fn(&mut Progress, &LoopRecord),
    ) -> Result<Outcome, Error> {
        let mut watch = |progress: gpu::Progress<'_>| {
            if let Some(record) = progress.records.last() {
                update(&mut reached, record);
            }
            let elapsed = self.began.elapsed();
            if elapsed >= self.told + PROGRESS_EVERY {
                self.told = elapsed;
                self.observer.progress(reached, elapsed);
            }
            match self.observer.is_cancelled() {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        };
        let mut run_options = RunOptions {
            observer: Some(&mut watch),
            time_passes,
        };
        match gpu.run_with(recording, &mut run_options) {
            Err(gpu::Error::Cancelled) => Err(explore::Error::Cancelled { reached }.into()),
            outcome => Ok(outcome?),
        }
    }
}
