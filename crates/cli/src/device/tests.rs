//! Tests every way in which a device can fail, and every combination of options that has a rule.

use super::{Job, Plan};
use crate::args::{Cli, Command};
use crate::device::auto_device::Verdict;
use crate::error::Error;
use clap::Parser as _;
use decompose::gpu::{FbtOptions, GpuOptions};
use decompose::{Device, Observer, Options};
use gpu::{Gpu, Request};
use mdp_graph::{ChunkBuilder, Deadlocks, StateId, assemble};
use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Returns the plan of a command line, or the message that rejects it.
fn plan(options: &str) -> Result<Plan, String> {
    let words = ["maxend", "decompose", "model.tra"].into_iter();
    let cli = Cli::try_parse_from(words.chain(options.split_whitespace()));
    let Ok(Command::Decompose(args)) = cli.map(|cli| cli.command) else {
        panic!("{options} is no command line");
    };
    Plan::new(&args).map_err(|error| match error {
        Error::Usage(message) => message,
        error => panic!("{error:?}"),
    })
}

#[test]
fn options_for_a_gpu_and_for_the_cpu_exclude_each_other() {
    let mut all = String::new();
    for cpu in ["--device cpu", "--search tarjan"] {
        assert_eq!(plan(cpu), Ok(Plan::Cpu));
        for gpu in [
            "--device gpu",
            "--adapter H200",
            "--search fbt",
            "--search bfbt",
            "--segment-interval 1",
            "--cache-hops 3",
            "--no-hybrid",
            "--no-transpose",
            "--pivot plain",
            "--candidates join",
            "--max-binding 1M",
        ] {
            if cpu.split(' ').next() != gpu.split(' ').next() {
                let refused = plan(&format!("{cpu} {gpu}")).expect_err(gpu);
                all.push_str(&format!("{refused}\n"));
            }
        }
    }
    insta::assert_snapshot!(all, @r#"
    --adapter is for a GPU, but --device cpu for the CPU
    --search fbt is for a GPU, but --device cpu for the CPU
    --search bfbt is for a GPU, but --device cpu for the CPU
    --segment-interval is for a GPU, but --device cpu for the CPU
    --cache-hops is for a GPU, but --device cpu for the CPU
    --no-hybrid is for a GPU, but --device cpu for the CPU
    --no-transpose is for a GPU, but --device cpu for the CPU
    --pivot is for a GPU, but --device cpu for the CPU
    --candidates is for a GPU, but --device cpu for the CPU
    --max-binding is for a GPU, but --device cpu for the CPU
    --device gpu is for a GPU, but --search tarjan for the CPU
    --adapter is for a GPU, but --search tarjan for the CPU
    --segment-interval is for a GPU, but --search tarjan for the CPU
    --cache-hops is for a GPU, but --search tarjan for the CPU
    --no-hybrid is for a GPU, but --search tarjan for the CPU
    --no-transpose is for a GPU, but --search tarjan for the CPU
    --pivot is for a GPU, but --search tarjan for the CPU
    --candidates is for a GPU, but --search tarjan for the CPU
    --max-binding is for a GPU, but --search tarjan for the CPU
    "#);
    // Without options for a GPU, the search runs on the CPU.
    assert_eq!(plan("--device cpu --search tarjan"), Ok(Plan::Cpu));
}

#[test]
fn cycle_means_are_found_by_howards_algorithm_on_a_gpu() {
    let plan = |options: &str| {
        let words = ["maxend", "cycle-mean", "model.tra"].into_iter();
        let cli = Cli::try_parse_from(words.chain(options.split_whitespace()));
        let Ok(Command::CycleMean(args)) = cli.map(|cli| cli.command) else {
            panic!("{options} is no command line");
        };
        Plan::for_cycle_means(&args).map_err(|error| match error {
            Error::Usage(message) => message,
            error => panic!("{error:?}"),
        })
    };
    let software = GpuOptions::from(Request::any());
    assert_eq!(plan(""), Ok(Plan::Auto(GpuOptions::default())));
    assert_eq!(
        plan("--device gpu --search howard"),
        Ok(Plan::Gpu(software))
    );
    assert_eq!(plan("--search yto"), Ok(Plan::Cpu));
    assert_eq!(plan("--search paper"), Ok(Plan::Gpu(GpuOptions::default())));
    let refused = [
        "--device cpu --search paper",
        "--device gpu --search yto",
        "--adapter H200 --search lawler",
        "--adapter H200 --device cpu",
    ];
    let refused = refused
        .map(|options| plan(options).expect_err(options))
        .join("\n");
    insta::assert_snapshot!(refused, @r"
    --search paper is for a GPU, but --device cpu for the CPU
    --device gpu is for a GPU, but --search yto for the CPU
    --adapter is for a GPU, but --search lawler for the CPU
    --adapter is for a GPU, but --device cpu for the CPU
    ");
}

#[test]
fn software_adapters_are_used_only_on_request() {
    let default = GpuOptions::default;
    let software = GpuOptions::from(Request::any());
    assert_eq!(plan(""), Ok(Plan::Auto(default())));
    assert_eq!(plan("--device gpu"), Ok(Plan::Gpu(software)));
    assert_eq!(plan("--search bfbt"), Ok(Plan::Gpu(default())));
    let named = GpuOptions::from(Request::named("pipe"));
    assert_eq!(plan("--adapter pipe"), Ok(Plan::Gpu(named)));
}

#[test]
fn every_option_of_the_papers_search_chooses_a_gpu() {
    let default = FbtOptions::default;
    let of = |papers: FbtOptions| Ok(Plan::Gpu(papers.into()));
    let pivot = decompose::gpu::Pivot::Plain;
    let candidates = decompose::gpu::Candidates::Join;
    let no_hybrid = FbtOptions {
        hybrid: false,
        ..default()
    };
    let in_pieces = GpuOptions {
        max_binding: Some(3 << 19),
        ..GpuOptions::default()
    };
    let on_software = GpuOptions {
        request: Request::any(),
        ..no_hybrid.into()
    };
    #[rustfmt::skip]
    let all = [
        ("--segment-interval 1", of(FbtOptions { segment_interval: 1, ..default() })),
        ("--cache-hops 5", of(FbtOptions { cache_hops: 5, ..default() })),
        ("--no-hybrid", of(no_hybrid)),
        ("--no-transpose", of(FbtOptions { transpose: false, ..default() })),
        ("--pivot plain", of(FbtOptions { pivot, ..default() })),
        ("--candidates join", of(FbtOptions { candidates, ..default() })),
        // An option with its default value still counts as given.
        ("--segment-interval 7", of(default())),
        ("--cache-hops 3", of(default())),
        ("--pivot aggregated", of(default())),
        ("--candidates all", of(default())),
        ("--device auto --no-hybrid", of(no_hybrid)),
        ("--device gpu --no-hybrid", Ok(Plan::Gpu(on_software))),
        // This option is for all engines.
        ("--max-binding 1.5M", Ok(Plan::Gpu(in_pieces))),
    ];
    for (options, expected) in all {
        assert_eq!(plan(options), expected, "{options}");
    }
}

#[test]
fn the_message_without_hardware_names_the_option_for_software() {
    let software = GpuOptions::from(Request::any());
    let named = GpuOptions::from(Request::named("H200"));
    let hint = |options, fault| {
        let text = run_plan(Plan::Gpu(options), false, vec![fault]);
        assert!(text.contains("exit code 3"), "{text}");
        text.contains("`--device gpu` uses a software adapter")
    };
    assert!(hint(GpuOptions::default(), no_adapter()));
    assert!(!hint(GpuOptions::default(), lost()));
    assert!(!hint(software, no_adapter()));
    assert!(!hint(named, no_adapter()));
    let nothing = decompose::Error::Gpu(gpu::Error::NoAdapter {
        wanted: "hardware GPU".to_owned(),
        found: Vec::new(),
    });
    assert!(!hint(GpuOptions::default(), Some(nothing)));
}

fn wrong(error: &decompose::Error) -> Error {
    Error::wrong(error.to_string())
}

fn verdict(takes_gpu: bool) -> Verdict {
    Verdict {
        takes_gpu,
        needs_gpu: takes_gpu,
        reason: "it is small".to_owned(),
        overdue: None,
    }
}

/// The error of an attempt, if it fails.
type Fault = Option<decompose::Error>;

fn out_of_memory() -> Fault {
    Some(decompose::Error::Gpu(gpu::Error::OutOfMemory {
        what: "results".to_owned(),
        needed: 4096,
        in_use: 1 << 30,
    }))
}

fn lost() -> Fault {
    let reason = "the driver was reset".to_owned();
    Some(decompose::Error::Gpu(gpu::Error::DeviceLost { reason }))
}

fn no_adapter() -> Fault {
    Some(decompose::Error::Gpu(gpu::Error::NoAdapter {
        wanted: "hardware GPU".to_owned(),
        found: vec!["llvmpipe (software, vulkan)".to_owned()],
    }))
}

fn too_large() -> Fault {
    let states = 1 << 30;
    Some(warp_segments::LayoutError::TooManyStates { states }.into())
}

/// Carries out `plan` for a decomposition, as [`run_job`].
fn run_plan(plan: Plan, takes_gpu: bool, faults: Vec<Fault>) -> String {
    run_job(Job::DECOMPOSE, plan, takes_gpu, faults)
}

/// Carries out `plan`. The attempts end with `faults`, in order. Returns the attempts, the
/// messages, and the result.
fn run_job(job: Job, plan: Plan, takes_gpu: bool, faults: Vec<Fault>) -> String {
    let said = Said::default();
    let log = said.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_writer(move || log.clone())
        .without_time()
        .with_target(false)
        .with_ansi(false)
        .with_max_level(tracing::Level::DEBUG)
        .finish();
    let mut faults = faults.into_iter();
    let mut attempt = |device: Device| {
        let tried = match &device {
            Device::Gpu { options, .. } if options.without_transpose().is_some() => "GPU",
            Device::Gpu { .. } => "GPU without transpose",
            _ => "CPU",
        };
        said.line(&format!("try: {tried}"));
        faults
            .next()
            .expect("no more tries than were foreseen")
            .map_or(Ok(()), Err)
    };
    let result = tracing::subscriber::with_default(subscriber, || {
        plan.run(job, || verdict(takes_gpu), &mut attempt, &wrong)
    });
    assert_eq!(faults.count(), 0, "all tries were made");
    match result {
        Ok(()) => said.line("done"),
        Err(error) => {
            let code = error.exit_code();
            said.line(&format!("exit code {code}: {error}"));
        }
    }
    said.text()
}

/// Lines of text, which clones share.
#[derive(Clone, Default)]
struct Said(Arc<Mutex<Vec<u8>>>);

impl Said {
    fn line(&self, line: &str) {
        let mut bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        bytes.extend_from_slice(format!("{line}\n").as_bytes());
    }

    fn text(&self) -> String {
        let bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Write for Said {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn auto(faults: Vec<Fault>) -> String {
    run_plan(Plan::Auto(GpuOptions::default()), true, faults)
}

#[test]
fn small_models_run_on_the_cpu() {
    let small = run_plan(Plan::Auto(GpuOptions::default()), false, vec![None]);
    insta::assert_snapshot!(small, @"
    DEBUG decomposing on the CPU: it is small
    try: CPU
    done
    ");
}

#[test]
fn large_models_run_on_the_gpu() {
    insta::assert_snapshot!(auto(vec![None]), @r#"
    try: GPU
    done
    "#);
}

#[test]
fn without_hardware_the_cpu_is_used() {
    insta::assert_snapshot!(auto(vec![no_adapter(), None]), @"
    try: GPU
    DEBUG decomposing on the CPU: no hardware GPU found; present: llvmpipe (software, vulkan)
    try: CPU
    done
    ");
}

#[test]
fn models_too_large_for_a_gpu_run_on_the_cpu() {
    insta::assert_snapshot!(auto(vec![too_large(), None]), @r#"
    try: GPU
     WARN the graph has 1073741824 states, but at most 536870910 fit a device's layout; decomposing on the CPU
    try: CPU
    done
    "#);
}

#[test]
fn a_gpu_that_fails_is_tried_again_and_then_the_cpu_is_used() {
    insta::assert_snapshot!(auto(vec![out_of_memory(), None]), @r#"
    try: GPU
     WARN out of device memory: `results` needs 4096 bytes on top of the 1073741824 in use; trying again without the transpose
    try: GPU without transpose
    done
    "#);
    insta::assert_snapshot!(auto(vec![out_of_memory(), lost(), None]), @r#"
    try: GPU
     WARN out of device memory: `results` needs 4096 bytes on top of the 1073741824 in use; trying again without the transpose
    try: GPU without transpose
     WARN the device was lost: the driver was reset; decomposing on the CPU
    try: CPU
    done
    "#);
}

#[test]
fn a_device_that_is_lost_or_stuck_is_not_tried_again() {
    insta::assert_snapshot!(auto(vec![lost(), None]), @r#"
    try: GPU
     WARN the device was lost: the driver was reset; decomposing on the CPU
    try: CPU
    done
    "#);
    let stuck = decompose::Error::NoProgress {
        search: "the forward-backward search",
        left: 12,
    };
    insta::assert_snapshot!(auto(vec![Some(stuck), None]), @r#"
    try: GPU
     WARN the forward-backward search is stuck: a round has decided none of 12 states; the device computes wrongly; decomposing on the CPU
    try: CPU
    done
    "#);
}

/// A device that is lost in the middle of a search.
struct Loses(Gpu, AtomicUsize);

impl Observer for Loses {
    fn is_cancelled(&self) -> bool {
        if self.1.fetch_add(1, Ordering::Relaxed) == 1 {
            self.0.lose();
        }
        false
    }
}

/// A real device is lost, before a search and in the middle of one.
#[test]
fn the_cpu_takes_over_from_a_lost_device() {
    let options = GpuOptions::from(Request::named(test_models::adapter()));
    // The graph is not functional, so the search has many levels.
    let mut chunk = ChunkBuilder::default();
    let states = 3000;
    for state in 0..states {
        let targets = [1, 2].map(|step| StateId((state + step) % states));
        chunk.push_choice(StateId(state), &targets);
    }
    let graph = assemble(states, vec![chunk.finish()], Deadlocks::Keep);
    let graph = graph.expect("it is well formed").graph;
    for loses_before in [true, false] {
        let Some(gpu) = test_models::device_or_skip(Gpu::open(&options.request)) else {
            return;
        };
        if loses_before {
            gpu.lose();
        }
        let mut failed = None;
        let observer = Loses(gpu.clone(), AtomicUsize::new(0));
        let mut attempt = |device: Device| match device {
            Device::Gpu { options, .. } => {
                let open = Some(gpu.clone());
                let options = Options {
                    device: Device::Gpu { options, open },
                    observer: &observer,
                    ..Options::default()
                };
                let found = decompose::scc(&graph, &options);
                failed = found.as_ref().err().cloned();
                found
            }
            _ => decompose::scc(&graph, &Options::default()),
        };
        let plan = Plan::Auto(options.clone());
        let found = plan.run(Job::DECOMPOSE, || verdict(true), &mut attempt, &wrong);
        assert_eq!(found.expect("the CPU answers").len(), 1);
        let lost = Some(decompose::Error::Gpu(gpu::Error::DeviceLost {
            reason: "Destroyed: ".to_owned(),
        }));
        assert_eq!(failed, lost, "before: {loses_before}");
    }
}

#[test]
fn a_search_without_the_transpose_is_not_tried_again() {
    let options = FbtOptions {
        transpose: false,
        ..FbtOptions::default()
    };
    let text = run_plan(
        Plan::Auto(options.into()),
        true,
        vec![out_of_memory(), None],
    );
    insta::assert_snapshot!(text, @r#"
    try: GPU without transpose
     WARN out of device memory: `results` needs 4096 bytes on top of the 1073741824 in use; decomposing on the CPU
    try: CPU
    done
    "#);
}

/// Engines for other jobs use the same memory in each attempt.
#[test]
fn other_jobs_are_not_tried_again_on_the_same_device() {
    for (job, doing) in [(Job::SOLVE, "solving"), (Job::BFS, "searching")] {
        let plan = Plan::Auto(GpuOptions::default());
        let text = run_job(job, plan, true, vec![out_of_memory(), None]);
        let error = out_of_memory().expect("a fault").to_string();
        let expected = format!("try: GPU\n WARN {error}; {doing} on the CPU\ntry: CPU\ndone\n");
        assert_eq!(text, expected);
    }
}

#[test]
fn a_requested_gpu_is_never_replaced_by_the_cpu() {
    for fault in [out_of_memory(), lost(), no_adapter(), too_large()] {
        let message = fault.as_ref().expect("a fault").to_string();
        let options = GpuOptions::from(Request::any());
        let text = run_plan(Plan::Gpu(options), false, vec![fault]);
        assert_eq!(text, format!("try: GPU\nexit code 3: error: {message}\n"));
    }
}

#[test]
fn ctrl_c_ends_all_attempts() {
    let cancelled = || Some(decompose::Error::Cancelled);
    let end = "exit code 130: cancelled\n";
    assert_eq!(auto(vec![cancelled()]), format!("try: GPU\n{end}"));
    let text = auto(vec![lost(), cancelled()]);
    assert!(text.ends_with(&format!("try: CPU\n{end}")), "{text}");
    let text = run_plan(Plan::Gpu(GpuOptions::default()), false, vec![cancelled()]);
    assert!(text.ends_with(end), "{text}");
    let text = run_plan(Plan::Cpu, false, vec![cancelled()]);
    assert_eq!(text, format!("try: CPU\n{end}"));
}
