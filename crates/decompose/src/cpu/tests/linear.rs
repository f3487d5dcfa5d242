//! Tests that the searches take linear time: on the worst shapes, the number of steps grows in
//! proportion to the model.

use super::super::{auto_mecs, auto_sccs, kind_to_search, steps};
use super::common::{Model, graph};
use crate::Silent;
use crate::cpu::edges::AllEdges;
use crate::cpu::strategy::{Facts, Limits, Plan, Sweeps};
use crate::cpu::ticker::Ticker;
use mdp_graph::{ComponentKind, MdpGraph, StateRows};
use proptest::prelude::*;

/// Returns the number of steps of a search without sweeps, for each state, choice and branch of the
/// model.
fn steps_each(graph: &MdpGraph, sccs: bool) -> u64 {
    let n = graph.num_states();
    let steps = steps::of(|| {
        let mut ticker = Ticker::new(&Silent, n);
        let facts = Facts::of_graph(graph);
        let kind = match sccs {
            true => ComponentKind::Scc,
            false => kind_to_search(graph, &facts),
        };
        let plan = Plan::new(facts, kind, Sweeps::Skip, Limits::WITHOUT_ROUNDS);
        let found = match sccs {
            true => {
                let rows = StateRows::new(graph);
                auto_sccs(AllEdges::new(graph, &rows), &plan, &mut ticker).map(drop)
            }
            false => auto_mecs(graph, &plan, &mut ticker).map(drop),
        };
        found.expect("nobody cancels");
    });
    steps / (n + graph.num_choices() + graph.num_branches()) as u64
}

/// Returns a state with one choice that leads to `width` leaves, each of which has the choices that
/// `leaf` gives it. Then come `width / 10` states with self-loops. They are closed before the first
/// state is visited, and therefore a search looks ahead in its choice.
fn hub(width: u32, leaf: impl Fn(u32) -> Vec<Vec<u32>>) -> Model {
    let mut model = vec![vec![(1..=width).collect()]];
    model.extend((1..=width).map(leaf));
    model.extend((1..=width / 10).map(|other| vec![vec![width + other]]));
    model
}

/// Returns a model whose first state has `width` choices of `width + 1` branches each. The last
/// branch of each choice leads to a state of its own, which has a self-loop. The other branches
/// lead to states that all choices share and that lead back.
fn comb(width: u32) -> Model {
    let choice = |k: u32| (1..=width).chain([width + 1 + k]).collect();
    let mut model: Model = vec![(0..width).map(choice).collect()];
    model.extend((0..width).map(|_| vec![vec![0]]));
    model.extend((0..width).map(|k| vec![vec![width + 1 + k]]));
    model
}

/// Returns models of this width, of all shapes.
fn shapes(width: u32) -> Vec<(&'static str, Model)> {
    let back = |_| vec![vec![0]];
    let reversed = |mut model: Model| {
        model[0][0].reverse();
        model
    };
    let root = width.isqrt();
    let repeated = |mut model: Model| {
        model[0] = vec![model[0][0].repeat(3); 3];
        model
    };
    vec![
        ("hub", hub(width, back)),
        ("hub, from its last leaf on", reversed(hub(width, back))),
        (
            "branches and choices that repeat",
            repeated(hub(width, back)),
        ),
        (
            "leaves that lead on",
            hub(width, |leaf| vec![vec![0], vec![leaf % width + 1]]),
        ),
        (
            "leaves that may get lost",
            hub(width, |leaf| vec![vec![0], vec![0, width + 1 + leaf % 7]]),
        ),
        (
            "leaves that get lost",
            hub(width, |leaf| match leaf == width {
                true => vec![vec![width + 1]],
                false => vec![vec![0]],
            }),
        ),
        ("choices that leave by their last branches", comb(root)),
        (
            "hubs in a row",
            (0..root)
                .flat_map(|hub| {
                    let first = hub * (root + 1);
                    let leaves = first + 1..=first + root;
                    let before = first.saturating_sub(root + 1);
                    let choice = leaves.clone().chain([before]).collect();
                    let own = std::iter::once(vec![choice]);
                    own.chain(leaves.map(move |_| vec![vec![first]]))
                        .collect::<Model>()
                })
                .collect(),
        ),
    ]
}

#[test]
fn wide_choices_take_linear_time() {
    for (name, model) in shapes(4_000) {
        let graph = graph(&model);
        for sccs in [false, true] {
            let steps = steps_each(&graph, sccs);
            assert!(
                steps <= 8,
                "{name}: {steps} steps for each state and branch"
            );
        }
    }
}

/// Returns a model of stairs. Each step is a cycle of `width` states. The first state of a step has
/// another choice, which leads to the step below or to a landing of its own. The landings lead to
/// another cycle, whose states may go to the topmost step. Each search of the whole model splits
/// off one step.
fn stairs(steps: u32, width: u32, cycle: u32) -> Model {
    let (landings, round) = (steps * width, steps * (width + 1));
    let mut model = Model::new();
    for state in 0..landings {
        let (step, place) = (state / width, state % width);
        model.push(vec![vec![step * width + (place + 1) % width]]);
        if place == 0 && step > 0 {
            model[state as usize].push(vec![landings + step, (step - 1) * width]);
        }
    }
    model.extend((0..steps).map(|_| vec![vec![round]]));
    let top = (steps - 1) * width;
    model.extend((0..cycle).map(|i| vec![vec![top], vec![round + (i + 1) % cycle]]));
    model
}

#[test]
fn stairs_that_dissolve_step_by_step_take_linear_time() {
    for width in [1, 2, 5] {
        let steps = [(100, 1_000), (400, 4_000)].map(|(steps, cycle)| {
            let graph = graph(&stairs(steps, width, cycle));
            steps_each(&graph, false)
        });
        assert!(
            steps[1] <= steps[0] + 4 && steps[1] < 4,
            "{width}: {steps:?}"
        );
    }
}

/// Returns a model in which each state of a small model becomes `width` states. A branch leads to
/// all states that its target becomes, or to the one with the same number, or to the next one.
fn inflated(small: &[Vec<Vec<(u32, u8)>>], width: u32) -> Model {
    let branches = |&(target, how): &(u32, u8), copy: u32| {
        let first = target * width;
        match how {
            0 => (first..first + width).collect(),
            1 => vec![first + copy],
            _ => vec![first + (copy + 1) % width],
        }
    };
    let mut model = Model::new();
    for choices in small {
        for copy in 0..width {
            let targets = |choice: &Vec<(u32, u8)>| {
                let all = choice.iter().flat_map(|branch| branches(branch, copy));
                all.collect::<Vec<u32>>()
            };
            model.push(choices.iter().map(targets).collect());
        }
    }
    model
}

fn small_model() -> impl Strategy<Value = Vec<Vec<Vec<(u32, u8)>>>> {
    (2..6u32).prop_flat_map(|n| {
        let choice = prop::collection::vec((0..n, 0..3u8), 1..4);
        prop::collection::vec(prop::collection::vec(choice, 0..3), n as usize)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// The shapes are random, so that no shape is left out because nobody has thought of it.
    #[test]
    fn steps_for_each_state_do_not_grow_with_the_model(small in small_model()) {
        let [narrow, wide] = [16, 256].map(|width| graph(&inflated(&small, width)));
        for sccs in [false, true] {
            let steps = [&narrow, &wide].map(|graph| steps_each(graph, sccs));
            prop_assert!(steps[1] <= 2 * steps[0] + 8, "{:?} steps", steps);
        }
    }
}
