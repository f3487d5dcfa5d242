//! When a GPU is opened, and when not. No adapter has the name that these tests ask for; that a
//! real device is opened is tested in `tests/gpu.rs`.

use super::{Prewarm, State};
use crate::args::{Cli, Command};
use crate::device::{BRANCHES_WORTH_A_GPU, Plan};
use crate::size_hint::SizeHint::{Graph, TextBytes};
use clap::Parser as _;
use decompose::Silent;
use decompose::gpu::{GpuContext, GpuOptions};

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
    matches!(*prewarm.state(), State::Pending(_))
}

#[test]
fn the_cpu_opens_nothing() {
    let prewarm = prewarm("--device cpu");
    prewarm.size_hint(TextBytes(usize::MAX));
    prewarm.size_hint(Graph {
        states: 1,
        branches: u64::MAX,
    });
    assert!(matches!(*prewarm.state(), State::Unused));
    prewarm.close();
    assert!(matches!(*prewarm.state(), State::Unused));
}

#[test]
fn by_default_a_gpu_is_opened_for_large_models_only() {
    let prewarm = prewarm("");
    let enough = BRANCHES_WORTH_A_GPU;
    let states = 1 << 20;
    prewarm.size_hint(TextBytes(8 * enough as usize - 1));
    prewarm.size_hint(Graph {
        states,
        branches: enough - 1,
    });
    assert!(!is_pending(&prewarm));
    prewarm.size_hint(Graph {
        states,
        branches: enough,
    });
    assert!(is_pending(&prewarm));
}

#[test]
fn a_gpu_that_is_named_is_opened_at_once_and_fails_in_the_same_way() {
    let prewarm = prewarm("--adapter nosuchadapter");
    assert!(is_pending(&prewarm));
    prewarm.size_hint(Graph {
        states: 1,
        branches: 1,
    });
    let options = GpuOptions {
        adapter: Some("nosuchadapter".to_owned()),
        ..GpuOptions::default()
    };
    let error = prewarm.context(&options, &Silent).err();
    assert!(error.is_some());
    assert_eq!(error, GpuContext::open_for(&options).err());
    // Asked again, it opens the GPU without a thread.
    assert_eq!(prewarm.context(&options, &Silent).err(), error);
    assert!(matches!(*prewarm.state(), State::Unused));
}
