//! [`Tuning`]: the limits that select the steps of a decomposition. Answers do not depend on them.

/// The limits that select the steps of a decomposition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// Models with this many states or more are swept before anything else is done.
    pub sweep_from: u64,
    /// The undecided states are sent to one worker if they, their choices and their branches are
    /// together no more than this. `None` means half of a worker's share of the model, or a million
    /// if that is more.
    pub gather_up_to: Option<u64>,
}

/// A number that fits beside any part: the decomposition takes about 30 bytes for each.
const ALWAYS: u64 = 1 << 20;

impl Default for Tuning {
    fn default() -> Self {
        Self {
            sweep_from: 1 << 16,
            gather_up_to: None,
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
