//! [`Slow`]: predicts that a search on a device will take many times as long as the host.
//!
//! Two parts of a search for maximal end components go on at an even pace, however long they take:
//! an attractor that is followed hop by hop, and rounds each of which tells a few states apart. For
//! them the pace so far says when they would be done. Rounds that decide more each time are not
//! judged. Trimming and searches that follow states hop by hop are broken off on the device, by
//! colours.

use ::gpu::kernels::worklist::PHASE_ATTRACTOR;
use std::collections::VecDeque;
use std::time::Duration;

/// No search is judged before that.
const SOONEST: Duration = Duration::from_millis(2);
/// Nor before it has taken this part of the time that the host needs.
const PART: u128 = 20;
/// It is slow if its rest will take so many times as long as the host needs for it.
const TIMES: u128 = 4;
/// From so many rounds on their pace is known.
const ROUNDS: usize = 4;

/// What a search has done of late.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Work {
    /// Whether the last iterations followed an attractor, how many attractors there were, and how
    /// many states were found in the last one.
    follows: bool,
    attractors: u64,
    found: u64,
    /// How many rounds of a search for maximal end components have ended, and how many states went
    /// on after the last ones.
    rounds: u64,
    went_on: VecDeque<u32>,
}

impl Work {
    /// Takes note of an iteration, for which the one before has found so many entries.
    pub(super) fn add(&mut self, phase: u32, found: u32) {
        let follows = phase == PHASE_ATTRACTOR;
        if follows && !self.follows {
            self.attractors += 1;
            self.found = 0;
        }
        self.follows = follows;
        if follows {
            self.found += u64::from(found);
        }
    }

    /// Takes note of the end of a round, after which so many states go on.
    pub(super) fn add_round(&mut self, states: u32) {
        self.rounds += 1;
        self.went_on.push_back(states);
        if self.went_on.len() > ROUNDS + 1 {
            self.went_on.pop_front();
        }
    }

    /// How many states the last [`ROUNDS`] rounds have decided, if there were as many and the later
    /// half of them has not decided many more than the earlier one.
    fn decided_by_rounds(&self) -> Option<u32> {
        let (first, last) = (*self.went_on.front()?, *self.went_on.back()?);
        let middle = *self.went_on.get(ROUNDS / 2)?;
        let (early, late) = (first.saturating_sub(middle), middle.saturating_sub(last));
        let is_even = self.went_on.len() > ROUNDS && late <= early + early / 2;
        is_even.then_some(early + late)
    }
}

/// Judges the pace of a search.
#[derive(Debug, Default)]
pub(super) struct Slow {
    /// The attractor that is being watched, what was found of it when it was first seen, and when
    /// that was.
    attractor: u64,
    found: u64,
    since: Duration,
}

impl Slow {
    /// Whether a search that has taken so long, with so many states live, will take many times as
    /// long as the host, which needs `left` nanoseconds for the rest.
    pub(super) fn exceeds(&mut self, spent: Duration, live: u32, work: &Work, left: u128) -> bool {
        if self.attractor != work.attractors {
            (self.attractor, self.found, self.since) = (work.attractors, work.found, spent);
        }
        let most = left.saturating_mul(TIMES);
        let soonest = SOONEST.as_nanos().max(left / PART);
        let took = (spent - self.since).as_nanos();
        let found = u128::from(work.found - self.found);
        let to_find = u128::from(u64::from(live).saturating_sub(work.found));
        if work.follows && took >= soonest && to_find * took > most.saturating_mul(found) {
            return true;
        }
        let Some(decided) = work.decided_by_rounds() else {
            return false;
        };
        let each = spent.as_nanos() / u128::from(work.rounds.max(1));
        let rest = each * ROUNDS as u128 * u128::from(live) / u128::from(decided.max(1));
        spent.as_nanos() >= soonest && rest > most
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::gpu::kernels::worklist::PHASE_TRIM;

    const MS: u128 = 1_000_000;

    fn after(slow: &mut Slow, milliseconds: u64, live: u32, work: &Work) -> bool {
        slow.exceeds(Duration::from_millis(milliseconds), live, work, 40 * MS)
    }

    #[test]
    fn a_search_that_follows_a_path_is_slow_as_soon_as_its_pace_is_known() {
        let (mut slow, mut work) = (Slow::default(), Work::default());
        work.add(PHASE_ATTRACTOR, 64);
        assert!(!after(&mut slow, 0, 1_000_000, &work));
        work.add(PHASE_ATTRACTOR, 64);
        assert!(!after(&mut slow, 1, 1_000_000, &work), "too soon");
        // 5,000 in 2 ms: a million takes 400 ms.
        work.add(PHASE_ATTRACTOR, 5_000 - 64);
        assert!(after(&mut slow, 2, 1_000_000, &work));
        // 20,000 in 2 ms take 100 ms.
        work.add(PHASE_ATTRACTOR, 15_000);
        assert!(!after(&mut slow, 2, 1_000_000, &work));
        // Nothing else is judged, and another one by itself.
        work.add(PHASE_TRIM, 1);
        assert!(!after(&mut slow, 30, 1_000_000, &work));
        work.add(PHASE_ATTRACTOR, 1);
        assert!(!after(&mut slow, 33, 1_000_000, &work));
        assert!(after(&mut slow, 36, 1_000_000, &work));
    }

    #[test]
    fn rounds_are_slow_if_they_decide_little_and_no_more_each_time() {
        let rounds = |decide: &dyn Fn(u32) -> u32| {
            let (mut live, mut work) = (1_000_000, Work::default());
            for round in 0..10 {
                live -= decide(round);
                work.add_round(live);
            }
            (live, work)
        };
        let (live, work) = rounds(&|_| 1);
        assert!(after(&mut Slow::default(), 3, live, &work));
        assert!(!after(&mut Slow::default(), 1, live, &work), "too soon");
        let (live, work) = rounds(&|round| 1 << round);
        assert!(
            !after(&mut Slow::default(), 3, live, &work),
            "it gets faster"
        );
        let (live, work) = rounds(&|_| 90_000);
        assert!(!after(&mut Slow::default(), 30, live, &work));
        assert!(!after(
            &mut Slow::default(),
            30,
            1_000_000,
            &Work::default()
        ));
    }
}
