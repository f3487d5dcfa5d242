//! Backward search around a pivot: finds the states that reach the pivot, by sweeps (see
//! [`super::sweep`]). It uses no transpose: for each state that is left, it checks whether the
//! state leads to one that is known to reach the pivot. When sweeps find too little, many threads
//! list the edges that are left by their targets, and follow them ([`super::follow`]).

use super::edges::Edges;
use super::follow::{FollowLimits, incoming, reach};
use super::sweep::{Direction, sweep};
use super::threads;
use super::ticker::Ticker;
use crate::Error;
use mdp_graph::{SharedBits, descending};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

/// A giant has at least one in this many of the live states.
pub(super) const GIANT_DIVISOR: usize = 8;

/// If sweeps are given up when fewer states than this are known to lead to a pivot, the pivot is
/// probably not in a giant, but the states that it reaches may be.
pub(super) const MIN_BACKWARD: usize = 1 << 6;

/// The number of sweeps after which a pivot is skipped to which hardly any state leads.
const FIRST_SWEEPS: usize = 2;

/// The number of sweeps that are tried if only few states are found to lead to a pivot, but each
/// sweep finds more than the previous one.
const MAX_EARLY_SWEEPS: usize = 3;

/// If edges are scattered, a search by one thread takes two or three times as long as this many
/// sweeps.
const MAX_SWEEPS: f64 = 10.0;

/// Sweeps are given up if the states that were seen on paths from the pivot lead back to it less
/// often than other states, by this factor.
const BACK_DIVISOR: usize = 16;

/// After two sweeps, more are worthwhile if more than one in this many states is in the core.
const GOOD_CORE_DIVISOR: usize = 256;

/// Later sweeps are worthwhile if they find one in this many of the states that are left.
const WORTHWHILE_DIVISOR: usize = 16;

/// While fewer states than this are known to reach the pivot, one thread begins each sweep of many
/// threads: it looks at one in so many words, next to the pivot. There, paths may have short steps,
/// and threads that sweep side by side find only one step of them, or few.
const SMALL_CORE: usize = 1 << 12;
const ALONE_DIVISOR: usize = 256;

/// Edges are followed back if at least one in this many states is known to reach the pivot, or the
/// pivot reaches at least one in so many live states. One in so many of them may be followed while
/// few threads are busy.
const MIN_CORE_DIVISOR: usize = 1 << 9;
const NARROW_DIVISOR: usize = 8;

/// If at least this many states of a word are candidates, and less than one in this many states is
/// in the core, a sweep first checks all edges of the word together. Then most words have no edge
/// into the core.
const MANY_CANDIDATES: u32 = 16;
const RARE_CORE_DIVISOR: usize = 256;

/// How many states are known to reach a pivot, and what follows from it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reaching {
    /// At least one in [`GIANT_DIVISOR`] of those that are searched: the pivot may be in a giant.
    Enough,
    /// Fewer, and finding more would take too long, or the pivot reaches too few states. No other
    /// pivot is tried.
    TooFew,
    /// Fewer, and these are all, or fewer than [`MIN_BACKWARD`]: the pivot is not in a giant.
    /// Another one may be.
    HardlyAny,
}

/// The states that are known to reach a pivot.
pub(super) struct Backward {
    /// The word of the pivot.
    pivot_word: usize,
    pub(super) core: SharedBits,
    pub(super) num_core: usize,
    /// The number of sweeps, and the number of states that the last one found.
    sweeps: usize,
    last: usize,
    /// Whether no other state leads into the core.
    pub(super) is_closed: bool,
}

impl Backward {
    pub(super) fn from(pivot: u32, num_states: usize) -> Self {
        let core = SharedBits::new(num_states);
        core.insert(pivot);
        Self {
            pivot_word: pivot as usize / 64,
            core,
            num_core: 1,
            sweeps: 0,
            last: 0,
            is_closed: false,
        }
    }

    /// Returns whether the core is known to have all of `num_among` states that reach the pivot.
    pub(super) fn is_complete(&self, num_among: usize) -> bool {
        self.is_closed || self.num_core == num_among
    }

    /// Finds states that lead into the core, by sweeps over the `num_among` states that `among`
    /// gives word by word. Ends when all are found, when more sweeps would find too little, or
    /// after the given number of sweeps. Returns whether the sweeps were worthwhile. If a sweep
    /// finds nothing more, they were worthwhile if the core is large.
    pub(super) fn run<E: Edges>(
        &mut self,
        edges: &E,
        among: impl Fn(usize) -> u64 + Sync,
        num_among: usize,
        most: usize,
        ticker: &Ticker<'_>,
    ) -> Result<bool, Error> {
        for _ in 0..most {
            let found = self.sweep(edges, &among, ticker)?;
            if self.num_core >= num_among {
                break;
            }
            if found == 0 {
                self.is_closed = true;
                return Ok(self.num_core >= num_among / GIANT_DIVISOR);
            }
            if !self.is_worthwhile(found, num_among) {
                return Ok(false);
            }
            self.last = found;
        }
        Ok(true)
    }

    /// Returns whether the first sweeps find fewer than [`MIN_BACKWARD`] states, and more sweeps
    /// would find too little. A sweep ends as soon as it has found so many.
    pub(super) fn are_few<E: Edges>(
        mut self,
        edges: &E,
        among: impl Fn(usize) -> u64 + Sync,
        num_among: usize,
        ticker: &Ticker<'_>,
    ) -> Result<bool, Error> {
        for _ in 0..FIRST_SWEEPS {
            let found = AtomicUsize::new(0);
            let words = self.core.num_words();
            sweep(words, Direction::Descending, ticker, |word| {
                if found.load(Relaxed) < MIN_BACKWARD {
                    found.fetch_add(self.find_in(word, among(word), edges), Relaxed);
                }
                0
            })?;
            let found = found.into_inner();
            self.num_core += found;
            self.sweeps += 1;
            if self.num_core >= MIN_BACKWARD {
                return Ok(false);
            }
            if found == 0 || !self.is_worthwhile(found, num_among) {
                return Ok(self.num_core < num_among / GIANT_DIVISOR);
            }
            self.last = found;
        }
        Ok(false)
    }

    /// Sweeps once, and returns the number of states found.
    fn sweep<E: Edges>(
        &mut self,
        edges: &E,
        among: &(impl Fn(usize) -> u64 + Sync),
        ticker: &Ticker<'_>,
    ) -> Result<usize, Error> {
        // Few threads make few sweeps, and most edges are forward.
        let direction = match threads::are_many() && !self.sweeps.is_multiple_of(2) {
            true => Direction::Ascending,
            false => Direction::Descending,
        };
        let find = |word| self.find_in(word, among(word), edges);
        let alone: usize = self.begun_alone(direction).map(find).sum();
        let found = alone + sweep(self.core.num_words(), direction, ticker, find)?;
        self.num_core += found;
        self.sweeps += 1;
        Ok(found)
    }

    /// Returns the words, in order, with which one thread begins a sweep ([`SMALL_CORE`]).
    pub(super) fn begun_alone(&self, direction: Direction) -> impl Iterator<Item = usize> + use<> {
        let (words, pivot) = (self.core.num_words(), self.pivot_word);
        let some = match threads::are_many() && self.num_core < SMALL_CORE {
            true => words / ALONE_DIVISOR,
            false => 0,
        };
        (0..some).map_while(move |step| match direction {
            Direction::Ascending => Some(pivot + step).filter(|&word| word < words),
            Direction::Descending => pivot.checked_sub(step),
        })
    }

    /// Adds the states of a word that are in `among` and lead into the core. Returns their number.
    #[inline]
    fn find_in<E: Edges>(&self, word: usize, among: u64, edges: &E) -> usize {
        let core = &self.core;
        let rest = among & !core.word(word);
        let is_rare = self.num_core <= core.bound() / RARE_CORE_DIVISOR;
        if is_rare && rest.count_ones() >= MANY_CANDIDATES {
            let states = 64 * word..(64 * word + 64).min(core.bound());
            if !edges.may_lead_into(states, core) {
                return 0;
            }
        }
        let found = descending(word, rest)
            .filter(|&state| edges.lead_into(state, core) && core.insert(state));
        found.count()
    }

    /// Sweeps until a good part of the states is found. Gives up if that would take too many
    /// sweeps, or if the states that were `seen` on paths from the pivot lead back to it less often
    /// than other states.
    pub(super) fn sweep_to_many<E: Edges>(
        &mut self,
        edges: &E,
        among: impl Fn(usize) -> u64 + Sync,
        num_among: usize,
        seen: &[u32],
        ticker: &Ticker<'_>,
    ) -> Result<Reaching, Error> {
        let enough = num_among / GIANT_DIVISOR;
        loop {
            let found = self.sweep(edges, &among, ticker)?;
            let before = std::mem::replace(&mut self.last, found);
            let back = seen.iter().filter(|&&state| self.core.contains(state));
            if back.count() < seen.len() * self.num_core / num_among / BACK_DIVISOR {
                return Ok(Reaching::TooFew);
            }
            if self.num_core >= enough {
                return Ok(Reaching::Enough);
            }
            if found == 0 {
                return Ok(Reaching::HardlyAny);
            }
            let factor = found as f64 / before as f64;
            // The growth factor of a small number of states says little.
            let is_early =
                self.num_core < MIN_BACKWARD && self.sweeps <= MAX_EARLY_SWEEPS && factor > 1.0;
            if self.sweeps > 1 && !is_early && !self.may_find(enough, factor) {
                return Ok(self.so_far());
            }
        }
    }

    /// Returns the result, when sweeps find no more states or are no longer worthwhile.
    pub(super) fn so_far(&self) -> Reaching {
        match self.num_core {
            ..MIN_BACKWARD => Reaching::HardlyAny,
            _ => Reaching::TooFew,
        }
    }

    /// Returns whether few more sweeps may find `enough` states, assuming that the number of states
    /// found grows by the same factor in each sweep, as it does if edges lead to random states.
    fn may_find(&self, enough: usize, factor: f64) -> bool {
        let missing = (enough as f64 / self.num_core as f64).ln();
        factor > 1.0 && self.sweeps as f64 + missing / factor.ln() <= MAX_SWEEPS
    }

    /// Returns whether to continue after a sweep that found this many states.
    fn is_worthwhile(&self, found: usize, num_among: usize) -> bool {
        // The result of a sweep depends on the relative speed of the threads. This many sweeps of
        // all threads take as long as half a sweep of one thread, which is short compared with a
        // search of the graph. So these first sweeps always continue.
        let free = threads::useful() / 2;
        match self.sweeps {
            sweeps if sweeps <= free => true,
            // The second sweep shows more, because it finds the states that lead to those of the
            // first.
            1 => true,
            2 => {
                let factor = found as f64 / self.last as f64;
                self.num_core > num_among / GOOD_CORE_DIVISOR
                    || self.may_find(num_among / GIANT_DIVISOR, factor)
            }
            // Each sweep finds half as many again as the previous one, or not much is left. Sweeps
            // of many threads go back and forth, and may find less in one direction.
            _ => {
                let left = num_among - self.num_core;
                let recent = match threads::are_many() {
                    true => found.max(self.last),
                    false => found,
                };
                found > self.last / 2 * 3 || recent > left / WORTHWHILE_DIVISOR
            }
        }
    }

    /// Returns whether there are many threads that may follow edges from the core
    /// ([`follow_rest`](Self::follow_rest)), because the pivot reaches most states, or many of
    /// `num_among` states are known to reach it. If all that reach it are known, there is nothing
    /// to follow.
    pub(super) fn can_be_followed(&self, num_among: usize, reaches_most: bool) -> bool {
        let are_enough = reaches_most || self.num_core >= num_among / MIN_CORE_DIVISOR;
        threads::are_many() && are_enough && !self.is_closed
    }

    /// Finds all other states of `among` that reach the pivot, on all threads, unless there is too
    /// little memory, or paths are narrow.
    pub(super) fn follow_rest<E: Edges>(
        &mut self,
        edges: &E,
        among: &SharedBits,
        num_among: usize,
        each: Option<Duration>,
        ticker: &Ticker<'_>,
    ) -> Result<(), Error> {
        let Some(incoming) = incoming(edges, among, &self.core, ticker)? else {
            return Ok(());
        };
        let core = |word| self.core.word(word);
        let limits = FollowLimits {
            narrow: num_among / NARROW_DIVISOR,
            each,
        };
        let found = reach(&incoming.back(), &self.core, core, limits, ticker)?;
        self.is_closed = found.is_some();
        self.num_core = self.core.len();
        Ok(())
    }

    /// Removes the states that are not in a set from the core. No edge leaves this set, so the
    /// remaining states reach the pivot by paths within the core.
    pub(super) fn keep(&mut self, set: &SharedBits) {
        let core = SharedBits::new(set.bound());
        for word in 0..set.num_words() {
            core.insert_word(word, self.core.word(word) & set.word(word));
        }
        self.num_core = core.len();
        self.core = core;
        self.is_closed = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::tests::POOLS;

    #[test]
    fn one_thread_begins_the_sweeps_of_many_next_to_the_pivot_while_the_core_is_small() {
        let begun = |threads: usize, pivot: u32, core, direction| -> Vec<usize> {
            let mut backward = Backward::from(pivot, 64 * 1024);
            backward.num_core = core;
            POOLS[threads].install(|| backward.begun_alone(direction).collect())
        };
        let (up, down) = (Direction::Ascending, Direction::Descending);
        assert_eq!(begun(3, 64 * 500 + 7, 1, down), [500, 499, 498, 497]);
        assert_eq!(begun(3, 64 * 500, SMALL_CORE - 1, up), [500, 501, 502, 503]);
        assert_eq!(begun(3, 65, 1, down), [1, 0]);
        assert_eq!(begun(3, 64 * 1022, 1, up), [1022, 1023]);
        assert_eq!(begun(3, 64 * 500, SMALL_CORE, down), []);
        assert_eq!(begun(0, 64 * 500, 1, down), []);
    }
}
