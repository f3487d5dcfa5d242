//! Lets an observer stop a run on a device.

use crate::Observer;
use std::ops::ControlFlow;

/// Asks `observer` between the submissions of a run whether to continue, and tells it when the
/// driver compiles.
pub fn watch(observer: &dyn Observer) -> impl FnMut(::gpu::Progress<'_>) -> ControlFlow<()> {
    move |progress| {
        if progress.is_compiling {
            observer.compiling();
        }
        match observer.is_cancelled() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}
