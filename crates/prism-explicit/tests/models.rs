//! Every reference model is read, and what is written from it reads as the same again.

use std::path::{Path, PathBuf};

use prism_explicit::{
    Dialect, Labels, ReadOptions, Transitions, WriteOptions, read_labels, read_states,
    read_transitions,
};

#[test]
fn every_model_round_trips() {
    let Some(folder) = std::env::var_os("MAXEND_MODELS") else {
        eprintln!("SKIPPED: MAXEND_MODELS is not set, so no reference model was read");
        return;
    };
    let mut models = Vec::new();
    find_models(Path::new(&folder), &mut models);
    assert!(
        models.len() > 40,
        "only {} models in {folder:?}",
        models.len()
    );
    for path in &models {
        let model = check_transitions(path);
        check_states(path, &model);
        check_labels(path, &model);
    }
}

fn find_models(folder: &Path, models: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        let name = path.to_string_lossy().into_owned();
        if path.is_dir() {
            find_models(&path, models);
        } else if name.ends_with(".tra") || name.ends_with(".tra.gz") {
            models.push(path);
        }
    }
}

fn read(path: &Path) -> Vec<u8> {
    let bytes = std::fs::read(path).expect("a readable file");
    gunzip::inflate(&bytes, &Default::default())
        .expect("a sound archive")
        .into_owned()
}

/// The file beside `model` that ends in `extension`, plain or compressed.
fn beside(model: &Path, extension: &str) -> Option<Vec<u8>> {
    let name = model.to_string_lossy();
    let stem = name.trim_end_matches(".gz").trim_end_matches(".tra");
    let names = [
        format!("{stem}.{extension}"),
        format!("{stem}.{extension}.gz"),
    ];
    names
        .iter()
        .map(Path::new)
        .find(|path| path.exists())
        .map(read)
}

fn check_transitions(path: &Path) -> Transitions {
    let text = read(path);
    let options = ReadOptions {
        chunk_bytes: 10_000,
        ..ReadOptions::default()
    };
    let model = read_transitions(&text, &options)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut written = Vec::new();
    let heading = text.starts_with(b"#");
    let prism = WriteOptions {
        heading,
        ..WriteOptions::new(Dialect::Prism)
    };
    model.write(&mut written, prism).expect("written to memory");
    let again = read_transitions(&written, &options).expect("what was written reads");
    assert_eq!(model, again, "{}", path.display());
    if again.info().dropped_zero_branches == 0 {
        assert_eq!(written.len(), text.len(), "{}", path.display());
    }
    check_storm(&model, path);
    model
}

fn check_storm(model: &Transitions, path: &Path) {
    let mut storm = Vec::new();
    let added = model
        .write(&mut storm, WriteOptions::new(Dialect::Storm))
        .expect("written");
    assert_eq!(
        added as usize,
        model.deadlocks().count(),
        "{}",
        path.display()
    );
    let again = read_transitions(&storm, &ReadOptions::default()).expect("Storm's dialect reads");
    assert_eq!(again.num_states(), model.num_states(), "{}", path.display());
    assert_eq!(again.deadlocks().count(), 0);
    let added = u64::from(added);
    assert_eq!(
        again.info().num_transitions,
        model.info().num_transitions + added
    );
}

fn check_states(path: &Path, model: &Transitions) {
    let Some(text) = beside(path, "sta") else {
        return;
    };
    let options = ReadOptions::default();
    let states = read_states(&text, Some(model.num_states()), &options)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut written = Vec::new();
    states.write(&mut written).expect("written to memory");
    assert!(
        written.ends_with(&text),
        "{}: the .sta is not written as it was",
        path.display()
    );
    assert_eq!(read_states(&written, None, &options).as_ref(), Ok(&states));
}

fn check_labels(path: &Path, model: &Transitions) {
    let Some(text) = beside(path, "lab") else {
        return;
    };
    let options = ReadOptions::default();
    let labels = read_labels(&text, Some(model.num_states()), &options)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert!(!labels.initial_states().is_empty() || model.num_states() == 0);
    let mut written = Vec::new();
    labels
        .write(&mut written, Dialect::Prism)
        .expect("written to memory");
    assert!(
        written.ends_with(&text),
        "{}: the .lab is not written as it was",
        path.display()
    );
    let mut storm = Vec::new();
    labels
        .write(&mut storm, Dialect::Storm)
        .expect("written to memory");
    let again = read_labels(&storm, None, &options).expect("Storm's dialect reads");
    assert_eq!(again.dialect(), Dialect::Storm);
    let named = labels
        .iter()
        .map(|(name, states)| (name.to_owned(), states.to_vec()));
    assert_eq!(again, Labels::new(Dialect::Storm, named));
}
