//! Tests of devices that are lost or do not answer. Every operation then returns an error.

mod common;
#[path = "recordings/search.rs"]
#[allow(dead_code)]
mod search;

use gpu::{Error, Gpu, Recording, Repeat, Request, RunOptions};
use search::{Graph, Uploaded};
use std::ops::ControlFlow;

fn is_lost<T: std::fmt::Debug>(result: &Result<T, Error>) {
    assert!(
        matches!(result, Err(Error::DeviceLost { .. })),
        "{result:?}"
    );
}

fn open(request: &Request) -> Option<Gpu> {
    common::open(request)
}

#[test]
fn every_request_to_a_lost_device_fails() {
    let Some(gpu) = open(&Request::any()) else {
        return;
    };
    let uploaded = Uploaded::new(&gpu, &Graph::path(50)).unwrap();
    let (recording, ..) = uploaded.search(Repeat::over("search", 50), false);
    let large = vec![7_u32; 1 << 20];
    let words = gpu.zeroed::<u32>("words", 1 << 20).unwrap();
    gpu.run(&recording).unwrap();
    gpu.lose();
    is_lost(&gpu.run(&recording));
    is_lost(&gpu.run(Recording::new().fill(&words, 1)));
    is_lost(&gpu.zeroed::<u32>("more", 4));
    is_lost(&gpu.upload("more", &large));
    is_lost(&gpu.write(&words, 0, &large));
    is_lost(&gpu.write(&words, 0, &large[..4]));
    is_lost(&gpu.read(&words));
    // A kernel that was not needed before does not compile, either.
    let (other, ..) = uploaded.search(Repeat::over("search", 50), true);
    is_lost(&gpu.run(&other));
}

#[test]
fn a_device_can_be_lost_in_the_middle_of_a_loop() {
    for pipelined in [false, true] {
        let Some(gpu) = open(&Request::any()) else {
            return;
        };
        let uploaded = Uploaded::new(&gpu, &Graph::path(5_000)).unwrap();
        let how = Repeat::over("search", 5_000);
        let how = if pipelined { how.pipelined() } else { how };
        let (recording, ..) = uploaded.search(how, false);
        let mut reports = 0;
        let mut observer = |progress: gpu::Progress<'_>| {
            if !progress.is_compiling {
                reports += 1;
                gpu.lose();
            }
            ControlFlow::Continue(())
        };
        let mut run_options = RunOptions {
            observer: Some(&mut observer),
            ..RunOptions::default()
        };
        is_lost(&gpu.run_with(&recording, &mut run_options));
        assert_eq!(reports, 1, "the run ends when the device is lost");
    }
}

#[test]
fn an_observer_is_told_of_compilation_and_may_stop_the_run() {
    let Some(gpu) = open(&Request::any()) else {
        return;
    };
    let uploaded = Uploaded::new(&gpu, &Graph::path(50)).unwrap();
    let (recording, found, _) = uploaded.search(Repeat::over("search", 50), false);
    let mut observer = |_: gpu::Progress<'_>| ControlFlow::Break(());
    let mut run_options = RunOptions {
        observer: Some(&mut observer),
        ..RunOptions::default()
    };
    // The run is stopped while kernels are compiled, or after the first batch.
    let stopped = gpu.run_with(&recording, &mut run_options);
    assert!(matches!(stopped, Err(Error::Cancelled)), "{stopped:?}");
    let outcome = gpu.run(&recording).unwrap();
    assert_eq!(outcome.get(found), Graph::path(50).distances());
}
