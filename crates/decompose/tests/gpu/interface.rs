//! Tests `decompose()` on the GPU, with observers.

use crate::common;
use crate::device::{Ready, engine, path_both_ways};
use crate::variants::Kind;
use decompose::gpu::{FbtOptions, GpuOptions};
use decompose::{
    ComponentSearch, Device, Error, Observer, Options, Phase, Work, decompose, mec, scc,
};
use gpu::Request;
use mdp_graph::{ComponentKind, Components, MdpGraph, StateId};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

fn on_gpu(mut options: GpuOptions, search: ComponentSearch) -> Options<'static> {
    options.request = Request::named(test_models::adapter());
    let device = Device::from(options);
    Options {
        search,
        device,
        ..Options::default()
    }
}

#[test]
fn decompose_runs_on_the_gpu() {
    if engine().is_none() {
        return;
    }
    let graph = path_both_ways(50);
    let options = on_gpu(GpuOptions::default(), ComponentSearch::Auto);
    let cpu = Options::default();
    assert_eq!(scc(&graph, &options).unwrap(), scc(&graph, &cpu).unwrap());
    assert_eq!(mec(&graph, &options).unwrap(), mec(&graph, &cpu).unwrap());
}

/// The states are in a row, and each may stay or step to the next one. Only the last one is a
/// bottom component.
#[test]
fn every_kind_is_found_on_every_device_open_or_not() {
    let Some(engine) = engine() else { return };
    let row = |state: u32| vec![vec![state], vec![(state + 1).min(49)]];
    let graph = common::graph(&(0..50).map(row).collect());
    let count = |kind, device| {
        let options = Options {
            device,
            ..Options::default()
        };
        let found = decompose(&graph, kind, &options).unwrap();
        assert_eq!(found.kind(), kind);
        found.len()
    };
    let kinds = [ComponentKind::Scc, ComponentKind::Mec, ComponentKind::Bscc];
    for (kind, expected) in kinds.into_iter().zip([50, 50, 1]) {
        let closed = on_gpu(GpuOptions::default(), ComponentSearch::Auto).device;
        for device in [Device::Cpu, closed, Device::from(engine.clone())] {
            assert_eq!(count(kind, device), expected, "{kind:?}");
        }
    }
}

#[test]
fn impossible_requests_are_refused() {
    if engine().is_none() {
        return;
    }
    let graph = path_both_ways(50);
    let message = |result: Result<Components, Error>| result.unwrap_err().to_string();
    let tarjan = on_gpu(GpuOptions::default(), ComponentSearch::Tarjan);
    let refusal = "the GPU cannot search by Tarjan";
    assert_eq!(message(scc(&graph, &tarjan)), refusal);
    assert_eq!(message(mec(&graph, &tarjan)), refusal);
    let fbt = Options {
        search: ComponentSearch::Fbt,
        ..Options::default()
    };
    assert_eq!(message(scc(&graph, &fbt)), "the CPU cannot search by Fbt");
    assert_eq!(message(mec(&graph, &fbt)), "the CPU cannot search by Fbt");
    let small = on_gpu(
        GpuOptions {
            max_binding: Some(64),
            ..GpuOptions::default()
        },
        ComponentSearch::Fbt,
    );
    let refusal = "bindings of 64 bytes were asked for, but this graph needs at least 256";
    assert_eq!(message(scc(&graph, &small)), refusal);
    assert_eq!(message(mec(&graph, &small)), refusal);
    let nowhere = Options {
        device: Device::from(GpuOptions::from(Request::named("no such adapter"))),
        ..Options::default()
    };
    assert!(
        message(scc(&graph, &nowhere))
            .starts_with("no adapter whose name contains `no such adapter` found")
    );
}

#[test]
fn an_observer_receives_the_device_and_the_phases() {
    #[derive(Default)]
    struct Listener(Mutex<Vec<String>>);
    impl Observer for Listener {
        fn phase(&self, phase: Phase) {
            self.0.lock().unwrap().push(format!("{phase:?}"));
        }
        fn device(&self, name: &str) {
            assert!(
                name.to_lowercase()
                    .contains(&test_models::adapter().to_lowercase())
            );
            self.0.lock().unwrap().push("device".to_owned());
        }
    }
    type Decompose = fn(&MdpGraph, &Options<'_>) -> Result<Components, Error>;
    let heard = |decompose: Decompose, options: Options<'_>| {
        let listener = Listener::default();
        let observer: &dyn Observer = &listener;
        decompose(
            &path_both_ways(50),
            &Options {
                observer,
                ..options
            },
        )
        .unwrap();
        listener.0.into_inner().unwrap()
    };
    for decompose in [scc, mec] {
        assert_eq!(heard(decompose, Options::default()), ["Decompose"]);
        if engine().is_some() {
            assert_eq!(
                heard(
                    decompose,
                    on_gpu(GpuOptions::default(), ComponentSearch::Auto)
                ),
                ["Open", "device", "Upload", "Decompose", "Download"]
            );
        }
    }
}

/// Options of the papers' engine select it even if their values are the default ones.
#[test]
fn options_of_the_papers_engine_select_it() {
    #[derive(Default)]
    struct Counts(Mutex<Vec<&'static str>>);
    impl Observer for Counts {
        fn wants_work(&self) -> bool {
            true
        }
        fn work(&self, work: &Work) {
            let names = work.counts.iter().map(|&(name, _)| name);
            self.0.lock().unwrap().extend(names);
        }
    }
    if engine().is_none() {
        return;
    }
    let graph = path_both_ways(50);
    let is_by_papers = |options: GpuOptions, search| {
        let counts = Counts::default();
        let options = Options {
            observer: &counts,
            ..on_gpu(options, search)
        };
        assert_eq!(scc(&graph, &options).unwrap().len(), 1);
        let names = counts.0.into_inner().unwrap();
        names.contains(&"iterations of trimming")
    };
    let none = GpuOptions::default;
    assert!(!is_by_papers(none(), ComponentSearch::Auto));
    assert!(is_by_papers(none(), ComponentSearch::Fbt));
    assert!(is_by_papers(
        FbtOptions::default().into(),
        ComponentSearch::Auto
    ));
    let smaller = none().without_transpose().expect("it has a transpose");
    assert_eq!(smaller.without_transpose(), None);
    assert!(is_by_papers(smaller, ComponentSearch::Auto));
}

#[test]
fn an_observer_can_stop_a_search_in_the_middle() {
    /// An observer that cancels when it is polled for the third time.
    struct Impatient(AtomicUsize);
    impl Observer for Impatient {
        fn is_cancelled(&self) -> bool {
            self.0.fetch_add(1, Ordering::Relaxed) >= 2
        }
    }
    let Some(engine) = engine() else { return };
    let graph = path_both_ways(3000);
    for kind in [Kind::Sccs, Kind::Mecs] {
        let ready = Ready::load(engine, &graph, kind, &FbtOptions::default()).unwrap();
        let impatient = Impatient(AtomicUsize::new(0));
        let stopped = ready
            .loaded
            .find_components(ComponentSearch::Fbt, &impatient);
        assert_eq!(stopped.unwrap_err(), Error::Cancelled);
        // The cancelled search has no effect on the next one.
        let (found, _) = ready.components(&graph, ComponentSearch::Fbt);
        assert_eq!(found.len(), 1);
        assert_eq!(found.smallest_of(StateId(2999)), Some(StateId(0)));
    }
}
