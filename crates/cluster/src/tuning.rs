//! [`Tuning`]: the limits that select the steps of a decomposition. Answers do not depend on them.

use std::time::Duration;

/// The limits that select the steps of a decomposition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// Models with this many states or more are swept before anything else is done.
    pub sweep_from: u64,
    /// The undecided states are sent to one worker if they, their choices and their branches are
    /// together no more than this. `None` means half of a worker's share of the model, or a million
    /// if that is more.
    pub gather_up_to: Option<u64>,
    /// More than that is sent to one worker once the search has taken this time for each undecided
    /// state, choice and branch: about as long as one worker needs. `None` means never.
    pub gather_after: Option<Duration>,
    /// A search over all workers asks after so many supersteps whether that time has passed.
    pub ask_every: u32,
}

/// A number that fits beside any part: the decomposition takes about 30 bytes for each.
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
    /// How much one worker may be sent, of a model with this many states and branches together.
    pub(crate) fn room(&self, size: u64, workers: usize) -> u64 {
        let usual = (size / workers as u64 / 2).max(ALWAYS);
        self.gather_up_to.unwrap_or(usual)
    }
}
