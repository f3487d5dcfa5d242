//! Tests when a GPU is opened. No adapter has the name that these tests ask for; `tests/it/gpu.rs`
//! tests that a real device is opened.

use super::{Prewarm, State};
use crate::args::{Cli, Command};
use crate::device::Plan;
use crate::load::size_hint::SizeHint::{Graph, TextBytes};
use clap::Parser as _;
use decompose::cost::EdgeSample;
use decompose::gpu::GpuOptions;
use decompose::{Error, Silent};
use gpu::{Gpu, Request};
use mdp_graph::{Deadlocks, assemble};

fn prewarm(options: &str) -> Prewarm {
    let words = ["maxend", "decompose", "model.tra"].into_iter();
    let cli = Cli::try_parse_from(words.chain(options.split_whitespace()));
    let Ok(Command::Decompose(args)) = cli.map(|cli| cli.command) else {
        panic!("{options} is no command line");
    };
    let plan = Plan::new(&args).unwrap_or_else(|error| panic!("{error:?}"));
    Prewarm::new(&args, &plan)
}

fn is_pending(prewarm: &Prewarm) -> bool {
    matches!(*prewarm.state(), State::Pending(..))
}

#[test]
fn a_plan_for_the_cpu_opens_no_gpu() {
    let prewarm = prewarm("--device cpu");
    prewarm.size_hint(TextBytes(usize::MAX));
    prewarm.size_hint(Graph {
        states: 1,
        branches: u64::MAX,
        sample: None,
    });
    assert!(matches!(*prewarm.state(), State::Unused));
    prewarm.close();
    assert!(matches!(*prewarm.state(), State::Unused));
}

#[test]
fn by_default_a_gpu_is_opened_for_large_models_only() {
    let prewarm = prewarm("");
    let size = |count| Graph {
        states: count,
        branches: count,
        sample: Some(EdgeSample::worst()),
    };
    prewarm.size_hint(TextBytes(1 << 20));
    prewarm.size_hint(size(1 << 16));
    assert!(!is_pending(&prewarm));
    prewarm.size_hint(size(1 << 25));
    assert!(is_pending(&prewarm));
}

#[test]
fn a_gpu_that_is_no_longer_needed_is_not_waited_for() {
    let prewarm = prewarm("");
    prewarm.size_hint(TextBytes(1 << 30));
    assert!(is_pending(&prewarm));
    let graph = assemble(0, Vec::new(), Deadlocks::Keep);
    let verdict = prewarm.verdict(&graph.expect("it is empty").graph);
    assert!(!verdict.takes_gpu);
    assert!(matches!(*prewarm.state(), State::Unused));
}

#[test]
fn a_gpu_that_is_named_is_opened_at_once_and_fails_in_the_same_way() {
    let prewarm = prewarm("--adapter nosuchadapter");
    assert!(is_pending(&prewarm));
    prewarm.size_hint(Graph {
        states: 1,
        branches: 1,
        sample: None,
    });
    let options = GpuOptions::from(Request::named("nosuchadapter"));
    let error = prewarm.for_decomposition(&options, &Silent).err();
    assert!(error.is_some());
    assert_eq!(error, Gpu::open(&options.request).err().map(Error::from));
    // A second call opens the GPU without a thread.
    assert_eq!(prewarm.for_decomposition(&options, &Silent).err(), error);
    assert!(matches!(*prewarm.state(), State::Unused));
}
