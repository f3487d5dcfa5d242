//! Tests who searches a graph when the CPU takes longer than expected, with searches that take a
//! given time, and with a device.

use super::{on_gpu, race};
use crate::args::{Cli, Command};
use crate::commands::decompose::task::Task;
use crate::device::Plan;
use crate::device::observer::RunObserver;
use crate::device::prewarm::Prewarm;
use crate::device::race::{Rival, Winner};
use clap::Parser as _;
use decompose::gpu::GpuOptions;
use decompose::{Error, Observer, Options, Silent};
use gpu::{Gpu, Request};
use mdp_graph::{ComponentKind, MdpGraph};
use std::sync::Arc;
use std::sync::mpsc;
use std::thread::sleep;
use std::time::{Duration, Instant};

const MILLI: Duration = Duration::from_millis(1);
const LONG: Duration = Duration::from_secs(60);

/// Simulates a search on the CPU that takes this long.
fn search(time: Duration, observer: &dyn Observer) -> Result<&'static str, Error> {
    let begin = Instant::now();
    while begin.elapsed() < time {
        if observer.is_cancelled() {
            return Err(Error::Cancelled);
        }
        sleep(MILLI);
    }
    Ok("found")
}

fn is_found_by_cpu(found: &Result<Winner<&str, &str>, Error>) -> bool {
    matches!(found, Ok(Winner::Cpu("found")))
}

#[test]
fn a_cpu_that_is_not_overdue_works_alone() {
    let gpu = |_: &Rival| -> Result<&str, Error> { panic!("nobody asked a GPU") };
    let found = race(LONG, &Silent, gpu, |observer| search(20 * MILLI, observer));
    assert!(is_found_by_cpu(&found), "{found:?}");
}

#[test]
fn a_gpu_that_finishes_first_stops_the_cpu() {
    let gpu = |_: &Rival| Ok::<_, Error>(7);
    let found = race(MILLI, &Silent, gpu, |observer| search(LONG, observer));
    assert!(matches!(found, Ok(Winner::Gpu(7))), "{found:?}");
}

#[test]
fn a_cpu_that_finishes_first_stops_the_gpu() {
    let (ended, has_ended) = mpsc::channel();
    let gpu = move |rival: &Rival| -> Result<&str, Error> {
        while !rival.is_stopped() {
            sleep(MILLI);
        }
        ended.send(()).expect("it is awaited");
        Err(Error::Cancelled)
    };
    let found = race(MILLI, &Silent, gpu, |observer| {
        search(100 * MILLI, observer)
    });
    assert!(is_found_by_cpu(&found), "{found:?}");
    assert_eq!(has_ended.recv_timeout(LONG), Ok(()));
}

#[test]
fn the_cpu_continues_if_a_gpu_fails() {
    let gpu = |_: &Rival| Err::<&str, _>(Error::Cancelled);
    let found = race(MILLI, &Silent, gpu, |observer| {
        search(100 * MILLI, observer)
    });
    assert!(is_found_by_cpu(&found), "{found:?}");
}

#[test]
fn errors_of_the_cpu_are_reported_at_once() {
    let gpu = |rival: &Rival| -> Result<&str, Error> {
        while !rival.is_stopped() {
            sleep(MILLI);
        }
        Err(Error::Cancelled)
    };
    let found = race(MILLI, &Silent, gpu, |observer| {
        search(50 * MILLI, observer)?;
        Err::<&str, _>(Error::BindingTooSmall { given: 1, least: 2 })
    });
    assert!(
        matches!(found, Err(Error::BindingTooSmall { .. })),
        "{found:?}"
    );
}

#[test]
fn the_observer_can_stop_both_devices() {
    struct Impatient(Instant);
    impl Observer for Impatient {
        fn is_cancelled(&self) -> bool {
            self.0.elapsed() > 50 * MILLI
        }
    }
    let (ended, has_ended) = mpsc::channel();
    let gpu = move |rival: &Rival| -> Result<&str, Error> {
        while !rival.is_stopped() {
            sleep(MILLI);
        }
        ended.send(()).expect("it is awaited");
        Ok("too late")
    };
    let observer = Impatient(Instant::now());
    let found = race(MILLI, &observer, gpu, |observer| search(LONG, observer));
    assert!(matches!(found, Err(Error::Cancelled)), "{found:?}");
    assert_eq!(has_ended.recv_timeout(LONG), Ok(()));
}

/// Returns a graph with two MECs: states 1 and 2, and state 3.
fn graph() -> MdpGraph {
    let choices: [Vec<Vec<u32>>; 4] = [
        vec![vec![1, 3]],
        vec![vec![2]],
        vec![vec![1]],
        vec![vec![3]],
    ];
    MdpGraph::from_choices(&choices).expect("well formed")
}

#[test]
fn a_device_and_the_cpu_find_the_same_components() {
    let options = GpuOptions::from(Request::named(test_models::adapter()));
    if test_models::device_or_skip(Gpu::open(&options.request)).is_none() {
        return;
    }
    let cli = Cli::try_parse_from(["maxend", "decompose", "model.tra"]).expect("well formed");
    let Command::Decompose(args) = cli.command else {
        panic!("it is another command");
    };
    let plan = Plan::new(&args).expect("they go together");
    let graph = Arc::new(graph());
    let task = Task {
        graph: Arc::clone(&graph),
        kind: ComponentKind::Mec,
        search: Options::default().search,
        prewarm: Arc::new(Prewarm::new(&args, &plan)),
    };
    let observer = RunObserver::new(false, false);
    let gpu = move |rival: &Rival| on_gpu(&task, options, false, rival);
    let found = race(MILLI, &observer, gpu, |observer| {
        observer.phase(decompose::Phase::Decompose);
        search(LONG, observer)
    });
    let Ok(Winner::Gpu((components, of_gpu))) = found else {
        panic!("the CPU takes a minute");
    };
    let expected = decompose::mec(&graph, &Options::default()).expect("it fits");
    assert_eq!(components, expected);
    observer.overtaken_by(&of_gpu);
    assert_eq!(observer.host_states(), 0);
    assert_ne!(observer.device_name(), "cpu");
    let spans = observer.finish();
    let names: Vec<_> = spans.iter().map(|span| span.name).collect();
    assert_eq!(names[..2], ["decompose", "open"]);
    assert!(names.ends_with(&["decompose", "download"]), "{names:?}");
    for pair in spans.windows(2) {
        assert!(pair[0].start + pair[0].time <= pair[1].start, "{pair:?}");
    }
}
