//! The line that shows the progress of the workers of several processes.

use super::line;
use super::text::{DELAY, INTERVAL, size};
use cluster::Progress;
use report::{counted, grouped};
use std::cell::Cell;
use std::time::{Duration, Instant};

/// Shows the number of states that all workers have found, and the bytes that they have sent, at
/// intervals.
pub(crate) struct Sharing {
    begin: Instant,
    shown: Cell<Instant>,
}

impl Sharing {
    pub(super) fn new() -> Self {
        let begin = Instant::now();
        Self {
            begin,
            shown: Cell::new(begin),
        }
    }

    /// Redraws the line, if it has been shown for some time.
    pub(crate) fn show(&self, progress: &Progress) {
        let elapsed = self.begin.elapsed();
        if elapsed >= DELAY && self.shown.get().elapsed() >= INTERVAL {
            line::show(&message(progress, elapsed));
            self.shown.set(Instant::now());
        }
    }
}

impl Drop for Sharing {
    fn drop(&mut self) {
        line::clear();
    }
}

fn message(progress: &Progress, elapsed: Duration) -> String {
    match *progress {
        Progress::Exploring {
            states,
            expanded,
            bytes_sent,
            largest_worker,
        } => {
            let rate = expanded as f64 / elapsed.as_secs_f64().max(1e-3);
            format!(
                "  exploring {}, {} to do, {} states/s, {} sent, {} a worker",
                counted(states, "state", "states"),
                grouped(states.saturating_sub(expanded)),
                grouped(rate as u64),
                size(bytes_sent),
                size(largest_worker),
            )
        }
        Progress::Decomposing {
            undecided,
            bytes_sent,
        } => format!(
            "decomposing {} undecided, {} sent",
            grouped(undecided),
            size(bytes_sent),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_messages_say_how_far_all_are() {
        let exploring = Progress::Exploring {
            states: 9_043_420,
            expanded: 3_000_000,
            bytes_sent: 110 << 20,
            largest_worker: 3 << 30,
        };
        let decomposing = Progress::Decomposing {
            undecided: 1_234_567,
            bytes_sent: 5 << 30,
        };
        let messages = [exploring, decomposing].map(|p| message(&p, Duration::from_secs(2)));
        insta::assert_snapshot!(messages.join("\n"));
    }
}
