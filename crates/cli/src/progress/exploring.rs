//! The progress of an exploration, of which nobody knows how long it will be.

use super::Progress;
use crate::interrupt;
use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressStyle};
use std::time::Duration;

/// Shows how many states were found and how fast; hands Ctrl-C on.
pub(crate) struct Exploring(Option<ProgressBar>);

impl Exploring {
    pub(crate) fn new(progress: Progress) -> Self {
        Self(progress.visible.then(|| {
            // The template is right: a test checks it.
            let style = ProgressStyle::with_template(TEMPLATE)
                .unwrap_or_else(|_| ProgressStyle::default_spinner());
            ProgressBar::new_spinner().with_style(style)
        }))
    }

    /// Takes away what was shown.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

const TEMPLATE: &str = "  exploring {spinner} {msg}";

impl explore::Observer for Exploring {
    fn progress(&self, progress: explore::Progress, elapsed: Duration) {
        if let Some(bar) = &self.0 {
            bar.set_message(message(progress, elapsed));
            bar.tick();
        }
    }

    fn is_cancelled(&self) -> bool {
        interrupt::is_cancelled()
    }
}

/// What was found, and how fast it is worked through.
fn message(progress: explore::Progress, elapsed: Duration) -> String {
    let rate = progress.expanded as f64 / elapsed.as_secs_f64().max(1e-3);
    format!(
        "{} states, {} of them to do, {} states/s, {}",
        HumanCount(progress.states),
        HumanCount(progress.states.saturating_sub(progress.expanded)),
        HumanCount(rate as u64),
        HumanBytes(progress.bytes),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_is_valid() {
        assert!(ProgressStyle::with_template(TEMPLATE).is_ok());
    }

    #[test]
    fn the_message_has_the_rate() {
        let progress = explore::Progress {
            states: 9_043_420,
            expanded: 3_000_000,
            bytes: 3 << 30,
            ..explore::Progress::default()
        };
        let expected = "9,043,420 states, 6,043,420 of them to do, 1,500,000 states/s, 3.00 GiB";
        assert_eq!(message(progress, Duration::from_secs(2)), expected);
    }
}
