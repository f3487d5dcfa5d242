//! Tests that searches by ranges find what one search finds, in the masked case and in the unmasked
//! one.

use super::crossings::edges_out_of;
use super::*;
use crate::Silent;
use crate::cpu::strategy::Facts;
use crate::cpu::tests::{draws, rows_of};
use mdp_graph::Components;
use proptest::prelude::*;
use rayon::ThreadPoolBuilder;

/// The offsets and the targets of a graph.
type Rows = (Vec<u32>, Vec<u32>);

fn all((rows, targets): &Rows) -> AllEdges<'_> {
    AllEdges { rows, targets }
}

/// Returns what this many threads find, however the edges lead. Returns `None` if they give up,
/// because more than this share of the states would be nodes.
fn by_ranges(edges: AllEdges<'_>, threads: usize, nodes: f64) -> Option<Partition> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    let mut ticker = Ticker::new(&Silent, edges.num_states());
    let limits = RangeLimits {
        long: 1.0,
        heaviest: 1.0,
        nodes,
    };
    let facts = || Facts::of(edges);
    let find = || sccs(edges, facts().sample, facts().threads, limits, &mut ticker);
    pool.expect("threads start")
        .install(find)
        .expect("nobody cancels")
}

fn by_one(edges: AllEdges<'_>) -> Partition {
    let mut ticker = Ticker::new(&Silent, edges.num_states());
    pearce::sccs(edges, None, &mut ticker).expect("nobody cancels")
}

fn assert_right(edges: AllEdges<'_>, threads: usize) -> Result<(), TestCaseError> {
    let found = by_ranges(edges, threads, f64::INFINITY).expect("they do not give up");
    prop_assert_eq!(found.into_numbers(), by_one(edges).into_numbers());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// The graphs are bands of states. Most of their edges lead nearby, forward or backward.
    #[test]
    fn ranges_find_what_one_search_finds(
        n in 2..600_u32,
        (degree, width, back) in (1..4_u32, 1..20_u32, 0..100_u32),
        long in 0..20_u32,
        threads in 1..9_usize,
        seed: u64,
    ) {
        let mut draw = draws(seed);
        let states: Vec<Vec<u32>> = (0..n).map(|state| (0..degree).map(|_| {
            let distance = match draw() % 1000 < long {
                true => draw() % n,
                false => draw() % width,
            };
            match draw() % 100 < back {
                true => state.saturating_sub(distance),
                false => (state + distance).min(n - 1),
            }
        }).collect()).collect();
        assert_right(all(&rows_of(&states)), threads)?;
    }

    /// Paths of one or several lanes lead around through all ranges, so that components span
    /// ranges.
    #[test]
    fn components_that_span_ranges_are_found(
        (n, lanes) in (10..400_u32, 1..8_u32),
        missing in 0..30_u32,
        threads in 1..9_usize,
        seed: u64,
    ) {
        let mut draw = draws(seed);
        let states: Vec<Vec<u32>> = (0..n).map(|state| {
            let next = (state + lanes) % n;
            let beside = state / lanes * lanes + draw() % lanes;
            let edges = [next, beside.min(n - 1)].into_iter();
            edges.filter(|_| draw() % 1000 >= missing).collect()
        }).collect();
        assert_right(all(&rows_of(&states)), threads)?;
    }

    /// Components are numbered such that edges never lead to a component with a greater number.
    #[test]
    fn no_edge_leads_to_a_greater_number(
        edges in prop::collection::vec((0..30_u32, 0..30_u32), 0..60),
        turned: bool,
        is_acyclic: bool,
    ) {
        let mut states = vec![Vec::new(); 30];
        for (a, b) in edges {
            let (a, b) = if is_acyclic { (a.min(b), a.max(b)) } else { (a, b) };
            let (a, b) = if turned { (29 - a, 29 - b) } else { (a, b) };
            states[a as usize].push(b);
        }
        let rows = rows_of(&states);
        let edges = all(&rows);
        let found = pearce::sccs_in_order(edges, &mut Ticker::new(&Silent, 30));
        let (numbers, count) = found.expect("nobody cancels");
        for state in 0..30 {
            let own = numbers[state as usize];
            prop_assert!(own < count as u32 && own != Components::NONE);
            prop_assert!(edges.of(state).iter().all(|&to| numbers[to as usize] <= own));
        }
        prop_assert_eq!(Partition::from(numbers).into_numbers(), by_one(edges).into_numbers());
    }
}

/// The graph consists of cycles of two states. Both states of each cycle lead to both of the next
/// two cycles.
#[test]
fn edges_between_unmasked_components_are_found_once() {
    let n = 32;
    let next = |state: u32| (state / 2 * 2 + 2..state / 2 * 2 + 6).filter(|&to| to < n);
    let states: Vec<Vec<u32>> = (0..n)
        .map(|state| {
            next(state)
                .rev()
                .step_by(2)
                .chain(next(state))
                .chain([state ^ 1])
                .collect()
        })
        .collect();
    let (exits, entries): (Vec<_>, Vec<_>) = ((0..n).map(|s| (s, n)).collect(), (0..n).collect());
    let borders = crossings::Borders {
        exits: &exits,
        entries: &entries,
    };
    let (mut marks, mut ticker) = (vec![0; n as usize], Ticker::new(&Silent, n as usize));
    let found = Searched::search(
        all(&rows_of(&states)),
        0..n,
        borders,
        &mut marks,
        &mut ticker,
    );
    let mut edges = found.expect("nobody cancels").edges;
    edges.sort_unstable();
    // Each of the 16 cycles leads to the next two, but the last two cycles to fewer.
    assert_eq!(edges.len(), 14 * 2 + 1);
    assert!(edges.is_sorted_by(|a, b| a < b), "{edges:?}");
}

const N: u32 = 4000;

fn leads_on(state: u32) -> impl Iterator<Item = u32> {
    (1..40).map(move |step| (state + step) % N)
}

/// Returns the targets of a state in a graph in which each state leads to several later ones, and
/// the last ones lead to the first.
fn in_a_ring(state: u32) -> Vec<u32> {
    leads_on(state).collect()
}

/// Returns the targets of a state in a graph in which each state leads to several later ones, and
/// some lead back by more than a range.
fn back(state: u32) -> Vec<u32> {
    let back = state.is_multiple_of(7).then(|| state.saturating_sub(900));
    let on = leads_on(state).filter(|&target| target > state);
    on.chain(back).collect()
}

/// Returns the targets of a state in a graph of 20 lanes, of which every other one leads back. At
/// its end, each lane leads into the lane beside it and into another one.
fn lanes(state: u32) -> Vec<u32> {
    let target = match state % 2 {
        0 => state + 20,
        _ => state.wrapping_sub(20),
    };
    match target < N {
        true => vec![target],
        false => vec![state ^ 1, state / 20 * 20 + (state + 3) % 20],
    }
}

/// No component lies within a range, but nearly all states are in one component.
#[test]
fn threads_give_up_where_one_of_them_would_search_most_states() {
    for way in [in_a_ring, back, lanes] {
        let rows = rows_of(&(0..N).map(way).collect::<Vec<_>>());
        assert!(by_ranges(all(&rows), 4, 0.5).is_none());
        let found = by_ranges(all(&rows), 4, 2.0).expect("they do not give up");
        assert_eq!(found.into_numbers(), by_one(all(&rows)).into_numbers());
    }
}

#[test]
fn edges_at_one_border_tell_that_few_cycles_are_within_a_range() {
    let has_few = |way: &dyn Fn(u32) -> Vec<u32>| {
        let rows = rows_of(&(0..N).map(way).collect::<Vec<_>>());
        let turned = |state: u32| N - 1 - state;
        let targets = |state| way(turned(state)).into_iter().map(turned).collect();
        let turned = rows_of(&(0..N).map(targets).collect::<Vec<_>>());
        let cut = Cut::new(N as usize, 8);
        [rows, turned].map(|rows| has_few_inner_cycles(all(&rows), all(&rows).sample(), cut))
    };
    assert_eq!(has_few(&in_a_ring), [true; 2]);
    assert_eq!(has_few(&back), [true; 2]);
    let in_the_middle = |state: u32| match state {
        1500..2500 => back(state),
        _ => leads_on(state).filter(|&target| target > state).collect(),
    };
    assert_eq!(has_few(&in_the_middle), [true; 2]);
    // As many edges lead backward as forward, so it is not known whether there are cycles within a
    // range.
    assert_eq!(has_few(&lanes), [false; 2]);
    // At most one edge leads back.
    let on = |state| leads_on(state).filter(|&target| target > state).collect();
    assert_eq!(has_few(&on), [false; 2]);
    assert_eq!(has_few(&|state| vec![(state + 1) % N]), [false; 2]);
}

/// A long path has few nodes, so the threads do not give up.
#[test]
fn thin_graphs_have_few_nodes() {
    let n = 4000;
    let cycle: Vec<Vec<u32>> = (0..n).map(|state| vec![(state + 1) % n]).collect();
    let found = by_ranges(all(&rows_of(&cycle)), 4, 0.0).expect("they do not give up");
    assert_eq!(found.into_numbers().0, 1);
}

/// The range consists of the states 0 to 3. Edges lead from 0 to 1, and from 2 to 3. Edges of state
/// 4, outside the range, lead to the entries, and 3 may lead there. In the masked case, open
/// components with entries or exits are nodes; in the unmasked case, all open ones are.
#[test]
fn only_open_components_are_nodes() {
    let nodes = |entries: &[u32], exits: &[(u32, u32)]| {
        let out = exits.iter().map(|&(_, target)| target).collect();
        let rows = rows_of(&[vec![1], vec![], vec![3], out, entries.to_vec()]);
        let mut marks = [0; 4];
        let mut ticker = Ticker::new(&Silent, 4);
        let borders = crossings::Borders { exits, entries };
        let found = Searched::search(all(&rows), 0..4, borders, &mut marks, &mut ticker);
        found.expect("nobody cancels").num_nodes
    };
    let exit = (3, 4);
    assert_eq!(nodes(&[0], &[exit]), 0);
    assert_eq!(nodes(&[0, 2], &[exit]), 2);
    assert_eq!(nodes(&[3], &[exit]), 1);
    assert_eq!(nodes(&[0, 1, 2, 3], &[exit]), 2);
    assert_eq!(nodes(&[0, 1, 2, 3], &[]), 0);
}

#[test]
fn states_are_in_the_range_with_their_number() {
    for (n, ranges) in [
        (1, 1),
        (10, 3),
        (10, 64),
        (1000, 7),
        (1000, 500),
        (200_000, 28),
    ] {
        let cut = Cut::new(n, ranges);
        for state in 0..n as u32 {
            assert!(cut.range(cut.of(state)).contains(&state));
        }
        assert!(n.div_ceil(cut.len()) <= ranges);
        assert_eq!(cut.len().is_multiple_of(64), n == 200_000, "whole blocks");
    }
}

/// Most edges stay in their range, some rows are empty, and some are long.
#[test]
fn edges_out_of_a_range_are_found_with_their_sources() {
    let mut draw = draws(7);
    let rows: Vec<Vec<u32>> = (0..2000)
        .map(|state| {
            let len = [0, 1, 2, 5, 90][draw() as usize % 5];
            let mut target = || match draw() % 50 {
                0 => draw() % 2000,
                near => (state / 500 * 500) + (state + near) % 500,
            };
            (0..len).map(|_| target()).collect()
        })
        .collect();
    let rows = rows_of(&rows);
    let edges = all(&rows);
    for within in [0..2000, 0..500, 500..1000, 1500..2000, 700..701, 9..9] {
        let expected: Vec<(u32, u32)> = within
            .clone()
            .flat_map(|state| edges.of(state).iter().map(move |&target| (state, target)))
            .filter(|(_, target)| !within.contains(target) && target % 3 > 0)
            .collect();
        let find = |most| edges_out_of(edges, within.clone(), most, |target| target % 3 > 0);
        assert_eq!(find(expected.len()).as_ref(), Some(&expected));
        if !expected.is_empty() {
            assert_eq!(find(expected.len() - 1), None);
        }
    }
}
