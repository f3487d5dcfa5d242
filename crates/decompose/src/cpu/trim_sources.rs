//! Trims sources: decides states without predecessors. They are components by themselves. Once they
//! are decided, the states to which only these lead are components by themselves, too, and so on.
//! All threads decide such states ([`super::follow`]).
//!
//! Sweeps trim sinks, states without successors ([`super::decided`]), but only as far as edges
//! follow the numbers of states. If paths run against the numbers, each sweep decides few states,
//! and threads that search depth-first keep meeting one another's open states.

use super::edges::AllEdges;
use super::follow::{FollowLimits, How, Order, follow};
use super::sweep::{Direction, sweep};
use super::ticker::Ticker;
use crate::Error;
use mdp_graph::{SharedBits, Table, ascending};
use std::sync::atomic::Ordering::Relaxed;

/// This many states, and one in `NARROW_DIVISOR` of all states, may be decided while few threads
/// are busy. Beyond that, a depth-first search is as fast.
const MIN_NARROW: usize = 1 << 10;
const NARROW_DIVISOR: usize = 64;

/// A state with this many predecessors or more is not decided: threads would wait for one another
/// to count its edges.
const TOO_MANY_PREDECESSORS: u32 = 1 << 12;

/// Adds the states that can be decided to `decided`. The edges of states that are decided already
/// do not count. Returns the number of states added.
pub(super) fn trim(
    edges: AllEdges<'_>,
    decided: &SharedBits,
    ticker: &Ticker<'_>,
) -> Result<usize, Error> {
    let sources = sources(edges, decided, ticker)?;
    let num_sources: usize = sources.iter().map(|word| word.count_ones() as usize).sum();
    if num_sources == 0 {
        return Ok(0);
    }
    let n = edges.num_states();
    let mut table: Table<u32> = Table::new(n);
    let counts = table.as_atomics();
    let has_few = |target: u32| counts[target as usize].load(Relaxed) < TOO_MANY_PREDECESSORS;
    each_edge(edges, decided, ticker, |target| {
        if has_few(target) {
            counts[target as usize].fetch_add(1, Relaxed);
        }
    })?;
    for (word, &states) in sources.iter().enumerate() {
        decided.insert_word(word, states);
    }
    // The thread that takes the last edge into a state decides it.
    let is_new = |target: u32| {
        let is_last = !decided.contains(target)
            && has_few(target)
            && counts[target as usize].fetch_sub(1, Relaxed) == 1;
        is_last && decided.insert(target)
    };
    let limits = FollowLimits::of_narrow(MIN_NARROW + n / NARROW_DIVISOR);
    // All predecessors of a state are decided before it. In a grid, a thread that decides the last
    // one found first goes along a row, and is alone.
    let how = How {
        order: Order::FirstFound,
        limits,
    };
    let followed = follow(&edges, &sources, is_new, how, ticker)?;
    Ok(num_sources + followed.num_new)
}

/// Returns the states that are not decided, and to which no other state leads that is not decided.
fn sources(
    edges: AllEdges<'_>,
    decided: &SharedBits,
    ticker: &Ticker<'_>,
) -> Result<Vec<u64>, Error> {
    let led_to = SharedBits::new(edges.num_states());
    each_edge(edges, decided, ticker, |target| {
        if !led_to.contains(target) {
            led_to.insert(target);
        }
    })?;
    let words = 0..decided.num_words();
    Ok(words
        .map(|word| decided.absent(word) & led_to.absent(word))
        .collect())
}

/// Calls `visit` with the target of each edge from a state that is not decided, except for
/// self-loops.
fn each_edge(
    edges: AllEdges<'_>,
    decided: &SharedBits,
    ticker: &Ticker<'_>,
    visit: impl Fn(u32) + Sync,
) -> Result<(), Error> {
    sweep(decided.num_words(), Direction::Ascending, ticker, |word| {
        for state in ascending(word, decided.absent(word)) {
            let others = edges.of(state).iter().filter(|&&target| target != state);
            others.for_each(|&target| visit(target));
        }
        0
    })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::cpu::tests::{POOLS, draws, rows_of};

    /// Removes states to which no other remaining state leads, until there are none.
    fn by_rounds(rows: &[Vec<u32>], mut decided: Vec<bool>) -> Vec<bool> {
        loop {
            let is_led_to = |state: usize| {
                let mut sources = (0..rows.len()).filter(|&s| s != state && !decided[s]);
                sources.any(|source| rows[source].contains(&(state as u32)))
            };
            let next: Vec<usize> = (0..rows.len())
                .filter(|&state| !decided[state] && !is_led_to(state))
                .collect();
            if next.is_empty() {
                return decided;
            }
            next.into_iter().for_each(|state| decided[state] = true);
        }
    }

    #[test]
    fn all_states_without_predecessors_are_decided() {
        let mut draw = draws(7);
        for _ in 0..500 {
            let n = 1 + draw() % 40;
            let degree = 1 + draw() % 3;
            // Most edges follow an order other than that of the numbers. Some lead against this
            // order.
            let name = |place: u32| (place * 17 + 3) % 41 % n;
            let mut rows = vec![Vec::new(); n as usize];
            for place in 0..n {
                for _ in 0..draw() % (degree + 1) {
                    let to = match draw().is_multiple_of(16) {
                        true => draw() % n,
                        false => (place + 1 + draw() % 5).min(n - 1),
                    };
                    rows[name(place) as usize].push(name(to));
                }
            }
            let given: Vec<bool> = rows.iter().map(|_| draw().is_multiple_of(8)).collect();
            let decided = SharedBits::new(rows.len());
            let members = (0..n).filter(|&state| given[state as usize]);
            members.for_each(|state| decided.insert_alone(state));
            let (offsets, targets) = rows_of(&rows);
            let edges = AllEdges {
                rows: &offsets,
                targets: &targets,
            };
            let found = trim(edges, &decided, &Ticker::new(&Silent, rows.len()));
            let expected = by_rounds(&rows, given.clone());
            let all: Vec<bool> = (0..n).map(|state| decided.contains(state)).collect();
            assert_eq!(all, expected, "{rows:?}, decided before: {given:?}");
            let count = |set: &[bool]| set.iter().filter(|&&is_in| is_in).count();
            assert_eq!(found, Ok(count(&expected) - count(&given)));
        }
    }

    #[test]
    fn states_with_very_many_predecessors_are_left() {
        for (predecessors, is_trimmed) in [
            (TOO_MANY_PREDECESSORS - 1, true),
            (TOO_MANY_PREDECESSORS, false),
        ] {
            // All states but the last lead to it, and nothing leads to them.
            let offsets: Vec<u32> = (0..=predecessors).chain([predecessors]).collect();
            let targets = vec![predecessors; predecessors as usize];
            let edges = AllEdges {
                rows: &offsets,
                targets: &targets,
            };
            let n = predecessors as usize + 1;
            let decided = SharedBits::new(n);
            let found = trim(edges, &decided, &Ticker::new(&Silent, n));
            assert_eq!(found, Ok(predecessors as usize + usize::from(is_trimmed)));
            assert_eq!(decided.contains(predecessors), is_trimmed);
        }
    }

    #[test]
    fn grids_are_decided_from_one_corner() {
        // Each state leads to the next ones in three directions.
        let side = 40u32;
        let n = side.pow(3);
        let next = |state: u32| {
            let steps = [1, side, side * side].into_iter();
            let steps = steps.filter(move |step| (state / step) % side < side - 1);
            steps.map(move |step| state + step)
        };
        let rows: Vec<Vec<u32>> = (0..n).map(|state| next(state).collect()).collect();
        let (offsets, targets) = rows_of(&rows);
        let edges = AllEdges {
            rows: &offsets,
            targets: &targets,
        };
        let decided = SharedBits::new(n as usize);
        let search = || trim(edges, &decided, &Ticker::new(&Silent, n as usize));
        assert_eq!(POOLS[0].install(search), Ok(n as usize));
    }

    #[test]
    fn wide_levels_are_shared_out_and_long_chains_are_left() {
        // 64 levels of 2,048 states, each of which leads to two of the next level.
        let (width, n) = (2048, 64 * 2048);
        let two = |state: u32| [0, 1].map(|i| state - state % width + width + (state + i) % width);
        let targets: Vec<u32> = (0..n - width).flat_map(two).collect();
        let offsets: Vec<u32> = (0..=n).map(|state| 2 * state.min(n - width)).collect();
        let rows = |offsets, targets| AllEdges {
            rows: offsets,
            targets,
        };
        let (ticker, decided) = (Ticker::new(&Silent, 0), SharedBits::new(n as usize));
        // With more threads than cores, most threads may wait for a core, as if there were no work.
        let pool = &POOLS[1];
        let found = pool.install(|| trim(rows(&offsets, &targets), &decided, &ticker));
        assert_eq!(found, Ok(n as usize));
        // In a chain, each state is a level of its own.
        let offsets: Vec<u32> = (0..=n).map(|state| state.min(n - 1)).collect();
        let targets: Vec<u32> = (1..n).collect();
        let decided = SharedBits::new(n as usize);
        let found = pool.install(|| trim(rows(&offsets, &targets), &decided, &ticker));
        let found = found.expect("nobody cancels");
        assert!((1..n as usize / 16).contains(&found), "{found}");
    }
}
