//! Solves a component in which each state has one choice, by eliminating its states.
//!
//! In such a Markov chain, the gain g and values v satisfy v(s) + g = r(s) + Σ p(s, t) v(t). A
//! state is *eliminated* by replacing each branch that leads to it by the branches that leave it;
//! its reward, and the time that is spent in it, are added to those of its predecessors. One state
//! remains: g is the reward between two visits of it, divided by the time. The values follow in
//! the opposite order. Nothing is subtracted before that, so rounding errors stay small
//! (W. Grassmann, M. Taksar, D. Heyman: *Regenerative analysis and steady state distributions for
//! Markov chains*, 1985).
//!
//! States with few neighbours come first. Cycles, trees and random walks keep few branches in this
//! way. If the branches become too many, the elimination is given up.

use crate::mec::Mec;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The maximum number of branches that are looked at, as a multiple of the states and branches of
/// the component.
const MAX_WORK: usize = 256;

/// A Markov chain from which states are eliminated, without self-loops.
struct Chain {
    /// The branches of each state. Those of an eliminated state stay as they were at last.
    rows: Vec<Vec<(u32, f64)>>,
    /// The states with a branch to each state, and perhaps others, in any order.
    sources: Vec<Vec<u32>>,
    /// The expected reward until each state is left.
    earned: Vec<f64>,
    /// The expected time until then.
    time: Vec<f64>,
    is_eliminated: Vec<bool>,
}

/// Returns values that solve the component up to rounding errors; `None` if some state has several
/// choices, or if the elimination is given up.
pub(crate) fn values(mec: &Mec<'_>) -> Option<Vec<f64>> {
    let mut chain = Chain::new(mec)?;
    let order = chain.eliminate()?;
    let mut values = vec![0.0; chain.rows.len()];
    let (&last, others) = order.split_last()?;
    let gain = chain.earned[last] / chain.time[last];
    for &state in others.iter().rev() {
        let row = chain.rows[state].iter();
        let expected: f64 = row.map(|&(target, p)| p * values[target as usize]).sum();
        values[state] = chain.earned[state] - gain * chain.time[state] + expected;
    }
    let is_finite = values.iter().all(|value| value.is_finite());
    is_finite.then_some(values)
}

impl Chain {
    fn new(mec: &Mec<'_>) -> Option<Self> {
        let count = mec.num_states();
        let mut chain = Self {
            rows: vec![Vec::new(); count],
            sources: vec![Vec::new(); count],
            earned: vec![0.0; count],
            time: vec![1.0; count],
            is_eliminated: vec![false; count],
        };
        for state in 0..count {
            let choice = mec.only_choice(state)?;
            chain.earned[state] = mec.earned(choice);
            for (target, p) in mec.branches(choice) {
                if target != state {
                    chain.add(state, target as u32, p);
                }
            }
            chain.normalise(state, mec.scale(choice));
        }
        Some(chain)
    }

    /// Adds to the probability of a branch.
    fn add(&mut self, state: usize, target: u32, p: f64) {
        match self.rows[state]
            .iter_mut()
            .find(|branch| branch.0 == target)
        {
            Some(branch) => branch.1 += p,
            None => {
                self.rows[state].push((target, p));
                self.sources[target as usize].push(state as u32);
            }
        }
    }

    /// Lets the state be left at once, in place of self-loops.
    fn normalise(&mut self, state: usize, scale: f64) {
        let leaving: f64 = self.rows[state].iter().map(|branch| branch.1).sum();
        if leaving > 0.0 {
            self.rows[state]
                .iter_mut()
                .for_each(|branch| branch.1 /= leaving);
            self.earned[state] /= leaving * scale;
            self.time[state] /= leaving * scale;
        }
    }

    /// Eliminates all states but one. Returns them in the order of elimination, followed by the
    /// remaining one.
    fn eliminate(&mut self) -> Option<Vec<usize>> {
        let count = self.rows.len();
        let branches: usize = self.rows.iter().map(Vec::len).sum();
        let mut room = MAX_WORK * (count + branches);
        let cost =
            |chain: &Self, state: usize| chain.sources[state].len() * chain.rows[state].len();
        let entries = (0..count).map(|state| Reverse((cost(self, state), state)));
        let mut heap: BinaryHeap<_> = entries.collect();
        let mut order = Vec::with_capacity(count);
        while let Some(Reverse((before, state))) = heap.pop() {
            let now = cost(self, state);
            if now > before {
                heap.push(Reverse((now, state)));
                continue;
            }
            order.push(state);
            if order.len() < count {
                self.remove(state, &mut room)?;
            }
        }
        Some(order)
    }

    /// Eliminates a state, and takes the branches that it looks at from `room`.
    fn remove(&mut self, state: usize, room: &mut usize) -> Option<()> {
        self.is_eliminated[state] = true;
        let row = std::mem::take(&mut self.rows[state]);
        for source in std::mem::take(&mut self.sources[state]) {
            let source = source as usize;
            let is_it = |branch: &(u32, f64)| branch.0 as usize == state;
            let place = self.rows[source].iter().position(is_it);
            let Some(place) = place.filter(|_| !self.is_eliminated[source]) else {
                continue;
            };
            *room = room.checked_sub(self.rows[source].len() * (1 + row.len()))?;
            let (_, p) = self.rows[source].swap_remove(place);
            self.earned[source] += p * self.earned[state];
            self.time[source] += p * self.time[state];
            for &(target, q) in &row {
                if target as usize != source {
                    self.add(source, target, p * q);
                }
            }
            self.normalise(source, 1.0);
        }
        self.rows[state] = row;
        Some(())
    }
}
