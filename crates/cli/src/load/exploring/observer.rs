//! The observer of an exploration: it shows progress, estimates the size of the model, and cancels
//! the exploration on Ctrl-C.

use crate::interrupt;
use crate::load::size_hint::SizeHint;
use crate::progress::{Exploring, Progress};
use std::time::Duration;

pub(super) struct ExplorationObserver<'a> {
    line: Exploring,
    size_hint: &'a (dyn Fn(SizeHint) + Sync),
}

impl<'a> ExplorationObserver<'a> {
    pub(super) fn new(progress: Progress, size_hint: &'a (dyn Fn(SizeHint) + Sync)) -> Self {
        Self {
            line: progress.exploring(),
            size_hint,
        }
    }

    /// Removes the line of progress.
    pub(super) fn finish(&self) {
        self.line.finish();
    }
}

impl explore::Observer for ExplorationObserver<'_> {
    fn progress(&self, progress: explore::Progress, elapsed: Duration) {
        if let Some(branches) = expected_branches(progress) {
            (self.size_hint)(SizeHint::Graph {
                states: progress.states,
                branches,
                sample: None,
            });
        }
        self.line.show(progress, elapsed);
    }

    fn is_cancelled(&self) -> bool {
        interrupt::is_cancelled()
    }
}

/// Returns the expected number of branches, if the remaining states have as many branches each as
/// the expanded ones; `None` if no state is expanded, for example because a GPU that explores alone
/// has just begun.
fn expected_branches(progress: explore::Progress) -> Option<u64> {
    let expected = u128::from(progress.branches) * u128::from(progress.states);
    let expected = expected.checked_div(progress.expanded.into())?;
    Some(expected as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn remaining_states_are_expected_to_have_as_many_branches() {
        let progress = |states, expanded, branches| explore::Progress {
            states,
            expanded,
            branches,
            ..explore::Progress::default()
        };
        assert_eq!(expected_branches(progress(1, 0, 0)), None);
        assert_eq!(expected_branches(progress(30, 10, 45)), Some(135));
        assert_eq!(
            expected_branches(progress(1 << 31, 1 << 31, 1 << 32)),
            Some(1 << 32)
        );
    }

    #[test]
    fn the_expected_size_is_reported_once_a_state_is_expanded() {
        let hints = Mutex::new(Vec::new());
        let note = |hint| hints.lock().expect("no panic").push(hint);
        let observer = ExplorationObserver::new(Progress::new(false), &note);
        for expanded in [0, 10] {
            let progress = explore::Progress {
                states: 30,
                expanded,
                branches: 45,
                ..explore::Progress::default()
            };
            explore::Observer::progress(&observer, progress, Duration::ZERO);
        }
        let (states, branches) = (30, 135);
        let hints = hints.into_inner().expect("no panic");
        let sample = None;
        let expected = SizeHint::Graph {
            states,
            branches,
            sample,
        };
        assert_eq!(hints, [expected]);
    }
}
