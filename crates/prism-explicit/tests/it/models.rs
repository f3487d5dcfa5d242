//! Tests that every reference model is read, and that what is written from it reads as the same
//! model.

use prism_explicit::{
    Dialect, Labels, ReadOptions, Transitions, WriteOptions, read_labels, read_states,
    read_transitions,
};
use test_models::{ModelFiles, reference_models};

#[test]
fn every_model_round_trips() {
    let Some(models) = reference_models() else {
        return;
    };
    assert!(models.len() > 40, "only {} models", models.len());
    for files in &models {
        let model = check_transitions(files);
        check_states(files, &model);
        check_labels(files, &model);
    }
}

fn check_transitions(files: &ModelFiles) -> Transitions {
    let text = files.bytes("tra").expect("a model");
    let options = ReadOptions {
        chunk_bytes: 10_000,
        ..ReadOptions::default()
    };
    let model =
        read_transitions(&text, &options).unwrap_or_else(|error| panic!("{files}: {error}"));
    let mut written = Vec::new();
    let heading = text.starts_with(b"#");
    let prism = WriteOptions {
        heading,
        ..WriteOptions::new(Dialect::Prism)
    };
    model
        .write(&mut written, prism)
        .expect("memory can be written");
    let again = read_transitions(&written, &options).expect("what was written can be read");
    assert_eq!(model, again, "{files}");
    if again.info().dropped_zero_branches == 0 {
        assert_eq!(written.len(), text.len(), "{files}");
    }
    check_storm(&model, files);
    model
}

fn check_storm(model: &Transitions, files: &ModelFiles) {
    let mut storm = Vec::new();
    let added = model
        .write(&mut storm, WriteOptions::new(Dialect::Storm))
        .expect("memory can be written");
    assert_eq!(added as usize, model.deadlocks().count(), "{files}");
    let again =
        read_transitions(&storm, &ReadOptions::default()).expect("Storm's dialect can be read");
    assert_eq!(again.num_states(), model.num_states(), "{files}");
    assert_eq!(again.deadlocks().count(), 0);
    let added = u64::from(added);
    assert_eq!(
        again.info().num_transitions,
        model.info().num_transitions + added
    );
}

fn check_states(files: &ModelFiles, model: &Transitions) {
    let Some(text) = files.bytes("sta") else {
        return;
    };
    let options = ReadOptions::default();
    let states = read_states(&text, Some(model.num_states()), &options)
        .unwrap_or_else(|error| panic!("{files}: {error}"));
    let mut written = Vec::new();
    states.write(&mut written).expect("memory can be written");
    assert!(
        written.ends_with(&text),
        "{files}: the .sta file is written as it was"
    );
    assert_eq!(read_states(&written, None, &options).as_ref(), Ok(&states));
}

fn check_labels(files: &ModelFiles, model: &Transitions) {
    let Some(text) = files.bytes("lab") else {
        return;
    };
    let options = ReadOptions::default();
    let labels = read_labels(&text, Some(model.num_states()), &options)
        .unwrap_or_else(|error| panic!("{files}: {error}"));
    assert!(!labels.initial_states().is_empty() || model.num_states() == 0);
    let mut written = Vec::new();
    labels
        .write(&mut written, Dialect::Prism)
        .expect("memory can be written");
    assert!(
        written.ends_with(&text),
        "{files}: the .lab file is written as it was"
    );
    let mut storm = Vec::new();
    labels
        .write(&mut storm, Dialect::Storm)
        .expect("memory can be written");
    let again = read_labels(&storm, None, &options).expect("Storm's dialect can be read");
    assert_eq!(again.dialect(), Dialect::Storm);
    let named = labels
        .iter()
        .map(|(name, states)| (name.to_owned(), states.to_vec()));
    assert_eq!(again, Labels::new(Dialect::Storm, named));
}
