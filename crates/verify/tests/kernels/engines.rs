//! The host loops of both engines on the interpreter: on every small graph, their answers are equal
//! to the CPU's.

use decompose::{ComponentSearch, Device, Options, decompose};
use mdp_graph::{ComponentKind, MdpGraph};
use verify::run::{Interpreter, Schedule, Settings};
use verify::small::{Model, digraphs, mdps};

pub(crate) fn graph(model: &Model) -> MdpGraph {
    MdpGraph::from_choices(model).expect("a model")
}

/// A device for one graph; its seed and the way it schedules differ from graph to graph.
pub(crate) fn device(seed: u64) -> Interpreter {
    let schedule = match seed % 3 {
        0 => Schedule::Random,
        1 => Schedule::Priorities { changes: 3 },
        _ => Schedule::RoundRobin,
    };
    Interpreter::new(Settings {
        schedule,
        seed,
        subgroup: [4, 8, 32, 64][seed as usize % 4],
        resident: 1 + seed as u32 % 4,
        stale: seed % 2 == 1,
        ..Settings::default()
    })
}

/// Decomposes a model on a device with each engine, and compares both answers with the CPU's; what
/// is wrong.
fn check(model: &Model, device: &Interpreter, kind: ComponentKind) -> Result<(), String> {
    let graph = graph(model);
    let gpu = device.gpu();
    let expected = decompose(&graph, kind, &Options::default()).expect("the CPU has an answer");
    for search in [ComponentSearch::Auto, ComponentSearch::Fbt] {
        let options = Options {
            search,
            device: Device::from(gpu.clone()),
            ..Options::default()
        };
        let found = decompose(&graph, kind, &options);
        let found = found.map_err(|error| format!("{model:?}, {search:?}: {error}"))?;
        if found != expected {
            return Err(format!("{model:?}, {search:?}: a wrong answer"));
        }
    }
    match device.findings().first() {
        Some((kernel, finding)) => Err(format!("{model:?}, {kernel}: {finding}")),
        None => Ok(()),
    }
}

#[test]
fn both_engines_find_the_sccs_of_all_digraphs_of_two_states() {
    for (seed, model) in (0..).zip(digraphs(1).chain(digraphs(2))) {
        assert_eq!(check(&model, &device(seed), ComponentKind::Scc), Ok(()));
    }
}

/// Every seventh of those of three states; `cargo xtask verify` runs them all.
#[test]
fn both_engines_find_the_sccs_of_digraphs_of_three_states() {
    for (seed, model) in (0..).zip(digraphs(3).step_by(7)) {
        assert_eq!(check(&model, &device(seed), ComponentKind::Scc), Ok(()));
    }
}

#[test]
fn both_engines_find_the_mecs_of_all_mdps_of_two_states() {
    for (seed, model) in (0..).zip(mdps(2)) {
        assert_eq!(check(&model, &device(seed), ComponentKind::Mec), Ok(()));
    }
}

/// Some of the two million MDPs of three states.
#[test]
fn both_engines_find_the_mecs_of_mdps_of_three_states() {
    for (seed, model) in (0..).zip(mdps(3).step_by(29_989)) {
        assert_eq!(check(&model, &device(seed), ComponentKind::Mec), Ok(()));
    }
}
