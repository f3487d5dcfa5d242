//! Tests of [`GiantSearch::find`] on small graphs, with each of the ways that it may try first.

use super::*;
use crate::Silent;
use crate::cpu::backward::MIN_BACKWARD;
use crate::cpu::edges::AllEdges;
use crate::cpu::steps;
use crate::cpu::tests::{POOLS, draws, rows_of, shuffled};
use mdp_graph::BitSet;
use proptest::prelude::*;

/// Returns the states that a state reaches, including itself, by following edges one after another.
fn reach(rows: &[Vec<u32>], state: usize) -> Vec<bool> {
    let (mut seen, mut todo) = (BitSet::new(rows.len()), vec![state]);
    seen.insert(state);
    while let Some(from) = todo.pop() {
        let new = rows[from].iter().filter(|&&to| seen.insert(to as usize));
        todo.extend(new.map(|&to| to as usize));
    }
    (0..rows.len()).map(|state| seen.contains(state)).collect()
}

fn find_in(rows: &[Vec<u32>], first: FirstSearch) -> Option<Giant> {
    let (offsets, targets) = rows_of(rows);
    let edges = AllEdges {
        rows: &offsets,
        targets: &targets,
    };
    let n = rows.len();
    let ticker = Ticker::new(&Silent, n);
    let search = GiantSearch {
        edges: &edges,
        outside: &SharedBits::new(n),
        num_live: n,
        first,
        pivots: PivotChoice::Last,
        ticker: &ticker,
    };
    search.find().expect("nobody cancels")
}

/// Returns a graph in which each state has `degree` edges, to random states.
fn random(n: u32, degree: usize, seed: u64) -> Vec<Vec<u32>> {
    let mut draw = draws(seed);
    let row = |_| (0..degree).map(|_| draw() % n).collect();
    (0..n).map(row).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// Each state of the core reaches the same states as the giant, so that all of them are in one
    /// component.
    #[test]
    fn a_giant_is_what_its_core_reaches(n in 30..300u32, degree in 1..6usize, seed: u64) {
        let rows = random(n, degree, seed);
        let reaches: Vec<_> = (0..rows.len()).map(|state| reach(&rows, state)).collect();
        let firsts = [
            FirstSearch::Forward,
            FirstSearch::ForwardWithin(Duration::ZERO),
            FirstSearch::ForwardIfSpread,
            FirstSearch::BackwardIfSpread,
        ];
        for (pool, first) in POOLS.iter().flat_map(|pool| firsts.map(|first| (pool, first))) {
            let Some(giant) = pool.install(|| find_in(&rows, first)) else {
                continue;
            };
            let has = |set: &SharedBits| -> Vec<_> { (0..n).map(|s| set.contains(s)).collect() };
            let (reached, core) = (has(&giant.reached), has(&giant.core));
            let count = |set: &[bool]| set.iter().filter(|&&has| has).count();
            prop_assert_eq!(count(&reached), giant.num_reached);
            prop_assert_eq!(count(&core), giant.num_core);
            for state in (0..n as usize).filter(|&state| core[state]) {
                prop_assert_eq!(&reaches[state], &reached);
            }
            if giant.is_complete {
                let back = |state: usize| reached[state] && reaches[state] == reached;
                prop_assert_eq!((0..n as usize).map(back).collect::<Vec<_>>(), core);
            }
        }
    }
}

#[test]
fn giants_are_found_where_paths_spread() {
    let rows = random(5000, 5, 1);
    for first in [
        FirstSearch::Forward,
        FirstSearch::ForwardIfSpread,
        FirstSearch::BackwardIfSpread,
    ] {
        let giant = find_in(&rows, first).expect("most states are in one component");
        assert!(giant.num_core > 4500);
    }
    // In a grid, each path meets others after two steps.
    let near = |state: u32| {
        [1, 70, 4899, 4830]
            .map(|step| (state + step) % 4900)
            .to_vec()
    };
    let grid: Vec<_> = (0..4900).map(near).collect();
    assert!(find_in(&grid, FirstSearch::Forward).is_some());
    assert!(find_in(&grid, FirstSearch::ForwardIfSpread).is_none());
    assert!(find_in(&grid, FirstSearch::BackwardIfSpread).is_none());
}

/// Many threads find all states that lead to a pivot in fewer sweeps than they are allowed.
#[test]
fn sweeps_that_find_all_early_have_paid() {
    let alone = vec![Vec::new(); 100];
    let rows = random(4900, 5, 1).into_iter();
    let shifted = rows.map(|row| row.into_iter().map(|state| state + 100).collect());
    let rows: Vec<_> = alone.into_iter().chain(shifted).collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(16).build();
    let giant = pool
        .expect("threads start")
        .install(|| find_in(&rows, FirstSearch::Forward));
    assert!(giant.expect("most states are in one component").num_core > 4500);
}

/// Strands lie side by side, lead from one state back to it, and are numbered at random. Each sweep
/// finds as many states as the one before, so that a search would need many more sweeps. Many
/// threads follow edges instead.
#[test]
fn many_threads_find_giants_where_sweeps_do_not_pay() {
    let (width, len) = (200, 100);
    let n = width * len + 1;
    let numbers = shuffled(n, draws(3));
    let (hub, at) = (numbers[0], |strand, place| {
        numbers[(1 + place * width + strand % width) as usize]
    });
    let mut rows = vec![Vec::new(); n as usize];
    for strand in 0..width {
        rows[hub as usize].push(at(strand, 0));
        rows[at(strand, len - 1) as usize].push(hub);
        for place in 1..len {
            let next = [at(strand, place), at(strand + 1, place)];
            rows[at(strand, place - 1) as usize].extend(next);
        }
    }
    let giant = POOLS[3].install(|| find_in(&rows, FirstSearch::Forward));
    let giant = giant.expect("all states are in one component");
    assert!(giant.is_complete && giant.num_core == n as usize);
}

/// A chain leads to the pivot, and all states of the giant lead to the chain. The states of the
/// chain lie at both ends of the graph by turns, so that each sweep finds one or two of them. Many
/// threads follow edges back from the few that they have found, because the pivot reaches most
/// states.
#[test]
fn many_threads_find_giants_to_whose_pivots_few_states_are_known_to_lead() {
    let (n, len) = (40_000_u32, 60);
    let at = |place: u32| match place % 2 {
        0 => n - 1 - place / 2,
        _ => place / 2,
    };
    let rows = random(n - len, 5, 1).into_iter();
    let shifted = rows.map(|row| row.into_iter().map(|state| state + len / 2).collect());
    let ends = || (0..len / 2).map(|_| Vec::new());
    let mut rows: Vec<Vec<u32>> = ends().chain(shifted).chain(ends()).collect();
    for place in 1..len {
        rows[at(place) as usize].push(at(place - 1));
    }
    rows[at(0) as usize].push(n / 2);
    rows[n as usize / 2].push(at(len - 1));
    let giant = POOLS[3].install(|| find_in(&rows, FirstSearch::Forward));
    let giant = giant.expect("most states are in one component");
    assert!(giant.is_complete && giant.core.contains(at(len / 2)));
    assert!(giant.num_core > 39_000);
}

/// Each state leads to two of the layer before. So no state leads to the first pivot, which is the
/// last state, and hardly any to the second. A few threads find that out before they search forward
/// from the second.
#[test]
fn few_threads_search_forward_only_from_a_second_pivot_to_which_others_lead() {
    let (n, width) = (1_u32 << 16, 1 << 11);
    let mut draw = draws(5);
    let mut row = |state: u32| match (state / width).checked_sub(1) {
        Some(before) => (0..2).map(|_| before * width + draw() % width).collect(),
        None => Vec::new(),
    };
    let rows: Vec<Vec<u32>> = (0..n).map(&mut row).collect();
    let (offsets, targets) = rows_of(&rows);
    let edges = AllEdges {
        rows: &offsets,
        targets: &targets,
    };
    POOLS[0].install(|| {
        let from_first = steps::of(|| {
            let mut forward = Forward::new(&edges, &SharedBits::new(n as usize), None);
            assert!(forward.starts_well(n - 1, MIN_REACHED));
            let found = forward.run(
                n as usize / GIANT_DIVISOR,
                &Ticker::new(&Silent, n as usize),
            );
            assert!(found.is_ok());
        });
        let all = steps::of(|| assert!(find_in(&rows, FirstSearch::Forward).is_none()));
        assert_eq!(all, from_first);
        assert!(all > 0);
    });
}

/// The last state of each slice of the graph leads to the giant, but nothing leads to this state;
/// or it has no edge at all.
#[test]
fn giants_are_found_if_the_first_pivots_are_outside_them() {
    for row in [|state| vec![state - 1, 7], |_| Vec::new()] {
        let mut rows = random(8000, 5, 1);
        let slice = rows.len() / MAX_PIVOTS;
        let is_last = |state: u32| (state as usize + 1).is_multiple_of(slice);
        for state in 0..rows.len() as u32 {
            match is_last(state) {
                true => rows[state as usize] = row(state),
                false => rows[state as usize].retain(|&target| !is_last(target)),
            }
        }
        for first in [
            FirstSearch::Forward,
            FirstSearch::ForwardIfSpread,
            FirstSearch::BackwardIfSpread,
        ] {
            let giant = find_in(&rows, first).expect("most states are in one component");
            assert!(giant.num_core > 7000);
        }
    }
}

/// The last state is the first pivot. Only a chain of states leads to it, and all of them lead to
/// the giant.
#[test]
fn giants_are_found_if_the_first_pivot_is_at_the_end_of_a_chain() {
    for len in [MIN_BACKWARD as u32 / 2, 3 * MIN_BACKWARD as u32] {
        let mut rows = random(8000 - len, 5, 1);
        rows.extend((8001 - len..8000).map(|next| vec![next]));
        rows.push(vec![7]);
        for pool in POOLS.iter() {
            let giant = pool.install(|| find_in(&rows, FirstSearch::Forward));
            assert!(giant.expect("most states are in one component").num_core > 7000);
        }
    }
}

/// The giants are found whichever states are the first pivots.
#[test]
fn giants_of_random_graphs_are_found() {
    for seed in 1..40 {
        let rows = random(1 << 15, 3, seed);
        for (pool, first) in [
            (0, FirstSearch::Forward),
            (3, FirstSearch::Forward),
            (3, FirstSearch::BackwardIfSpread),
        ] {
            let giant = POOLS[pool].install(|| find_in(&rows, first));
            let core = giant.map_or(0, |giant| giant.num_core);
            assert!(core > rows.len() / 2, "seed {seed}: {core}");
        }
    }
}

/// In two of these graphs, two sweeps find few states that lead to the pivot, and the next one
/// finds many.
#[test]
fn giants_are_found_if_the_first_sweeps_find_few_states() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let pool = pool.expect("a thread starts");
    for seed in 80..90 {
        let rows = random(1 << 16, 2, seed);
        let giant = pool.install(|| find_in(&rows, FirstSearch::BackwardIfSpread));
        assert!(giant.is_some(), "seed {seed}");
    }
}

/// In a cube, most edges lead forward along an axis, and some lead backward. Each sweep finds few
/// states.
#[test]
fn many_threads_find_all_of_a_giant_in_a_mesh() {
    let (side, mut draw) = (24_u32, draws(5));
    let n = side.pow(3);
    let mut rows = vec![Vec::new(); n as usize];
    for state in 0..n {
        for stride in [1, side, side * side] {
            let next = state + stride;
            if state / stride % side + 1 == side {
                continue;
            }
            match draw().is_multiple_of(4) {
                true => rows[next as usize].push(state),
                false => rows[state as usize].push(next),
            }
        }
    }
    let mut back = vec![Vec::new(); n as usize];
    for (state, row) in (0..).zip(&rows) {
        row.iter().for_each(|&to| back[to as usize].push(state));
    }
    let giant = POOLS[3].install(|| find_in(&rows, FirstSearch::Forward));
    let giant = giant.expect("most states are in one component");
    assert!(giant.is_complete && giant.num_core > rows.len() / 2);
    let one = giant.core.descending().next().expect("a core has a state") as usize;
    let both = reach(&rows, one).into_iter().zip(reach(&back, one));
    let expected: Vec<bool> = both.map(|(on, back)| on && back).collect();
    let found: Vec<bool> = (0..n).map(|state| giant.core.contains(state)).collect();
    assert_eq!(found, expected);
}
