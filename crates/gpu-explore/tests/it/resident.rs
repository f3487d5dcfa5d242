//! Tests that a graph that stays on the device is equal to the graph that is copied to the host.

use crate::fixtures::fixture;
use crate::programs::{on_device_resident, program};
use crate::same::{gpu, tiny};
use gpu::Gpu;
use gpu_explore::{DeviceOrHost, GraphBuffers, Options, Tuning, explore_resident};
use lts_network::Network;
use mdp_graph::{Deadlocks, MdpGraph, StateId};

/// Copies a graph from the device.
pub(crate) fn brought(gpu: &Gpu, graph: &GraphBuffers) -> MdpGraph {
    let mut states = 0;
    let mut targets = Vec::new();
    for shard in &graph.targets {
        assert!(shard.rows.start >= states && shard.elements.start == targets.len() as u64);
        states = shard.rows.end;
        let piece = gpu.read(&shard.buffer).expect("a piece");
        targets.extend(piece.into_iter().map(StateId));
    }
    let offsets = |buffer| gpu.read(buffer).expect("offsets");
    let (choices, branches) = (
        offsets(&graph.choice_offsets),
        offsets(&graph.branch_offsets),
    );
    MdpGraph::from_parts(choices, branches, targets).expect("a graph")
}

/// Explores on a device, which keeps the graph. Returns the graph, and the number of deadlocks.
pub(crate) fn resident(gpu: &Gpu, network: &Network, options: &Options<'_>) -> (MdpGraph, u64) {
    match explore_resident(gpu, network, options).expect("no limits") {
        DeviceOrHost::OnDevice(found) => (brought(gpu, &found.graph), found.deadlocks),
        DeviceOrHost::OnHost(_) => panic!("there is room on the device"),
    }
}

/// Returns sizes with which there are many shards.
fn pieces(gpu: &Gpu) -> Tuning {
    Tuning {
        transitions: 300,
        candidates: 250,
        ..Tuning::of(gpu)
    }
}

fn options(deadlocks: Deadlocks, tuning: Tuning) -> Options<'static> {
    Options {
        explore: explore::Options {
            deadlocks,
            ..explore::Options::default()
        },
        tuning,
    }
}

#[test]
fn the_graphs_of_networks_stay_on_the_device() {
    let Some(gpu) = gpu() else { return };
    for name in [
        "traffic_light.exp",
        "forks.exp",
        "token_ring.exp",
        "peterson.exp",
    ] {
        let network = fixture(name);
        for deadlocks in [Deadlocks::Keep, Deadlocks::SelfLoop] {
            for tuning in [Tuning::of(gpu), pieces(gpu)] {
                let options = options(deadlocks, tuning);
                let expected = explore::explore(&network, &options.explore).expect("no limits");
                let (found, ends) = resident(gpu, &network, &options);
                assert!(found == expected.graph, "{name} {tuning:?}");
                assert_eq!(ends, expected.deadlocks);
            }
        }
    }
}

#[test]
fn the_graphs_of_programs_stay_on_the_device() {
    let Some(gpu) = gpu() else { return };
    for name in [
        "mutex.prism",
        "deadline.prism",
        "philosophers.prism",
        "testandset.prism",
    ] {
        let system = program(name);
        for tuning in [Tuning::of(gpu), pieces(gpu), tiny(gpu)] {
            let options = options(Deadlocks::SelfLoop, tuning);
            let expected = explore::explore(&system, &options.explore).expect("no limits");
            // With a few states at a time, models of thousands of states take half a minute.
            if tuning == tiny(gpu) && expected.states.len() > 1000 {
                continue;
            }
            let DeviceOrHost::OnDevice(found) = on_device_resident(gpu, &system, &options) else {
                panic!("there is room on the device");
            };
            assert!(
                brought(gpu, &found.graph) == expected.graph,
                "{name} {tuning:?}"
            );
            assert_eq!(found.num_initial, expected.num_initial);
            assert_eq!(found.deadlocks, expected.deadlocks);
        }
    }
}

/// Some rows were copied from the device, and others never were on it.
#[test]
fn a_graph_for_which_there_is_no_room_is_brought_to_the_host() {
    let Some(gpu) = gpu() else { return };
    let network = fixture("pipeline.exp");
    let expected = explore::explore(&network, &explore::Options::default()).expect("no limits");
    let branches = expected.graph.num_branches() as u64;
    for resident in [0, branches / 2, branches - 1] {
        let tuning = Tuning {
            resident,
            ..pieces(gpu)
        };
        let options = options(Deadlocks::SelfLoop, tuning);
        let found = explore_resident(gpu, &network, &options).expect("no limits");
        let DeviceOrHost::OnHost(found) = found else {
            panic!("there is no room on the device");
        };
        assert!(found.graph == expected.graph && found.states == expected.states);
    }
}
