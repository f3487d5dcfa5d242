//! Tests of maximal end components on the GPU: models on which definitions differ, errors that are
//! easily made in the papers' algorithms, and the cost of a search.

use crate::common::{Model, graph};
use crate::device::{self, Ready, engine, path_both_ways};
use crate::models;
use crate::variants::{Kind, pairwise};
use decompose::ComponentSearch;
use decompose::gpu::{Candidates, FbtOptions, Statistics};
use mdp_graph::{Components, MdpGraph, StateId};

/// Checks that a covering set of variants finds the components with these labels: for each state
/// the smallest state of its component, or none.
fn all_find(graph: &MdpGraph, labels: &[Option<u32>]) {
    let Some(engine) = engine() else { return };
    let marks = labels.iter().map(|label| label.unwrap_or(Components::NONE));
    let expected = Components::from_mec_marks(marks.collect::<Vec<_>>());
    assert_eq!(
        device::expected(graph, Kind::Mecs),
        expected,
        "the CPU finds the components"
    );
    device::check(engine, graph, Kind::Mecs, &expected, &pairwise(Kind::Mecs));
}

/// Checks that a covering set of variants finds what the CPU finds.
fn all_agree(model: &Model) {
    let Some(engine) = engine() else { return };
    let graph = graph(model);
    let expected = device::expected(&graph, Kind::Mecs);
    device::check(engine, &graph, Kind::Mecs, &expected, &pairwise(Kind::Mecs));
}

/// Returns the statistics of a search.
fn statistics(graph: &MdpGraph, options: &FbtOptions) -> Option<Statistics> {
    let loaded = Ready::load(engine()?, graph, Kind::Mecs, options).expect("the graph fits");
    Some(loaded.components(graph, ComponentSearch::Fbt).1)
}

#[test]
fn choices_that_leave_are_removed_and_not_only_states() {
    // `leaky_choices`: 0 and 1 reach each other, and each may stay for ever, but never both
    // together.
    let leaky = graph(&vec![
        vec![vec![0], vec![1, 2]],
        vec![vec![1], vec![0, 3]],
        vec![vec![2]],
        vec![vec![3]],
    ]);
    all_find(&leaky, &[Some(0), Some(1), Some(2), Some(3)]);
}

/// Returns the models on which definitions of end components differ, with their components.
pub(crate) fn with_differing_definitions() -> Vec<(MdpGraph, Vec<Option<u32>>)> {
    let mut all = Vec::new();
    for name in ["leaky_choices", "storm24"] {
        let named = |model: &models::Model| model.path.to_string_lossy().contains(name);
        let found: Vec<_> = models::models(100).into_iter().filter(named).collect();
        assert!(!found.is_empty(), "{name} is a fixture");
        for model in found {
            let known = model.mecs.unwrap_or_else(|| match name {
                "leaky_choices" => vec![Some(0), Some(1), Some(2), Some(3)],
                _ => vec![Some(0), None, Some(2)],
            });
            all.push((model.graph, known));
        }
    }
    all
}

#[test]
fn models_on_which_definitions_differ_have_the_known_components() {
    for (graph, known) in with_differing_definitions() {
        all_find(&graph, &known);
    }
}

/// Returns a model and the labels of its states. States 1 and 4 have no choice; 0 must go to 1; 2
/// may stay instead; 3 and 5 lead to each other, and 5 may also end in 4.
pub(crate) fn dead_ends() -> (Model, [Option<u32>; 6]) {
    let model = vec![
        vec![vec![1]],
        vec![],
        vec![vec![2], vec![1]],
        vec![vec![5]],
        vec![],
        vec![vec![3, 4]],
    ];
    (model, [None, None, Some(2), None, None, None])
}

#[test]
fn a_state_without_choices_is_in_no_component() {
    let (model, labels) = dead_ends();
    all_find(&graph(&model), &labels);
}

#[test]
fn a_choice_into_a_finished_component_leaves() {
    // {1} is found in the first round. State 0 has a choice that stays or leads to 1, but none that
    // only stays. States 2 and 3 lose their edges to each other only in the second round, when {1}
    // has long been found.
    let model = vec![
        vec![vec![0, 1]],
        vec![vec![1]],
        vec![vec![3]],
        vec![vec![4], vec![2, 1]],
        vec![vec![3], vec![2, 5]],
        vec![vec![5]],
    ];
    all_find(
        &graph(&model),
        &[None, Some(1), None, Some(3), Some(3), Some(5)],
    );
}

#[test]
fn a_single_state_needs_a_choice_that_stays() {
    // State 0 has a self-loop only as part of a choice with another target, 1 has one by itself, 2
    // has both, and 3 has none.
    let model = vec![
        vec![vec![0, 1]],
        vec![vec![1]],
        vec![vec![2, 1], vec![2]],
        vec![vec![1]],
    ];
    all_find(&graph(&model), &[None, Some(1), Some(2), None]);
}

/// Returns a chain of cycles of two states, each with a choice that leads to the next cycle. The
/// choice of the last cycle leads back to the first cycle or to a sink.
fn leaking_necklace(cycles: u32) -> Model {
    let sink = 2 * cycles;
    let mut model: Model = (0..cycles)
        .flat_map(|cycle| {
            let onward = match cycle + 1 == cycles {
                true => vec![0, sink],
                false => vec![2 * cycle + 2],
            };
            [vec![vec![2 * cycle + 1]], vec![vec![2 * cycle], onward]]
        })
        .collect();
    model.push(vec![vec![sink]]);
    model
}

#[test]
fn regions_left_over_for_want_of_a_candidate_are_no_components() {
    // The model is one component at first, and loses the choice that closes the chain of cycles.
    // The only candidate is then in the last cycle, so that all other cycles are left over
    // together.
    let necklace = graph(&leaking_necklace(4));
    let pairs = (0..4).flat_map(|cycle| [Some(2 * cycle); 2]);
    let labels: Vec<_> = pairs.chain([Some(8)]).collect();
    all_find(&necklace, &labels);
    let rounds = |candidates| {
        let options = FbtOptions {
            candidates,
            ..FbtOptions::default()
        };
        Some(statistics(&necklace, &options)?.mec_rounds)
    };
    let (Some(all), Some(join)) = (rounds(Candidates::All), rounds(Candidates::Join)) else {
        return;
    };
    assert!(
        join > all,
        "regions are left over: {join} rounds, and {all} with all candidates"
    );
}

#[test]
fn a_round_searches_all_regions_at_once() {
    // Many chains of cycles are divided in the second round. Each is in a region of its own from
    // the start.
    let necklaces = |count: u32| {
        let one = leaking_necklace(2);
        let shifted = |copy: u32| {
            let shift = copy * one.len() as u32;
            let choice = move |targets: &Vec<u32>| targets.iter().map(|t| t + shift).collect();
            let mut model: Model = one
                .iter()
                .map(|choices| choices.iter().map(choice).collect())
                .collect();
            // The first state of each chain may go on to the next chain, so that one search reaches
            // all of them.
            if copy + 1 < count {
                model[0].push(vec![shift + one.len() as u32]);
            }
            model
        };
        graph(&(0..count).flat_map(shifted).collect())
    };
    let graph = necklaces(64);
    let Some(engine) = engine() else { return };
    let options = FbtOptions::default();
    let sccs = Ready::load(engine, &graph, Kind::Sccs, &options).expect("the graph fits");
    let alone = sccs.components(&graph, ComponentSearch::Fbt).1.rounds;
    let mecs = Ready::load(engine, &graph, Kind::Mecs, &options).expect("the graph fits");
    let (found, together) = mecs.components(&graph, ComponentSearch::Fbt);
    assert_eq!(found, device::expected(&graph, Kind::Mecs));
    // The cost of the first round depends on the pivots; the other rounds take a few levels.
    assert!(together.mec_rounds <= 4, "{together:?}");
    assert!(
        together.rounds <= 2 * alone + 16,
        "{together:?}, and {alone} rounds for SCCs"
    );
}

#[test]
fn components_are_marked_where_there_are_more_states_than_edges() {
    // Two cycles have the last numbers, so that they are named by numbers far above |E|.
    let mut model: Model = vec![vec![]; 3000];
    model[2996] = vec![vec![2997]];
    model[2997] = vec![vec![2996]];
    model[2998] = vec![vec![2999]];
    model[2999] = vec![vec![2998], vec![2998, 0]];
    let mut labels = vec![None; 2996];
    labels.extend([Some(2996), Some(2996), Some(2998), Some(2998)]);
    all_find(&graph(&model), &labels);
}

#[test]
fn graphs_without_states_or_choices_have_no_components() {
    all_agree(&vec![]);
    all_agree(&vec![vec![]]);
    all_agree(&vec![vec![vec![0]]]);
    all_agree(&vec![vec![], vec![], vec![vec![1]]]);
}

/// Returns a hub with a choice for each of its `spokes`. Spokes with even numbers lead back. The
/// others have a self-loop and a choice that stays or leads back.
fn hub(spokes: u32) -> Model {
    let hub = (1..=spokes).map(|spoke| vec![spoke]).collect();
    let spoke = |number: u32| match number % 2 {
        0 => vec![vec![0]],
        _ => vec![vec![number], vec![0, number]],
    };
    std::iter::once(hub)
        .chain((1..=spokes).map(spoke))
        .collect()
}

#[test]
fn a_state_may_have_ten_thousand_choices() {
    let Some(engine) = engine() else { return };
    let graph = graph(&hub(10_000));
    let expected = device::expected(&graph, Kind::Mecs);
    let variants = pairwise(Kind::Mecs).into_iter().step_by(2);
    for (number, mut variant) in variants.enumerate() {
        variant.options.lanes = Some([4, 32][number % 2]);
        device::check(engine, &graph, Kind::Mecs, &expected, &[variant]);
    }
}

#[test]
fn groups_that_do_not_fit_entries_lie_beside_them() {
    // 18 bits for states and 14 for choices are one bit too many for an entry.
    let Some(engine) = engine() else { return };
    let mut model = hub(10_000);
    model.resize((1 << 17) + 1, vec![vec![1]]);
    let graph = graph(&model);
    let expected = device::expected(&graph, Kind::Mecs);
    for variant in pairwise(Kind::Mecs).into_iter().step_by(160) {
        device::check(engine, &graph, Kind::Mecs, &expected, &[variant]);
    }
}

#[test]
fn long_attractors_take_few_submissions() {
    // Each state may go on or back, and the last one leads to a deadlock. No end component is left,
    // and each step removes one state.
    let n = 2000;
    let mut model: Model = (0..n)
        .map(|s: u32| vec![vec![s.saturating_sub(1), s + 1]])
        .collect();
    model.push(vec![]);
    let graph = graph(&model);
    for transpose in [true, false] {
        let options = FbtOptions {
            transpose,
            ..FbtOptions::default()
        };
        let Some(statistics) = statistics(&graph, &options) else {
            return;
        };
        assert_eq!(statistics.mec_rounds, 1);
        assert!(statistics.attractor_steps >= u64::from(n), "{statistics:?}");
        assert!(
            statistics.submissions * 4 <= statistics.attractor_steps + statistics.levels,
            "{statistics:?}"
        );
    }
}

#[test]
fn repeated_runs_give_the_same_answer() {
    // If there were races, some run would give another answer.
    let Some(engine) = engine() else { return };
    let graph = graph(&leaking_necklace(40));
    let expected = device::expected(&graph, Kind::Mecs);
    for candidates in [Candidates::All, Candidates::Join] {
        let options = FbtOptions {
            candidates,
            ..FbtOptions::default()
        };
        let loaded = Ready::load(engine, &graph, Kind::Mecs, &options).expect("the graph fits");
        for run in 0..10 {
            let search = [ComponentSearch::Fbt, ComponentSearch::Bfbt][run % 2];
            assert_eq!(loaded.components(&graph, search).0, expected, "run {run}");
        }
    }
}

#[test]
fn the_choices_that_a_component_retains_are_those_that_stay() {
    let Some(engine) = engine() else { return };
    let graph = path_both_ways(100);
    let loaded = Ready::load(engine, &graph, Kind::Mecs, &FbtOptions::default());
    let (found, _) = loaded
        .expect("the graph fits")
        .components(&graph, ComponentSearch::Fbt);
    for state in graph.states() {
        let retained: Vec<_> = found.retained_choices(&graph, state).collect();
        assert_eq!(retained, graph.choices(state).collect::<Vec<_>>());
    }
    assert_eq!(found.smallest_of(StateId(99)), Some(StateId(0)));
}
