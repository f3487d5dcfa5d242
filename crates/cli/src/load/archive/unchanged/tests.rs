//! Tests that a model is the same, whether its arrays are copied or its choices read one by one.

use super::super::super::choice_chunk::join;
use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;
use umb::{Compression, Indices, Model, ModelType, ReadOptions, Umb, UmbWriter};

/// The branches of a choice: targets and weights.
type Branches = Vec<(u32, u32)>;

/// For each state its choices, which have an action.
type Drawn = Vec<Vec<(u32, Branches)>>;

/// Two actions have the same name, so they are the same, and the second one is none.
const ACTIONS: [&str; 4] = ["go", "", "go", "stay"];

/// Returns models. In some of them, weights may be 0, states may have no choice, and a choice may
/// have a target twice.
fn drawn() -> impl Strategy<Value = Drawn> {
    let rarely = || prop::bool::weighted(0.15);
    (rarely(), rarely(), rarely()).prop_flat_map(|(has_zeros, has_deadlocks, repeats)| {
        let least = |is_zero: bool| if is_zero { 0 } else { 1 };
        let branch = (any::<u32>(), least(has_zeros)..5u32);
        let choice = (
            0..ACTIONS.len() as u32,
            prop::collection::vec(branch, 1..20),
        );
        let state = prop::collection::vec(choice, least(has_deadlocks) as usize..4);
        let states = prop::collection::vec(state, 1..40);
        states.prop_map(move |states| with_targets(states, !repeats))
    })
}

/// Makes all targets states, which in a choice differ if they can.
fn with_targets(mut states: Drawn, differ: bool) -> Drawn {
    let count = states.len() as u32;
    for (_, branches) in states.iter_mut().flatten() {
        let mut seen = BTreeSet::new();
        branches.iter_mut().for_each(|branch| branch.0 %= count);
        branches.retain(|&(target, _)| !differ || seen.insert(target));
        if branches.iter().all(|&(_, weight)| weight == 0) {
            branches[0].1 = 1;
        }
    }
    states
}

/// Writes a model as an archive.
fn archive(states: &Drawn, model_type: ModelType, named: bool) -> Vec<u8> {
    let (mut of_states, mut of_choices) = (vec![0u32], vec![0u32]);
    let (mut targets, mut values, mut actions) = (Vec::new(), Vec::new(), Vec::new());
    for choices in states {
        for (action, branches) in choices {
            let total: u32 = branches.iter().map(|branch| branch.1).sum();
            targets.extend(branches.iter().map(|branch| branch.0));
            values.extend(
                branches
                    .iter()
                    .map(|&(_, w)| f64::from(w) / f64::from(total)),
            );
            actions.push(*action);
            of_choices.push(targets.len() as u32);
        }
        of_states.push(actions.len() as u32);
    }
    let rates = vec![0.5; states.len()];
    let is_timed = model_type == ModelType::Ma;
    let model = Model {
        choice_offsets: Indices::U32(&of_states),
        branch_offsets: Indices::U32(&of_choices),
        targets: Indices::U32(&targets),
        probabilities: Some(&values),
        exit_rates: is_timed.then_some(&rates),
        markovian_states: is_timed.then_some(&[]),
        ..Model::new(model_type)
    };
    let mut writer = UmbWriter::new(&model).expect("a sound model");
    if named {
        writer.choice_actions(&ACTIONS, &actions).expect("one each");
    }
    let mut bytes = Vec::new();
    writer
        .write(&mut bytes, Compression::None)
        .expect("written to memory");
    bytes
}

proptest! {
    #[test]
    fn copied_arrays_are_the_model(
        states in drawn(),
        [named, detailed, keeps, timed] in any::<[bool; 4]>(),
    ) {
        let model_type = if timed { ModelType::Ma } else { ModelType::Mdp };
        let bytes = archive(&states, model_type, named);
        let umb = Umb::read(&bytes, &ReadOptions::default()).expect("a sound archive");
        let reader = Reader::new(&umb, detailed).expect("sound actions");
        let policy = if keeps { Deadlocks::Keep } else { Deadlocks::SelfLoop };

        let all = || states.iter().flatten().map(|(_, branches)| branches);
        let zeros = all().flatten().filter(|branch| branch.1 == 0).count();
        let repeats = |branches: &Branches| {
            let targets: BTreeSet<u32> = branches.iter().map(|branch| branch.0).collect();
            targets.len() < branches.len()
        };
        let changes = zeros > 0
            || all().any(repeats)
            || !keeps && states.iter().any(Vec::is_empty)
            || timed && detailed;
        prop_assert_eq!(umb.num_zeros(), zeros as u64);

        let copied = model(&reader, policy).expect("it fits");
        prop_assert_eq!(copied.is_none(), changes);
        if let Some(copied) = copied {
            let joined = join(states.len() as u32, reader.chunks(), policy).expect("it fits");
            prop_assert_eq!(copied.graph, joined.graph);
            prop_assert_eq!(copied.construction.deadlocks, joined.construction.deadlocks);
            prop_assert_eq!(copied.choices.details, joined.choices.details);
        }
    }
}
