//! [`Tuning`]: the limits that select the steps of a decomposition. Answers do not depend on them.

/// When a decomposition goes which way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// Models with this many states or more are swept before anything else is done.
    pub sweep_from: u64,
    /// What is left undecided goes to one worker if its states, choices and branches are together
    /// no more than this; `None` if half a worker's share of the model, or a million, is the limit.
    pub gather_up_to: Option<u64>,
}

/// What fits beside any part: to decompose it takes about 30 bytes each.
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
