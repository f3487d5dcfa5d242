//! Solves the equations of a Markov chain by eliminating one state after the other.
//!
//! A state is *eliminated* by replacing each branch that leads to it by the branches that leave it:
//!
//! ```text
//! leaving[k] := the sum of p(k, j) over the other states j that are left, and the exits of k
//! p(i, j) := p(i, j) + p(i, k) p(k, j) / leaving[k]    for all i and j that are left, i != j
//! ```
//!
//! This is the scheme of W. Grassmann, M. Taksar and D. Heyman (*Regenerative analysis and steady
//! state distributions for Markov chains*, 1985). It never subtracts, so the relative errors of all
//! numbers stay small. A state that leads to no other state any more is a *root*. It is not
//! eliminated: each closed class of the chain has one root in the end.
//!
//! The next state is one for which the number of branches to it times the number of branches from
//! it is least (H. Markowitz, *The elimination form of the inverse*, 1957). So cycles, trees, walks
//! and grids keep few branches. Elimination needs `room`, a number of branches that it may look at.
//! It is given up if it needs more, and before that if the branches of the states that are left
//! show that it will.

use crate::context::Context;
use crate::sum::sum;
use mdp_graph::check_room;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The maximum number of branches that are kept, and the maximum as a multiple of the states and
/// branches at the beginning.
const MAX_BRANCHES: usize = 1 << 25;
const MAX_GROWTH: usize = 64;

/// What the memory is for.
const WHAT: &str = "the states of a chain";
/// The number of branches that are looked at before the search asks again whether it is cancelled.
const PERIOD: usize = 1 << 22;
/// The memory for a state and for a branch at the beginning, in bytes.
const PER_STATE: usize = 160;
const PER_BRANCH: usize = 64;
/// In components with more states than this, several threads iterate, but one eliminates. So
/// elimination has less room for each iteration. The number of threads must not change an answer;
/// a number that grows with the states, up to `MAX_THREADS`, is assumed.
const MANY: usize = 1 << 16;
const MAX_THREADS: usize = 16;
/// Elimination that had too little room is tried again after so many times as many iterations.
const LATER: u64 = 4;

/// The number of branches that elimination may still look at.
pub(crate) struct Room<'a> {
    left: usize,
    until_check: usize,
    context: &'a Context<'a>,
    /// Whether more room would not help.
    is_hopeless: bool,
}

impl<'a> Room<'a> {
    /// Makes as much room as this many iterations over states and branches need.
    pub(crate) fn new(
        iterations: u64,
        states: usize,
        branches: usize,
        context: &'a Context<'a>,
    ) -> Self {
        let iterations = usize::try_from(iterations).unwrap_or(usize::MAX);
        let all = (states + branches).saturating_mul(iterations);
        Self {
            left: all / (states / MANY).clamp(1, MAX_THREADS),
            until_check: PERIOD,
            context,
            is_hopeless: false,
        }
    }

    /// Takes room for this many branches. Returns `None` if there is too little, or if the search
    /// is cancelled.
    pub(crate) fn take(&mut self, branches: usize) -> Option<()> {
        self.left = self.left.checked_sub(branches)?;
        self.until_check = self.until_check.saturating_sub(branches);
        if self.until_check == 0 {
            self.until_check = PERIOD;
            self.context.check().ok()?;
        }
        Some(())
    }

    /// Returns the number of iterations after which elimination may be tried again.
    pub(crate) fn retry_after(&self, iterations: u64) -> u64 {
        match self.is_hopeless {
            true => u64::MAX,
            false => iterations.saturating_mul(LATER),
        }
    }

    /// Notes that more room would not help.
    fn give_up<T>(&mut self) -> Option<T> {
        self.is_hopeless = true;
        None
    }
}

/// A Markov chain from which states are eliminated.
pub(crate) struct Chain {
    /// The branches of each state to other states that are left. Those of an eliminated state stay
    /// as they were at last, divided by their sum and the exits.
    rows: Vec<Vec<(u32, f64)>>,
    /// The probability with which each state leaves the chain.
    exits: Vec<f64>,
    /// The states with a branch to each state, perhaps with others that are eliminated.
    sources: Vec<Vec<u32>>,
    /// The number of states that are left and have a branch to each state.
    num_sources: Vec<u32>,
    is_eliminated: Vec<bool>,
    /// For each eliminated state, the branches that led to it: their sources and probabilities.
    columns: Vec<Vec<(u32, f64)>>,
    /// The sum of probabilities with which each eliminated state was left.
    leaving: Vec<f64>,
    /// The number of branches in `rows` and `columns`.
    kept: usize,
    /// Whether all probabilities had all digits of a double.
    is_exact: bool,
    /// For each state, the last row that was looked up and the place of the state there.
    places: Vec<(u32, u32)>,
}

/// A chain of which all states but roots are eliminated.
pub(crate) struct Eliminated {
    chain: Chain,
    /// The eliminated states, in the order of elimination.
    order: Vec<u32>,
    /// One state of each closed class.
    pub(crate) roots: Vec<usize>,
}

impl Chain {
    /// Makes a chain for at most this many branches, and none so far. Returns `None` if there is
    /// too little room or memory.
    pub(crate) fn new(states: usize, branches: usize, room: &mut Room<'_>) -> Option<Self> {
        room.take(states + branches)?;
        if check_room(WHAT, &[PER_STATE * states, PER_BRANCH * branches]).is_err() {
            return room.give_up();
        }
        Some(Self {
            rows: vec![Vec::new(); states],
            exits: vec![0.0; states],
            sources: vec![Vec::new(); states],
            num_sources: vec![0; states],
            is_eliminated: vec![false; states],
            columns: vec![Vec::new(); states],
            leaving: vec![0.0; states],
            kept: 0,
            is_exact: true,
            places: vec![(u32::MAX, 0); states],
        })
    }

    /// Sets the branches of a state and the probability with which it leaves the chain. Targets may
    /// occur several times. Branches of a state to itself have no effect.
    pub(crate) fn set(
        &mut self,
        state: usize,
        branches: impl Iterator<Item = (usize, f64)>,
        exit: f64,
    ) {
        self.exits[state] = exit;
        for (target, p) in branches.filter(|&(target, p)| target != state && p > 0.0) {
            self.add(state, target as u32, p);
        }
    }

    /// Adds to the probability of a branch of the state whose row was looked up last.
    #[inline]
    fn add(&mut self, state: usize, target: u32, p: f64) {
        let (of, place) = self.places[target as usize];
        if of == state as u32 {
            self.rows[state][place as usize].1 += p;
            return;
        }
        self.places[target as usize] = (state as u32, self.rows[state].len() as u32);
        self.rows[state].push((target, p));
        self.sources[target as usize].push(state as u32);
        self.num_sources[target as usize] += 1;
        self.kept += 1;
    }

    /// Returns the number of branches to a state times the number of branches from it.
    fn cost(&self, state: usize) -> usize {
        self.num_sources[state] as usize * self.rows[state].len()
    }

    /// Eliminates all states but roots, and `root`, which must be in a closed class if it is given.
    /// Takes the branches that it looks at from `room`. Returns `None` if there is too little.
    pub(crate) fn eliminate(
        mut self,
        root: Option<usize>,
        room: &mut Room<'_>,
    ) -> Option<Eliminated> {
        let count = self.rows.len();
        let most = MAX_BRANCHES.min(MAX_GROWTH * (count + self.kept));
        let mut costs: Vec<usize> = (0..count).map(|state| self.cost(state)).collect();
        let entries = costs.iter().enumerate();
        let mut heap: BinaryHeap<_> = entries.map(|(s, &cost)| Reverse((cost, s))).collect();
        let mut order = Vec::with_capacity(count);
        let mut roots: Vec<usize> = root.into_iter().collect();
        while let Some(Reverse((cost, state))) = heap.pop() {
            if self.is_eliminated[state] || cost != costs[state] || root == Some(state) {
                continue;
            }
            let now = self.cost(state);
            if now > cost {
                costs[state] = now;
                heap.push(Reverse((now, state)));
                continue;
            }
            if self.rows[state].is_empty() && self.exits[state] == 0.0 {
                roots.push(state);
                costs[state] = usize::MAX;
                continue;
            }
            // No other state costs less, and few become cheaper before half of them are eliminated.
            let least = now.saturating_mul((count - order.len()) / 4);
            if self.kept > most {
                return room.give_up();
            }
            if least > room.left {
                return None;
            }
            order.push(state as u32);
            self.remove(state, room)?;
            let changed = self.columns[state].iter().chain(&self.rows[state]);
            for place in changed.map(|&(other, _)| other as usize) {
                let now = self.cost(place);
                if now < costs[place] && costs[place] < usize::MAX {
                    costs[place] = now;
                    heap.push(Reverse((now, place)));
                }
            }
        }
        Some(Eliminated {
            chain: self,
            order,
            roots,
        })
    }

    /// Eliminates a state.
    fn remove(&mut self, state: usize, room: &mut Room<'_>) -> Option<()> {
        self.is_eliminated[state] = true;
        let mut row = std::mem::take(&mut self.rows[state]);
        let leaving = sum(row.iter().map(|branch| branch.1).chain([self.exits[state]]));
        for (target, p) in &mut row {
            *p = self.probability(*p / leaving);
            self.num_sources[*target as usize] -= 1;
        }
        let exit = self.exits[state] / leaving;
        self.leaving[state] = leaving;
        for source in std::mem::take(&mut self.sources[state]) {
            if self.is_eliminated[source as usize] {
                continue;
            }
            let source = source as usize;
            room.take(self.rows[source].len() + row.len() + 1)?;
            let share = self.look_up(source, state);
            let share = self.probability(share);
            self.columns[state].push((source as u32, share));
            for &(target, p) in row.iter().filter(|branch| branch.0 as usize != source) {
                let p = self.probability(share * p);
                self.add(source, target, p);
            }
            if exit > 0.0 {
                self.exits[source] += self.probability(share * exit);
            }
        }
        self.rows[state] = row;
        Some(())
    }

    /// Returns a probability above 0, or the least double with all digits instead if it is smaller.
    /// So branches never vanish; but then errors are not bounded any more.
    #[inline]
    fn probability(&mut self, p: f64) -> f64 {
        self.is_exact &= is_normal(p);
        p.max(f64::MIN_POSITIVE)
    }

    /// Removes the branch of `source` to `state`, and notes the places of the others. Returns its
    /// probability.
    #[inline]
    fn look_up(&mut self, source: usize, state: usize) -> f64 {
        let row = &mut self.rows[source];
        let mut share = 0.0;
        if let Some(place) = row.iter().position(|branch| branch.0 as usize == state) {
            share = row.swap_remove(place).1;
        }
        for (place, &(target, _)) in (0..).zip(row.iter()) {
            self.places[target as usize] = (source as u32, place);
        }
        share
    }
}

impl Eliminated {
    /// Returns whether the relative errors of all probabilities are those of the roundings, because
    /// none was too small for a double.
    pub(crate) fn is_exact(&self) -> bool {
        self.chain.is_exact
    }

    /// Solves v(s) = sum(s) + the sum of p(s, t) v(t), where p(s, s) is such that the probabilities
    /// of s, with its exit, add up to 1. The value of each root is given.
    pub(crate) fn values(&self, sums: Vec<f64>, of_root: f64) -> Vec<f64> {
        let mut values = self.forward(sums);
        for &root in &self.roots {
            values[root] = of_root;
        }
        for &state in self.order.iter().rev() {
            let row = self.chain.rows[state as usize].iter();
            let expected: f64 = row.map(|&(target, p)| p * values[target as usize]).sum();
            let own = &mut values[state as usize];
            *own = *own / self.chain.leaving[state as usize] + expected;
        }
        values
    }

    /// Returns the sums of terms: for each state, until a state that was eliminated later is
    /// visited.
    pub(crate) fn forward(&self, mut sums: Vec<f64>) -> Vec<f64> {
        for &state in &self.order {
            let own = sums[state as usize] / self.chain.leaving[state as usize];
            for &(source, p) in &self.chain.columns[state as usize] {
                sums[source as usize] += p * own;
            }
        }
        sums
    }

    /// Returns whether all products that `values` adds to sums which are not negative are 0 or have
    /// all digits of a double.
    pub(crate) fn has_normal_sums(&self, mut sums: Vec<f64>) -> bool {
        self.order.iter().all(|&state| {
            let own = sums[state as usize] / self.chain.leaving[state as usize];
            self.chain.columns[state as usize]
                .iter()
                .all(|&(source, p)| {
                    sums[source as usize] += p * own;
                    own == 0.0 || is_normal(p * own)
                })
        })
    }

    /// Returns the number of branches that lead to each eliminated state and from it at the time of
    /// its elimination.
    pub(crate) fn degrees(&self) -> impl Iterator<Item = (usize, usize)> {
        let Chain { columns, rows, .. } = &self.chain;
        let degrees = |&state: &u32| (columns[state as usize].len(), rows[state as usize].len());
        self.order.iter().map(degrees)
    }

    /// Returns the eliminated states in the opposite order, each with the sum of probabilities with
    /// which it was left and the branches that led to it.
    pub(crate) fn backward(&self) -> impl Iterator<Item = (usize, f64, &[(u32, f64)])> {
        let states = self.order.iter().rev().map(|&state| state as usize);
        states.map(|s| (s, self.chain.leaving[s], &self.chain.columns[s][..]))
    }
}

/// Returns whether a number above 0 has all digits of a double.
#[inline]
fn is_normal(number: f64) -> bool {
    number >= f64::MIN_POSITIVE
}

#[cfg(test)]
mod tests {
    use super::{Chain, Room};
    use crate::chain::weights;
    use crate::context::Context;
    use decompose::Silent;
    use mdp_graph::Objective;
    use num_bigint::BigInt;
    use num_rational::BigRational;
    use num_traits::{ToPrimitive as _, Zero as _};
    use proptest::prelude::*;

    /// The sixteenths with which each state leads to others and leaves, and what it adds to values.
    type Small = Vec<Row>;
    type Row = (Vec<(usize, u32)>, u32, u32);

    fn small() -> impl Strategy<Value = Small> {
        (1..9usize).prop_flat_map(|states| {
            let branch = (0..states, 1..16u32);
            let exit = prop_oneof![3 => Just(0), 1 => 1..16u32];
            let row = (prop::collection::vec(branch, 0..4), exit, 0..9u32);
            prop::collection::vec(row, states)
        })
    }

    const CONTROL: Context<'static> = Context {
        observer: &Silent,
        objective: Objective::Max,
        max_iterations: 0,
    };

    fn room(branches: usize) -> Room<'static> {
        Room::new(branches as u64, 1, 0, &CONTROL)
    }

    fn chain(small: &Small) -> Chain {
        let mut chain = Chain::new(small.len(), 0, &mut room(100)).expect("enough room");
        for (state, (row, exit, _)) in small.iter().enumerate() {
            let branches = row.iter().map(|&(to, p)| (to, f64::from(p) / 16.0));
            chain.set(state, branches, f64::from(*exit) / 16.0);
        }
        chain
    }

    fn ratio(number: u32) -> BigRational {
        BigRational::from_integer(BigInt::from(number))
    }

    /// Solves equations by Gauss' and Jordan's method, in fractions. Each row ends with its right
    /// side.
    fn solve(mut rows: Vec<Vec<BigRational>>) -> Vec<BigRational> {
        for at in 0..rows.len() {
            let pivot = (at..rows.len()).find(|&row| !rows[row][at].is_zero());
            rows.swap(at, pivot.expect("equations with one solution"));
            let scale = rows[at][at].clone();
            rows[at].iter_mut().for_each(|entry| *entry /= &scale);
            let pivot = rows[at].clone();
            for (_, row) in rows.iter_mut().enumerate().filter(|(row, _)| *row != at) {
                let factor = row[at].clone();
                row.iter_mut()
                    .zip(&pivot)
                    .for_each(|(entry, pivot)| *entry -= &factor * pivot);
            }
        }
        rows.into_iter().filter_map(|mut row| row.pop()).collect()
    }

    /// Returns the states that a state may come to.
    fn reached(small: &Small, from: usize) -> Vec<usize> {
        let mut all = vec![from];
        let mut next = 0;
        while let Some(&state) = all.get(next) {
            next += 1;
            for &(to, _) in &small[state].0 {
                if !all.contains(&to) {
                    all.push(to);
                }
            }
        }
        all
    }

    /// Returns the states of closed classes that are not left.
    fn closed(small: &Small) -> Vec<usize> {
        let is_closed = |&state: &usize| {
            let all = reached(small, state);
            let is_kept = all.iter().all(|&other| small[other].1 == 0);
            is_kept && all.iter().all(|&o| reached(small, o).contains(&state))
        };
        (0..small.len()).filter(is_closed).collect()
    }

    /// Returns the values, by equations in fractions. The states in `known` have the value 7.
    fn exact_values(small: &Small, known: &[usize]) -> Vec<BigRational> {
        let row = |(state, (branches, exit, sum)): (usize, &Row)| {
            let mut row = vec![ratio(0); small.len() + 1];
            if known.contains(&state) {
                (row[state], row[small.len()]) = (ratio(1), ratio(7));
                return row;
            }
            row[state] = ratio(*exit);
            row[small.len()] = ratio(16 * sum);
            for &(to, p) in branches.iter().filter(|branch| branch.0 != state) {
                row[state] += ratio(p);
                row[to] -= ratio(p);
            }
            row
        };
        solve(small.iter().enumerate().map(row).collect())
    }

    /// Returns the stationary weights of a closed class, compared with that of `root`.
    fn exact_weights(small: &Small, root: usize) -> Vec<BigRational> {
        let class = reached(small, root);
        let row = |state: usize| {
            let mut row = vec![ratio(0); small.len() + 1];
            row[state] = ratio(u32::from(!class.contains(&state)));
            if state == root {
                (row[state], row[small.len()]) = (ratio(1), ratio(1));
                return row;
            }
            for &source in &class {
                for &(to, p) in small[source].0.iter().filter(|branch| branch.0 != source) {
                    row[state] += if source == state { ratio(p) } else { ratio(0) };
                    row[source] -= if to == state { ratio(p) } else { ratio(0) };
                }
            }
            row
        };
        solve((0..small.len()).map(row).collect())
    }

    fn close(found: f64, exact: &BigRational) -> bool {
        let exact = exact.to_f64().expect("a double");
        (found - exact).abs() <= 1e-13 * exact
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn values_and_weights_are_those_of_equations_in_fractions(small in small(), last: bool) {
            let closed = closed(&small);
            let chosen = closed.last().copied().filter(|_| last);
            let eliminated = chain(&small).eliminate(chosen, &mut room(10_000)).expect("enough room");
            let classes = closed.iter().map(|&s| reached(&small, s).into_iter().min());
            let mut classes: Vec<_> = classes.collect();
            classes.sort_unstable();
            classes.dedup();
            prop_assert_eq!(eliminated.roots.len(), classes.len());
            prop_assert!(eliminated.roots.iter().all(|root| closed.contains(root)));
            prop_assert!(chosen.is_none_or(|chosen| eliminated.roots.contains(&chosen)));
            let sums: Vec<f64> = small.iter().map(|row| f64::from(row.2)).collect();
            let exact = exact_values(&small, &eliminated.roots);
            for (found, exact) in eliminated.values(sums, 7.0).iter().zip(&exact) {
                prop_assert!(close(*found, exact), "{found}: {exact}");
            }
            if let [root] = eliminated.roots[..] {
                let found = weights(&eliminated, root, small.len());
                let exact = exact_weights(&small, root);
                for (weight, exact) in found.iter().zip(&exact) {
                    prop_assert!(close(weight / found[root], exact), "{weight}: {exact}");
                }
            }
        }
    }

    /// Each state leads to all others, so the number of branches that are looked at is known.
    #[test]
    fn elimination_without_enough_room_is_given_up() {
        let states = 100;
        let dense = || {
            let mut chain = Chain::new(states, 0, &mut room(100)).expect("enough room");
            for state in 0..states {
                chain.set(state, (0..states).map(|to| (to, 0.01)), 0.0);
            }
            chain
        };
        let steps = (1..states).map(|left| left * 2 * left);
        let needed: usize = steps.map(|work| work + 1).sum();
        let mut enough = room(2 * needed);
        assert!(dense().eliminate(None, &mut enough).is_some());
        let used = 2 * needed - enough.left;
        assert!((needed..needed + states * states).contains(&used), "{used}");
        // What the first step costs tells that there is too little room.
        let mut too_little = room(needed / 8);
        assert!(dense().eliminate(None, &mut too_little).is_none());
        assert_eq!(too_little.left, needed / 8);
        assert!(dense().eliminate(None, &mut room(used - 1)).is_none());
    }

    /// The branches stay, but are no longer exact.
    #[test]
    fn numbers_that_are_too_small_are_noticed() {
        let is_exact = |p: f64| {
            let mut room = room(1000);
            let mut chain = Chain::new(4, 12, &mut room).expect("enough room");
            for state in 0..4 {
                // The states after the root are in a circle.
                let next = state % 3 + 1;
                chain.set(state, [(0, 1.0), (next, p)].into_iter(), 0.0);
            }
            let eliminated = chain.eliminate(Some(0), &mut room).expect("enough room");
            assert_eq!(eliminated.roots, [0]);
            let mut columns = eliminated.backward().flat_map(|(_, _, column)| column);
            assert!(columns.all(|&(_, p)| p > 0.0), "no branch vanishes");
            let values = eliminated.values(vec![1.0; 4], 0.0);
            assert_eq!(values[0], 0.0);
            assert!(values[1..].iter().all(|value| (value - 1.0).abs() < 1e-9));
            eliminated.is_exact()
        };
        assert!(is_exact(1e-100));
        assert!(!is_exact(1e-200));
    }
}
