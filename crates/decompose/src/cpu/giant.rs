//! Finds a giant component, that is, a component that is a large part of the graph, if there is
//! one. It consists of the states that a *pivot* reaches and that reach the pivot.
//!
//! [`mod@super::forward`] finds the former, and [`super::backward`] the latter. If few threads give
//! the backward search up, the core that it has found by then is strongly connected, but may be
//! only a part of the component.
//!
//! States whose components are known already may be left out, as if they did not exist. In this
//! way, [`super::giants`] finds several giants.

#[cfg(test)]
mod tests;

use super::backward::{Backward, GIANT_DIVISOR, Reaching};
use super::edges::Edges;
use super::forward::{Forward, Reach};
use super::pivots::{MAX_PIVOTS, PivotChoice, Pivots};
use super::threads;
use super::ticker::Ticker;
use crate::Error;
use mdp_graph::SharedBits;
use std::time::Duration;

/// A component with fewer of the live states is a giant, too, if it has at least one in so many of
/// them, and is so large that one thread would search it for longer than all threads.
const SMALL_GIANT_DIVISOR: usize = 16;
const MIN_SMALL_GIANT: usize = if cfg!(test) { 1 << 12 } else { 1 << 19 };

/// A pivot that reaches no more states than this is skipped.
const MIN_REACHED: usize = 1 << 12;

/// A pivot reaches most states if it reaches at least one in this many live states.
const MOST_DIVISOR: usize = 2;

/// A pivot at the end of a walk reaches few states outside its component, or there is none. It is
/// given up when it has reached one in this many states of the graph.
const WALKED_DIVISOR: usize = 2;

/// A giant around the end of a walk has at least this many states: one thread searches a smaller
/// one as fast, with the rest of the graph.
const MIN_WALKED_GIANT: usize = MIN_SMALL_GIANT;

/// If a giant has at most one in this many of the states that its pivot reaches, another one may be
/// among the others.
const CORE_DIVISOR: usize = 2;

/// The states that a pivot reaches, including the pivot.
pub(super) struct Giant {
    pub(super) pivots: PivotChoice,
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

impl Giant {
    /// Returns whether no edge leaves the giant, except to states that were left out.
    pub(super) fn is_closed(&self) -> bool {
        self.num_core == self.num_reached
    }
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
enum PivotOutcome {
    /// The giant that contains the pivot.
    Giant(Giant),
    /// There is none, as far as it was searched for: so many states reach the pivot.
    NoGiant(Reaching),
    /// There is none, as far as it was searched for: so many states reach the pivot, which reaches
    /// enough states for a giant.
    MaybeBelow(Reaching),
    /// The pivot reaches too few states for a giant.
    ReachesFew,
}

/// What a search has found.
struct Found {
    giant: Option<Giant>,
    /// Whether the pivot reaches so many other states that another giant may be among these.
    may_be_below: bool,
}

impl Found {
    const NOTHING: Self = Self {
        giant: None,
        may_be_below: false,
    };
}

impl From<Giant> for Found {
    fn from(giant: Giant) -> Self {
        Self {
            may_be_below: giant.num_core <= giant.num_reached / CORE_DIVISOR,
            giant: Some(giant),
        }
    }
}

/// A search for a giant.
pub(super) struct GiantSearch<'a, E> {
    pub(super) edges: &'a E,
    /// The states that are left out of the search.
    pub(super) outside: &'a SharedBits,
    /// The number of the others, which are live.
    pub(super) num_live: usize,
    pub(super) first: FirstSearch,
    pub(super) pivots: PivotChoice,
    pub(super) ticker: &'a Ticker<'a>,
}

impl<E: Edges> GiantSearch<'_, E> {
    /// Looks for a giant among the live states. If there is none that is `wanted`, but the pivot
    /// reaches enough other states for one, looks for it around the ends of walks. Returns one that
    /// is wanted, if there is one, or else the first.
    pub(super) fn find_wanted(
        &self,
        wanted: impl Fn(&Giant) -> bool,
    ) -> Result<Option<Giant>, Error> {
        let first = self.find_first()?;
        let is_wanted = first.giant.as_ref().is_some_and(&wanted);
        let may_be_large = self.outside.bound() / WALKED_DIVISOR >= MIN_WALKED_GIANT;
        if is_wanted
            || !first.may_be_below
            || !may_be_large
            || self.pivots == PivotChoice::EndsOfWalks
        {
            return Ok(first.giant);
        }
        let search = Self {
            first: FirstSearch::Forward,
            pivots: PivotChoice::EndsOfWalks,
            ..*self
        };
        Ok(search.find()?.filter(wanted).or(first.giant))
    }

    /// Looks for a giant among the live states.
    pub(super) fn find(&self) -> Result<Option<Giant>, Error> {
        Ok(self.find_first()?.giant)
    }

    fn find_first(&self) -> Result<Found, Error> {
        let (num_live, each) = (self.num_live, self.first.time_each());
        let mut pivots = Pivots::new(self.edges, self.outside, self.pivots);
        let mut forward = Forward::new(self.edges, self.outside, each);
        // If hardly any state leads to a pivot, the giant may be among the states that the pivot
        // reaches. These are the next pivots.
        let mut reached: Vec<u32> = Vec::new();
        let mut is_second = false;
        for slice in 0..MAX_PIVOTS {
            let Some(pivot) = reached.pop().or_else(|| pivots.of_slice(slice)) else {
                continue;
            };
            // A single state may have no edge to itself.
            if !forward.starts_well(pivot, MIN_REACHED.min(num_live / GIANT_DIVISOR).max(1)) {
                continue;
            }
            let seen = forward.seen();
            let some = seen.iter().step_by(seen.len().div_ceil(MAX_PIVOTS));
            reached = some.copied().collect();
            match self.search_around(pivot, is_second, forward)? {
                PivotOutcome::Giant(giant) => return Ok(Found::from(giant)),
                PivotOutcome::NoGiant(Reaching::HardlyAny)
                | PivotOutcome::MaybeBelow(Reaching::HardlyAny)
                    if !is_second => {}
                PivotOutcome::ReachesFew if !is_second && threads::are_many() => reached.clear(),
                PivotOutcome::NoGiant(_) | PivotOutcome::ReachesFew => return Ok(Found::NOTHING),
                PivotOutcome::MaybeBelow(_) => {
                    return Ok(Found {
                        may_be_below: true,
                        ..Found::NOTHING
                    });
                }
            }
            is_second = true;
            forward = Forward::new(self.edges, self.outside, each);
        }
        Ok(Found::NOTHING)
    }

    /// Searches around a pivot from which the search has started well.
    fn search_around(
        &self,
        pivot: u32,
        is_second: bool,
        mut forward: Forward<'_, E>,
    ) -> Result<PivotOutcome, Error> {
        let (num_live, ticker) = (self.num_live, self.ticker);
        let mut backward = Backward::from(pivot, self.outside.bound());
        let live = |word| self.outside.absent(word);
        let first_steps = self.first_steps(&forward, &mut backward)?;
        if first_steps != Reaching::Enough {
            return Ok(PivotOutcome::NoGiant(first_steps));
        }
        if is_second && self.few_lead_to(pivot)? {
            return Ok(PivotOutcome::NoGiant(Reaching::HardlyAny));
        }
        let is_walked = self.pivots == PivotChoice::EndsOfWalks;
        let enough = match is_walked {
            true => self.outside.bound() / WALKED_DIVISOR,
            false => num_live / GIANT_DIVISOR,
        };
        let reach = forward.run(enough, ticker)?;
        if reach == Reach::GivenUp || is_walked && reach == Reach::Enough {
            return Ok(PivotOutcome::NoGiant(Reaching::TooFew));
        }
        // If all that the pivot reaches is known, and not much, sweeps over it are short.
        let (num_expanded, reached) = (forward.num_expanded, &forward.reached);
        let all_known = reach == Reach::All && num_expanded < num_live / MOST_DIVISOR;
        let is_small = num_expanded < self.min_reached();
        if is_small && !(all_known && self.is_giant_size(num_expanded)) {
            return Ok(PivotOutcome::ReachesFew);
        }
        let num_among = if all_known { num_expanded } else { num_live };
        let within = |word| if all_known { reached.word(word) } else { !0 };
        let worthwhile =
            self.sweeps_are_worthwhile(&mut backward, |word| live(word) & within(word), num_among)?;
        let reaches_most = num_expanded >= num_live / MOST_DIVISOR;
        let is_small_giant = backward.is_closed && self.is_giant_size(backward.num_core);
        if !worthwhile && !is_small_giant && !backward.can_be_followed(num_among, reaches_most) {
            // For very few threads, a second search for a giant would take longer than a search of
            // the graph by one of them.
            let is_known = backward.is_closed && self.first != FirstSearch::ForwardIfSpread;
            return Ok(PivotOutcome::MaybeBelow(match is_known {
                true => Reaching::HardlyAny,
                false => backward.so_far(),
            }));
        }
        if forward.run(usize::MAX, ticker)? != Reach::All {
            return Ok(PivotOutcome::NoGiant(Reaching::TooFew));
        }
        let giant = self.giant(forward, backward)?;
        Ok(
            match giant.is_complete && self.is_giant_size(giant.num_core) {
                false if is_small => PivotOutcome::NoGiant(Reaching::TooFew),
                _ => PivotOutcome::Giant(giant),
            },
        )
    }

    /// Returns the number of states that a pivot reaches at least if it is in a giant, unless the
    /// giant is a small one.
    fn min_reached(&self) -> usize {
        let least = self.num_live / GIANT_DIVISOR;
        match self.pivots {
            PivotChoice::EndsOfWalks if !threads::are_many() => least.max(MIN_WALKED_GIANT),
            _ => least,
        }
    }

    /// Returns whether few threads have found out by sweeps that hardly any state leads to a second
    /// pivot. That takes less time than a forward search, and if the first pivot was like that, the
    /// second one often is, too.
    fn few_lead_to(&self, pivot: u32) -> Result<bool, Error> {
        if self.first != FirstSearch::Forward || threads::are_many() {
            return Ok(false);
        }
        let live = |word| self.outside.absent(word);
        let backward = Backward::from(pivot, self.outside.bound());
        backward.are_few(self.edges, live, self.num_live, self.ticker)
    }

    /// Returns whether a whole component of this many states is worthwhile.
    fn is_giant_size(&self, num_states: usize) -> bool {
        let least = self.num_live / SMALL_GIANT_DIVISOR;
        num_states >= least.max(MIN_SMALL_GIANT)
    }

    /// Returns whether a search forward may be worthwhile, by what the first steps have shown.
    fn first_steps(
        &self,
        forward: &Forward<'_, E>,
        backward: &mut Backward,
    ) -> Result<Reaching, Error> {
        match self.first {
            FirstSearch::Forward | FirstSearch::ForwardWithin(_) => Ok(Reaching::Enough),
            _ if !forward.spreads() => Ok(Reaching::TooFew),
            FirstSearch::ForwardIfSpread => Ok(Reaching::Enough),
            FirstSearch::BackwardIfSpread => {
                let live = |word| self.outside.absent(word);
                backward.sweep_to_many(self.edges, live, self.num_live, forward.seen(), self.ticker)
            }
        }
    }

    /// Sweeps back a few times, unless that has been done. The sweeps show whether more would be
    /// worthwhile. If not, many threads need none.
    fn sweeps_are_worthwhile(
        &self,
        backward: &mut Backward,
        among: impl Fn(usize) -> u64 + Sync,
        num_among: usize,
    ) -> Result<bool, Error> {
        let some = threads::useful().max(4) / 2;
        let worthwhile = self.first == FirstSearch::BackwardIfSpread
            || backward.run(self.edges, among, num_among, some, self.ticker)?;
        tracing::debug!(core = backward.num_core, worthwhile, "first sweeps");
        Ok(worthwhile)
    }

    /// Finds the states that reach the pivot, among those that the pivot reaches.
    fn giant(&self, forward: Forward<'_, E>, mut backward: Backward) -> Result<Giant, Error> {
        let (edges, ticker) = (self.edges, self.ticker);
        let (num_reached, each) = (forward.num_expanded, forward.each);
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
            pivots: self.pivots,
            is_complete: backward.is_complete(num_reached),
            reached,
            num_reached,
            core: backward.core,
            num_core: backward.num_core,
        })
    }
}
