//! Forward search: finds the states that given states reach. While there are many new states, all
//! threads search by sweeps. While there are few, one thread follows their edges, or many threads
//! do ([`follow`](super::follow)).

use super::edges::Edges;
use super::follow::{FollowLimits, reach};
use super::steps;
use super::sweep::{Direction, sweep};
use super::threads::{self, MIN_THREADS};
use super::ticker::Ticker;
use crate::Error;
use mdp_graph::{SharedBits, ascending};
use std::time::Duration;

/// The number of states that are followed one after the other before the next sweep.
const FOLLOWED_PER_SWEEP: usize = 1 << 12;

/// One thread follows this many states in the time in which several threads start a sweep.
const FASTER_ALONE: usize = 1 << 11;

/// One in this many states may be followed one after the other. Beyond that, a depth-first search
/// is as fast.
const NARROW_DIVISOR: usize = 64;

/// Paths spread if at least this fraction of the edges leads to a new state.
const SPREAD: (usize, usize) = (5, 8);

/// If a sweep of few threads finds at most one state for each of so many words of states, these are
/// followed one after the other.
const FEW_DIVISOR: usize = 64;

/// The end of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// All reachable states were reached.
    All,
    /// As many states were reached as the caller asked for.
    Enough,
    /// The search was given up, because paths are too long and narrow.
    GivenUp,
}

/// A forward search.
pub(super) struct Forward<'a, E> {
    edges: &'a E,
    /// The states that were reached, and those that are left out of the search.
    pub(super) reached: SharedBits,
    /// The states whose edges were followed, and those that are left out of the search.
    expanded: SharedBits,
    /// The number of states whose edges were followed.
    pub(super) num_expanded: usize,
    /// The states that were reached and whose edges are still to be followed, between sweeps.
    stack: Vec<u32>,
    /// The number of states that may still be followed one after the other.
    may_follow: usize,
    /// The time that all threads together may take for each state that they follow, if there is a
    /// limit.
    pub(super) each: Option<Duration>,
    /// The number of edges that led to the first states.
    num_first_edges: usize,
}

impl<'a, E: Edges> Forward<'a, E> {
    /// Begins a search among the states that are not `outside`. All threads together may take the
    /// time `each` for a state.
    pub(super) fn new(edges: &'a E, outside: &SharedBits, each: Option<Duration>) -> Self {
        Self {
            edges,
            each,
            reached: outside.clone(),
            expanded: outside.clone(),
            num_expanded: 0,
            stack: Vec::new(),
            may_follow: FOLLOWED_PER_SWEEP + outside.bound() / NARROW_DIVISOR,
            num_first_edges: 0,
        }
    }

    /// Returns whether a pivot reaches more than `few` states. If not, these states are forgotten.
    pub(super) fn starts_well(&mut self, pivot: u32, few: usize) -> bool {
        let mut seen = vec![pivot];
        self.reached.insert(pivot);
        let mut next = 0;
        self.num_first_edges = 0;
        while next < seen.len() && seen.len() <= few {
            self.edges.each_target(seen[next], |target| {
                self.num_first_edges += 1;
                if self.reached.insert(target) {
                    seen.push(target);
                }
            });
            next += 1;
        }
        let well = seen.len() > few;
        if well {
            self.stack = seen;
        } else {
            seen.iter().for_each(|&state| self.reached.remove(state));
        }
        well
    }

    /// Returns the states that [`starts_well`](Self::starts_well) reached, before the search
    /// continues.
    pub(super) fn seen(&self) -> &[u32] {
        &self.stack
    }

    /// Returns whether most edges led to a new state, so that each step reaches several times as
    /// many states as the previous one. If paths from a state soon meet again, as in grids and in
    /// models of interleaved processes, there are many steps, and sweeps find little.
    pub(super) fn spreads(&self) -> bool {
        self.stack.len() * SPREAD.1 >= self.num_first_edges * SPREAD.0
    }

    /// Reaches all reachable states, or at least `enough` of them, unless paths are too long and
    /// narrow.
    pub(super) fn run(&mut self, enough: usize, ticker: &Ticker<'_>) -> Result<Reach, Error> {
        let words = self.reached.num_words();
        loop {
            ticker.check()?;
            if self.follow_some() {
                return Ok(Reach::All);
            }
            if self.num_expanded >= enough {
                return Ok(Reach::Enough);
            }
            if self.may_follow < FOLLOWED_PER_SWEEP {
                return Ok(Reach::GivenUp);
            }
            self.may_follow -= FOLLOWED_PER_SWEEP;
            self.stack.clear();
            let many_threads = threads::are_many();
            // Collecting states must not take longer than following them. Many threads follow more
            // of them in the time of a sweep.
            let few = match many_threads {
                true => words.max(FASTER_ALONE * MIN_THREADS),
                false => FASTER_ALONE.max(words / FEW_DIVISOR),
            };
            loop {
                let found = sweep(words, Direction::Ascending, ticker, |word| {
                    self.expand(word)
                })?;
                steps::count(1);
                self.num_expanded += found;
                if found <= few {
                    break;
                }
            }
            if many_threads {
                return self.follow_all(ticker);
            }
            for word in 0..words {
                self.stack.extend(ascending(word, self.new_in(word)));
            }
        }
    }

    /// Follows all states that are left, on all threads.
    fn follow_all(&mut self, ticker: &Ticker<'_>) -> Result<Reach, Error> {
        let new = |word| self.new_in(word);
        let num_new = |word: usize| new(word).count_ones() as usize;
        let num_new: usize = (0..self.reached.num_words()).map(num_new).sum();
        let limits = FollowLimits {
            narrow: self.may_follow,
            each: self.each,
        };
        let found = reach(self.edges, &self.reached, new, limits, ticker)?;
        self.num_expanded += num_new + found.unwrap_or(0);
        Ok(match found {
            Some(_) => Reach::All,
            None => Reach::GivenUp,
        })
    }

    fn new_in(&self, word: usize) -> u64 {
        self.reached.word(word) & !self.expanded.word(word)
    }

    /// Follows states one after the other. Returns whether none is left.
    fn follow_some(&mut self) -> bool {
        for _ in 0..FOLLOWED_PER_SWEEP {
            let Some(state) = self.stack.pop() else {
                return true;
            };
            self.expanded.insert(state);
            self.num_expanded += 1;
            self.edges.each_target(state, |target| {
                if self.reached.insert(target) {
                    self.stack.push(target);
                }
            });
        }
        self.stack.is_empty()
    }

    /// Follows the edges of the new states of a word, and repeats this while they lead to new
    /// states of the same word. Returns the number of states whose edges were followed.
    fn expand(&self, word: usize) -> usize {
        let mut count = 0;
        loop {
            let new = self.new_in(word);
            if new == 0 {
                return count;
            }
            self.expanded.insert_word(word, new);
            count += new.count_ones() as usize;
            for state in ascending(word, new) {
                self.edges.each_target(state, |target| {
                    self.reached.insert(target);
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::cpu::edges::AllEdges;
    use crate::cpu::tests::{draws, new_pools};

    /// The edges lead to states that are near in a band. The states are numbered at random, so that
    /// each sweep reaches a few more states.
    #[test]
    fn a_search_of_a_band_takes_few_sweeps() {
        const ENDS: [Reach; 4] = [Reach::GivenUp, Reach::GivenUp, Reach::GivenUp, Reach::All];
        let n = 1_u32 << 18;
        let mut draw = draws(3);
        let mut numbers: Vec<u32> = (0..n).collect();
        (1..n).for_each(|i| numbers.swap(i as usize, (draw() % (i + 1)) as usize));
        let mut rows = vec![Vec::new(); n as usize];
        for state in 0..n {
            let near = |draw: u32| (state + draw % 101).saturating_sub(50).min(n - 1);
            let targets = [draw(), draw(), draw(), draw()].map(near);
            rows[numbers[state as usize] as usize] = targets.map(|s| numbers[s as usize]).to_vec();
        }
        let offsets: Vec<u32> = (0..=n).map(|state| 4 * state).collect();
        let targets = rows.concat();
        let edges = AllEdges {
            rows: &offsets,
            targets: &targets,
        };
        // Few threads would follow most states one after the other. No other test uses these
        // threads: its steps would be counted as sweeps.
        for (pool, expected) in new_pools().iter().zip(ENDS) {
            pool.install(|| {
                let mut forward = Forward::new(&edges, &SharedBits::new(n as usize), None);
                assert!(forward.starts_well(numbers[n as usize / 2], FOLLOWED_PER_SWEEP));
                let sweeps = steps::of(|| {
                    let reach = forward.run(usize::MAX, &Ticker::new(&Silent, n as usize));
                    assert_eq!(reach, Ok(expected));
                });
                assert!(sweeps < 100, "{sweeps}");
            });
        }
    }
}
