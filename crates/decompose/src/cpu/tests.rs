//! Tests of searches by sweeps on small graphs. No public function uses sweeps on such graphs,
//! because they do not pay there.

#[path = "../../tests/common/mod.rs"]
#[allow(dead_code)]
pub(super) mod common;
mod linear;
mod threads;

use super::decided::Decided;
use super::edges::{AllEdges, GraphRows};
use super::pearce;
use super::regions;
use super::steps;
use super::strategy::{Facts, Limits, Plan, RangeLimits, RoundLimits, SharedLimits, Sweeps};
use super::ticker::Ticker;
use super::whole;
use super::{auto_mecs, auto_sccs, kind_to_search};
use crate::{Options, Silent, mec, scc};
use common::model;
use mdp_graph::{
    BitSet, ComponentKind, Components, MdpGraph, SharedBits, StateId, StateRows, Table,
};
use proptest::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::LazyLock;

pub(super) use test_models::{draws, shuffled};

/// All tests share these pools. A thread that waits for others may do the work of another test.
pub(super) static POOLS: LazyLock<[ThreadPool; 4]> = LazyLock::new(new_pools);

/// Starts pools like [`POOLS`] for a single test.
pub(super) fn new_pools() -> [ThreadPool; 4] {
    [1, 2, 3, 8].map(|threads| {
        let pool = ThreadPoolBuilder::new().num_threads(threads);
        pool.build().expect("threads start")
    })
}

/// Returns the offsets and targets of rows.
pub(super) fn rows_of(rows: &[Vec<u32>]) -> (Vec<u32>, Vec<u32>) {
    let ends = rows.iter().scan(0, |end, row| {
        *end += row.len() as u32;
        Some(*end)
    });
    (std::iter::once(0).chain(ends).collect(), rows.concat())
}

/// Returns limits with which small graphs are searched like large ones. With `cells`, several
/// threads search at once, and check after each visit whether they hinder one another; with
/// `patient`, they never check that, and states to which nothing leads are closed first. Several
/// threads search a region for MECs at once only with `patient`; otherwise they search the parts
/// that one thread leaves in doubt. With `ranges`, threads search ranges of states, however the
/// edges lead, if at most this share of the states is left to one thread.
pub(super) fn limits(cells: bool, patient: bool, ranges: Option<f64>) -> Limits {
    let rounds = RoundLimits {
        threads: 1,
        dense: false,
        period: if patient { u32::MAX } else { 1 },
        scattered: if patient { 0.0 } else { 1.0 },
    };
    Limits {
        states: 2,
        size: usize::MAX,
        many_threads: if ranges.is_some() { 1 } else { usize::MAX },
        portfolio_threads: usize::MAX,
        rounds: cells.then_some(rounds),
        ranges: ranges.map(|nodes| RangeLimits {
            long: 1.0,
            heaviest: 1.0,
            nodes,
        }),
        shared: SharedLimits {
            states: 2,
            open: if patient { 1 } else { usize::MAX },
        },
    }
}

/// Returns the SCCs and the MECs that searches find with each number of threads, with or without
/// sweeps, with or without cells.
fn in_parallel(graph: &MdpGraph) -> impl Iterator<Item = [Components; 2]> {
    let ways = [
        (Sweeps::Try, false, false, None),
        (Sweeps::Try, true, true, None),
        (Sweeps::Skip, true, true, None),
        (Sweeps::Skip, true, false, None),
        (Sweeps::Skip, false, false, Some(2.0)),
        (Sweeps::Try, true, true, Some(2.0)),
        (Sweeps::Skip, false, false, Some(0.0)),
        (Sweeps::Try, true, true, Some(0.0)),
    ];
    let all = POOLS
        .iter()
        .flat_map(move |pool| ways.map(|way| (pool, way)));
    all.map(move |(pool, (sweeps, cells, patient, ranges))| {
        pool.install(|| {
            let ticker = || Ticker::new(&Silent, graph.num_states());
            let limits = limits(cells, patient, ranges);
            let facts = Facts::of_graph(graph);
            let plan = |kind| Plan::new(facts, kind, sweeps, limits);
            let rows = StateRows::new(graph);
            let sccs = |plan| {
                let found = auto_sccs(AllEdges::new(graph, &rows), &plan, &mut ticker());
                Components::from_scc_marks(graph, found.expect("nobody cancels"))
            };
            let mecs = auto_mecs(graph, &plan(kind_to_search(graph, &facts)), &mut ticker());
            [
                sccs(plan(ComponentKind::Scc)),
                Components::from_mec_marks(mecs.expect("nobody cancels")),
            ]
        })
    })
}

/// Returns the SCCs and the MECs, each found by one search.
fn by_one_search(graph: &MdpGraph) -> [Components; 2] {
    let options = Options::default();
    [scc, mec].map(|decompose| decompose(graph, &options).expect("nobody cancels"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_number_of_threads_finds_what_one_search_finds(model in model(120)) {
        let graph = common::graph(&model);
        let expected = by_one_search(&graph);
        for found in in_parallel(&graph) {
            prop_assert_eq!(&found, &expected);
        }
    }

    #[test]
    fn searches_of_a_portfolio_find_what_one_search_finds(model in model(120), patient: bool) {
        let graph = common::graph(&model);
        let [expected, _] = by_one_search(&graph);
        for pool in POOLS.iter() {
            let limits = Limits {
                portfolio_threads: 1,
                ..limits(true, patient, Some(2.0))
            };
            let found = pool.install(|| {
                let facts = Facts::of_graph(&graph);
                let plan = Plan::new(facts, ComponentKind::Scc, Sweeps::Try, limits);
                assert!(plan.portfolio.is_some() || graph.num_states() < 2);
                let rows = StateRows::new(&graph);
                let mut ticker = Ticker::new(&Silent, graph.num_states());
                auto_sccs(AllEdges::new(&graph, &rows), &plan, &mut ticker)
            });
            let found = found.expect("nobody cancels");
            prop_assert_eq!(&Components::from_scc_marks(&graph, found), &expected);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// The graph has a giant component among others. Its states are numbered at random, so that
    /// sweeps also go against the direction of the paths.
    #[test]
    fn sweeps_find_giants(
        n in 200..2000_u32,
        degree in 1..4_usize,
        leak in 0..200_u32,
        seed: u64,
    ) {
        let mut draw = draws(seed);
        let graph = common::graph(&(0..n).map(|_| {
            let choices = if draw() % 200 < leak { 1 } else { degree };
            (0..choices).map(|_| {
                let mut targets = vec![draw() % n];
                let other = draw() % n;
                targets.extend((other != targets[0] && other.is_multiple_of(3)).then_some(other));
                targets
            }).collect()
        }).collect());
        let expected = by_one_search(&graph);
        for found in in_parallel(&graph) {
            prop_assert_eq!(&found, &expected);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// The graph has several giant components, which lead to later ones, and are numbered in any
    /// order.
    #[test]
    fn several_giants_are_found(
        order in Just([0_u32, 1, 2, 3, 4]).prop_shuffle(),
        size in 40..300_u32,
        links in 1..20_u32,
        seed: u64,
    ) {
        let mut draw = draws(seed);
        let number = |giant: u32, state: u32| order[giant as usize] * size + state;
        let mut states = vec![Vec::new(); 5 * size as usize];
        for (giant, state) in (0..5).flat_map(|giant| (0..size).map(move |state| (giant, state))) {
            let choices = &mut states[number(giant, state) as usize];
            choices.extend((0..3).map(|_| vec![number(giant, draw() % size)]));
            if draw() % size < links && giant < 4 {
                let on = number(giant + 1 + draw() % (4 - giant), draw() % size);
                choices.push(vec![on]);
                choices.push(vec![number(giant, draw() % size), on]);
            }
        }
        let graph = common::graph(&states);
        let expected = by_one_search(&graph);
        for found in in_parallel(&graph) {
            prop_assert_eq!(&found, &expected);
        }
    }
}

/// Returns the MECs. Repeated searches visit at most `patience` states and branches before searches
/// in lockstep take over.
fn in_lockstep(graph: &MdpGraph, patience: usize) -> Components {
    let rows = StateRows::new(graph);
    let rows = GraphRows { graph, rows: &rows };
    let mut ticker = Ticker::new(&Silent, graph.num_states());
    let marks = whole::mecs_within(rows, None, None, patience, &mut ticker);
    Components::from_mec_marks(marks.expect("nobody cancels"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    /// Parts that are left are searched in lockstep, whether they are small or large.
    #[test]
    fn searches_in_lockstep_find_the_same_mecs(model in model(120), patience in 0..300usize) {
        let graph = common::graph(&model);
        let [_, expected] = by_one_search(&graph);
        prop_assert_eq!(in_lockstep(&graph, patience), expected);
    }

    /// The models dissolve piece by piece: they are cycles with edges back and some choices that
    /// leave.
    #[test]
    fn mecs_of_models_that_dissolve_are_found_in_lockstep(
        n in 10..400u32,
        seed: u64,
        (stay, leak) in (1..8u32, 0..40u32),
        patience in 0..3000usize,
    ) {
        let mut draw = draws(seed);
        let graph = common::graph(&(0..n).map(|state| {
            let near = |draw: &mut dyn FnMut() -> u32| (state + draw() % 5 + n - 2) % n;
            let mut choices = vec![
                vec![near(&mut draw), near(&mut draw)],
                vec![(state + 1) % n, near(&mut draw)],
            ];
            if draw() % 40 < leak {
                choices.truncate(1);
            }
            if draw().is_multiple_of(stay) {
                choices.push(vec![state]);
            }
            choices
        }).collect());
        let [_, expected] = by_one_search(&graph);
        prop_assert_eq!(in_lockstep(&graph, patience), expected);
    }

    #[test]
    fn a_choice_with_targets_inside_and_outside_splits_a_component(
        model in model(60),
        members in prop::collection::vec(any::<bool>(), 60),
    ) {
        let graph = common::graph(&model);
        let is_member = |state: u32| members[state as usize % members.len()];
        let component = SharedBits::new(graph.num_states());
        let states = (0..graph.num_states() as u32).filter(|&state| is_member(state));
        states.for_each(|state| component.insert_alone(state));
        let splits = |choice| {
            let targets = graph.targets(choice).iter();
            let inside = targets.clone().filter(|to| is_member(to.0)).count();
            (1..targets.len()).contains(&inside)
        };
        let mut of_members = graph.states().filter(|state| is_member(state.0));
        let expected = of_members.any(|state| graph.choices(state).any(splits));
        prop_assert_eq!(regions::is_split(&graph, &component), expected);
    }

    /// Marks of states that are closed already stay as they are. An edge to such a state closes no
    /// cycle.
    #[test]
    fn states_on_no_cycle_and_sccs_that_no_choice_splits_are_closed(
        model in model(60),
        close in prop::collection::vec(any::<bool>(), 60),
        closes_some: bool,
    ) {
        const LONE: u32 = 1000;
        let graph = common::graph(&model);
        let (n, rows) = (graph.num_states(), StateRows::new(&graph));
        let is_closed = |state: StateId| closes_some && close[state.index() % close.len()];
        let mut marks = Table::new(n);
        let closed = graph.states().filter(|&state| is_closed(state));
        closed.for_each(|state| marks[state.index()] = LONE + 1 + state.0);
        let num_closed = marks.iter().filter(|&&mark| mark != 0).count();

        let mut ticker = Ticker::new(&Silent, n);
        let rows = GraphRows { graph: &graph, rows: &rows };
        let found = pearce::close_sccs(rows, &mut marks, LONE, num_closed, &mut ticker);
        let found = found.expect("nobody cancels");

        let reached: Vec<BitSet> = graph.states().map(|s| reached(&graph, s, is_closed)).collect();
        let leads = |from: StateId, to: StateId| reached[from.index()].contains(to.index());
        let mut num = 0;
        for state in graph.states() {
            let mark = marks[state.index()];
            if is_closed(state) {
                prop_assert_eq!(mark, LONE + 1 + state.0);
                continue;
            }
            let is_near = |&to: &StateId| leads(state, to) && leads(to, state);
            let scc: Vec<StateId> = graph.states().filter(is_near).collect();
            let splits = |choice| {
                let inside = graph.targets(choice).iter().filter(|to| scc.contains(to)).count();
                (1..graph.targets(choice).len()).contains(&inside)
            };
            if scc.is_empty() {
                prop_assert_eq!(mark, Components::NONE);
            } else if scc.len() == 1 || scc.iter().any(|&s| graph.choices(s).any(splits)) {
                prop_assert_eq!(mark, 0);
            } else {
                prop_assert!((found.next_mec + 1..LONE).contains(&mark));
                let same = graph.states().filter(|other| marks[other.index()] == mark);
                prop_assert_eq!(same.collect::<Vec<_>>(), scc);
            }
            num += usize::from(mark != 0);
        }
        prop_assert_eq!(found.num, num);
    }
}

/// Returns the states that a state reaches by a path of one or more edges through states that are
/// not closed.
fn reached(graph: &MdpGraph, state: StateId, is_closed: impl Fn(StateId) -> bool) -> BitSet {
    let (mut seen, mut todo) = (BitSet::new(graph.num_states()), vec![state]);
    while let Some(from) = todo.pop() {
        for &to in graph.successors(from) {
            if !is_closed(to) && seen.insert(to.index()) {
                todo.push(to);
            }
        }
    }
    seen
}

/// Each state may step back or on by one choice. So the graph is one component, as its numbering
/// shows, and a MEC. Only the edges that show it are visited.
#[test]
fn a_mec_that_the_numbering_shows_takes_no_search() {
    let n = 1000u32;
    let step = |state: u32| vec![vec![state.max(1) - 1, (state + 1).min(n - 1)], vec![state]];
    let graph = common::graph(&(0..n).map(step).collect::<Vec<_>>());
    let steps = POOLS[0].install(|| {
        steps::of(|| {
            let found = mec(&graph, &Options::default()).expect("nobody cancels");
            assert_eq!(found.largest_size(), Some(n));
        })
    });
    assert!(steps <= graph.num_branches() as u64 + 10, "{steps}");
}

/// No search visits the states of a chain, although most of them have exactly one edge, and this
/// edge leads nearby.
#[test]
fn a_chain_in_order_takes_no_search() {
    let n = 1000u32;
    let offsets: Vec<u32> = (0..=n).map(|state| state.max(1) - 1).collect();
    let targets: Vec<u32> = (0..n - 1).collect();
    let edges = AllEdges {
        rows: &offsets,
        targets: &targets,
    };
    let limits = Limits {
        many_threads: 1,
        states: 2,
        ..Limits::WITHOUT_ROUNDS
    };
    let search = || {
        let plan = Plan::new(Facts::of(edges), ComponentKind::Scc, Sweeps::Skip, limits);
        let found = auto_sccs(edges, &plan, &mut Ticker::new(&Silent, n as usize));
        assert_eq!(found.expect("nobody cancels").into_numbers().0, n as usize);
    };
    assert_eq!(POOLS[0].install(|| steps::of(search)), 0);
}

/// The first three states are a cycle. One of them has another choice, which leads back or to a
/// fourth state.
#[test]
fn large_regions_that_a_choice_splits_are_left_to_another_search() {
    let graph = MdpGraph::from_choices(&[
        vec![vec![1]],
        vec![vec![2]],
        vec![vec![0], vec![1, 3]],
        vec![vec![3]],
    ]);
    let graph = graph.expect("it is a graph");
    let rows = StateRows::new(&graph);
    let mecs = |most| {
        let mut ticker = Ticker::new(&Silent, 4);
        let sccs = pearce::sccs(AllEdges::new(&graph, &rows), None, &mut ticker);
        let sccs = sccs.expect("nobody cancels");
        let rows = GraphRows {
            graph: &graph,
            rows: &rows,
        };
        let found = regions::mecs(rows, &Decided::none(4), sccs, most, None, &mut ticker);
        found
            .expect("nobody cancels")
            .map(Components::from_mec_marks)
    };
    assert_eq!(mecs(2), None);
    let [_, expected] = by_one_search(&graph);
    assert_eq!(mecs(3), Some(expected));
}
