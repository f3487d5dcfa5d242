//! The options of a run: its observer, which may cancel it, and whether passes are timed.

use std::fmt;
use std::ops::ControlFlow;

use crate::record::LoopRecord;

/// The progress of a run. Observers receive it between submissions, and while kernels are compiled.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// The name of the loop that is running.
    pub name: &'a str,
    /// Whether the driver is compiling kernels, and nothing runs yet. In this case, an observer is
    /// called many times per second until they are compiled.
    pub is_compiling: bool,
    /// The number of iterations of the loop that are done.
    pub iterations: u64,
    /// The records of the iterations that were done since the last report.
    pub records: &'a [LoopRecord],
}

/// Watches a run. An observer returns [`ControlFlow::Break`] to cancel the run.
pub type Observer<'a> = dyn FnMut(Progress<'_>) -> ControlFlow<()> + 'a;

/// The options of a run.
#[derive(Default)]
pub struct RunOptions<'a> {
    /// The observer. It is called between submissions, and while kernels are compiled.
    pub observer: Option<&'a mut Observer<'a>>,
    /// Whether to time each pass. This takes a little time, and needs an adapter with timestamps.
    pub time_passes: bool,
}

impl RunOptions<'_> {
    /// Reports progress to the observer. Returns whether the observer cancels the run.
    pub(crate) fn report(&mut self, progress: Progress<'_>) -> bool {
        let observer = self.observer.as_mut();
        observer.is_some_and(|observer| observer(progress).is_break())
    }
}

impl fmt::Debug for RunOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (observed, timed) = (self.observer.is_some(), self.time_passes);
        write!(f, "RunOptions(observed: {observed}, timed: {timed})")
    }
}
