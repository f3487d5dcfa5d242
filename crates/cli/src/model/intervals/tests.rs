//! Compares end components of interval models with the definition, which is tried on every set of
//! states.

use super::Intervals;
use decompose::{ComponentSearch, Options, Silent};
use mdp_graph::{ComponentKind, MdpGraph, StateId};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// A branch: its target and the bounds of its probability, in tenths.
type Branch = (u32, u32, u32);

/// The choices of each state.
type Model = Vec<Vec<Vec<Branch>>>;

/// Returns the supports of all distributions within the intervals: sets of targets that have upper
/// bounds above 0, include all targets with a lower bound above 0, and whose bounds allow the sum
/// 1. If the lower bounds sum to 1, other targets cannot be taken.
fn supports(choice: &[Branch]) -> Vec<u32> {
    let set = |branches: &[&Branch]| {
        branches
            .iter()
            .fold(0, |set, branch| set | 1u32 << branch.0)
    };
    let all: Vec<&Branch> = choice.iter().collect();
    let subsets = (1..1u32 << all.len()).map(|chosen| {
        let is_in = |i: &usize| chosen >> i & 1 == 1;
        let (inside, outside): (Vec<usize>, Vec<usize>) = (0..all.len()).partition(is_in);
        (inside, outside)
    });
    let feasible = subsets.filter(|(inside, outside)| {
        let low: u32 = inside.iter().map(|&i| all[i].1).sum();
        let high: u32 = inside.iter().map(|&i| all[i].2).sum();
        let is_forced = inside.iter().all(|&i| all[i].1 > 0);
        outside.iter().all(|&i| all[i].1 == 0)
            && inside.iter().all(|&i| all[i].2 > 0)
            && high >= 10
            && (low < 10 || low == 10 && is_forced)
    });
    let feasible = feasible.map(|(inside, _)| {
        let inside: Vec<&Branch> = inside.into_iter().map(|i| all[i]).collect();
        set(&inside)
    });
    feasible.collect()
}

/// Returns whether the player can stay within `set` and get from each of its states to each other.
/// If nature helps, the player picks a support with each choice; otherwise, a choice stands for all
/// of its supports.
fn is_end_component(model: &Model, set: u32, helps: bool) -> bool {
    let mut edges = Vec::new();
    for state in (0..model.len() as u32).filter(|state| set >> state & 1 == 1) {
        let mut stays = false;
        for choice in &model[state as usize] {
            let supports = supports(choice);
            let all = supports.iter().fold(0, |all, support| all | support);
            let kept: Vec<u32> = match helps {
                true => supports
                    .into_iter()
                    .filter(|support| support & !set == 0)
                    .collect(),
                false => Some(all)
                    .into_iter()
                    .filter(|all| all & !set == 0)
                    .collect(),
            };
            stays |= !kept.is_empty();
            edges.extend(kept.into_iter().map(|targets| (state, targets)));
        }
        if !stays {
            return false;
        }
    }
    let reached = |from: u32| {
        let mut found = 1u32 << from;
        loop {
            let next =
                edges
                    .iter()
                    .fold(found, |all, &(source, targets)| match all >> source & 1 {
                        1 => all | targets,
                        _ => all,
                    });
            if next == found {
                return found;
            }
            found = next;
        }
    };
    (0..model.len() as u32)
        .filter(|state| set >> state & 1 == 1)
        .all(|from| reached(from) & set == set)
}

/// Returns the maximal end components, each as a set of states.
fn by_definition(model: &Model, helps: bool) -> Vec<u32> {
    let sets = 1..1u32 << model.len();
    let all: Vec<u32> = sets
        .filter(|&set| is_end_component(model, set, helps))
        .collect();
    let is_maximal = |set: &&u32| {
        !all.iter()
            .any(|other| other != *set && other & **set == **set)
    };
    all.iter().filter(is_maximal).copied().collect()
}

fn by_the_graph(model: &Model, helps: bool) -> Vec<u32> {
    let branches = || model.iter().flatten().flatten();
    let bounds = |bound: fn(&Branch) -> u32| -> Vec<f64> {
        branches()
            .map(|branch| f64::from(bound(branch)) / 10.0)
            .collect()
    };
    let targets: Vec<Vec<Vec<u32>>> = model
        .iter()
        .map(|choices| {
            let targets = |choice: &Vec<Branch>| choice.iter().map(|branch| branch.0).collect();
            choices.iter().map(targets).collect()
        })
        .collect();
    let graph = MdpGraph::from_choices(&targets).expect("a graph");
    let intervals = Intervals {
        graph: &graph,
        lower: &bounds(|branch| branch.1),
        upper: &bounds(|branch| branch.2),
    };
    let graph = match helps {
        true => intervals.with_help(&Silent).expect("on the CPU"),
        false => intervals.possible().expect("enough memory").graph,
    };
    let options = Options {
        search: ComponentSearch::Tarjan,
        ..Options::default()
    };
    let found = decompose::decompose(&graph, ComponentKind::Mec, &options).expect("on the CPU");
    let sets = found.ids().map(|id| {
        let states = (0..model.len() as u32).map(StateId);
        let members = states.filter(|&state| found.component(state) == Some(id));
        members.fold(0, |set, state| set | 1 << state.0)
    });
    let mut sets: Vec<u32> = sets.collect();
    sets.sort_unstable();
    sets
}

/// Returns choices whose intervals contain a distribution.
fn model() -> impl Strategy<Value = Model> {
    let bound = || prop_oneof![3 => Just(0u32), 1 => 0..6u32, 1 => Just(10)];
    let branch = (0..6u32, bound(), 0..11u32);
    let choice = prop::collection::vec(branch, 1..5);
    let state = prop::collection::vec(choice, 0..4);
    prop::collection::vec(state, 1..7).prop_map(|states| {
        let count = states.len() as u32;
        let choice = |branches: Vec<Branch>| {
            let mut all = BTreeMap::new();
            for (target, low, more) in branches {
                // Branches of a model have upper bounds above 0.
                all.insert(target % count, (low, (low + more).clamp(1, 10)));
            }
            let low: u32 = all.values().map(|bounds| bounds.0).sum();
            let high: u32 = all.values().map(|bounds| bounds.1).sum();
            for bounds in all.values_mut() {
                if low > 10 {
                    bounds.0 = 0;
                }
                if high < 10 {
                    bounds.1 = 10;
                }
            }
            all.into_iter()
                .map(|(to, (low, high))| (to, low, high))
                .collect()
        };
        let states = states.into_iter();
        states
            .map(|choices| choices.into_iter().map(choice).collect())
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn both_readings_agree_with_the_definition(model in model()) {
        for helps in [false, true] {
            prop_assert_eq!(by_the_graph(&model, helps), by_definition(&model, helps), "{}", helps);
        }
    }
}

/// In one choice, any single branch can take all, but two of its three branches must stay.
#[test]
fn upper_bounds_must_suffice_together() {
    let thirds = |targets: [u32; 3]| vec![targets.map(|target| (target, 0, 5)).to_vec()];
    let model = vec![thirds([0, 1, 2]), thirds([0, 1, 2]), Vec::new()];
    assert_eq!(by_the_graph(&model, true), [0b011]);
    assert_eq!(by_the_graph(&model, false), [0u32; 0]);
    let alone = vec![thirds([0, 1, 2]), Vec::new(), Vec::new()];
    assert_eq!(by_the_graph(&alone, true), [0u32; 0]);
    assert_eq!(by_definition(&alone, true), [0u32; 0]);
}
