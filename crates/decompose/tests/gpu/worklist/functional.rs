//! Tests of functional graphs: those in which no state leads to two others, and those in which no
//! two states lead to the same other state.

use super::shapes::{digraph, renumbered};
use super::{alone, load, on_cpu};
use crate::common::graph;
use crate::device::{self, engine};
use crate::variants::Kind;
use decompose::Silent;
use decompose::gpu::worklist::{Profile, Tuning, WorklistGraph};
use decompose::gpu::{GpuOptions, HostGraph};
use mdp_graph::{Components, Digraph, MdpGraph};
use proptest::prelude::*;
use test_models::draws;

/// Returns a tuning with which walks search graphs of every size.
fn by_walks() -> Tuning {
    Tuning {
        functional_states: 0,
        ..alone()
    }
}

/// Returns the successor of each state, in a graph of one of these shapes: cycles of up to `length`
/// states; paths into cycles; a tree that leads to its root; a random function; one long cycle;
/// paths.
fn successors(n: u32, shape: u32, length: u32, draw: &mut impl FnMut() -> u32) -> Vec<Option<u32>> {
    let successor = |s: u32| match shape {
        0 => Some(if (s + 1).is_multiple_of(length) || s + 1 == n {
            s / length * length
        } else {
            s + 1
        }),
        1 => Some(if s < length {
            (s + 1) % length.min(n)
        } else {
            s - 1
        }),
        2 => (s != 0).then_some(s / 2),
        3 => (!draw().is_multiple_of(16)).then(|| draw() % n),
        4 => Some((s + 1) % n),
        _ => (!s.is_multiple_of(length)).then(|| s - 1),
    };
    (0..n).map(successor).collect()
}

/// Returns functional graphs in random numberings, forward or backward, with self-loops.
fn functional(most: u32) -> impl Strategy<Value = MdpGraph> {
    let shape = (1..most, 0..6u32, 1..70u32, any::<bool>(), 1..u64::MAX);
    shape.prop_map(|(n, shape, length, is_backward, seed)| {
        let mut draw = draws(seed);
        let successors = successors(n, shape, length, &mut draw);
        let mut rows = vec![Vec::new(); n as usize];
        for (state, successor) in (0..n).zip(successors) {
            if draw().is_multiple_of(5) {
                rows[state as usize].push(state);
            }
            match successor {
                Some(successor) if is_backward => rows[successor as usize].push(state),
                Some(successor) => rows[state as usize].push(successor),
                None => {}
            }
        }
        digraph(&renumbered(&rows, &mut draw))
    })
}

/// Returns MDPs in which each state leads to at most one other state, by one choice, which may also
/// stay. Some states have another choice that only stays.
fn functional_mdp(most: u32) -> impl Strategy<Value = MdpGraph> {
    let shape = (1..most, 0..6u32, 1..70u32, 1..u64::MAX);
    shape.prop_map(|(n, shape, length, seed)| {
        let mut draw = draws(seed);
        let successors = successors(n, shape, length, &mut draw);
        let mut row = |(state, successor): (u32, Option<u32>)| {
            let mut choices: Vec<Vec<u32>> = Vec::new();
            if draw().is_multiple_of(5) {
                choices.push(vec![state]);
            }
            choices.extend(successor.map(|successor| match draw() % 3 {
                0 => vec![state, successor],
                _ => vec![successor],
            }));
            choices
        };
        graph(&(0..n).zip(successors).map(&mut row).collect::<Vec<_>>())
    })
}

/// Returns whether walks have found the answer.
fn was_by_walks(profile: &Profile) -> bool {
    profile.rounds == 0
        && profile
            .phases
            .iter()
            .any(|phase| phase.name == "functional")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn walks_agree_with_the_cpu(graph in functional(2000)) {
        let Some(engine) = engine() else { return Ok(()) };
        let digraph = Digraph::new(&graph);
        let mut loaded = load(engine, &digraph);
        loaded.tune(&by_walks()).expect("there is room");
        let (marks, profile) = loaded.find_components(&Silent).expect("the search succeeds");
        prop_assert!(was_by_walks(&profile), "{:?}", profile);
        prop_assert!(Components::from_scc_marks(&graph, marks) == on_cpu(&graph));
    }

    #[test]
    fn walks_find_end_components(graph in functional_mdp(1000)) {
        let Some(engine) = engine() else { return Ok(()) };
        let host = HostGraph::Choices(&graph);
        let loaded = WorklistGraph::load(engine, host, &GpuOptions::default());
        let mut loaded = loaded.expect("the graph fits");
        loaded.tune(&by_walks()).expect("there is room");
        let (marks, profile) = loaded.find_components(&Silent).expect("the search succeeds");
        prop_assert!(was_by_walks(&profile), "{:?}", profile);
        let expected = device::expected(&graph, Kind::Mecs);
        prop_assert!(Components::from_mec_marks(marks) == expected);
    }

    #[test]
    fn walks_that_are_too_long_leave_the_graph_to_rounds(graph in functional(300)) {
        let Some(engine) = engine() else { return Ok(()) };
        let digraph = Digraph::new(&graph);
        let mut loaded = load(engine, &digraph);
        let tuning = Tuning { walk_steps: 2, ..by_walks() };
        loaded.tune(&tuning).expect("there is room");
        let (marks, _) = loaded.find_components(&Silent).expect("the search succeeds");
        prop_assert!(Components::from_scc_marks(&graph, marks) == on_cpu(&graph));
    }
}

#[test]
fn a_graph_with_one_more_edge_is_not_functional() {
    let Some(engine) = engine() else { return };
    let mut rows: Vec<Vec<u32>> = (0..100).map(|state| vec![(state + 1) % 100]).collect();
    rows[7] = vec![3, 8];
    let graph = digraph(&rows);
    let edges = Digraph::new(&graph);
    let mut loaded = load(engine, &edges);
    loaded.tune(&by_walks()).expect("there is room");
    let (marks, profile) = loaded
        .find_components(&Silent)
        .expect("the search succeeds");
    assert!(!was_by_walks(&profile), "{profile:?}");
    assert!(Components::from_scc_marks(&graph, marks) == on_cpu(&graph));
}

/// Backward, each state leads to one other state. But the choice that stays on the cycle may also
/// leave it, so there is no end component.
#[test]
fn end_components_are_not_searched_backward() {
    let Some(engine) = engine() else { return };
    let graph = graph(&vec![vec![vec![1]], vec![vec![0, 2]], vec![]]);
    let mut loaded =
        WorklistGraph::load(engine, HostGraph::Choices(&graph), &GpuOptions::default())
            .expect("the graph fits");
    loaded.tune(&by_walks()).expect("there is room");
    let (marks, profile) = loaded
        .find_components(&Silent)
        .expect("the search succeeds");
    assert!(!was_by_walks(&profile), "{profile:?}");
    assert!(Components::from_mec_marks(marks) == device::expected(&graph, Kind::Mecs));
}
