//! The interface for other programs: models are read and decomposed as by the commands, and errors
//! are data.

use maxend::library::{
    Decomposing, DeviceChoice, Failure, FailureKind, Model, Reading, Supervisor, decompose, read,
};
use mdp_graph::{ComponentKind, StateId};
use std::path::Path;
use std::sync::Arc;
use std::thread;

fn path(name: &str) -> Reading {
    Reading::new(
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests")
            .join(name),
    )
}

fn reading() -> Reading {
    Reading {
        constants: vec![("N".to_owned(), "2".to_owned())],
        ..path("good/walk.prism")
    }
}

fn walk() -> Model {
    read(&reading(), &Arc::default()).expect("the model is right")
}

#[test]
fn a_model_has_a_graph_and_the_data_of_the_file() {
    let model = walk();
    assert_eq!(model.graph().num_branches(), 8);
    assert_eq!(
        (model.type_name(), model.format()),
        ("mdp", "PRISM language")
    );
    assert_eq!((model.deadlocks(), model.initial_states()), (1, &[0][..]));
    assert_eq!(model.variables(), ["x", "done"]);
    assert_eq!(model.value(StateId(3), 0), 2);
    assert!(model.is_bool(1) && !model.is_bool(0));
    let labels: Vec<_> = model.labels().collect();
    assert!(labels.contains(&("lit", &[3][..])), "{labels:?}");
    assert_eq!(model.probabilities().map(<[f64]>::len), Some(8));
    let warning = "1 state without a choice given a self-loop";
    assert_eq!(model.warnings(), [warning]);
}

#[test]
fn a_failure_names_a_file_that_is_wrong_as_a_whole() {
    // A directory, a file that is missing, and a model that needs an option.
    for name in ["good", "nowhere.tra", "good/stuck.tra"] {
        let reading = Reading {
            deadlocks: mdp_graph::Deadlocks::Refuse,
            ..path(name)
        };
        let failure = read(&reading, &Arc::default()).err().expect(name);
        assert_eq!(failure.file.as_deref(), reading.file.to_str(), "{failure}");
        assert_eq!((failure.line, failure.column), (None, None));
    }
}

#[test]
fn a_failure_has_a_line_and_a_column() {
    let failure = read(&path("bad/out_of_range.prism"), &Arc::default());
    let Failure {
        kind,
        message,
        file,
        line,
        column,
    } = failure.err().expect("the model is wrong");
    assert_eq!(
        (kind, line, column),
        (FailureKind::Model, Some(6), Some(17))
    );
    assert!(file.is_some_and(|file| file.ends_with("bad/out_of_range.prism")));
    let first = message.lines().next();
    assert_eq!(
        first,
        Some("module `m` sets `x` to 4, outside its range [0..3]")
    );
}

#[test]
fn stopping_work_does_not_stop_other_work() {
    let stopped: Arc<Supervisor> = Arc::default();
    stopped.stop();
    for _ in 0..3 {
        let other = thread::spawn(walk);
        let failure = read(&reading(), &stopped).err();
        assert_eq!(failure.expect("it was stopped").kind, FailureKind::Stopped);
        assert_eq!(other.join().expect("no panic").graph().num_states(), 4);
    }
    assert_eq!(walk().graph().num_states(), 4);
}

#[test]
fn graphs_are_decomposed_and_certified() {
    let model = walk();
    for (kind, components) in [
        (ComponentKind::Mec, 2),
        (ComponentKind::Scc, 3),
        (ComponentKind::Bscc, 1),
    ] {
        let how = Decomposing {
            kind,
            device: DeviceChoice::Cpu,
            threads: None,
            certify: true,
        };
        let supervisor = Supervisor::default();
        let found = decompose(model.graph(), &how, &supervisor).expect("there is an answer");
        assert_eq!(
            (found.components.len(), &*found.device),
            (components, "cpu")
        );
        let progress = supervisor.progress().expect("it has begun");
        assert_eq!((progress.what, progress.total), ("checking", Some(4)));
    }
}

#[test]
fn a_missing_adapter_is_a_failure_of_the_device() {
    let how = Decomposing {
        kind: ComponentKind::Scc,
        device: DeviceChoice::Gpu(Some("no such adapter".to_owned())),
        threads: None,
        certify: false,
    };
    let failure = decompose(walk().graph(), &how, &Supervisor::default()).err();
    assert_eq!(failure.expect("there is none").kind, FailureKind::Device);
}
