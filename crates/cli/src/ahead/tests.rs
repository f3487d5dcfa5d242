//! When a GPU is opened, and when not. There is no such adapter: that a device opens is what `tests/gpu.rs` sees.

use super::{Ahead, State};
use crate::args::{Cli, Command};
use crate::device::{BRANCHES_WORTH_A_GPU, Plan};
use clap::Parser as _;
use decompose::gpu::{GpuContext, GpuOptions};

fn ahead(options: &str) -> Ahead {
    let words = ["maxend", "decompose", "model.tra"].into_iter();
    let cli = Cli::try_parse_from(words.chain(options.split_whitespace()));
    let Ok(Command::Decompose(args)) = cli.map(|cli| cli.command) else {
        panic!("{options} is no command line");
    };
    let plan = Plan::new(&args).unwrap_or_else(|error| panic!("{error:?}"));
    Ahead::new(&args, &plan)
}

fn is_opening(ahead: &Ahead) -> bool {
    matches!(*ahead.state(), State::PendingDevice(_))
}

#[test]
fn the_cpu_opens_nothing() {
    let ahead = ahead("--device cpu");
    ahead.expect_bytes(usize::MAX);
    ahead.expect(1, u64::MAX);
    assert!(matches!(*ahead.state(), State::Idle));
    ahead.close();
    assert!(matches!(*ahead.state(), State::Idle));
}

#[test]
fn who_leaves_the_choice_gets_a_gpu_for_large_models() {
    let ahead = ahead("");
    let enough = BRANCHES_WORTH_A_GPU;
    ahead.expect_bytes(8 * enough as usize - 1);
    ahead.expect(1, enough - 1);
    assert!(!is_opening(&ahead));
    ahead.expect(1 << 20, enough);
    assert!(is_opening(&ahead));
}

#[test]
fn who_names_a_gpu_gets_it_at_once_and_the_same_error() {
    let ahead = ahead("--adapter nosuchadapter");
    assert!(is_opening(&ahead));
    ahead.expect(1, 1);
    let options = GpuOptions {
        adapter: Some("nosuchadapter".to_owned()),
        ..GpuOptions::default()
    };
    let found = ahead.engine(&options, &decompose::Silent).err();
    assert!(found.is_some());
    assert_eq!(found, GpuContext::open_for(&options).err());
    // And once more, without a thread.
    assert_eq!(ahead.engine(&options, &decompose::Silent).err(), found);
    assert!(matches!(*ahead.state(), State::Idle));
}
