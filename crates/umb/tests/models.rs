//! Every reference model in an archive is the model of the text file beside it, variables, labels and
//! actions included; and a copy of it is the same again.

mod common;

use std::path::{Path, PathBuf};

use prism_explicit::{Transitions, read_labels, read_states, read_transitions};
use umb::{Compression, Entity, ReadOptions, Umb, UmbWriter, Value, Values};

#[test]
fn every_model_is_that_of_its_text() {
    let Some(folder) = std::env::var_os("MAXEND_MODELS") else {
        eprintln!("SKIPPED: MAXEND_MODELS is not set, so no reference model was read");
        return;
    };
    let mut models = Vec::new();
    find_models(Path::new(&folder), &mut models);
    assert!(models.len() > 15, "only {} in {folder:?}", models.len());
    for path in &models {
        let bytes = read(path);
        let umb = open(&bytes, path);
        let text = beside(path, "tra").expect("a text file beside the archive");
        let model = read_transitions(&text, &Default::default()).expect("a sound text file");
        compare_choices(&umb, &model, path);
        compare_labels(&umb, path);
        compare_variables(&umb, path);
        check_rewards(&umb, path);
        check_copy(&umb, path);
    }
}

fn find_models(folder: &Path, models: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            find_models(&path, models);
        } else if path.extension().is_some_and(|extension| extension == "umb") {
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
    let plain = model.with_extension(extension);
    let zipped = model.with_extension(format!("{extension}.gz"));
    [plain, zipped]
        .iter()
        .find(|path| path.exists())
        .map(|path| read(path))
}

fn open<'a>(bytes: &'a [u8], path: &Path) -> Umb<'a> {
    Umb::read(bytes, &ReadOptions::default())
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn compare_choices(umb: &Umb<'_>, model: &Transitions, path: &Path) {
    let path = path.display();
    assert_eq!(umb.num_states(), u64::from(model.num_states()), "{path}");
    let actions = umb.choice_actions().expect("sound actions");
    let probabilities = umb.probabilities().expect("probabilities");
    let mut archived = umb.choices();
    for choice in model.choices() {
        let other = archived.next().expect("as many choices");
        let place = (choice.state(), choice.index());
        assert_eq!(
            (other.state() as u32, other.index() as u32),
            place,
            "{path}"
        );
        let mut expected: Vec<_> = choice.targets().iter().zip(choice.values()).collect();
        let mut found: Vec<_> = other
            .branches()
            .map(|branch| (umb.targets()[branch] as u32, probabilities.get(branch)))
            .collect();
        expected.sort_by_key(|branch| branch.0);
        found.sort_by_key(|branch| branch.0);
        assert_eq!(expected.len(), found.len(), "{path}: {place:?}");
        for (expected, found) in expected.iter().zip(&found) {
            assert_eq!(*expected.0, found.0, "{path}: {place:?}");
            assert!((expected.1 - found.1).abs() < 1e-9, "{path}: {place:?}");
        }
        if let Some(action) = choice.action() {
            let name = actions
                .as_ref()
                .and_then(|actions| actions.name(other.number()));
            assert_eq!(name, Some(action), "{path}: {place:?}");
        }
    }
    assert!(archived.next().is_none(), "{path}");
}

fn compare_labels(umb: &Umb<'_>, path: &Path) {
    let Some(text) = beside(path, "lab") else {
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
            other => panic!("{}: {other:?}", path.display()),
        };
        assert_eq!(found, expected, "{}: {name}", path.display());
    }
}

fn compare_variables(umb: &Umb<'_>, path: &Path) {
    let Some(text) = beside(path, "sta") else {
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
    assert_eq!(names, expected, "{}", path.display());
    for (row, state) in states.rows().zip(0..) {
        let expected = row.values().map(|value| match value {
            prism_explicit::Value::Bool(value) => Value::Bool(value),
            prism_explicit::Value::Int(value) => Value::Int(value.into()),
        });
        let expected: Vec<_> = expected.collect();
        let found: Result<Vec<_>, _> = valuations.row(state).collect();
        assert_eq!(found.expect("sound values"), expected, "{}", path.display());
    }
}

/// Rewards can be read, and there are as many as the index says.
fn check_rewards(umb: &Umb<'_>, path: &Path) {
    for (id, info) in umb.index().annotations.get("rewards").into_iter().flatten() {
        for &of in &info.applies_to {
            let name = info.alias.as_deref().unwrap_or(id);
            let values = umb.annotation("rewards", name, of).expect("sound values");
            let Some(Values::Numbers(rewards)) = values else {
                panic!("{}: rewards {name:?} are {values:?}", path.display());
            };
            assert!(!rewards.is_empty());
        }
    }
}

/// A copy has the same files; only the index may be laid out anew.
fn check_copy(umb: &Umb<'_>, path: &Path) {
    let mut file = Vec::new();
    let writer = UmbWriter::copy_of(umb);
    writer.write(&mut file, Compression::None).expect("memory");
    let copy = open(&file, path);
    assert_eq!(copy.index(), umb.index(), "{}", path.display());
    assert!(
        copy.entries().skip(1).eq(umb.entries().skip(1)),
        "{}",
        path.display()
    );
}
