//! Tests with adapters that have only the limits that WebGPU guarantees: which searches run there,
//! and which errors all others return.

use crate::device::{expected, path_both_ways};
use crate::variants::Kind;
use decompose::gpu::worklist::WorklistGraph;
use decompose::gpu::{FbtOptions, GpuOptions, HostGraph, can_search};
use decompose::{ComponentSearch, Device, Error, Options, mec, scc};
use gpu::{Gpu, Limits, Request};
use mdp_graph::{ComponentKind, Digraph};
use test_models::{adapter, device_or_skip};

/// The searches of devices.
const SEARCHES: [ComponentSearch; 3] = [
    ComponentSearch::Auto,
    ComponentSearch::Fbt,
    ComponentSearch::Bfbt,
];

/// Returns the adapter under test, restricted to `limits`, if it exists.
fn open(limits: Limits) -> Option<Gpu> {
    let request = Request {
        at_most: Some(limits),
        ..Request::named(adapter())
    };
    device_or_skip(Gpu::open(&request))
}

/// Returns the options of a search on a device that is open.
fn on(gpu: &Gpu, search: ComponentSearch) -> Options<'static> {
    Options {
        search,
        device: Device::from(gpu.clone()),
        ..Options::default()
    }
}

#[test]
fn both_engines_need_no_more_workgroup_memory_than_webgpu_guarantees() {
    let limits = Limits {
        max_bindings: 32,
        ..Limits::WEBGPU
    };
    let Some(gpu) = open(limits) else {
        return;
    };
    assert_eq!(gpu.limits().max_workgroup_bytes, 16 << 10);
    let graph = path_both_ways(500);
    let options = GpuOptions::default();
    let sccs = expected(&graph, Kind::Sccs);
    let mecs = expected(&graph, Kind::Mecs);
    for search in SEARCHES {
        let found = scc(&graph, &on(&gpu, search));
        assert_eq!(found.as_ref(), Ok(&sccs), "{search:?}");
        let found = mec(&graph, &on(&gpu, search));
        assert_eq!(found.as_ref(), Ok(&mecs), "{search:?}");
    }
    // `ComponentSearch::Auto` uses the worklist engine here, because it can be loaded.
    assert!(WorklistGraph::load(&gpu, HostGraph::Edges(&Digraph::new(&graph)), &options).is_ok());
    assert!(WorklistGraph::load(&gpu, HostGraph::Choices(&graph), &options).is_ok());
}

#[test]
fn within_the_limits_of_webgpu_only_the_papers_search_for_sccs_is_accepted() {
    let Some(gpu) = open(Limits::WEBGPU) else {
        return;
    };
    assert_eq!(*gpu.limits(), Limits::WEBGPU);
    let graph = path_both_ways(500);
    let options = GpuOptions::default();
    let sccs = expected(&graph, Kind::Sccs);
    for search in SEARCHES {
        let found = scc(&graph, &on(&gpu, search));
        assert_eq!(found.as_ref(), Ok(&sccs), "{search:?}");
    }
    let message = |error: Option<Error>| error.expect("it is refused").to_string();
    let refused =
        WorklistGraph::load(&gpu, HostGraph::Edges(&Digraph::new(&graph)), &options).err();
    insta::assert_snapshot!(message(refused), @"the kernel `worklist/colouring` (storage buffers) needs 12, the adapter allows 8");
    let refused = WorklistGraph::load(&gpu, HostGraph::Choices(&graph), &options).err();
    insta::assert_snapshot!(message(refused), @"the kernel `worklist/colouring (CHOICES)` (storage buffers) needs 17, the adapter allows 8");
    let refused = mec(&graph, &on(&gpu, ComponentSearch::Auto)).err();
    insta::assert_snapshot!(message(refused), @"the kernel `fbt/search (HYBRID+CHOICES)` (storage buffers) needs 12, the adapter allows 8");
    let refused = can_search(gpu.info(), ComponentKind::Mec, &FbtOptions::default()).err();
    insta::assert_snapshot!(message(refused), @"the kernel `fbt/search (HYBRID+CHOICES)` (storage buffers) needs 12, the adapter allows 8");
}

#[test]
fn each_limit_of_an_adapter_is_checked_for_each_kernel() {
    let small = |lower: fn(&mut Limits)| {
        let mut limits = Limits {
            max_bindings: 32,
            ..Limits::WEBGPU
        };
        lower(&mut limits);
        limits
    };
    let Some(gpu) = open(small(|limits| limits.max_workgroup_bytes = 8 << 10)) else {
        return;
    };
    let graph = path_both_ways(500);
    let options = GpuOptions::default();
    let refused =
        WorklistGraph::load(&gpu, HostGraph::Edges(&Digraph::new(&graph)), &options).err();
    insta::assert_snapshot!(refused.expect("it is refused"), @"the kernel `worklist/colouring` (bytes of workgroup memory) needs 11392, the adapter allows 8192");
    // The papers' engine needs fewer storage buffers.
    let found = scc(&graph, &on(&gpu, ComponentSearch::Auto));
    assert_eq!(found, Ok(expected(&graph, Kind::Sccs)));
    let small = small(|limits| limits.max_invocations = 128);
    if let Some(gpu) = open(small) {
        let refused = scc(&graph, &on(&gpu, ComponentSearch::Auto)).err();
        insta::assert_snapshot!(refused.expect("it is refused"), @"the kernel `fbt/search (HYBRID)` (invocations a workgroup) needs 256, the adapter allows 128");
    }
}
