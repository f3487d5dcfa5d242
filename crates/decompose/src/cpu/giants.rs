//! Finds several giant components, one after another. The product of a model with an automaton, for
//! example, often has one for each state of the automaton.
//!
//! Each giant is left out of the search for the next one ([`super::giant`]), as are all states that
//! are components by themselves ([`decided::trim_sinks`]).

use super::decided::{self, Decided};
use super::edges::AllEdges;
use super::giant::{FirstSearch, Giant, GiantSearch};
use super::pivots::PivotChoice;
use super::strategy::Plan;
use super::ticker::Ticker;
use crate::Error;

/// No other giant is looked for if fewer than one in this many states is left, or if the last one
/// has fewer of the live states: one thread searches the rest as fast.
const REST_DIVISOR: usize = 16;

/// If a pivot reaches all but one in this many of the live states, and the giant has at most one in
/// so many of these, the next pivots are the ends of random walks: these probably reach fewer.
const REACHED_DIVISOR: usize = 8;
const CORE_DIVISOR: usize = 2;

/// The states that are followed without being in a giant may be as many as the graph has, and this
/// many times as many as the giants have.
const EXTRA_FACTOR: usize = 4;

/// The most giants. Each takes one bit for each state of the graph.
pub(super) const MOST: usize = 64;

/// Decides a giant that is a whole component, and others that are found after it, as long as that
/// is worthwhile, in addition to what is `decided` already.
pub(super) fn after(
    giant: Giant,
    decided: Option<&Decided>,
    edges: AllEdges<'_>,
    plan: &Plan,
    ticker: &Ticker<'_>,
) -> Result<Decided, Error> {
    let n = edges.num_states();
    let mut all = Decided::copy(decided, n);
    let mut pivots = NextPivots::new(giant.pivots, n);
    let mut next = Some(giant);
    while let Some(giant) = next.take() {
        let num_live = n - all.num_states;
        let is_large = giant.num_core >= num_live / REST_DIVISOR;
        pivots.note(&giant, num_live);
        all.add(giant);
        if plan.rounds.is_some() {
            all = decided::trim_sinks(&edges, all, ticker)?;
        }
        let num_live = n - all.num_states;
        let is_rest_large = num_live >= n / REST_DIVISOR;
        let goes_on =
            is_large && is_rest_large && pivots.are_worthwhile() && all.giants.len() < MOST;
        let Some(first) = plan.first_search().filter(|_| goes_on) else {
            break;
        };
        let search = GiantSearch {
            edges: &edges,
            outside: &all.states,
            num_live,
            first: pivots.first_search(first),
            pivots: pivots.choice,
            ticker,
        };
        next = search.find()?.filter(|giant| giant.is_complete);
    }
    Ok(all)
}

/// The choice of the next pivots, by what the pivots of the giants so far have reached.
struct NextPivots {
    choice: PivotChoice,
    /// The number of states that may still be followed.
    extra: usize,
}

impl NextPivots {
    fn new(choice: PivotChoice, num_states: usize) -> Self {
        Self {
            choice,
            extra: num_states,
        }
    }

    /// Considers a giant that was found among so many live states.
    fn note(&mut self, giant: &Giant, num_live: usize) {
        let (reached, core) = (giant.num_reached, giant.num_core);
        self.extra = (self.extra + EXTRA_FACTOR * core).saturating_sub(reached);
        let reaches_most = reached > num_live - num_live / REACHED_DIVISOR;
        if reaches_most && core <= reached / CORE_DIVISOR {
            self.choice = PivotChoice::EndsOfWalks;
        }
    }

    /// Returns the search with which looking for the next giant begins, after `first` for the first
    /// one.
    fn first_search(&self, first: FirstSearch) -> FirstSearch {
        match self.choice {
            PivotChoice::Last => first,
            PivotChoice::EndsOfWalks => FirstSearch::Forward,
        }
    }

    fn are_worthwhile(&self) -> bool {
        self.extra > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::cpu::strategy::{Facts, Sweeps};
    use crate::cpu::tests::{POOLS, draws, limits, rows_of};
    use mdp_graph::ComponentKind;

    const COPIES: u32 = 12;
    /// The number of states of each copy.
    const SIZE: u32 = 5000;
    /// The number of chains at the end of each copy, and of states in all of them.
    const CHAINS: u32 = 8;
    const IN_CHAINS: u32 = 12 * CHAINS;

    /// Returns a graph of copies of a random graph. Chains lead to it, and each sweep finds one
    /// more state of each chain. Some states of each copy lead to the copy that follows, or to the
    /// one before.
    fn row(ascends: bool) -> Vec<Vec<u32>> {
        let mut draw = draws(7);
        let mut copy: Vec<Vec<u32>> = (0..SIZE)
            .map(|_| (0..5).map(|_| draw() % (SIZE - IN_CHAINS)).collect())
            .collect();
        for state in SIZE - IN_CHAINS..SIZE {
            copy[state as usize] = vec![state - CHAINS];
        }
        copy[0].extend(SIZE - CHAINS..SIZE);
        let mut rows: Vec<Vec<u32>> = (0..COPIES)
            .flat_map(|place| {
                let shifted = |row: &Vec<u32>| row.iter().map(|to| place * SIZE + to).collect();
                copy.iter().map(shifted).collect::<Vec<_>>()
            })
            .collect();
        for state in (0..(COPIES - 1) * SIZE).step_by(100) {
            match ascends {
                true => rows[state as usize].push(state + SIZE),
                false => rows[(state + SIZE) as usize].push(state),
            }
        }
        rows
    }

    /// A giant is found in each copy, whether the first pivot reaches one of them or all, with few
    /// threads and with many.
    #[test]
    fn one_giant_is_found_after_another() {
        let each = |pool| [true, false].map(|ascends| (pool, ascends));
        for (pool, ascends) in [&POOLS[0], &POOLS[3]].into_iter().flat_map(each) {
            let (offsets, targets) = rows_of(&row(ascends));
            let edges = AllEdges {
                rows: &offsets,
                targets: &targets,
            };
            let ticker = Ticker::new(&Silent, edges.num_states());
            let found = pool.install(|| {
                // In so small a graph, no giant is looked for if SCCs are wanted.
                let (facts, limits) = (Facts::of(edges), limits(true, true, None));
                let plan = Plan::new(facts, ComponentKind::Mec, Sweeps::Try, limits);
                let giant = crate::cpu::find_giant(edges, &plan, &ticker)?;
                let giant = giant.filter(|giant| giant.is_complete);
                let giant = giant.expect("there is a giant");
                after(giant, None, edges, &plan, &ticker)
            });
            let found = found.expect("nobody cancels");
            assert_eq!(found.giants.len(), COPIES as usize, "ascends: {ascends}");
            for core in found.giants {
                let copies: Vec<u32> = core.descending().map(|state| state / SIZE).collect();
                assert!(copies.len() > SIZE as usize * 9 / 10);
                assert!(copies.iter().all(|&copy| copy == copies[0]));
            }
        }
    }
}
