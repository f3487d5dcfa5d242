//! The line that shows the progress of an exploration, whose length is not known in advance.

use super::line;
use super::text::{DELAY, size};
use crate::library::Supervisor;
use report::{counted, grouped};
use std::sync::Arc;
use std::time::Duration;

/// Shows the number of states that were found and the speed, or shows nothing.
pub(crate) struct Exploring {
    visible: bool,
    supervisor: Option<Arc<Supervisor>>,
}

impl Exploring {
    pub(super) fn new(visible: bool, supervisor: Option<Arc<Supervisor>>) -> Self {
        if let Some(supervisor) = &supervisor {
            supervisor.begin("exploring", None);
        }
        Self {
            visible,
            supervisor,
        }
    }

    /// Redraws the line, if the exploration has taken long enough.
    pub(crate) fn show(&self, progress: explore::Progress, elapsed: Duration) {
        if let Some(supervisor) = &self.supervisor {
            supervisor.reach(progress.expanded);
        }
        if self.visible && elapsed >= DELAY {
            line::show(&message(progress, elapsed));
        }
    }

    /// Removes the line.
    pub(crate) fn finish(&self) {
        if self.visible {
            line::clear();
        }
    }
}

/// Returns a text with the number of states that were found, and the number that are expanded per
/// second.
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
