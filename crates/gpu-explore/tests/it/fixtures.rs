//! Tests on every network among the fixtures, with buffers of several sizes.

use crate::same::{check, gpu, tight, tiny};
use flate2::read::GzDecoder;
use gpu_explore::Tuning;
use lts_formats::{ReadOptions, read_aut, read_exp};
use lts_network::Network;
use mdp_graph::Deadlocks;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

/// Returns the networks with their names, in the order of the names.
pub(crate) fn networks() -> Vec<(String, Network)> {
    let entries = fs::read_dir(folder()).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let is_network = |path: &PathBuf| path.to_string_lossy().contains(".exp");
    let mut paths: Vec<PathBuf> = paths.filter(is_network).collect();
    paths.sort();
    let named = paths.iter().map(|path| {
        let name = path.file_name().expect("a name").to_string_lossy();
        (name.into_owned(), network(path))
    });
    named.collect()
}

/// Returns a network among the fixtures.
pub(crate) fn fixture(name: &str) -> Network {
    network(&folder().join(name))
}

fn network(path: &Path) -> Network {
    let mut text = fs::read(path).expect("a file");
    if path.extension().is_some_and(|ending| ending == "gz") {
        let mut plain = Vec::new();
        GzDecoder::new(&*text)
            .read_to_end(&mut plain)
            .expect("an archive");
        text = plain;
    }
    let behaviour = read_exp(&text).expect("a network");
    let process = |file: &lts_formats::ProcessFile| {
        let text = fs::read(folder().join(&file.path)).expect("a process");
        read_aut(&text, &ReadOptions::default())
    };
    Network::compile(&behaviour, process).expect("a network")
}

#[test]
fn every_network_is_explored_as_on_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let networks = networks();
    assert!(networks.len() >= 8, "{}", networks.len());
    for (name, network) in &networks {
        eprintln!("{name}");
        check(gpu, network, Tuning::of(gpu), Deadlocks::Keep);
        check(gpu, network, tight(gpu), Deadlocks::SelfLoop);
    }
}

#[test]
fn every_network_is_explored_in_buffers_that_are_too_small() {
    let Some(gpu) = gpu() else { return };
    for (name, network) in &networks() {
        eprintln!("{name}");
        let batches = Tuning {
            workgroups: 2,
            states: 3,
            candidates: 64,
            batch: 300,
            transitions: 100,
            ..Tuning::of(gpu)
        };
        check(gpu, network, batches, Deadlocks::SelfLoop);
    }
}

/// Networks with many states are left out, because batches of a few states each take long there.
#[test]
fn small_networks_are_explored_in_buffers_of_one() {
    let Some(gpu) = gpu() else { return };
    for name in ["traffic_light.exp", "forks.exp", "alternating_bit.exp"] {
        let network = fixture(name);
        check(gpu, &network, tiny(gpu), Deadlocks::Keep);
    }
}

/// Each network is explored several times, with other numbers of workgroups each time.
#[test]
fn answers_do_not_depend_on_the_number_of_workgroups_or_on_timing() {
    let Some(gpu) = gpu() else { return };
    let network = fixture("pipeline.exp");
    for workgroups in [1, 2, 3, 5, 8, 20] {
        let tuning = Tuning {
            workgroups,
            ..Tuning::of(gpu)
        };
        check(gpu, &network, tuning, Deadlocks::Keep);
    }
}
