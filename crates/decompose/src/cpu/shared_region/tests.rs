//! Tests of searches of one region by several threads.

use super::*;
use crate::cpu::decided::Decided;
use crate::cpu::edges::{AllEdges, GraphRows};
use crate::cpu::interleave;
use crate::cpu::mec::{UNVISITED, starts};
use crate::cpu::strategy::{Facts, Plan, Sweeps};
use crate::cpu::tests::{common, draws, limits};
use crate::cpu::{auto_mecs, pearce, regions};
use crate::{ComponentSearch, Observer, Options, Silent, mec};
use mdp_graph::{ComponentKind, Components, MdpGraph, StateId, StateRows, Table};
use proptest::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::LazyLock;

/// The threads of the second half wait at random before they access shared data.
static POOLS: LazyLock<[ThreadPool; 4]> = LazyLock::new(|| {
    [(2, false), (8, false), (2, true), (4, true)].map(|(threads, waits)| {
        let pool = ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.start_handler(move |thread| {
            if waits {
                interleave::start(thread);
            }
        });
        pool.build().expect("threads start")
    })
});

const LIMITS: SharedLimits = SharedLimits { states: 2, open: 1 };

/// Searches all states of a graph on the threads of a pool. Returns the numbers of the states, and
/// what is left.
fn search_all(
    graph: &MdpGraph,
    pool: &ThreadPool,
    ascends: bool,
    observer: &dyn Observer,
) -> Result<(Table<u32>, Left), Error> {
    let n = graph.num_states();
    let rows = StateRows::new(graph);
    let rows = GraphRows { graph, rows: &rows };
    let (mut path, mut open) = (Table::new(n), Table::new(n));
    let (starts, mut index) = (starts(graph), Table::new(n));
    let region = Region::all(u32::MAX / 2);
    let region = Region {
        next_mec: u32::MAX - 1,
        ..region
    };
    let ticker = Ticker::new(observer, n);
    let left = pool.install(|| {
        let model = Model::new(rows, &starts, &mut index);
        let (room, watch) = ((&mut *path, &mut *open), Watch::new(&ticker, 0));
        search(model, region, n, LIMITS, ascends, room, &watch)
    })?;
    Ok((index, left))
}

fn expected(graph: &MdpGraph) -> Components {
    let tarjan = Options {
        search: ComponentSearch::Tarjan,
        ..Options::default()
    };
    mec(graph, &tarjan).expect("nobody cancels")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// Some states stay unvisited, some are in parts that are left, and the MECs of all others are
    /// known.
    #[test]
    fn states_are_closed_with_their_mecs_or_unvisited(
        model in common::model(60),
        ascends: bool,
    ) {
        let graph = common::graph(&model);
        let expected = expected(&graph);
        for pool in POOLS.iter() {
            let found = search_all(&graph, pool, ascends, &Silent);
            let (index, left) = found.expect("nobody cancels");
            let num_closed = index.iter().filter(|&&number| number != UNVISITED).count();
            prop_assert_eq!(left.num_closed, num_closed);
            let in_parts: Vec<u32> = left.parts.concat();
            let is_known = |state: &StateId| {
                index[state.index()] != UNVISITED && !in_parts.contains(&state.0)
            };
            for a in graph.states().filter(is_known) {
                let mark = index[a.index()];
                prop_assert!(mark > u32::MAX / 2);
                prop_assert_eq!(mark == Components::NONE, expected.component(a).is_none());
                for b in graph.states().filter(is_known) {
                    let same = mark != Components::NONE && mark == index[b.index()];
                    let component = expected.component(a);
                    let are_same = component.is_some() && component == expected.component(b);
                    prop_assert_eq!(same, are_same);
                }
                for b in graph.states().filter(|b| !is_known(b)) {
                    let component = expected.component(a);
                    prop_assert!(component.is_none() || component != expected.component(b));
                }
            }
        }
    }
}

/// Returns stairs, as in `linear.rs`: each search of all states splits off one step, a cycle of
/// three states. The states of the large cycle come first, so that no step is a root. They may also
/// leave to `other`.
fn stairs(first: u32, steps: u32, cycle: u32, other: u32) -> common::Model {
    let bottom = first + cycle;
    let landings = bottom + 3 * steps;
    let mut model = common::Model::new();
    model.extend((0..cycle).map(|i| {
        let next = first + (i + 1) % cycle;
        vec![vec![landings - 3], vec![next], vec![next, other]]
    }));
    for (step, place) in (0..steps).flat_map(|step| (0..3).map(move |place| (step, place))) {
        let own = bottom + 3 * step;
        let mut choices = vec![vec![own + (place + 1) % 3]];
        choices.extend((place == 0 && step > 0).then(|| vec![landings + step, own - 3]));
        model.push(choices);
    }
    model.extend((0..steps).map(|_| vec![vec![first]]));
    model
}

/// Returns a tree of rings, each of which may move to its parent, its neighbour, or a child. Rings
/// without children may leave to `other`. Most rings are in doubt after the first search.
fn tree(
    first: u32,
    levels: u32,
    width: u32,
    other: u32,
    draw: &mut dyn FnMut() -> u32,
) -> common::Model {
    let nodes = (1 << levels) - 1;
    let state = |node: u32, place: u32| first + (node - 1) * width + place % width;
    let mut model = common::Model::new();
    for node in 1..=nodes {
        for place in 0..width {
            let near = [node ^ 1, node / 2, 2 * node, 2 * node + 1];
            let near = near.into_iter().filter(|&to| (1..=nodes).contains(&to));
            let gamble = near.map(|to| state(to, draw())).collect();
            let next = state(node, place + 1);
            let mut choices = vec![gamble, vec![next]];
            if node == 1 {
                choices.remove(0);
            } else if 2 * node > nodes {
                choices.push(vec![next, other]);
            }
            model.push(choices);
        }
    }
    model
}

/// Returns several stairs in one SCC: all may lead to one state, which leads back to them, but only
/// by a choice that may also lead to a state that stays.
fn joined_stairs(count: u32, steps: u32) -> common::Model {
    let each = 5 * steps;
    let join = count * each;
    let mut model: common::Model = (0..count)
        .flat_map(|i| stairs(i * each, steps, steps, join))
        .collect();
    let choice = (0..count).map(|i| i * each).chain([join + 1]);
    model.push(vec![choice.collect()]);
    model.push(vec![vec![join + 1]]);
    model
}

/// Stairs or trees are components of several parts, some of which must be searched in lockstep.
#[test]
fn parts_in_doubt_are_searched_by_all_threads() {
    let mut draw = draws(7);
    for (count, steps) in [(1, 30), (2, 40), (3, 20), (24, 20)] {
        let (mut rows, mut trees) = (common::Model::new(), common::Model::new());
        for i in 0..count {
            let other = (draw() % 10) * u32::from(i > 0);
            rows.extend(stairs(rows.len() as u32, steps, steps, other));
            trees.extend(tree(trees.len() as u32, 5, 4, other, &mut draw));
        }
        for model in [rows, trees, joined_stairs(count, steps)] {
            let graph = common::graph(&model);
            let expected = expected(&graph);
            for round in 0..8 * POOLS.len() {
                let found = POOLS[round / 8].install(|| {
                    let ranges = (1..3).contains(&(round % 4)).then_some(2.0);
                    let limits = limits(round % 4 > 1, round % 8 < 4, ranges);
                    let sweeps = match round % 4 {
                        1 => Sweeps::Skip,
                        _ => Sweeps::Try,
                    };
                    let facts = Facts::of_graph(&graph);
                    let plan = Plan::new(facts, ComponentKind::Mec, sweeps, limits);
                    auto_mecs(&graph, &plan, &mut Ticker::new(&Silent, model.len()))
                });
                let found = Components::from_mec_marks(found.expect("nobody cancels"));
                assert_eq!(found, expected, "{count} times {steps}, round {round}");
            }
        }
    }
}

/// The graph has one large region. All threads search it, or the parts that one thread leaves.
#[test]
fn parts_of_a_region_are_searched_by_all_threads() {
    for (count, steps) in [(1, 30), (3, 20), (24, 20)] {
        let graph = common::graph(&joined_stairs(count, steps));
        let expected = expected(&graph);
        let rows = StateRows::new(&graph);
        for (pool, open) in POOLS
            .iter()
            .flat_map(|pool| [1, usize::MAX].map(|open| (pool, open)))
        {
            let found = pool.install(|| {
                let mut ticker = Ticker::new(&Silent, graph.num_states());
                let sccs = pearce::sccs(AllEdges::new(&graph, &rows), None, &mut ticker)?;
                let decided = Decided::none(graph.num_states());
                let rows = GraphRows {
                    graph: &graph,
                    rows: &rows,
                };
                let limits = Some(SharedLimits { states: 2, open });
                regions::mecs(rows, &decided, sccs, usize::MAX, limits, &mut ticker)
            });
            let found = found
                .expect("nobody cancels")
                .expect("no region is too large");
            assert_eq!(
                Components::from_mec_marks(found),
                expected,
                "{count} times {steps}"
            );
        }
    }
}

/// The states are cycles of two, each of which leads to the cycle before, or back.
#[test]
fn threads_close_small_components() {
    let n = 20_000u32;
    let states: Vec<_> = (0..n)
        .map(|state| vec![vec![state ^ 1], vec![state.saturating_sub(2), state ^ 1]])
        .collect();
    let graph = MdpGraph::from_choices(&states).expect("it is a graph");
    let (_, left) = search_all(&graph, &POOLS[1], true, &Silent).expect("nobody cancels");
    assert!(left.num_closed > n as usize / 2, "{}", left.num_closed);
}

/// One cycle leads through all states, and a choice leads out of it.
#[test]
fn a_search_of_one_component_is_given_up() {
    let n = 20_000u32;
    let mut states: Vec<_> = (0..n).map(|state| vec![vec![(state + 1) % n]]).collect();
    states[7].push(vec![8, n]);
    states.push(vec![vec![n]]);
    let graph = MdpGraph::from_choices(&states).expect("it is a graph");
    for ascends in [false, true] {
        let found = search_all(&graph, &POOLS[1], ascends, &Silent);
        let (index, left) = found.expect("nobody cancels");
        assert!(left.num_closed <= 1);
        assert!(
            index[..n as usize]
                .iter()
                .all(|&number| number == UNVISITED)
        );
    }
}

/// Cancels at once.
struct Cancelling;

impl Observer for Cancelling {
    fn is_cancelled(&self) -> bool {
        true
    }
}

#[test]
fn a_search_can_be_cancelled() {
    let n = 4 * 8 * PERIOD;
    let states: Vec<_> = (0..n).map(|state| vec![vec![state ^ 1]]).collect();
    let graph = MdpGraph::from_choices(&states).expect("it is a graph");
    let found = search_all(&graph, &POOLS[1], false, &Cancelling);
    assert!(matches!(found, Err(Error::Cancelled)));
}
