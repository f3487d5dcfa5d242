//! Tests of the promises that kernels declare: how they are read, and that debug builds refuse a
//! dispatch that breaks a promise about lengths, parameters or the grid.

mod common;

use gpu::kernels::bfs::TurnFlags;
use gpu::kernels::explore::Place;
use gpu::kernels::fbt::TrimUnmarked;
use gpu::kernels::{ExploreParams, TurnParams, UnmarkedParams};
use gpu::{Buffer, Gpu, Groups, Pass, Promise, Recording, Repeat, Request};

/// Returns the result of a pass on a device, as text.
fn said(gpu: &Gpu, pass: &impl Pass, groups: Groups) -> String {
    let mut recording = Recording::new();
    recording.dispatch(pass, groups);
    match gpu.run(&recording) {
        Ok(_) => "done".to_owned(),
        Err(error) => error.to_string(),
    }
}

fn zeros(gpu: &Gpu, len: u64) -> Buffer<u32> {
    gpu.zeroed("zeros", len).expect("there is room")
}

#[test]
fn a_broken_promise_about_a_length_is_an_error() {
    let Some(gpu) = common::open(&Request::any()) else {
        return;
    };
    let flags = zeros(&gpu, 7);
    let pass = |vertices| TurnFlags {
        flags: &flags,
        params: TurnParams { vertices },
    };
    assert_eq!(said(&gpu, &pass(3), Groups::Over(3)), "done");
    if cfg!(debug_assertions) {
        insta::assert_snapshot!(said(&gpu, &pass(4), Groups::Over(4)), @"bfs/turn_flags: `assume arrayLength(&flags) >= 2 * params.vertices` does not hold: 7 and 8");
    }
}

#[test]
fn a_broken_promise_about_parameters_is_an_error() {
    let Some(gpu) = common::open(&Request::any()) else {
        return;
    };
    let (results, marked) = (zeros(&gpu, 65), zeros(&gpu, 6));
    let trims = |suspected_at| {
        let mut recording = Recording::new();
        recording.repeat(Repeat::over("trim", 65), |body| {
            let params = UnmarkedParams {
                states: 65,
                suspected_at,
            };
            body.dispatch(&TrimUnmarked {
                results: &results,
                marked: &marked,
                params,
            });
        });
        gpu.run(&recording).map_err(|error| error.to_string())
    };
    if cfg!(debug_assertions) {
        insta::assert_snapshot!(trims(2).unwrap_err(), @"fbt/trim_unmarked: `assume 32 * params.suspected_at >= params.states` does not hold: 64 and 65");
        insta::assert_snapshot!(trims(4).unwrap_err(), @"fbt/trim_unmarked: `assume arrayLength(&marked) >= 2 * params.suspected_at` does not hold: 6 and 8");
    }
    assert!(trims(3).is_ok());
}

#[test]
fn a_broken_promise_about_the_grid_is_an_error() {
    let Some(gpu) = common::open(&Request::any()) else {
        return;
    };
    let [offsets, sums, control] = [256, 1, 16].map(|len| zeros(&gpu, len));
    let pass = Place {
        offsets: &offsets,
        sums: &sums,
        control: &control,
        params: ExploreParams::default(),
    };
    assert_eq!(said(&gpu, &pass, Groups::Fixed([1, 1, 1])), "done");
    if cfg!(debug_assertions) {
        insta::assert_snapshot!(said(&gpu, &pass, Groups::Fixed([1, 2, 1])), @"explore/place: `assume grid.count.y == 1` does not hold: 2 and 1");
    }
}

#[test]
fn invalid_promises_are_refused() {
    let wrong = [
        "//@ assume arrayLength(&out) >= 2 * n",
        "//@ assume arrayLength(&out) >= 2 * n:",
        "//@ assume arrayLength(&out): why",
        "//@ assume n < : why",
        "//@ assume n < 2 3: why",
        "//@ assume n < 65 * m: why",
        "//@ assume n < 4294967296: why",
        "//@ assume grid.count.w == 1: why",
        "//@ distinct : why",
        "//@ distinct a b: why",
        "//@ ascending a where b: why",
        "//@ tickets a b: why",
        "//@ tickets a-b: why",
    ];
    let said = wrong.map(|line| match Promise::read(line) {
        Some(Err(message)) => format!("{line}\n    {message}"),
        other => panic!("{line}: {other:?}"),
    });
    insta::assert_snapshot!(said.join("\n"), @r"
    //@ assume arrayLength(&out) >= 2 * n
        expected `: ` and a reason behind `assume arrayLength(&out) >= 2 * n`
    //@ assume arrayLength(&out) >= 2 * n:
        expected `: ` and a reason behind `assume arrayLength(&out) >= 2 * n:`
    //@ assume arrayLength(&out): why
        expected a comparison in `assume arrayLength(&out)`
    //@ assume n < : why
        expected a number or a value at each end of a sum
    //@ assume n < 2 3: why
        expected `+` or `-`, found `3`
    //@ assume n < 65 * m: why
        expected a factor of at most 64, found `65`
    //@ assume n < 4294967296: why
        expected a number below 2^32, found `4294967296`
    //@ assume grid.count.w == 1: why
        `grid.count.w` is no dimension
    //@ distinct : why
        expected the name of an array
    //@ distinct a b: why
        expected `from`, `below` or `where`, found `b`
    //@ ascending a where b: why
        expected `from`, `below` or `where`, found `where`
    //@ tickets a b: why
        expected the name of one array in `tickets a b`
    //@ tickets a-b: why
        expected a name, found `a-b`
    ");
    for other in [
        "//@ disjoint a: why",
        "//@ once f(a): why",
        "// assume n < 2: why",
        "//@ x",
    ] {
        assert_eq!(Promise::read(other), None, "{other}");
    }
}

#[test]
fn all_parts_of_a_promise_are_read() {
    let line =
        "//@ distinct a.x from p.n + 1 below 2 * arrayLength(&b) - c[2] where d >= 0x10: why";
    let promise = Promise::read(line)
        .expect("the line is a promise")
        .expect("the promise is valid");
    assert_eq!(promise.names(), ["a", "d", "p", "b", "c"]);
    insta::assert_snapshot!(
        format!("{:?}", promise.kind),
        @r#"Distinct(Entries { array: "a", member: Some("x"), from: Some(Sum([(1, Some(Word("p", ["n"]))), (1, None)])), below: Some(Sum([(2, Some(Length("b"))), (-1, Some(Word("c", ["2"])))])), only: Some(("d", GreaterEqual, Sum([(16, None)]))) })"#
    );
}
