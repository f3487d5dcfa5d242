//! The progress of long work, as one line on a terminal, or as values for another program.

mod counting;
mod exploring;
pub(crate) mod line;
mod sharing;
mod text;

pub(crate) use counting::Counting;
pub(crate) use exploring::Exploring;
pub(crate) use sharing::Sharing;

use crate::library::Supervisor;
use report::grouped;
use std::io::{IsTerminal as _, stderr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use text::{DELAY, INTERVAL, duration, size};

/// The number of columns that a bar has between its brackets.
const BAR: u64 = 30;

/// Shows progress, or nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Progress(To);

/// The supervisor of the current or last work for another program.
static PROGRAM: Mutex<Option<Arc<Supervisor>>> = Mutex::new(None);

/// The receiver of progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum To {
    Nobody,
    Terminal,
    /// The program whose work is being done.
    Program,
}

/// The unit of a counter.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Unit {
    Bytes,
    States,
    Branches,
}

impl Progress {
    /// Shows progress if it is wanted and standard error is a terminal that can redraw a line.
    pub(crate) fn new(wanted: bool) -> Self {
        let redraws = std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        match wanted && redraws && stderr().is_terminal() {
            true => Self(To::Terminal),
            false => Self(To::Nobody),
        }
    }

    /// Reports progress to the supervisor of work for another program. There is only one such work
    /// at a time.
    pub(crate) fn to_program(supervisor: &Arc<Supervisor>) -> Self {
        *PROGRAM.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(supervisor));
        Self(To::Program)
    }

    /// Returns the line for an exploration.
    pub(crate) fn exploring(self) -> Exploring {
        Exploring::new(self.0 == To::Terminal, self.supervisor())
    }

    /// Returns the line for the work of several processes, if it is shown.
    pub(crate) fn sharing(self) -> Option<Sharing> {
        (self.0 == To::Terminal).then(Sharing::new)
    }

    /// Returns the supervisor of the work for another program.
    fn supervisor(self) -> Option<Arc<Supervisor>> {
        let current = || PROGRAM.lock().unwrap_or_else(PoisonError::into_inner);
        let supervisor = (self.0 == To::Program).then(|| current().clone());
        supervisor.flatten()
    }

    /// Does `work`, which counts up to `total` in `counter`, and shows its progress.
    pub(crate) fn track<T>(
        self,
        what: &'static str,
        unit: Unit,
        total: u64,
        counter: &AtomicU64,
        work: impl FnOnce() -> T,
    ) -> T {
        let supervisor = self.supervisor();
        if self.0 == To::Nobody {
            return work();
        }
        if let Some(supervisor) = &supervisor {
            supervisor.begin(what, Some(total));
        }
        thread::scope(|scope| {
            let (done, is_done) = mpsc::channel::<()>();
            let watch = move || {
                let begin = Instant::now();
                let mut wait = DELAY;
                while is_done.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                    wait = INTERVAL;
                    let count = counter.load(Ordering::Relaxed);
                    match &supervisor {
                        Some(supervisor) => supervisor.reach(count),
                        None => line::show(&line_of(what, unit, count, total, begin.elapsed())),
                    }
                }
                line::clear();
            };
            // If the system starts no thread, there is no line of progress.
            let _ = thread::Builder::new().spawn_scoped(scope, watch);
            // The watcher stops when the sender is dropped, even if the work panics.
            let _done = done;
            work()
        })
    }
}

/// Returns the line of progress when `done` of `total` is done after some time.
fn line_of(what: &str, unit: Unit, done: u64, total: u64, elapsed: Duration) -> String {
    let done = done.min(total);
    let filled = (u128::from(done) * u128::from(BAR) / u128::from(total.max(1))) as usize;
    let head = if done < total { ">" } else { "" };
    let bar = format!("{}{head}", "=".repeat(filled));
    let amount = match unit {
        Unit::Bytes => format!("{} of {}", size(done), size(total)),
        Unit::States => format!("{} of {} states", grouped(done), grouped(total)),
        Unit::Branches => format!("{} of {} branches", grouped(done), grouped(total)),
    };
    let time = time(done, total, elapsed);
    format!(
        "{what:>11} [{bar:width$}] {amount}, {time}",
        width = BAR as usize
    )
}

/// Returns the expected remaining time or, if it is not known, the elapsed time.
fn time(done: u64, total: u64, elapsed: Duration) -> String {
    if done == 0 {
        return format!("{} so far", duration(elapsed));
    }
    let left = elapsed.as_secs_f64() * (total - done) as f64 / done as f64;
    let left = Duration::try_from_secs_f64(left).unwrap_or(Duration::MAX);
    format!("{} left", duration(left))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(seconds: f64) -> Duration {
        Duration::from_secs_f64(seconds)
    }

    #[test]
    fn lines_show_the_work_done_and_the_remaining_time() {
        let lines = [
            line_of("reading", Unit::Bytes, 0, 110 << 20, seconds(0.3)),
            line_of("reading", Unit::Bytes, 64 << 20, 5 << 30, seconds(1.0)),
            line_of("decomposing", Unit::States, 0, 3_000_000, seconds(71.0)),
            line_of(
                "decomposing",
                Unit::States,
                1_500_000,
                3_000_000,
                seconds(9.0),
            ),
            line_of("writing", Unit::Branches, 7, 90_000_000, seconds(2.0)),
            line_of("writing", Unit::Branches, 1_234, 1_234, seconds(2.0)),
            line_of("writing", Unit::Branches, 9, 3, seconds(2.0)),
            line_of("writing", Unit::Branches, 0, 0, seconds(2.0)),
            line_of("writing", Unit::Branches, 1, u64::MAX, Duration::MAX),
        ];
        insta::assert_snapshot!(lines.join("\n"), @"
            reading [>                             ] 0 B of 110.0 MiB, 0 s so far
            reading [>                             ] 64.0 MiB of 5.0 GiB, 1 min 19 s left
        decomposing [>                             ] 0 of 3,000,000 states, 1 min 11 s so far
        decomposing [===============>              ] 1,500,000 of 3,000,000 states, 9 s left
            writing [>                             ] 7 of 90,000,000 branches, 7,142 h 51 min left
            writing [==============================] 1,234 of 1,234 branches, 0 s left
            writing [==============================] 3 of 3 branches, 0 s left
            writing [                              ] 0 of 0 branches, 2 s so far
            writing [>                             ] 1 of 18,446,744,073,709,551,615 branches, 5,124,095,576,030,431 h 0 min left
        ");
    }
}
