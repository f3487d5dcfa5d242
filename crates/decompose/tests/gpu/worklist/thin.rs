//! Tests of graphs that a search follows step by step: colours divide them after a number of
//! iterations that hardly grows with the length of their paths.

use super::shapes;
use super::{load, on_cpu};
use crate::device::engine;
use decompose::Silent;
use mdp_graph::{Components, Digraph, MdpGraph};
use test_models::draws;

/// How states are numbered.
#[derive(Clone, Copy, Debug)]
enum Numbers {
    /// In the direction of the paths.
    Ascending,
    /// Against the direction of the paths.
    Descending,
    Shuffled,
}

const ALL_NUMBERS: [Numbers; 3] = [Numbers::Ascending, Numbers::Descending, Numbers::Shuffled];

impl Numbers {
    fn renumber(self, rows: Vec<Vec<u32>>) -> MdpGraph {
        let rows = match self {
            Self::Ascending => rows,
            Self::Descending => {
                let last = rows.len() as u32 - 1;
                let row = |row: &Vec<u32>| row.iter().map(|&target| last - target).collect();
                rows.iter().rev().map(row).collect()
            }
            Self::Shuffled => shapes::renumbered(&rows, &mut draws(9)),
        };
        shapes::digraph(&rows)
    }
}

/// Decomposes a graph of paths, and returns how many iterations that took.
fn iterations(rows: Vec<Vec<u32>>, numbers: Numbers, what: &str) -> u64 {
    let Some(engine) = engine() else { return 0 };
    let graph = numbers.renumber(rows);
    let digraph = Digraph::new(&graph);
    let loaded = load(engine, &digraph);
    let (marks, profile) = loaded
        .find_components(&Silent)
        .expect("the search succeeds");
    let found = Components::from_scc_marks(&graph, marks);
    assert!(found == on_cpu(&graph), "{what}");
    let phases: Vec<_> = { profile.phases.iter() }
        .filter(|phase| phase.iterations != 0)
        .map(|phase| (phase.name, phase.iterations))
        .collect();
    eprintln!("{what}, {numbers:?}: {} {phases:?}", profile.iterations);
    profile.iterations
}

/// Checks that a graph takes no more than this many iterations, however its states are numbered.
fn takes_at_most(most: u64, what: &str, rows: impl Fn() -> Vec<Vec<u32>>) {
    for numbers in ALL_NUMBERS {
        let found = iterations(rows(), numbers, what);
        assert!(found <= most, "{what}, {numbers:?}: {found} iterations");
    }
}

const STATES: u32 = 8_000;

fn cycle(states: u32) -> Vec<Vec<u32>> {
    (0..states).map(|s| vec![(s + 1) % states]).collect()
}

#[test]
fn one_cycle_takes_few_iterations() {
    takes_at_most(150, "cycle", || cycle(STATES));
}

#[test]
fn a_permutation_takes_few_iterations() {
    let mut targets: Vec<u32> = (0..STATES).collect();
    let mut draw = draws(5);
    for i in (1..targets.len()).rev() {
        targets.swap(i, draw() as usize % (i + 1));
    }
    let rows: Vec<Vec<u32>> = targets.into_iter().map(|target| vec![target]).collect();
    takes_at_most(150, "permutation", || rows.clone());
}

#[test]
fn cycles_of_two_states_in_a_chain_take_few_iterations() {
    let row = |s: u32| match s % 2 {
        0 => vec![s + 1],
        _ => vec![s - 1, (s + 1).min(STATES - 1)],
    };
    takes_at_most(600, "two-cycles", || (0..STATES).map(row).collect());
}

#[test]
fn a_path_takes_few_iterations() {
    let row = |s: u32| vec![(s + 1).min(STATES - 1)];
    takes_at_most(80, "path", || (0..STATES).map(row).collect());
}

/// At every 50th state of a cycle, a path ends and another one begins.
#[test]
fn a_comb_takes_few_iterations() {
    let (teeth, length) = (200, 50);
    let row = |s: u32| match (s / length, s % length) {
        (tooth, 0) => vec![(tooth + 1) % teeth * length, s + 1],
        (tooth, place) if place < length / 2 => vec![s + 1 - 2 * u32::from(tooth % 2 == 1)],
        (_, place) if place + 1 < length => vec![s + 1],
        (tooth, _) => vec![tooth * length],
    };
    takes_at_most(300, "comb", || (0..teeth * length).map(row).collect());
}

#[test]
fn a_path_in_both_directions_takes_few_iterations() {
    let row = |s: u32| vec![s.saturating_sub(1), (s + 1).min(STATES - 1)];
    takes_at_most(150, "path both ways", || (0..STATES).map(row).collect());
}

/// Two paths lie side by side, with rungs between them. After every ten rungs, an edge leads back
/// to the first of them.
#[test]
fn a_ladder_takes_few_iterations() {
    let row = |s: u32| {
        let next = (s + 2).min(STATES - 1);
        let back = if s % 20 == 19 { s - 19 } else { s ^ 1 };
        vec![next, back]
    };
    takes_at_most(600, "ladder", || (0..STATES).map(row).collect());
}

/// Each layer of four states has edges to two states of the next one. Trimming alone removes all of
/// them, one layer at a time from both ends.
#[test]
fn a_ribbon_takes_few_iterations() {
    let mut draw = draws(3);
    let rows = (0..STATES).map(|s| {
        let next = (s / 4 + 1) * 4;
        let targets = [next + draw() % 4, next + draw() % 4];
        targets.into_iter().filter(|&t| t < STATES).collect()
    });
    let rows: Vec<Vec<u32>> = rows.collect();
    takes_at_most(100, "ribbon", || rows.clone());
}

/// Paths fork and join: there are chains of states between two others, and here and there a state
/// with several edges.
#[test]
fn forks_and_joins_take_few_iterations() {
    let row = |s: u32| match s % 400 {
        0 => vec![s + 1, s + 200],
        199 | 399 => vec![s / 400 * 400 + 400],
        _ => vec![s + 1],
    };
    let rows = (0..STATES).map(|s| row(s).into_iter().filter(|&t| t < STATES).collect());
    let rows: Vec<Vec<u32>> = rows.collect();
    takes_at_most(100, "forks and joins", || rows.clone());
}

/// Returns cycles of `length` states, from each of which an edge leads to the next cycle.
fn chain_of_cycles(length: u32, states: u32) -> Vec<Vec<u32>> {
    let row = |s: u32| match (s + 1) % length {
        0 if s + 1 < states => vec![s + 1 - length, s + 1],
        0 => vec![s + 1 - length],
        _ => vec![s + 1],
    };
    (0..states).map(row).collect()
}

/// If the states of the cycles are numbered at random, a colour follows each cycle step by step.
/// Therefore only a small graph is tried then.
#[test]
fn a_chain_of_cycles_takes_few_iterations_if_it_is_numbered_in_order() {
    for length in [100, 1000] {
        for numbers in [Numbers::Ascending, Numbers::Descending] {
            let rows = chain_of_cycles(length, STATES);
            let found = iterations(rows, numbers, "chain of cycles");
            assert!(found <= 200, "{numbers:?}: {found} iterations");
        }
    }
    let few = chain_of_cycles(100, STATES / 8);
    iterations(few, Numbers::Shuffled, "chain of cycles");
}
