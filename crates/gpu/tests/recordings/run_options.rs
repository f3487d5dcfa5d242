//! Tests that callers can watch a run, cancel it, and time its passes.

use std::ops::ControlFlow;

use gpu::{Error, Repeat, Request, RunOptions};

use crate::common;
use crate::search::{Graph, Uploaded};

#[test]
fn an_observer_sees_the_records_of_every_iteration() {
    let Some(gpu) = common::open(&Request::any()) else {
        return;
    };
    let graph = Graph::path(300);
    let uploaded = Uploaded::new(&gpu, &graph).unwrap();
    let (recording, ..) = uploaded.search(Repeat::over("search", 300), true);
    let mut seen = Vec::new();
    let mut observer = |progress: gpu::Progress<'_>| {
        // Some drivers compile the kernels first.
        if progress.is_compiling {
            return ControlFlow::Continue(());
        }
        assert_eq!(progress.name, "search");
        seen.extend_from_slice(progress.records);
        assert_eq!(progress.iterations, seen.len() as u64);
        ControlFlow::Continue(())
    };
    gpu.run_with(
        &recording,
        &mut RunOptions {
            observer: Some(&mut observer),
            ..RunOptions::default()
        },
    )
    .unwrap();
    let iterations: Vec<u32> = seen.iter().map(|record| record.iteration).collect();
    assert_eq!(iterations, (0..300).collect::<Vec<_>>());
    // Each level but the last finds one state, and then asks for the next level.
    assert_eq!(seen.iter().map(|record| record.words[0]).sum::<u32>(), 299);
}

#[test]
fn an_observer_can_cancel_and_the_device_lives_on() {
    let Some(gpu) = common::open(&Request::any()) else {
        return;
    };
    let uploaded = Uploaded::new(&gpu, &Graph::path(2_000)).unwrap();
    let how = Repeat::over("search", 2_000);
    for how in [
        how.clone(),
        how.clone().pipelined(),
        how.pipelined().fixed_grid(),
    ] {
        let (recording, found, _) = uploaded.search(how, false);
        let mut calls = 0;
        let mut observer = |_: gpu::Progress<'_>| {
            calls += 1;
            if calls == 3 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let cancelled = gpu.run_with(
            &recording,
            &mut RunOptions {
                observer: Some(&mut observer),
                ..RunOptions::default()
            },
        );
        assert_eq!(cancelled.unwrap_err(), Error::Cancelled);
        assert_eq!(calls, 3);
        assert_eq!(
            gpu.run(&recording).unwrap().get(found),
            Graph::path(2_000).distances()
        );
    }
}

#[test]
fn passes_are_timed_where_the_adapter_can() {
    let Some(gpu) = common::open(&Request::any()) else {
        return;
    };
    let uploaded = Uploaded::new(&gpu, &Graph::path(3_000)).unwrap();
    let (recording, found, levels) = uploaded.search(Repeat::over("search", 3_000), false);
    let outcome = gpu
        .run_with(
            &recording,
            &mut RunOptions {
                time_passes: true,
                ..RunOptions::default()
            },
        )
        .unwrap();
    assert_eq!(outcome.get(found), Graph::path(3_000).distances());
    assert_eq!(outcome[levels].iterations, 3_000);
    if !gpu.info().timestamps {
        return eprintln!("SKIPPED: {} has no timestamps", gpu.info());
    }
    let names: Vec<&str> = outcome
        .times
        .iter()
        .map(|time| time.name.as_str())
        .collect();
    assert!(
        names.contains(&"test/bfs_level") && names.contains(&"basic/fill"),
        "{names:?}"
    );
    let search = outcome
        .times
        .iter()
        .find(|time| time.name == "test/bfs_level")
        .unwrap();
    let each = outcome.dispatch_times.iter();
    let each = each.filter(|time| time.kernel == "test/bfs_level");
    assert_eq!(each.count() as u64, search.calls);
    assert!(
        search.calls >= 3_000 && search.nanoseconds > 0,
        "{search:?}"
    );
}
