//! A search on a device as its observer sees it: it hears of progress, and may stop the search.

use crate::Error;
use explore::{Observer, Progress};
use gpu::{Control, Gpu, LoopRecord, Outcome, Recording};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// How often the observer hears of progress.
const PROGRESS_EVERY: Duration = Duration::from_millis(200);

/// Who watches a search, since when, and when it was last told how far the search has come.
pub(crate) struct Watch<'a> {
    observer: &'a dyn Observer,
    began: Instant,
    told: Duration,
}

impl<'a> Watch<'a> {
    /// Begins now.
    pub(crate) fn new(observer: &'a dyn Observer) -> Self {
        Self {
            observer,
            began: Instant::now(),
            told: Duration::ZERO,
        }
    }

    /// Runs `recording` for a search that has come as far as `reached`. `update` changes that by
    /// the record of an iteration. `time_passes`: each kernel is timed.
    ///
    /// # Errors
    /// [`explore::Error::Cancelled`] if the observer stops the search; [`Error::Gpu`] if the device
    /// fails.
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
        let mut control = Control {
            observer: Some(&mut watch),
            time_passes,
        };
        match gpu.run_with(recording, &mut control) {
            Err(gpu::Error::Cancelled) => Err(explore::Error::Cancelled { reached }.into()),
            outcome => Ok(outcome?),
        }
    }
}
