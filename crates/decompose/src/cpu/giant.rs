//! Finds a giant component, which is most of a graph, if there is one: the states that a *pivot*
//! reaches and that reach the pivot.
//!
//! Both searches go by sweeps (see [`super::sweep`]). The backward search uses no transpose: for
//! each state that is left, it checks whether the state leads to one that is known to reach the
//! pivot. The backward search may be given up early. The core that it has found by then is strongly
//! connected, but may be only a part of the component.

#[cfg(test)]
mod tests;

use super::cached;
use super::edges::Edges;
use super::forward::{Forward, Reach};
use super::sweep::{Direction, sweep};
use super::threads;
use super::ticker::Ticker;
use crate::Error;
use crate::sample::EdgeSample;
use mdp_graph::{SharedBits, descending};

/// The pivots that are tried.
const CANDIDATES: usize = 8;

/// A giant is at least this part of the states in question.
const SHARE: usize = 8;

/// A pivot that reaches no more states than these is passed over at once.
const FEW: usize = 1 << 12;

/// If fewer states lead to a pivot, it is not in a giant, and what it reaches may be.
const HARDLY: usize = 1 << 6;

/// As long as hardly any state is found to lead to a pivot, but more and more, so many sweeps are
/// tried.
const EARLY: usize = 3;

/// Where edges are scattered, a search by one thread takes two or three times as long as so many
/// sweeps.
const MOST_SWEEPS: f64 = 10.0;

/// If so many states of a word are in question, their edges are looked at together first, as long
/// as only one of so many states is in the core: then most words have no edge into it.
const MANY: u32 = 16;
const RARE: usize = 256;

/// What a pivot reaches, the pivot included.
pub(super) struct Giant {
    /// Its edges lead nowhere else.
    pub(super) reached: SharedBits,
    pub(super) num_reached: usize,
    /// The states of `reached` that are known to reach the pivot.
    pub(super) core: SharedBits,
    pub(super) num_core: usize,
}

/// Which way is tried first: it may tell that there is no giant to be found by sweeps.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum First {
    /// Along the edges, which ends soon where paths are long and narrow.
    Forward,
    /// The same, if the paths from a pivot do not soon meet again ([`Forward::spreads`]).
    ForwardIfSpread,
    /// Against the edges, by sweeps, under the same condition.
    Back,
}

impl First {
    /// More threads than these take less time for the search forward than for sweeps back.
    const FEW: usize = 7;
    /// So many threads or fewer take longer for sweeps than one for a search whose look-ups a cache
    /// has.
    const TOO_FEW: usize = 3;
    /// If a larger share of the edges is scattered, few threads sweep only where paths spread.
    const SOME: f64 = 1.0 / 8.0;
    /// If a larger share is, states are numbered in no order.
    const MOST: f64 = 1.0 / 2.0;

    /// For a graph with this sample, if sweeps may pay there. Where states are numbered in no
    /// order, sweeps read memory in order, and a search forward does not. Where fewer edges are
    /// scattered, a depth-first search waits less for memory; where hardly any are, it takes as
    /// long as three sweeps of one thread. `size`: how many states and edges there are.
    pub(super) fn of(sample: EdgeSample, size: usize) -> Option<Self> {
        let scattered = sample.scattered();
        match threads::useful() {
            ..=Self::FEW if scattered >= Self::MOST => Some(Self::Back),
            ..=Self::TOO_FEW if scattered < cached::HARDLY_ANY => None,
            _ if cached::has_most(sample, size) => None,
            ..=Self::TOO_FEW if scattered >= Self::SOME => Some(Self::ForwardIfSpread),
            _ => Some(Self::Forward),
        }
    }
}

/// Looks for a giant among the `num_live` states that are not in `closed`; no edge leads there.
///
/// The last states of each part of the graph are the first pivots, if they have edges: where states
/// are numbered as they were found, they lie at the end of most paths, and are reached from most
/// states by few steps back.
pub(super) fn find<E: Edges>(
    edges: &E,
    closed: &SharedBits,
    num_live: usize,
    first: First,
    ticker: &Ticker<'_>,
) -> Result<Option<Giant>, Error> {
    let num_states = closed.bound();
    let search = Search {
        edges,
        closed,
        num_live,
        first,
        ticker,
    };
    let mut forward = Forward::new(edges, num_states);
    // If hardly any state leads to a pivot, a giant may be what it reaches: the next pivots.
    let mut reached: Vec<u32> = Vec::new();
    let mut is_second = false;
    for candidate in (1..=CANDIDATES).rev() {
        let part = |number: usize| (num_states * number / CANDIDATES) as u32;
        let mut states = (part(candidate - 1)..part(candidate)).rev();
        let last =
            || states.find(|&state| !closed.contains(state) && leads_elsewhere(edges, state));
        let Some(pivot) = reached.pop().or_else(last) else {
            continue;
        };
        // One state alone may have no edge to itself.
        if !forward.starts_well(pivot, FEW.min(num_live / SHARE).max(1)) {
            continue;
        }
        let seen = forward.seen();
        let some = seen.iter().step_by(seen.len().div_ceil(CANDIDATES));
        reached = some.copied().collect();
        match search.around(pivot, forward)? {
            Ok(giant) => return Ok(Some(giant)),
            Err(Found::Hardly) if !is_second => is_second = true,
            Err(_) => return Ok(None),
        }
        forward = Forward::new(edges, num_states);
    }
    Ok(None)
}

/// Whether a state leads to another one.
fn leads_elsewhere<E: Edges>(edges: &E, state: u32) -> bool {
    let mut does = false;
    edges.each_target(state, |target| does |= target != state);
    does
}

/// A search for a giant.
struct Search<'a, E> {
    edges: &'a E,
    closed: &'a SharedBits,
    num_live: usize,
    first: First,
    ticker: &'a Ticker<'a>,
}

impl<E: Edges> Search<'_, E> {
    /// The giant around a pivot, from which a search has started well; or how many states lead to
    /// the pivot, if there is none.
    fn around(
        &self,
        pivot: u32,
        mut forward: Forward<'_, E>,
    ) -> Result<Result<Giant, Found>, Error> {
        let (edges, num_live, ticker) = (self.edges, self.num_live, self.ticker);
        let mut backward = Backward::from(pivot, self.closed.bound());
        let live = |word| self.closed.absent(word);
        let glance = match self.first {
            First::Forward => Found::Much,
            _ if !forward.spreads() => Found::Little,
            First::ForwardIfSpread => Found::Much,
            First::Back => backward.approach(edges, live, num_live, forward.seen(), ticker)?,
        };
        if glance != Found::Much {
            return Ok(Err(glance));
        }
        let least = num_live / SHARE;
        let reach = forward.run(least, ticker)?;
        if reach == Reach::GivenUp || forward.num_left < least {
            return Ok(Err(Found::Little));
        }
        // Two sweeps tell whether more would pay.
        let some = threads::useful().max(4) / 2;
        if self.first != First::Back && !backward.run(edges, live, num_live, some, ticker)? {
            return Ok(Err(backward.so_far()));
        }
        if forward.run(usize::MAX, ticker)? != Reach::All {
            return Ok(Err(Found::Little));
        }
        Giant::around(edges, forward, backward, ticker).map(Ok)
    }
}

impl Giant {
    /// Of all that a pivot reaches, looks for the states that reach the pivot.
    fn around<E: Edges>(
        edges: &E,
        forward: Forward<'_, E>,
        mut backward: Backward,
        ticker: &Ticker<'_>,
    ) -> Result<Self, Error> {
        let (reached, num_reached) = (forward.reached, forward.num_left);
        backward.keep(&reached);
        let among = |word| reached.word(word);
        backward.run(edges, among, num_reached, usize::MAX, ticker)?;
        let Backward { core, num_core, .. } = backward;
        Ok(Self {
            reached,
            num_reached,
            core,
            num_core,
        })
    }
}

/// How many states are known to reach a pivot when sweeps have ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Found {
    /// As many as a giant needs, or more.
    Much,
    /// Not so many.
    Little,
    /// Next to none: nothing in a giant leads there.
    Hardly,
}

/// The states that are known to reach a pivot.
struct Backward {
    core: SharedBits,
    num_core: usize,
    /// How many sweeps there were, and how many states the last one found.
    sweeps: usize,
    last: usize,
}

impl Backward {
    fn from(pivot: u32, num_states: usize) -> Self {
        let core = SharedBits::new(num_states);
        core.insert(pivot);
        Self {
            core,
            num_core: 1,
            sweeps: 0,
            last: 0,
        }
    }

    /// Looks for states that lead into the core, by sweeps over those that `among` has, word by
    /// word, which are so many. Ends when all are found, when more sweeps would not pay, or after
    /// so many sweeps; says whether they paid. If all are found early, they did if they are many.
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
                return Ok(self.num_core >= num_among / SHARE);
            }
            if !self.pays(found, num_among) {
                return Ok(false);
            }
            self.last = found;
        }
        Ok(true)
    }

    /// Sweeps once, and returns how many states that found.
    fn sweep<E: Edges>(
        &mut self,
        edges: &E,
        among: &(impl Fn(usize) -> u64 + Sync),
        ticker: &Ticker<'_>,
    ) -> Result<usize, Error> {
        let core = &self.core;
        let is_rare = self.num_core <= core.bound() / RARE;
        let found = sweep(core.num_words(), Direction::Descending, ticker, |word| {
            let rest = among(word) & !core.word(word);
            if is_rare && rest.count_ones() >= MANY {
                let states = 64 * word..(64 * word + 64).min(core.bound());
                if !edges.may_lead_into(states, core) {
                    return 0;
                }
            }
            let found = descending(word, rest)
                .filter(|&state| edges.lead_into(state, core) && core.insert(state));
            found.count()
        })?;
        self.num_core += found;
        self.sweeps += 1;
        Ok(found)
    }

    /// Sweeps until a good part of the states is found. Gives up when that would take too many
    /// sweeps, or when those that were `seen` on paths from the pivot do not lead back to it as
    /// often as others.
    fn approach<E: Edges>(
        &mut self,
        edges: &E,
        among: impl Fn(usize) -> u64 + Sync,
        num_among: usize,
        seen: &[u32],
        ticker: &Ticker<'_>,
    ) -> Result<Found, Error> {
        let enough = num_among / SHARE;
        loop {
            let found = self.sweep(edges, &among, ticker)?;
            let before = std::mem::replace(&mut self.last, found);
            let back = seen.iter().filter(|&&state| self.core.contains(state));
            if back.count() < seen.len() * self.num_core / num_among / 16 {
                return Ok(Found::Little);
            }
            if self.num_core >= enough {
                return Ok(Found::Much);
            }
            if found == 0 {
                return Ok(Found::Hardly);
            }
            let factor = found as f64 / before as f64;
            // By how much few states grow says little.
            let is_early = self.num_core < HARDLY && self.sweeps <= EARLY && factor > 1.0;
            if self.sweeps > 1 && !is_early && !self.may_find(enough, factor) {
                return Ok(self.so_far());
            }
        }
    }

    /// How many states were found, when sweeps find no more, or no longer pay.
    fn so_far(&self) -> Found {
        match self.num_core {
            ..HARDLY => Found::Hardly,
            _ => Found::Little,
        }
    }

    /// Whether few sweeps may find so many states, if each finds more than the one before by the
    /// same factor, as it does where edges lead anywhere.
    fn may_find(&self, enough: usize, factor: f64) -> bool {
        let missing = (enough as f64 / self.num_core as f64).ln();
        factor > 1.0 && self.sweeps as f64 + missing / factor.ln() <= MOST_SWEEPS
    }

    /// Whether to go on after a sweep that found so many states.
    fn pays(&self, found: usize, num_among: usize) -> bool {
        // How much a sweep finds depends on which threads are ahead. So many sweeps of all threads
        // take as long as half a sweep of one thread, which is little beside a search of the
        // graph: they need not pay.
        let free = threads::useful() / 2;
        match self.sweeps {
            sweeps if sweeps <= free => true,
            // It is for the second sweep to find what leads to the states of the first: much, or so
            // much more that few sweeps find all.
            1 => true,
            2 => {
                let factor = found as f64 / self.last as f64;
                self.num_core > num_among / 256 || self.may_find(num_among / SHARE, factor)
            }
            // More and more is found, or not much is left.
            _ => found > self.last / 2 * 3 || found > (num_among - self.num_core) / 16,
        }
    }

    /// Forgets the states that are not in a set. All of its edges lead into it, so that those which
    /// are left reach the pivot by paths within the core.
    fn keep(&mut self, set: &SharedBits) {
        let core = SharedBits::new(set.bound());
        for word in 0..set.num_words() {
            core.insert_word(word, self.core.word(word) & set.word(word));
        }
        self.num_core = core.len();
        self.core = core;
    }
}
