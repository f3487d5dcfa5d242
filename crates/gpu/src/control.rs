//! How a caller watches a run, stops it, and asks for times.

use std::fmt;
use std::ops::ControlFlow;

use crate::record::LoopRecord;

/// How far a run has come. An observer sees it between submissions, and while kernels are compiled.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// The loop that is running.
    pub name: &'a str,
    /// Whether nothing runs yet because the driver compiles kernels: then an observer is called
    /// many times a second until they are compiled.
    pub is_compiling: bool,
    /// How many iterations of the loop are done.
    pub iterations: u64,
    /// The records of the iterations done since the last report.
    pub records: &'a [LoopRecord],
}

/// Watches a run; [`ControlFlow::Break`] cancels it.
pub type Observer<'a> = dyn FnMut(Progress<'_>) -> ControlFlow<()> + 'a;

/// How a run is to be watched.
#[derive(Default)]
pub struct Control<'a> {
    /// Called between submissions.
    pub observer: Option<&'a mut Observer<'a>>,
    /// Whether each pass is timed. This costs a little, and needs timestamps.
    pub time_passes: bool,
}

impl Control<'_> {
    /// Tells the observer of some progress. Returns whether it wants the run to stop.
    pub(crate) fn report(&mut self, progress: Progress<'_>) -> bool {
        let observer = self.observer.as_mut();
        observer.is_some_and(|observer| observer(progress).is_break())
    }
}

impl fmt::Debug for Control<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (observed, timed) = (self.observer.is_some(), self.time_passes);
        write!(f, "Control(observed: {observed}, timed: {timed})")
    }
}
