//! Finds a giant component, that is, a component that is a large part of the graph, if there is
//! one. It consists of the states that a *pivot* reaches and that reach the pivot.
//!
//! Both searches use sweeps (see [`super::sweep`]). The backward search uses no transpose: for each
//! state that is left, it checks whether the state leads to one that is known to reach the pivot.
//! When sweeps find too little, many threads list the edges that are left by their targets, and
//! follow them ([`super::follow`]). Fewer threads give the backward search up. The core that it has
//! found by then is strongly connected, but may be only a part of the component.
//!
//! States whose components are known already may be left out, as if they did not exist. In this
//! way, [`super::giants`] finds several giants.

#[cfg(test)]
mod tests;

use super::edges::Edges;
use super::follow::{Patience, incoming, reach};
use super::forward::{Forward, Reach};
use super::sweep::{Direction, sweep};
use super::threads;
use super::ticker::Ticker;
use crate::Error;
use mdp_graph::{SharedBits, ascending, descending};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

/// The number of pivots that are tried.
const MAX_PIVOTS: usize = 8;

/// A giant has at least one in this many of the live states.
const GIANT_DIVISOR: usize = 8;

/// A component with fewer of the live states is a giant, too, if it has at least one in so many of
/// them, and is so large that one thread would search it for longer than all threads.
const SMALL_GIANT_DIVISOR: usize = 16;
const MIN_SMALL_GIANT: usize = if cfg!(test) { 1 << 12 } else { 1 << 19 };

/// A pivot that reaches no more states than this is skipped.
const MIN_REACHED: usize = 1 << 12;

/// If sweeps are given up when fewer states than this are known to lead to a pivot, the pivot is
/// probably not in a giant, but the states that it reaches may be.
const MIN_BACKWARD: usize = 1 << 6;

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
const MOST_DIVISOR: usize = 2;
const NARROW_DIVISOR: usize = 8;

/// If at least this many states of a word are candidates, and less than one in this many states is
/// in the core, a sweep first checks all edges of the word together. Then most words have no edge
/// into the core.
const MANY_CANDIDATES: u32 = 16;
const RARE_CORE_DIVISOR: usize = 256;

/// The states that a pivot reaches, including the pivot.
pub(super) struct Giant {
    /// The states that the pivot reaches. No edge leaves this set, except to states that were left
    /// out of the search.
    pub(super) reached: SharedBits,
    pub(super) num_reached: usize,
    /// The states of `reached` that are known to reach the pivot.
    pub(super) core: SharedBits,
    pub(super) num_core: usize,
    /// Whether all states of `reached` that reach the pivot are in the core, so that the core is
    /// the component.
    pub(super) is_complete: bool,
}

/// The search that comes first. It may already show that sweeps find no giant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FirstSearch {
    /// Forward. This ends soon if paths are long and narrow.
    Forward,
    /// Forward, as long as all threads together take at most this time for a state. If edges lead
    /// nearby, one thread hardly waits for memory, but many threads that follow
    /// neighbouring states wait for one another.
    ForwardWithin(Duration),
    /// Forward, if the paths from a pivot do not soon meet again ([`Forward::spreads`]).
    ForwardIfSpread,
    /// Backward by sweeps, under the same condition.
    BackwardIfSpread,
}

impl FirstSearch {
    /// Returns the time that all threads together may take to follow a state, if there is a limit.
    fn time_each(self) -> Option<Duration> {
        match self {
            Self::ForwardWithin(each) => Some(each),
            Self::Forward | Self::ForwardIfSpread | Self::BackwardIfSpread => None,
        }
    }
}

/// What was found around a pivot.
enum Around {
    /// The giant that contains the pivot.
    Giant(Giant),
    /// There is none, as far as it was searched for: so many states reach the pivot.
    NoGiant(Reaching),
    /// The pivot reaches too few states for a giant.
    ReachesFew,
}

/// A search for a giant.
pub(super) struct GiantSearch<'a, E> {
    pub(super) edges: &'a E,
    /// The states that are left out of the search.
    pub(super) outside: &'a SharedBits,
    /// The number of the others, which are live.
    pub(super) num_live: usize,
    pub(super) first: FirstSearch,
    /// The order in which states are tried as pivots. If states are numbered in the order of a
    /// search, the last ones lie at the end of most paths, few steps back from most states.
    pub(super) pivots: Direction,
    pub(super) ticker: &'a Ticker<'a>,
}

impl<E: Edges> GiantSearch<'_, E> {
    /// Looks for a giant among the live states. The first pivots are those with edges that come
    /// first in each slice of the graph, in the order of pivots.
    pub(super) fn find(&self) -> Result<Option<Giant>, Error> {
        let (num_live, each) = (self.num_live, self.first.time_each());
        let mut forward = Forward::new(self.edges, self.outside, each);
        // If hardly any state leads to a pivot, the giant may be among the states that the pivot
        // reaches. These are the next pivots.
        let mut reached: Vec<u32> = Vec::new();
        let mut is_second = false;
        for slice in 0..MAX_PIVOTS {
            let Some(pivot) = reached.pop().or_else(|| self.pivot_of(slice)) else {
                continue;
            };
            // A single state may have no edge to itself.
            if !forward.starts_well(pivot, MIN_REACHED.min(num_live / GIANT_DIVISOR).max(1)) {
                continue;
            }
            let seen = forward.seen();
            let some = seen.iter().step_by(seen.len().div_ceil(MAX_PIVOTS));
            reached = some.copied().collect();
            match self.around(pivot, is_second, forward)? {
                Around::Giant(giant) => return Ok(Some(giant)),
                Around::NoGiant(Reaching::HardlyAny) if !is_second => {}
                Around::ReachesFew if !is_second && threads::are_many() => reached.clear(),
                Around::NoGiant(_) | Around::ReachesFew => return Ok(None),
            }
            is_second = true;
            forward = Forward::new(self.edges, self.outside, each);
        }
        Ok(None)
    }

    /// Returns the first state of a slice that may be a pivot.
    fn pivot_of(&self, slice: usize) -> Option<u32> {
        let slice = match self.pivots {
            Direction::Ascending => slice,
            Direction::Descending => MAX_PIVOTS - 1 - slice,
        };
        let [start, end] = [slice, slice + 1].map(|i| self.outside.bound() * i / MAX_PIVOTS);
        let may_be = |&state: &u32| {
            (start..end).contains(&(state as usize)) && self.edges.leads_elsewhere(state)
        };
        let live = |word| self.outside.absent(word);
        let mut words = start / 64..end.div_ceil(64);
        let first = |i| ascending(i, live(i)).find(may_be);
        let last = |i| descending(i, live(i)).find(may_be);
        match self.pivots {
            Direction::Ascending => words.find_map(first),
            Direction::Descending => words.rev().find_map(last),
        }
    }

    /// Searches around a pivot from which the search has started well.
    fn around(
        &self,
        pivot: u32,
        is_second: bool,
        mut forward: Forward<'_, E>,
    ) -> Result<Around, Error> {
        let (edges, num_live, ticker) = (self.edges, self.num_live, self.ticker);
        let mut backward = Backward::from(pivot, self.outside.bound());
        let live = |word| self.outside.absent(word);
        let glance = self.glance(&forward, &mut backward)?;
        if glance != Reaching::Enough {
            return Ok(Around::NoGiant(glance));
        }
        // Few threads find out by sweeps that hardly any state leads to the pivot in less time than
        // a forward search takes. If the first pivot was like that, the second one often is, too.
        if is_second
            && self.first == FirstSearch::Forward
            && !threads::are_many()
            && Backward::from(pivot, self.outside.bound()).are_few(edges, live, num_live, ticker)?
        {
            return Ok(Around::NoGiant(Reaching::HardlyAny));
        }
        let least = num_live / GIANT_DIVISOR;
        let reach = forward.run(least, ticker)?;
        if reach == Reach::GivenUp {
            return Ok(Around::NoGiant(Reaching::TooFew));
        }
        // If all that the pivot reaches is known, and not much, sweeps over it are short.
        let (num_left, reached) = (forward.num_left, &forward.reached);
        let all_known = reach == Reach::All && num_left < num_live / MOST_DIVISOR;
        let is_small = num_left < least;
        if is_small && !(all_known && self.are_enough(num_left)) {
            return Ok(Around::ReachesFew);
        }
        let num_among = if all_known { num_left } else { num_live };
        let within = |word| if all_known { reached.word(word) } else { !0 };
        let pays = self.pays(&mut backward, |word| live(word) & within(word), num_among)?;
        let reaches_most = num_left >= num_live / MOST_DIVISOR;
        let is_small_giant = backward.is_closed && self.are_enough(backward.num_core);
        if !pays && !is_small_giant && !backward.can_be_followed(num_among, reaches_most) {
            // For very few threads, a second search for a giant would take longer than a search of
            // the graph by one of them.
            let is_known = backward.is_closed && self.first != FirstSearch::ForwardIfSpread;
            return Ok(Around::NoGiant(match is_known {
                true => Reaching::HardlyAny,
                false => backward.so_far(),
            }));
        }
        if forward.run(usize::MAX, ticker)? != Reach::All {
            return Ok(Around::NoGiant(Reaching::TooFew));
        }
        let giant = self.giant(forward, backward)?;
        Ok(match giant.is_complete && self.are_enough(giant.num_core) {
            false if is_small => Around::NoGiant(Reaching::TooFew),
            _ => Around::Giant(giant),
        })
    }

    /// Returns whether a whole component of this many states is worthwhile.
    fn are_enough(&self, num_states: usize) -> bool {
        let least = self.num_live / SMALL_GIANT_DIVISOR;
        num_states >= least.max(MIN_SMALL_GIANT)
    }

    /// Returns whether a search forward may be worthwhile, by what the first steps have shown.
    fn glance(&self, forward: &Forward<'_, E>, backward: &mut Backward) -> Result<Reaching, Error> {
        match self.first {
            FirstSearch::Forward | FirstSearch::ForwardWithin(_) => Ok(Reaching::Enough),
            _ if !forward.spreads() => Ok(Reaching::TooFew),
            FirstSearch::ForwardIfSpread => Ok(Reaching::Enough),
            FirstSearch::BackwardIfSpread => {
                let live = |word| self.outside.absent(word);
                backward.approach(self.edges, live, self.num_live, forward.seen(), self.ticker)
            }
        }
    }

    /// Sweeps back a few times, unless that has been done. The sweeps show whether more would be
    /// worthwhile. If not, many threads need none.
    fn pays(
        &self,
        backward: &mut Backward,
        among: impl Fn(usize) -> u64 + Sync,
        num_among: usize,
    ) -> Result<bool, Error> {
        let some = threads::useful().max(4) / 2;
        let pays = self.first == FirstSearch::BackwardIfSpread
            || backward.run(self.edges, among, num_among, some, self.ticker)?;
        tracing::debug!(core = backward.num_core, pays, "first sweeps");
        Ok(pays)
    }

    /// Finds the states that reach the pivot, among those that the pivot reaches.
    fn giant(&self, forward: Forward<'_, E>, mut backward: Backward) -> Result<Giant, Error> {
        let (edges, ticker) = (self.edges, self.ticker);
        let (num_reached, each) = (forward.num_left, forward.each);
        let mut reached = forward.reached;
        reached.remove_all(self.outside);
        backward.keep(&reached);
        let among = |word| reached.word(word);
        backward.run(edges, among, num_reached, usize::MAX, ticker)?;
        let reaches_most = num_reached >= self.num_live / MOST_DIVISOR;
        if !backward.is_complete(num_reached) && backward.can_be_followed(num_reached, reaches_most)
        {
            backward.follow_rest(edges, &reached, num_reached, each, ticker)?;
        }
        Ok(Giant {
            is_complete: backward.is_complete(num_reached),
            reached,
            num_reached,
            core: backward.core,
            num_core: backward.num_core,
        })
    }
}

/// How many states are known to reach a pivot, and what follows from it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reaching {
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
struct Backward {
    /// The word of the pivot.
    pivot_word: usize,
    core: SharedBits,
    num_core: usize,
    /// The number of sweeps, and the number of states that the last one found.
    sweeps: usize,
    last: usize,
    /// Whether no other state leads into the core.
    is_closed: bool,
}

impl Backward {
    fn from(pivot: u32, num_states: usize) -> Self {
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
    fn is_complete(&self, num_among: usize) -> bool {
        self.is_closed || self.num_core == num_among
    }

    /// Finds states that lead into the core, by sweeps over the `num_among` states that `among`
    /// gives word by word. Ends when all are found, when more sweeps would find too little, or
    /// after the given number of sweeps. Returns whether the sweeps were worthwhile. If a sweep
    /// finds nothing more, they were worthwhile if the core is large.
    fn run<E: Edges>(
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
            if !self.pays(found, num_among) {
                return Ok(false);
            }
            self.last = found;
        }
        Ok(true)
    }

    /// Returns whether the first sweeps find fewer than [`MIN_BACKWARD`] states, and more sweeps
    /// would find too little. A sweep ends as soon as it has found so many.
    fn are_few<E: Edges>(
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
            if found == 0 || !self.pays(found, num_among) {
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
    fn begun_alone(&self, direction: Direction) -> impl Iterator<Item = usize> + use<> {
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
    fn approach<E: Edges>(
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
    fn so_far(&self) -> Reaching {
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
    fn pays(&self, found: usize, num_among: usize) -> bool {
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
    fn can_be_followed(&self, num_among: usize, reaches_most: bool) -> bool {
        let are_enough = reaches_most || self.num_core >= num_among / MIN_CORE_DIVISOR;
        threads::are_many() && are_enough && !self.is_closed
    }

    /// Finds all other states of `among` that reach the pivot, on all threads, unless there is too
    /// little memory, or paths are narrow.
    fn follow_rest<E: Edges>(
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
        let patience = Patience {
            narrow: num_among / NARROW_DIVISOR,
            each,
        };
        let found = reach(&incoming.back(), &self.core, core, patience, ticker)?;
        self.is_closed = found.is_some();
        self.num_core = self.core.len();
        Ok(())
    }

    /// Removes the states that are not in a set from the core. No edge leaves this set, so the
    /// remaining states reach the pivot by paths within the core.
    fn keep(&mut self, set: &SharedBits) {
        let core = SharedBits::new(set.bound());
        for word in 0..set.num_words() {
            core.insert_word(word, self.core.word(word) & set.word(word));
        }
        self.num_core = core.len();
        self.core = core;
        self.is_closed = false;
    }
}
