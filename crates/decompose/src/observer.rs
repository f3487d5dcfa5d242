//! [`Observer`]: receives the progress of a decomposition, and can stop it.

use crate::work::Work;

/// A part of a decomposition. On the CPU, all of it is [`Decompose`](Self::Decompose).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Phase {
    /// The device is opened.
    Open,
    /// The graph is laid out for the device, and copied to it.
    Upload,
    /// A graph that is on the device is laid out there.
    LayOut,
    /// The components are searched.
    Decompose,
    /// The answer is copied back, and its components are named.
    Download,
    /// The host finishes the part for which the device would take longer.
    Finish,
    /// The device's bandwidth is measured, for an observer that [wants](Observer::wants_work) to
    /// know.
    Measure,
}

/// Watches a decomposition, from any thread.
pub trait Observer: Sync {
    /// A phase begins, and the one before has ended.
    fn phase(&self, phase: Phase) {
        let _ = phase;
    }

    /// A device other than the CPU was opened; `name` is what people call it, such as `NVIDIA H200
    /// (discrete GPU, vulkan)`.
    fn device(&self, name: &str) {
        let _ = name;
    }

    /// This many more bytes are copied from the host to a device or back, in the current phase.
    fn moves(&self, bytes: u64) {
        let _ = bytes;
    }

    /// The driver of a device compiles kernels, or starts up, and nothing else can be done
    /// meanwhile. Called many times a second until that is over.
    fn compiling(&self) {}

    /// This many states are left to the host, as it finds their components sooner than the device.
    fn left_to_host(&self, states: u64) {
        let _ = states;
    }

    /// `done` of `total` states have their final answer. Called a few times a second at most.
    fn progress(&self, done: u64, total: u64) {
        let _ = (done, total);
    }

    /// Returns whether [`work`](Self::work) is to be called. Each level of a search is then timed,
    /// which makes it slower.
    fn wants_work(&self) -> bool {
        false
    }

    /// Reports what a device other than the CPU did.
    fn work(&self, work: &Work) {
        let _ = work;
    }

    /// Returns whether to stop. Called often, so it has to be cheap.
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// An observer that ignores everything and never cancels.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {}

impl Default for &dyn Observer {
    /// Returns the [`Silent`] one.
    fn default() -> Self {
        &Silent
    }
}
