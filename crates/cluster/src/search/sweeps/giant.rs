//! Finds a component that is a large part of the undecided states, by sweeps over all parts. It
//! consists of the states that a *pivot* reaches and that reach the pivot.
//!
//! The backward search needs no transpose: for each remaining state, it checks whether the state
//! leads to a state that is known to reach the pivot. A set is a MEC if it is closed under the
//! choices that stay, and these choices connect it strongly.

use super::edges::Edges;
use crate::net::Net;
use crate::net::pool::Pool;
use crate::part::Part;
use mdp_graph::sweep::{Direction, sweep};
use mdp_graph::{BitSet, ComponentKind, SharedBits, ascending, descending};

/// The number of pivots that are tried.
const PIVOTS: u64 = 3;

/// A giant has at least one of this many undecided states.
const LEAST: u64 = 8;

/// A forward search is not given up before this number of rounds.
const MIN_ROUNDS: usize = 16;

/// The number of rounds of a backward search that are tried before the forward search is complete.
const ROUNDS: usize = 8;

/// A pivot that is reached from fewer states than this may be a bad one.
const FEW: u64 = 1 << 12;

/// A sweep over the reached states is worthwhile if it finds at least one of this many.
const SHARE: u64 = 16;

/// The number of states that are followed individually before the next sweep.
const NARROW: usize = 1 << 12;

/// The states among which a giant is searched.
pub(super) struct Among<'a> {
    /// The states that are excluded.
    pub(super) closed: &'a SharedBits,
    /// The number of own states that are included, and that of all workers.
    pub(super) count: u64,
    pub(super) of_all: u64,
}

/// Finds a component with many states, which only `edges` connect. Returns the states of this
/// worker that are in it, and its smallest state. The set may also contain states that are not own
/// ones.
pub(super) fn find(
    (part, kind): (&Part, ComponentKind),
    edges: &Edges<'_>,
    live: &Among<'_>,
    pool: &Pool,
    net: &mut Net<'_>,
) -> Option<(SharedBits, u64)> {
    for attempt in 0..PIVOTS {
        let pivot = pivot(part, live, attempt, net)?;
        let mut search = GiantSearch::new(part, edges, live, pool);
        search.begin(pivot);
        let least = live.of_all / LEAST;
        match search.run_forward(least, net) {
            Reach::GivenUp => return None,
            Reach::All if search.num_reached < least => continue,
            _ => {}
        }
        // After some rounds it is known whether more are worthwhile. Ranges may be reached one by
        // one.
        let rounds = ROUNDS + net.workers() / 4;
        let pays = search.run_back(rounds, net) != Back::GivenUp;
        if !pays && search.num_core < FEW {
            continue;
        }
        if search.num_core < least {
            return None;
        }
        if search.run_forward(u64::MAX, net) == Reach::GivenUp {
            return None;
        }
        search.keep_reached(net);
        let ended = search.run_back(usize::MAX, net) == Back::All;
        let is_giant = match kind {
            ComponentKind::Mec => search.num_core == search.num_reached,
            _ => ended,
        };
        return is_giant.then(|| search.into_core(net));
    }
    None
}

/// Returns the pivot of an attempt, as a number in the whole model: the last state, one in the
/// middle, or the first. If states are numbered in the order of exploration, the last ones are at
/// the end of most paths, and are reached from most states by short paths.
fn pivot(part: &Part, live: &Among<'_>, attempt: u64, net: &mut Net<'_>) -> Option<u64> {
    let own = part.num_own() as u32;
    let is_live = |state: &u32| !live.closed.contains(*state);
    let state = match attempt {
        0 => (0..own).rev().find(is_live),
        1 => (own / 2..own).chain(0..own / 2).find(is_live),
        _ => (0..own).find(is_live),
    };
    let all = net.gather(state.map_or(u64::MAX, |state| part.global(state)));
    let offered: Vec<u64> = all.into_iter().filter(|&state| state != u64::MAX).collect();
    match attempt {
        0 => offered.last().copied(),
        1 => offered.get(offered.len() / 2).copied(),
        _ => offered.first().copied(),
    }
}

/// The result of a forward search.
#[derive(PartialEq, Eq)]
enum Reach {
    All,
    /// It has reached as many states as requested.
    Enough,
    /// It was given up, because paths are too long and narrow.
    GivenUp,
}

/// The result of a backward search.
#[derive(PartialEq, Eq)]
enum Back {
    All,
    /// It has made as many rounds as requested.
    Enough,
    /// It was given up, because more rounds would not be worthwhile.
    GivenUp,
}

struct GiantSearch<'a> {
    part: &'a Part,
    edges: &'a Edges<'a>,
    live: &'a Among<'a>,
    pool: &'a Pool,
    /// Own states and ghosts that the pivot reaches, and those of them whose edges were followed.
    reached: SharedBits,
    followed: SharedBits,
    /// The ghosts whose owners were notified that they are reached.
    told: BitSet,
    /// Own states and ghosts that reach the pivot, and the own ones of them that other workers were
    /// notified of.
    core: SharedBits,
    told_back: BitSet,
    /// Whether the backward search visits only reached states, and the number of own ones among
    /// them.
    among_reached: bool,
    own_reached: u64,
    /// The number of reached states of all workers.
    num_reached: u64,
    num_core: u64,
    /// Whether this worker has a reason for another backward sweep.
    has_news: bool,
}

impl<'a> GiantSearch<'a> {
    fn new(part: &'a Part, edges: &'a Edges<'a>, live: &'a Among<'a>, pool: &'a Pool) -> Self {
        let bits = || SharedBits::new(part.graph().num_states());
        Self {
            part,
            edges,
            live,
            pool,
            reached: bits(),
            followed: bits(),
            told: BitSet::new(part.num_ghosts()),
            core: bits(),
            told_back: BitSet::new(part.num_own()),
            among_reached: false,
            own_reached: 0,
            num_reached: 0,
            num_core: 0,
            has_news: false,
        }
    }

    /// Begins at the pivot, which one of the workers owns.
    fn begin(&mut self, pivot: u64) {
        let (owner, state) = self.part.ranges().place_of(pivot);
        if owner == self.part.owner() {
            self.reached.insert(state);
            self.core.insert(state);
            self.has_news = true;
        }
    }

    /// Searches forward until no more states can be reached, or until at least this many are
    /// reached.
    fn run_forward(&mut self, enough: u64, net: &mut Net<'_>) -> Reach {
        for round in 0.. {
            self.pool.run(|| self.follow());
            let has_ended = !self.tell_forward(net);
            let before = self.num_reached;
            self.own_reached = self.count(&self.reached);
            self.num_reached = net.sum(self.own_reached);
            if has_ended {
                return Reach::All;
            }
            if self.num_reached >= enough {
                return Reach::Enough;
            }
            if round > MIN_ROUNDS && self.num_reached - before < self.live.of_all / 256 {
                return Reach::GivenUp;
            }
        }
        Reach::All
    }

    /// Follows edges until all reached own states have been followed: by sweeps while there are
    /// many, and individually while there are few.
    fn follow(&self) {
        let words = self.reached.num_words();
        let mut stack: Vec<u32> = Vec::new();
        loop {
            loop {
                let follow = |word| self.follow_word(word);
                let found = sweep(words, Direction::Ascending, || false, follow);
                if found <= words / 64 {
                    break;
                }
            }
            for word in 0..words {
                stack.extend(ascending(word, self.new_in(word)));
            }
            if !self.follow_some(&mut stack, NARROW.max(words / 16)) {
                return;
            }
            stack.clear();
        }
    }

    /// Follows up to this many states individually. Returns whether some remain.
    fn follow_some(&self, stack: &mut Vec<u32>, most: usize) -> bool {
        for _ in 0..most {
            let Some(state) = stack.pop() else {
                return false;
            };
            self.followed.insert(state);
            self.edges.each_target(state, |target| {
                if self.reached.insert(target) {
                    stack.push(target);
                }
            });
        }
        !stack.is_empty()
    }

    /// Follows the edges of the states of a word, as long as they lead to states of the same word.
    fn follow_word(&self, word: usize) -> usize {
        let mut count = 0;
        loop {
            let new = self.new_in(word);
            if new == 0 {
                return count;
            }
            self.followed.insert_word(word, new);
            count += new.count_ones() as usize;
            for state in ascending(word, new) {
                self.edges.each_target(state, |target| {
                    self.reached.insert(target);
                });
            }
        }
    }

    /// Returns the states of a word that are reached, but whose edges were not followed.
    fn new_in(&self, word: usize) -> u64 {
        self.reached.word(word) & !self.followed.word(word)
    }

    /// Notifies the owners of ghosts that are reached. Returns whether any worker sent a
    /// notification.
    fn tell_forward(&mut self, net: &mut Net<'_>) -> bool {
        let own = self.part.num_own() as u32;
        let mut outbox = net.outbox();
        for word in own as usize / 64..self.reached.num_words() {
            for state in ascending(word, self.reached.word(word)).filter(|&state| state >= own) {
                if self.told.insert((state - own) as usize) {
                    let (owner, state) = self.part.owner_of(state - own);
                    outbox.push(net, owner, state);
                }
            }
        }
        let inbox = net.exchange::<u32>(outbox);
        let total = inbox.total();
        for (_, state) in inbox {
            self.reached.insert(state);
        }
        total > 0
    }

    /// Searches backward for states that lead to the pivot, for up to this many rounds.
    fn run_back(&mut self, most: usize, net: &mut Net<'_>) -> Back {
        let mut last = 0;
        for _ in 0..most {
            let mut left = match self.among_reached {
                true => self.own_reached,
                false => self.live.count,
            };
            left = left.saturating_sub(self.count(&self.core));
            let looked_at = if self.has_news { left } else { 0 };
            let (mut found, mut before) = (0, 0);
            while self.has_news {
                let now = self.pool.run(|| self.sweep_back());
                found += now;
                left = left.saturating_sub(now);
                self.has_news = now > 0 && left > 0;
                if !self.is_worthwhile(now, left, before) {
                    break;
                }
                before = now;
            }
            self.has_news |= self.tell_back(net);
            let own = [
                self.count(&self.core),
                found,
                looked_at,
                self.has_news.into(),
            ];
            let all = net.gather(own);
            self.num_core = all.iter().map(|one| one[0]).sum();
            let found: u64 = all.iter().map(|one| one[1]).sum();
            let looked_at = all.iter().map(|one| one[2]).max().unwrap_or(0);
            let is_whole = self.among_reached && self.num_core == self.num_reached;
            if is_whole || all.iter().all(|one| one[3] == 0) {
                return Back::All;
            }
            if !self.is_worthwhile(found, looked_at, last) {
                return Back::GivenUp;
            }
            last = found;
            if !self.among_reached && self.num_core >= self.live.of_all / LEAST {
                break;
            }
        }
        Back::Enough
    }

    /// Returns whether more rounds are worthwhile, if the last one found `found` of `looked_at`
    /// states, and the one before it found `before`: the share must be large, or the number must
    /// grow. As long as it is not known whether there is a giant, the number must grow.
    fn is_worthwhile(&self, found: u64, looked_at: u64, before: u64) -> bool {
        let share = if self.among_reached { SHARE } else { 2 };
        found > looked_at / share || found > 2 * before
    }

    /// Sweeps once, from the last state to the first. Returns the number of states that were found.
    fn sweep_back(&self) -> u64 {
        let own = self.part.num_own();
        let visit = |word| {
            let among = match self.among_reached {
                true => self.reached.word(word),
                false => self.live.closed.absent(word),
            };
            let rest = descending(word, among & !self.core.word(word));
            rest.filter(|&state| {
                (state as usize) < own
                    && self.edges.lead_into(state, &self.core)
                    && self.core.insert(state)
            })
            .count()
        };
        sweep(own.div_ceil(64), Direction::Descending, || false, visit) as u64
    }

    /// Notifies the workers that have states of the core as ghosts. Returns whether this worker
    /// received a notification.
    fn tell_back(&mut self, net: &mut Net<'_>) -> bool {
        let mut outbox = net.outbox();
        for (own, copies) in self.part.all_copies() {
            if self.core.contains(own) && self.told_back.insert(own as usize) {
                for &[worker, ghost] in copies {
                    outbox.push(net, worker as usize, ghost);
                }
            }
        }
        let mut was_told = false;
        for (_, ghost) in net.exchange::<u32>(outbox) {
            was_told |= self.core.insert(self.part.num_own() as u32 + ghost);
        }
        was_told
    }

    /// Removes the states of the core that are not reached. All edges of reached states lead to
    /// reached states, so the remaining ones reach the pivot by paths within the core.
    fn keep_reached(&mut self, net: &mut Net<'_>) {
        let core = SharedBits::new(self.core.bound());
        for word in 0..core.num_words() {
            core.insert_word(word, self.core.word(word) & self.reached.word(word));
        }
        self.core = core;
        self.among_reached = true;
        self.has_news = true;
        self.num_core = net.sum(self.count(&self.core));
    }

    /// Returns the number of own states in a set.
    fn count(&self, set: &SharedBits) -> u64 {
        let own = self.part.num_own();
        let whole: u64 = (0..own / 64)
            .map(|word| u64::from(set.word(word).count_ones()))
            .sum();
        let rest = match own % 64 {
            0 => 0,
            bits => (set.word(own / 64) & ((1 << bits) - 1)).count_ones(),
        };
        whole + u64::from(rest)
    }

    /// Returns the core, and its smallest state.
    fn into_core(self, net: &mut Net<'_>) -> (SharedBits, u64) {
        let own = self.part.num_own() as u32;
        let first = (0..own.div_ceil(64) as usize)
            .find_map(|word| ascending(word, self.core.word(word)).next())
            .filter(|&state| state < own);
        let first = first.map_or(u64::MAX, |state| self.part.global(state));
        let smallest = net.gather(first).into_iter().min().unwrap_or(first);
        (self.core, smallest)
    }
}
