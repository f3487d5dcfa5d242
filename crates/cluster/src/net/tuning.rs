//! [`Tuning`]: the limits that select the steps of a decomposition. Answers do not depend on them.

use std::time::Duration;

/// The limits that select the steps of a decomposition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// The least number of states of models that are swept before anything else is done.
    pub sweep_from: u64,
    /// The undecided states are sent to one worker if the number of these states, their choices and
    /// their branches together is at most this. `None` means half of a worker's share of the model,
    /// or a million if that is more.
    pub gather_up_to: Option<u64>,
    /// A larger rest is sent to one worker once the search has taken this time for each undecided
    /// state, choice and branch, which is about as long as one worker needs. `None` means never.
    pub gather_after: Option<Duration>,
    /// The number of supersteps of a search over all workers between two checks of whether that
    /// time has passed.
    pub ask_every: u32,
}

/// A size that always fits in addition to a part: the decomposition needs about 30 bytes for each
/// element.
const ALWAYS: u64 = 1 << 20;

impl Default for Tuning {
    fn default() -> Self {
        Self {
            sweep_from: 1 << 16,
            gather_up_to: None,
            gather_after: Some(Duration::from_nanos(200)),
            ask_every: 64,
        }
    }
}

impl Tuning {
    /// Returns the size of the rest that one worker may receive, for a model with `size` states and
    /// branches together.
    pub(crate) fn room(&self, size: u64, workers: usize) -> u64 {
        let usual = (size / workers as u64 / 2).max(ALWAYS);
        self.gather_up_to.unwrap_or(usual)
    }
}
