//! [`RoundPace`]: predicts that a search on a device will take many times as long as the host.
//!
//! A search for maximal end components may take many rounds, each of which decides about equally
//! few states. This pace predicts when the last round would end. If each round decides more than
//! the previous one, no prediction is made. Searches with many hops are not considered here,
//! because the device itself breaks them off, and uses chains and colours instead.

use std::collections::VecDeque;
use std::time::Duration;

/// The minimum time of a search before it can be called slow.
const MIN_TIME: Duration = Duration::from_millis(2);
/// The minimum time of such a search, as a part of the time that the host needs: one in this many.
const MIN_TIME_SHARE: u128 = 20;
/// A search is slow if its rest will take this many times as long as the host needs for it.
const SLOW_FACTOR: u128 = 4;
/// The number of rounds after which their pace is known.
const MIN_ROUNDS: usize = 4;

/// The pace of the rounds of a search for maximal end components.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RoundPace {
    /// The number of rounds that have ended.
    ended: u64,
    /// The numbers of states that were left after each of the last rounds.
    went_on: VecDeque<u32>,
}

impl RoundPace {
    /// Records the end of a round after which this many states are left.
    pub(super) fn add(&mut self, states: u32) {
        self.ended += 1;
        self.went_on.push_back(states);
        if self.went_on.len() > MIN_ROUNDS + 1 {
            self.went_on.pop_front();
        }
    }

    /// Returns the number of states that the last [`MIN_ROUNDS`] rounds have decided, if there were
    /// as many, and the later half of them has not decided many more than the earlier one.
    fn decided(&self) -> Option<u32> {
        let (first, last) = (*self.went_on.front()?, *self.went_on.back()?);
        let middle = *self.went_on.get(MIN_ROUNDS / 2)?;
        let (early, late) = (first.saturating_sub(middle), middle.saturating_sub(last));
        let is_even = self.went_on.len() > MIN_ROUNDS && late <= early + early / 2;
        is_even.then_some(early + late)
    }

    /// Returns whether a search that has taken this long, with this many live states, will take
    /// many times as long as the host, which needs `left` nanoseconds for the rest.
    pub(super) fn is_slow(&self, spent: Duration, live: u32, left: u128) -> bool {
        let Some(decided) = self.decided() else {
            return false;
        };
        let soonest = MIN_TIME.as_nanos().max(left / MIN_TIME_SHARE);
        let each = spent.as_nanos() / u128::from(self.ended.max(1));
        let rest = each * MIN_ROUNDS as u128 * u128::from(live) / u128::from(decided.max(1));
        spent.as_nanos() >= soonest && rest > left.saturating_mul(SLOW_FACTOR)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_are_slow_if_they_decide_little_and_no_more_each_time() {
        let after = |rounds: usize, milliseconds: u64, decide: &dyn Fn(u32) -> u32| {
            let (mut live, mut all) = (1_000_000, RoundPace::default());
            for round in 0..rounds {
                live -= decide(round as u32);
                all.add(live);
            }
            all.is_slow(Duration::from_millis(milliseconds), live, 40_000_000)
        };
        assert!(after(10, 3, &|_| 1));
        assert!(!after(10, 1, &|_| 1), "one millisecond is too short");
        assert!(!after(MIN_ROUNDS, 3, &|_| 1), "too few rounds have ended");
        assert!(
            !after(10, 3, &|round| 1 << round),
            "each round decides more"
        );
        assert!(!after(10, 30, &|_| 90_000));
    }
}
