//! The component that most of a graph is, if there is one: what a *pivot* reaches, and what of that reaches
//! the pivot.
//!
//! Both searches go by sweeps (see [`super::sweep`]). The backward one has no transpose: it asks each state
//! that is left whether it leads to one that is known to reach the pivot. It may be given up on the way: the
//! core that it has found by then is strongly connected, if not all of a component.

use super::edges::Edges;
use super::shared_bits::{SharedBits, ascending, descending};
use super::sweep::{Order, sweep};
use super::ticker::{PERIOD, Ticker};
use crate::Error;

/// The pivots that are tried.
const CANDIDATES: usize = 8;

/// A giant is at least this part of the states in question.
const SHARE: usize = 8;

/// A pivot that reaches no more states than these is passed over at once.
const FEW: usize = 1 << 12;

/// What a pivot reaches, the pivot included.
pub(super) struct Giant {
    /// Its edges lead nowhere else.
    pub(super) reached: SharedBits,
    pub(super) num_reached: usize,
    /// The states of `reached` that are known to reach the pivot.
    pub(super) core: SharedBits,
    pub(super) num_core: usize,
}

/// Looks for a giant among the `num_live` states that are not in `closed`; no edge leads there.
///
/// The last states are the first pivots: where states are numbered as they were found, they lie at the end of
/// most paths. They are reached from most states by few steps back, and search forward is the cheaper one.
pub(super) fn find<E: Edges>(
    edges: &E,
    closed: &SharedBits,
    num_live: usize,
    ticker: &Ticker<'_>,
) -> Result<Option<Giant>, Error> {
    let num_states = closed.bound();
    let mut forward = Forward {
        edges,
        reached: SharedBits::new(num_states),
        left: SharedBits::new(num_states),
        stack: Vec::new(),
    };
    for candidate in (1..=CANDIDATES).rev() {
        let last = (num_states * candidate / CANDIDATES) as u32;
        let Some(pivot) = (0..last).rev().find(|&state| !closed.contains(state)) else {
            break;
        };
        // One state alone may have no edge to itself.
        if !forward.starts_well(pivot, FEW.min(num_live / SHARE).max(1)) {
            continue;
        }
        let num_reached = forward.finish(ticker)?;
        if num_reached < num_live / SHARE {
            return Ok(None);
        }
        let reached = forward.reached;
        let (core, num_core) = backward(edges, &reached, num_reached, pivot, ticker)?;
        return Ok(Some(Giant {
            reached,
            num_reached,
            core,
            num_core,
        }));
    }
    Ok(None)
}

/// A search along the edges.
struct Forward<'a, E> {
    edges: &'a E,
    reached: SharedBits,
    /// The states of `reached` whose edges were followed.
    left: SharedBits,
    stack: Vec<u32>,
}

impl<E: Edges> Forward<'_, E> {
    /// Whether a pivot reaches more than a few states. If not, they are forgotten.
    fn starts_well(&mut self, pivot: u32, few: usize) -> bool {
        if self.reached.contains(pivot) {
            return false;
        }
        let mut seen = vec![pivot];
        self.reached.insert(pivot);
        let mut next = 0;
        while let Some(&state) = seen.get(next) {
            if seen.len() > few {
                return true;
            }
            next += 1;
            self.left.insert(state);
            self.edges.each_target(state, |target| {
                if self.reached.insert(target) {
                    seen.push(target);
                }
            });
        }
        let enough = seen.len() > few;
        if !enough {
            for state in seen {
                self.reached.remove(state);
                self.left.remove(state);
            }
        }
        enough
    }

    /// Reaches all that there is to reach. Returns its number.
    fn finish(&mut self, ticker: &Ticker<'_>) -> Result<usize, Error> {
        let words = self.reached.num_words();
        loop {
            let found = sweep(words, Order::Ascending, ticker, |word| self.leave(word))?;
            // Looking for states takes longer than following them.
            if found <= words / 64 {
                break;
            }
        }
        self.follow_rest(ticker)?;
        Ok(self.reached.len())
    }

    /// Follows the edges of a word's states, as long as they lead into the same word.
    fn leave(&self, word: usize) -> usize {
        let mut count = 0;
        loop {
            let new = self.reached.word(word) & !self.left.word(word);
            if new == 0 {
                return count;
            }
            self.left.insert_word(word, new);
            count += new.count_ones() as usize;
            for state in ascending(word, new) {
                self.edges.each_target(state, |target| {
                    self.reached.insert(target);
                });
            }
        }
    }

    /// The same one state after the other, for paths that lead against the order of the numbers.
    fn follow_rest(&mut self, ticker: &Ticker<'_>) -> Result<(), Error> {
        for word in 0..self.reached.num_words() {
            let new = self.reached.word(word) & !self.left.word(word);
            self.stack.extend(ascending(word, new));
        }
        while !self.stack.is_empty() {
            ticker.check()?;
            for _ in 0..PERIOD {
                let Some(state) = self.stack.pop() else { break };
                self.edges.each_target(state, |target| {
                    if self.reached.insert(target) {
                        self.stack.push(target);
                    }
                });
            }
        }
        Ok(())
    }
}

/// The states of `reached` that reach the pivot, or those of them that are found quickly, and their number.
fn backward<E: Edges>(
    edges: &E,
    reached: &SharedBits,
    num_reached: usize,
    pivot: u32,
    ticker: &Ticker<'_>,
) -> Result<(SharedBits, usize), Error> {
    let core = SharedBits::new(reached.bound());
    core.insert(pivot);
    let mut num_core = 1;
    for sweeps in 1.. {
        let found = sweep(reached.num_words(), Order::Descending, ticker, |word| {
            let rest = reached.word(word) & !core.word(word);
            let found = descending(word, rest)
                .filter(|&state| edges.lead_into(state, &core) && core.insert(state));
            found.count()
        })?;
        let rest = num_reached - num_core - found;
        num_core += found;
        let pays = match sweeps {
            // It is for the second sweep to find what leads to the first one's.
            1 => found > 0,
            2 => num_core > num_reached / 256,
            _ => found > rest / 16,
        };
        if rest == 0 || !pays {
            break;
        }
    }
    Ok((core, num_core))
}
