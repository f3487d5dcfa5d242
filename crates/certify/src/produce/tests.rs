//! Tests of sweeps, on models that are too small for sweeps outside of tests.

#[path = "../../tests/it/common/mod.rs"]
mod common;

use super::giant::state_numbers;
use super::marks::{FIRST, UNVISITED, UNVISITED_MEMBER};
use super::parallel_search::ParallelSearch;
use super::rows::{Ends, Rows};
use super::shape::Limits;
use super::waiting::Waiting;
use super::{Answer, attempt};
use crate::Certificate;
use crate::observer::{Silent, Watch};
use common::{Model, components, graph, marks, mec_oracle, model, scc_oracle};
use mdp_graph::{BitSet, ComponentKind, Components, MdpGraph, StateRows, Table};
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Limits with which sweeps always pay.
const ALWAYS: Option<Limits> = Some(Limits { large: 2, far: 0 });

/// Pools with one thread, with several, and with more than there may be processors.
static POOLS: LazyLock<[ThreadPool; 3]> = LazyLock::new(|| {
    [1, 2, 8].map(|threads| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("threads start")
    })
});

/// Makes an answer without an observer.
fn answer<'a>(graph: &'a MdpGraph, components: &'a Components) -> Answer<'a> {
    let watch = Watch::new(&Silent, graph.num_states());
    Answer {
        graph,
        components,
        watch,
    }
}

/// Asserts that an answer has a certificate if and only if it is right, with sweeps and without,
/// with any number of threads.
fn judge(graph: &MdpGraph, components: &Components, is_right: bool) -> Result<(), TestCaseError> {
    let answer = answer(graph, components);
    for limits in [None, ALWAYS] {
        for pool in &*POOLS {
            let verdict = pool
                .install(|| attempt(answer, limits)?.check_observed(graph, components, &Silent));
            prop_assert_eq!(verdict.is_ok(), is_right, "{:?}", verdict);
        }
    }
    Ok(())
}

/// Returns models that are mostly one component: a cycle through all states, and more choices.
fn mostly_one_component() -> impl Strategy<Value = Model> {
    model(14).prop_map(|mut model| {
        let states = model.len() as u32;
        for (state, choices) in (1..).zip(&mut model) {
            // If the last state has exactly one choice, it gets no other, so that the cycle may be
            // missing.
            if state < states || choices.len() != 1 {
                choices.push(vec![state % states]);
            }
        }
        model
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn sweeps_change_no_verdict(
        model in prop_oneof![model(10), mostly_one_component()],
        wrong in prop::collection::vec(prop_oneof![3 => 0..4u32, 1 => Just(Components::NONE)], 14),
    ) {
        let graph = graph(&model);
        let right = [
            (ComponentKind::Scc, marks(scc_oracle(&model))),
            (ComponentKind::Mec, marks(mec_oracle(&model))),
        ];
        for (kind, right) in right {
            let right = components(kind, &graph, &right);
            judge(&graph, &right, true)?;
            let wrong = components(kind, &graph, &wrong[..model.len()].to_vec());
            judge(&graph, &wrong, wrong == right)?;
        }
    }
}

/// If each state of a component has an edge from an earlier state and an edge to one, all numbers
/// `back` are 0, even if edges lead nearby.
#[test]
fn components_with_edges_in_both_directions_have_only_zeros_back() {
    // The last state is never left.
    let mut model: Model = (0..999)
        .map(|state: u32| vec![vec![state.saturating_sub(1), state + 1]])
        .collect();
    model.push(vec![vec![999]]);
    let graph = graph(&model);
    let mut marks = vec![0; 1000];
    marks[999] = 1;
    let all_but_one = components(ComponentKind::Scc, &graph, &marks);
    let limits = Limits { large: 2, far: 100 };
    let certificate = attempt(answer(&graph, &all_but_one), Some(limits));
    let certificate = certificate.expect("the answer is right");
    assert!(graph.states().all(|state| certificate.back(state) == 0));
    assert_eq!(certificate.check(&graph, &all_but_one), Ok(()));
}

/// Sweeps find the ways of a component, and move some of its states to later positions.
#[test]
fn states_are_moved_in_the_order() {
    // A cycle visits all states, some of them in the wrong order. Further edges lead ahead and pass
    // over these.
    let states = 1000;
    let mut around: Vec<u32> = (0..states).collect();
    for late in [100, 300, 301, 998] {
        around.swap(late, late + 1);
    }
    let mut model: Model = vec![Vec::new(); states as usize];
    for (i, &state) in around.iter().enumerate() {
        model[state as usize].push(vec![around[(i + 1) % around.len()]]);
        let ahead = (state + 2).min(states - 1);
        if ![100, 101, 300, 301, 302, 998, 999].contains(&ahead) {
            model[state as usize].push(vec![ahead]);
        }
    }
    let graph = graph(&model);
    let offsets = StateRows::new(&graph);
    let rows = Rows::new(&offsets, &graph);
    let members = BitSet::from_fn(graph.num_states(), |_| true);
    let numbers = state_numbers(&members, &rows, true, Watch::new(&Silent, 1000))
        .expect("few states are in the wrong order");
    let position = numbers.position.expect("some states are");
    assert!(position.iter().any(|&position| position > 0));
    let certificate = Certificate::from_narrow_parts(position, numbers.back);
    let all = components(ComponentKind::Scc, &graph, &vec![0; states as usize]);
    assert_eq!(certificate.check(&graph, &all), Ok(()));
}

/// Returns a model of paths of 50 steps each, whose states have scattered numbers. From each step,
/// one choice leads to one of the next two steps, and another one back to the same step or seven
/// steps ahead. The last step of a path has a self-loop.
fn paths(states: u32) -> Model {
    // Each state is visited once if the number of states and 7919 have no common divisor.
    let at = |step: u32| (u64::from(step) * 7919 % u64::from(states)) as u32;
    let mut model: Model = vec![Vec::new(); states as usize];
    for step in 0..states {
        let last = step / 50 * 50 + 49;
        let ahead = |by: u32| at((step + by).min(last));
        model[at(step) as usize] = match last - step {
            0 => vec![vec![at(step)]],
            1 => vec![vec![at(last)]],
            _ => vec![vec![ahead(2), ahead(1)], vec![at(step), ahead(7)]],
        };
    }
    model
}

/// Runs a parallel search. Returns the number of states that it places, and all marks.
fn parallel_search(
    graph: &MdpGraph,
    components: &Components,
    patience: usize,
) -> (usize, Vec<u32>) {
    let (offsets, ends) = (StateRows::new(graph), Ends::new(graph));
    let is_mec = components.kind() == ComponentKind::Mec;
    let unvisited = |state| match components.component(state) {
        Some(_) if is_mec => UNVISITED_MEMBER,
        _ => UNVISITED,
    };
    let mut marks = Table::from(graph.states().map(unvisited).collect::<Vec<u32>>());
    let [mut earlier, mut choice] = [(); 2].map(|()| Table::<u32>::new(graph.num_states()));
    let states = Waiting {
        answer: answer(graph, components),
        rows: Rows::new(&offsets, graph),
        ends: is_mec.then_some(&ends),
        marks: marks.as_atomics(),
        earlier: earlier.as_atomics(),
        choice: choice.as_atomics(),
        last: graph.num_states() as u32 + FIRST - 1,
        is_shared: rayon::current_num_threads() > 1,
    };
    let placed = ParallelSearch { states, patience }.run().placed;
    (placed, marks.to_vec())
}

/// Returns an acyclic model whose states have random numbers. Most states have a few edges. Some
/// have so many that these are not examined again each time that the state has waited.
fn scattered(states: usize, random: &mut TestRng) -> Model {
    let mut number: Vec<u32> = (0..states as u32).collect();
    for i in 1..states {
        number.swap(i, random.random_range(0..=i));
    }
    let mut model: Model = vec![Vec::new(); states];
    for i in 0..states - 1 {
        let edges = if i % 50 == 0 { 60 } else { 2 };
        let near = states.min(i + 1 + if i % 3 == 0 { states } else { 4 });
        let mut target = || number[random.random_range(i + 1..near)];
        let targets: BTreeSet<u32> = (0..edges).map(|_| target()).collect();
        model[number[i] as usize] = targets.into_iter().map(|target| vec![target]).collect();
    }
    let last = number[states - 1];
    model[last as usize].push(vec![last]);
    model
}

/// When threads meet, states wait for targets that other threads visit. Every state is placed. A
/// certificate in which an edge leads back is not accepted.
#[test]
fn a_parallel_search_places_all_states_of_an_acyclic_graph() {
    let mut random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    for _ in 0..20 {
        let states = 20_000;
        let model = scattered(states, &mut random);
        let graph = graph(&model);
        let marks: Vec<u32> = (0..states as u32).collect();
        let sccs = components(ComponentKind::Scc, &graph, &marks);
        for pool in &*POOLS {
            let (placed, marks) = pool.install(|| parallel_search(&graph, &sccs, usize::MAX));
            assert_eq!(placed, states);
            let mut position: Vec<u32> = marks.iter().map(|mark| mark - FIRST).collect();
            let none = vec![0; states];
            let certificate = Certificate::from_parts(position.clone(), none.clone());
            assert_eq!(certificate.check(&graph, &sccs), Ok(()));
            let source = random.random_range(0..states);
            let target = model[source][0][0] as usize;
            position[source] = position[target] + 1;
            let certificate = Certificate::from_parts(position, none);
            let is_last = source == target;
            assert_eq!(certificate.check(&graph, &sccs).is_ok(), is_last);
        }
    }
}

#[test]
fn a_parallel_search_places_paths_against_the_numbers() {
    let model = paths(5000);
    let graph = graph(&model);
    let mut marks = vec![Components::NONE; 5000];
    for (state, choices) in (0..).zip(&model) {
        if *choices == [[state]] {
            marks[state as usize] = state;
        }
    }
    let mecs = components(ComponentKind::Mec, &graph, &marks);
    for pool in &*POOLS {
        let (placed, marks) = pool.install(|| parallel_search(&graph, &mecs, usize::MAX));
        assert_eq!(placed, 5000);
        let position: Vec<u32> = marks.iter().map(|mark| mark - FIRST).collect();
        let certificate = Certificate::from_parts(position, vec![0; 5000]);
        assert_eq!(certificate.check(&graph, &mecs), Ok(()));
    }
}

/// A search that is given up leaves no marks, and neither do states that it leaves behind.
#[test]
fn a_parallel_search_around_a_cycle_places_nothing() {
    let around: Model = (0..100)
        .map(|state| vec![vec![(state + 1) % 100]])
        .collect();
    let graph = graph(&around);
    let none = components(ComponentKind::Mec, &graph, &vec![Components::NONE; 100]);
    for pool in &*POOLS {
        for patience in [1, 10, 1000] {
            let (placed, marks) = pool.install(|| parallel_search(&graph, &none, patience));
            assert_eq!((placed, marks), (0, vec![UNVISITED; 100]));
        }
    }
}
