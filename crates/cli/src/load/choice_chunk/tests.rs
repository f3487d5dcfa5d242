//! Tests that actions and probabilities are in the order of the graph's choices and branches.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

#[test]
fn details_are_in_the_order_of_the_graph() {
    let mut first = ChoiceChunk::new(0, true);
    first.choice(1, Some("go"), &[2, 0], &[0.25, 0.75]);
    first.choice(1, None, &[1], &[1.0]);
    let mut second = ChoiceChunk::new(0, true);
    second.choice_of_any(3, Some("stay"), &[3, 1, 3], &[0.25, 0.5, 0.25]);
    second.choice_of_any(3, Some("go"), &[4, 0], &[0.5, 0.5]);
    let joined = join(6, vec![first, second], Deadlocks::SelfLoop).expect("it is sound");
    let Joined {
        graph,
        construction,
        choices,
    } = joined;

    assert_eq!(construction.deadlocks, 4);
    assert_eq!(graph.choice_offsets(), [0, 1, 3, 4, 6, 7, 8]);
    let targets = StateId::as_numbers(graph.all_targets());
    assert_eq!(targets, [0, 2, 0, 1, 2, 1, 3, 4, 0, 4, 5]);
    let expected = Details {
        values: vec![1.0, 0.25, 0.75, 1.0, 1.0, 0.5, 0.5, 0.5, 0.5, 1.0, 1.0],
        names: ["", "go", "stay"].map(str::to_owned).to_vec(),
        actions: vec![0, 1, 0, 0, 2, 1, 0, 0],
    };
    assert_eq!(choices.details, Some(expected));
}

#[test]
fn bounds_of_one_target_are_added_and_impossible_branches_left_out() {
    let mut first = ChoiceChunk::of_intervals(0);
    // The weight 1 of the branches to 2 and 0 is certain, so nothing is left for 1.
    let bounds = [&[0.25, 0.0, 0.25, 0.5][..], &[0.5, 0.5, 0.25, 1.0]];
    first.choice_of_intervals(1, Some("go"), &[2, 1, 0, 2], bounds);
    let mut second = ChoiceChunk::of_intervals(0);
    second.choice_of_intervals(2, None, &[3, 0], [&[0.0, 0.5], &[1.0, 0.75]]);
    let joined = join(4, vec![first, second], Deadlocks::SelfLoop).expect("it is sound");

    assert_eq!(joined.construction.dropped_branches, 1);
    let targets = StateId::as_numbers(joined.graph.all_targets());
    assert_eq!(targets, [0, 0, 2, 3, 0, 3]);
    let upper = joined.choices.details.expect("they are kept").values;
    assert_eq!(upper, [1.0, 0.25, 1.5, 1.0, 0.75, 1.0]);
    let lower = joined.choices.lower_bounds.expect("it has intervals");
    assert_eq!(lower, [1.0, 0.25, 0.75, 0.0, 0.5, 1.0]);
}

#[test]
fn deadlocks_that_are_kept_have_no_details() {
    let mut chunk = ChoiceChunk::new(0, true);
    chunk.choice(1, None, &[1], &[1.0]);
    let Joined { choices, .. } = join(3, vec![chunk], Deadlocks::Keep).expect("it is sound");
    assert_eq!(choices.details.expect("they were wanted").values, [1.0]);
}

#[test]
fn details_are_kept_only_if_they_are_wanted() {
    let mut chunk = ChoiceChunk::new(0, false);
    chunk.choice(0, Some("go"), &[0], &[1.0]);
    let Joined { choices, .. } = join(1, vec![chunk], Deadlocks::Keep).expect("it is sound");
    assert_eq!(choices.details, None);
}

/// A choice: its action, and branches of which several may have one target.
type AnyChoice = (Option<u8>, Vec<(u32, u32)>);

const STATES: u32 = 12;

fn states() -> impl Strategy<Value = Vec<Vec<AnyChoice>>> {
    let branches = prop::collection::vec((0..STATES, 1..9_u32), 1..16);
    let choice = (prop::option::of(0..3_u8), branches);
    prop::collection::vec(prop::collection::vec(choice, 0..3), STATES as usize)
}

/// Returns the expected choices: state, action, and the sum for each target.
fn expected(states: &[Vec<AnyChoice>], loops: bool) -> Vec<(u32, String, BTreeMap<u32, f64>)> {
    let mut all = Vec::new();
    for (state, choices) in (0..).zip(states) {
        for (action, branches) in choices {
            let mut sums = BTreeMap::new();
            for &(target, value) in branches {
                *sums.entry(target).or_insert(0.0) += f64::from(value);
            }
            let action = action.map_or_else(String::new, |action| format!("a{action}"));
            all.push((state, action, sums));
        }
        if loops && choices.is_empty() {
            all.push((state, String::new(), BTreeMap::from([(state, 1.0)])));
        }
    }
    all
}

proptest! {
    /// However choices are divided into chunks, the graph and the details are the same.
    #[test]
    fn chunks_make_up_the_model(
        states in states(),
        cuts in prop::collection::btree_set(0..STATES, 0..4),
        loops: bool,
    ) {
        let mut chunks = vec![ChoiceChunk::new(0, true)];
        for (state, choices) in (0..).zip(&states) {
            if cuts.contains(&state) {
                chunks.push(ChoiceChunk::new(0, true));
            }
            let chunk = chunks.last_mut().expect("there is one");
            for (action, branches) in choices {
                let action = action.map(|action| format!("a{action}"));
                let (targets, values): (Vec<u32>, Vec<f64>) =
                    branches.iter().map(|&(target, value)| (target, f64::from(value))).unzip();
                chunk.choice_of_any(state, action.as_deref(), &targets, &values);
            }
        }
        let policy = if loops { Deadlocks::SelfLoop } else { Deadlocks::Keep };
        let Joined { graph, choices, .. } = join(STATES, chunks, policy).expect("it is sound");
        let details = choices.details.expect("they were wanted");

        let graph = &graph;
        let mut values = details.values.iter().copied();
        let mut found = Vec::new();
        for state in graph.states() {
            for choice in graph.choices(state) {
                let targets = StateId::as_numbers(graph.targets(choice));
                let branches: BTreeMap<u32, f64> =
                    targets.iter().copied().zip(values.by_ref()).collect();
                prop_assert_eq!(branches.len(), targets.len());
                let action = details.names[details.actions[choice.index()] as usize].clone();
                found.push((state.0, action, branches));
            }
        }
        prop_assert_eq!(values.next(), None);
        prop_assert_eq!(found, expected(&states, loops));
    }
}
