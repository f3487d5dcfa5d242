//! What other programs compute by the library is what the commands print.

use crate::common::{maxend, tests};
use maxend::library::{
    DeviceChoice, FailureKind, Model, Reading, Searching, Supervisor, read, search,
};
use mdp_graph::{MdpGraph, StateId};
use std::sync::Arc;

/// Reads a model, whose path begins in the folder of the tests, as the commands do.
fn model(file: &str, constants: &[(&str, &str)]) -> Model {
    let owned = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
    let reading = Reading {
        constants: constants.iter().map(owned).collect(),
        ..Reading::new(tests().join(file))
    };
    read(&reading, &Arc::default()).expect("the model is right")
}

fn searching() -> Searching {
    Searching {
        device: DeviceChoice::Cpu,
        threads: None,
        certify: true,
    }
}

#[test]
fn distances_are_those_of_the_command() {
    for name in [
        "running_example.tra",
        "die.tra",
        "ladder.tra",
        "unreachable.tra",
        "fan.tra.gz",
    ] {
        let file = format!("../../../fixtures/{name}");
        let model = model(&file, &[]);
        for source in [0, 2] {
            let supervisor = Supervisor::default();
            let found = search(model.graph(), &[StateId(source)], &searching(), &supervisor)
                .expect("the search ends");
            let distances = found.tree.distances().iter();
            let shown: String = distances.map(|&d| format!("{}\n", d as i32)).collect();
            let printed = maxend(&format!("bfs {file} --from {source} -f labels")).result();
            assert_eq!((shown, &*found.device), (printed, "cpu"), "{name}");
            let progress = supervisor.progress().expect("it has begun");
            assert_eq!(progress.what, "checking");
        }
    }
}

#[test]
fn a_supervisor_stops_a_search() {
    let states = 1 << 16;
    let next = |state: u32| vec![[(state + 1) % states]];
    let choices: Vec<Vec<[u32; 1]>> = (0..states).map(next).collect();
    let graph = MdpGraph::from_choices(&choices).expect("the graph is well formed");
    let supervisor = Supervisor::default();
    supervisor.stop();
    let failure = search(&graph, &[StateId(0)], &searching(), &supervisor).err();
    assert_eq!(failure.expect("it was stopped").kind, FailureKind::Stopped);
}

#[test]
fn a_missing_adapter_is_a_failure_of_the_device() {
    let how = Searching {
        device: DeviceChoice::Gpu(Some("no such adapter".to_owned())),
        ..searching()
    };
    let model = model("../../../fixtures/die.tra", &[]);
    let failure = search(model.graph(), &[StateId(0)], &how, &Supervisor::default()).err();
    assert_eq!(failure.expect("there is none").kind, FailureKind::Device);
}
