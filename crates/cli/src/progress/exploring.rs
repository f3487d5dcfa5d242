//! The progress of an exploration, of which nobody knows how long it will be.

use super::{DELAY, Progress, line, size};
use crate::ahead::Ahead;
use crate::interrupt;
use report::{counted, grouped};
use std::time::Duration;

/// Shows how many states were found and how fast; hands Ctrl-C on, and says how large the model seems.
pub(crate) struct Exploring<'a> {
    visible: bool,
    ahead: Option<&'a Ahead>,
}

impl<'a> Exploring<'a> {
    pub(crate) fn new(progress: Progress, ahead: Option<&'a Ahead>) -> Self {
        Self {
            visible: progress.visible,
            ahead,
        }
    }

    /// Takes away what was shown.
    pub(crate) fn finish(&self) {
        if self.visible {
            line::clear();
        }
    }
}

impl explore::Observer for Exploring<'_> {
    fn progress(&self, progress: explore::Progress, elapsed: Duration) {
        if let Some(ahead) = self.ahead {
            ahead.expect(progress.states, expected_branches(progress));
        }
        if self.visible && elapsed >= DELAY {
            line::show(&message(progress, elapsed));
        }
    }

    fn is_cancelled(&self) -> bool {
        interrupt::is_cancelled()
    }
}

/// How many branches there are if the states to do have as many each as those that are done.
fn expected_branches(progress: explore::Progress) -> u64 {
    let expected = u128::from(progress.branches) * u128::from(progress.states);
    (expected / u128::from(progress.expanded.max(1))) as u64
}

/// What was found, and how fast it is worked through.
fn message(progress: explore::Progress, elapsed: Duration) -> String {
    let rate = progress.expanded as f64 / elapsed.as_secs_f64().max(1e-3);
    format!(
        "  exploring {}, {} to do, {} states/s, {}",
        counted(progress.states, "state", "states"),
        grouped(progress.states.saturating_sub(progress.expanded)),
        grouped(rate as u64),
        size(progress.bytes),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_to_do_are_expected_to_be_like_the_others() {
        let progress = |states, expanded, branches| explore::Progress {
            states,
            expanded,
            branches,
            ..explore::Progress::default()
        };
        assert_eq!(expected_branches(progress(1, 0, 0)), 0);
        assert_eq!(expected_branches(progress(30, 10, 45)), 135);
        assert_eq!(
            expected_branches(progress(1 << 31, 1 << 31, 1 << 32)),
            1 << 32
        );
    }

    #[test]
    fn the_message_has_the_rate() {
        let progress = explore::Progress {
            states: 9_043_420,
            expanded: 3_000_000,
            bytes: 3 << 30,
            ..explore::Progress::default()
        };
        let message = message(progress, Duration::from_secs(2));
        insta::assert_snapshot!(message, @"  exploring 9,043,420 states, 6,043,420 to do, 1,500,000 states/s, 3.0 GiB");
    }
}
