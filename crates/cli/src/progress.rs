//! Progress bars: on standard error, only on a terminal, and only for large models.

mod exploring;

pub(crate) use exploring::Exploring;

use indicatif::{ProgressBar, ProgressStyle};
use std::io::{IsTerminal as _, stderr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// The time between two drawings.
const INTERVAL: Duration = Duration::from_millis(100);

/// Shows progress, or not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Progress {
    visible: bool,
}

/// What a counter counts.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Unit {
    Bytes,
    States,
    Branches,
}

impl Unit {
    /// Less than this is done before anybody could look at a bar.
    fn worth_a_bar(self) -> u64 {
        match self {
            Self::Bytes => 1 << 20,
            Self::States => 100_000,
            Self::Branches => 1_000_000,
        }
    }
}

impl Progress {
    /// Bars, unless they are unwanted or nobody sees them.
    pub(crate) fn new(wanted: bool) -> Self {
        Self {
            visible: wanted && stderr().is_terminal(),
        }
    }

    /// Does `work`, which counts up to `total` in `counter`.
    pub(crate) fn watch<T>(
        self,
        what: &'static str,
        unit: Unit,
        total: u64,
        counter: &AtomicU64,
        work: impl FnOnce() -> T,
    ) -> T {
        if !self.visible || total < unit.worth_a_bar() {
            return work();
        }
        thread::scope(|scope| {
            let (done, is_done) = mpsc::channel::<()>();
            scope.spawn(move || {
                let bar = ProgressBar::new(total)
                    .with_message(what)
                    .with_style(style(unit));
                bar.tick();
                while is_done.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                    bar.set_position(counter.load(Ordering::Relaxed));
                }
                bar.finish_and_clear();
            });
            // The watcher stops when the sender is dropped, also if the work panics.
            let _done = done;
            work()
        })
    }
}

fn style(unit: Unit) -> ProgressStyle {
    // The templates are right: a test checks both.
    ProgressStyle::with_template(template(unit))
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("=> ")
}

fn template(unit: Unit) -> &'static str {
    match unit {
        Unit::Bytes => "{msg:>11} [{bar:40}] {binary_bytes} of {binary_total_bytes}, {eta} left",
        Unit::States => "{msg:>11} [{bar:40}] {human_pos} of {human_len} states, {eta} left",
        Unit::Branches => "{msg:>11} [{bar:40}] {human_pos} of {human_len} branches, {eta} left",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_valid() {
        for unit in [Unit::Bytes, Unit::States, Unit::Branches] {
            assert!(ProgressStyle::with_template(template(unit)).is_ok());
        }
    }
}
