//! Every reference model in an archive is the model of the text file beside it, variables, labels
//! and actions included; and a copy of it is the same again.

use prism_explicit::{Transitions, read_labels, read_states, read_transitions};
use test_models::{ModelFiles, reference_models};
use umb::{Compression, Entity, ReadOptions, Umb, UmbWriter, Value, Values};

#[test]
fn every_model_is_that_of_its_text() {
    let Some(models) = reference_models() else {
        return;
    };
    let mut compared = 0;
    for files in &models {
        let Some(bytes) = files.bytes("umb") else {
            continue;
        };
        let umb = open(&bytes, files);
        let text = files.bytes("tra").expect("a model");
        let model = read_transitions(&text, &Default::default()).expect("a sound text file");
        compare_choices(&umb, &model, files);
        compare_labels(&umb, files);
        compare_variables(&umb, files);
        check_rewards(&umb, files);
        check_copy(&umb, files);
        compared += 1;
    }
    assert!(compared > 15, "only {compared} archives");
}

fn open<'a>(bytes: &'a [u8], files: &ModelFiles) -> Umb<'a> {
    Umb::read(bytes, &ReadOptions::default()).unwrap_or_else(|error| panic!("{files}: {error}"))
}

fn compare_choices(umb: &Umb<'_>, model: &Transitions, files: &ModelFiles) {
    assert_eq!(umb.num_states(), u64::from(model.num_states()), "{files}");
    let actions = umb.choice_actions().expect("sound actions");
    let probabilities = umb.probabilities().expect("probabilities");
    let mut archived = umb.choices();
    for choice in model.choices() {
        let other = archived.next().expect("as many choices");
        let place = (choice.state(), choice.index());
        assert_eq!(
            (other.state() as u32, other.index() as u32),
            place,
            "{files}"
        );
        let mut expected: Vec<_> = choice.targets().iter().zip(choice.values()).collect();
        let mut found: Vec<_> = other
            .branches()
            .map(|branch| (umb.targets()[branch] as u32, probabilities.get(branch)))
            .collect();
        expected.sort_by_key(|branch| branch.0);
        found.sort_by_key(|branch| branch.0);
        assert_eq!(expected.len(), found.len(), "{files}: {place:?}");
        for (expected, found) in expected.iter().zip(&found) {
            assert_eq!(*expected.0, found.0, "{files}: {place:?}");
            assert!((expected.1 - found.1).abs() < 1e-9, "{files}: {place:?}");
        }
        if let Some(action) = choice.action() {
            let name = actions
                .as_ref()
                .and_then(|actions| actions.name(other.number()));
            assert_eq!(name, Some(action), "{files}: {place:?}");
        }
    }
    assert!(archived.next().is_none(), "{files}");
}

fn compare_labels(umb: &Umb<'_>, files: &ModelFiles) {
    let Some(text) = files.bytes("lab") else {
        return;
    };
    let states = umb.num_states() as u32;
    let labels = read_labels(&text, Some(states), &Default::default()).expect("sound labels");
    for (name, states) in labels.iter() {
        let expected: Vec<_> = states.iter().copied().map(u64::from).collect();
        let values = umb
            .annotation("aps", name, Entity::States)
            .expect("sound values");
        let found: Vec<_> = match (name, &values) {
            ("init", _) => umb.initial_states().iter().collect(),
            (_, Some(Values::Bools(bits))) => bits.iter().collect(),
            // PRISM leaves its built-in label out.
            ("deadlock", None) => continue,
            other => panic!("{files}: {other:?}"),
        };
        assert_eq!(found, expected, "{files}: {name}");
    }
}

fn compare_variables(umb: &Umb<'_>, files: &ModelFiles) {
    let Some(text) = files.bytes("sta") else {
        return;
    };
    let count = umb.num_states() as u32;
    let states = read_states(&text, Some(count), &Default::default()).expect("sound states");
    let valuations = umb.valuations(Entity::States).expect("sound values");
    let valuations = valuations.expect("variables");
    let names: Vec<_> = valuations
        .variables(0)
        .map(|variable| &variable.name)
        .collect();
    let expected: Vec<_> = states.variables().iter().collect();
    assert_eq!(names, expected, "{files}");
    for (row, state) in states.rows().zip(0..) {
        let expected = row.values().map(|value| match value {
            prism_explicit::Value::Bool(value) => Value::Bool(value),
            prism_explicit::Value::Int(value) => Value::Int(value.into()),
        });
        let expected: Vec<_> = expected.collect();
        let found: Result<Vec<_>, _> = valuations.row(state).collect();
        assert_eq!(found.expect("sound values"), expected, "{files}");
    }
}

/// Rewards can be read, and there are as many as the index says.
fn check_rewards(umb: &Umb<'_>, files: &ModelFiles) {
    for (id, info) in umb.index().annotations.get("rewards").into_iter().flatten() {
        for &of in &info.applies_to {
            let name = info.alias.as_deref().unwrap_or(id);
            let values = umb.annotation("rewards", name, of).expect("sound values");
            let Some(Values::Numbers(rewards)) = values else {
                panic!("{files}: rewards {name:?} are {values:?}");
            };
            assert!(!rewards.is_empty());
        }
    }
}

/// A copy has the same files; only the index may be laid out anew.
fn check_copy(umb: &Umb<'_>, files: &ModelFiles) {
    let mut written = Vec::new();
    let writer = UmbWriter::copy_of(umb);
    writer
        .write(&mut written, Compression::None)
        .expect("memory");
    let copy = open(&written, files);
    assert_eq!(copy.index(), umb.index(), "{files}");
    assert!(copy.entries().skip(1).eq(umb.entries().skip(1)), "{files}");
}
