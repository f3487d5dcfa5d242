//! Tests which GPUs are used, and what happens to the part of a GPU that fails.

use super::{Adapters, GpuSet, numbers};
use decompose::Options;
use decompose::gpu::GpuOptions;
use gpu::{AdapterInfo, AdapterKind, Gpu, Limits, Request};
use mdp_graph::{ComponentKind, MdpGraph};

fn adapter(name: &str, kind: AdapterKind, backend: &str) -> AdapterInfo {
    AdapterInfo {
        name: name.to_owned(),
        backend: backend.to_owned(),
        driver: "a driver".to_owned(),
        kind,
        subgroup_sizes: (32, 32),
        subgroups: true,
        timestamps: true,
        limits: Limits::WEBGPU,
    }
}

#[test]
fn each_of_several_equal_gpus_is_used_once() {
    use AdapterKind::{Discrete, Integrated, Software};
    let all = [
        adapter("H200", Discrete, "vulkan"),
        adapter("H200", Discrete, "vulkan"),
        adapter("H200", Discrete, "gl"),
        adapter("Chip", Integrated, "vulkan"),
        adapter("llvmpipe", Software, "vulkan"),
    ];
    let hardware = Request::hardware();
    let taken = |which: Adapters, request: &Request, all: &[AdapterInfo]| {
        numbers(&which, request, all).map_err(|error| error.to_string())
    };
    assert_eq!(taken(Adapters::All, &hardware, &all), Ok(vec![0, 1]));
    assert_eq!(taken(Adapters::First(1), &hardware, &all), Ok(vec![0]));
    assert_eq!(taken(Adapters::First(2), &hardware, &all), Ok(vec![0, 1]));
    let twice = Adapters::These(vec![4, 4, 3]);
    assert_eq!(taken(twice, &hardware, &all), Ok(vec![4, 4, 3]));
    let named = Request::named("h200");
    assert_eq!(taken(Adapters::All, &named, &all), Ok(vec![0]));
    let software = &all[4..];
    assert_eq!(taken(Adapters::All, &Request::any(), software), Ok(vec![0]));
    let refused = [
        taken(Adapters::First(3), &hardware, &all[..2]),
        taken(Adapters::These(vec![1]), &hardware, software),
        taken(Adapters::All, &hardware, software),
    ];
    let refused = refused.map(|found| found.expect_err("there are not so many"));
    insta::assert_snapshot!(refused.join("\n"), @"
    no 3 GPUs of one kind found; present: H200 (discrete GPU, vulkan), H200 (discrete GPU, vulkan)
    no adapter with the number 1, from 0 on, found; present: llvmpipe (software, vulkan)
    no hardware GPU found; present: llvmpipe (software, vulkan)
    ");
}

#[test]
fn the_cpu_takes_over_the_part_of_a_failed_gpu() {
    let options = GpuOptions::from(Request::named(test_models::adapter()));
    let Some(opened) = test_models::device_or_skip(Gpu::open(&options.request)) else {
        return;
    };
    let choices: Vec<_> = (0..50u32)
        .map(|state| vec![vec![(state + 1) % 50]])
        .collect();
    let graph = MdpGraph::from_choices(&choices).expect("well formed");
    let gpus = GpuSet::on(vec![opened.clone()]);
    let mut worker = gpus.worker(0, 0);
    let found = worker
        .decompose(&graph, ComponentKind::Mec)
        .expect("it can");
    let expected = decompose::mec(&graph, &Options::default()).expect("it can");
    let found = found.expect("the first graph goes to the GPU");
    assert_eq!(found.numbers(), expected.numbers());
    // From then on, small graphs are left to the CPU.
    let small = worker.decompose(&graph, ComponentKind::Mec);
    assert!(small.expect("it can").is_none());
    assert_eq!(gpus.name(), "0");
    opened.lose();
    for worker in [1, 2] {
        let left = gpus
            .worker(worker, worker)
            .decompose(&graph, ComponentKind::Scc);
        assert!(left.expect("no error").is_none());
        assert_eq!(gpus.name(), "0, of which 1 failed");
    }
}
