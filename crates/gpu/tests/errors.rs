//! Tests of the errors of this crate, with their complete messages.

mod common;

use std::collections::BTreeMap;

use gpu::kernels::{FillParams, basic::Fill, test::BfsLevel};
use gpu::{
    AdapterInfo, AdapterKind, Call, Checks, Error, Groups, Kernel, Limits, Pass, Recording, Repeat,
    Request,
};

fn adapter(name: &str, kind: AdapterKind) -> AdapterInfo {
    AdapterInfo {
        name: name.to_owned(),
        backend: "vulkan".to_owned(),
        driver: "a driver".to_owned(),
        kind,
        subgroup_sizes: (32, 32),
        subgroups: true,
        timestamps: true,
        limits: Limits::WEBGPU,
    }
}

#[test]
fn hardware_comes_before_software_and_software_must_be_asked_for() {
    let cpu = adapter("llvmpipe", AdapterKind::Software);
    let both = [
        cpu.clone(),
        adapter("Chip", AdapterKind::Integrated),
        adapter("Card", AdapterKind::Discrete),
    ];
    assert_eq!(Request::hardware().choose(&both), Ok(2));
    assert_eq!(Request::any().choose(&both), Ok(2));
    assert_eq!(Request::named("CHIP").choose(&both), Ok(1));
    assert_eq!(Request::named("pipe").choose(&both), Ok(0));
    assert_eq!(Request::any().choose(std::slice::from_ref(&cpu)), Ok(0));
    assert_eq!(Request::numbered(0).choose(&both), Ok(0));
    assert_eq!(Request::numbered(1).choose(&both), Ok(1));
    assert!(Request::hardware().choose(&[cpu]).is_err());
}

#[test]
fn an_error_about_a_missing_adapter_lists_those_present() {
    let software = [adapter("llvmpipe", AdapterKind::Software)];
    let message = |request: Request, adapters: &[AdapterInfo]| {
        request.choose(adapters).unwrap_err().to_string()
    };
    insta::assert_snapshot!(message(Request::hardware(), &software), @"no hardware GPU found; present: llvmpipe (software, vulkan)");
    insta::assert_snapshot!(message(Request::named("H200"), &software), @"no adapter whose name contains `H200` found; present: llvmpipe (software, vulkan)");
    insta::assert_snapshot!(message(Request::numbered(1), &software), @"no adapter with the number 1, from 0 on, found; present: llvmpipe (software, vulkan)");
    insta::assert_snapshot!(message(Request::any(), &[]), @"no adapter found; there is no adapter at all");
}

#[test]
fn a_buffer_over_the_limit_is_refused_before_anything_is_allocated() {
    let request = Request {
        at_most: Some(Limits::WEBGPU),
        ..Request::any()
    };
    let Some(gpu) = common::open(&request) else {
        return;
    };
    assert_eq!(gpu.limits().max_binding_bytes, 128 << 20);
    let error = gpu.zeroed::<u32>("targets", (32 << 20) + 1).unwrap_err();
    insta::assert_snapshot!(error, @"the buffer `targets` (bytes) needs 134217732, the adapter allows 134217728");
    // A number of elements that no memory can hold does not overflow, either.
    let error = gpu.zeroed::<[u32; 4]>("all", u64::MAX).unwrap_err();
    let expected = Error::LimitExceeded {
        what: "the buffer `all` (bytes)".to_owned(),
        needed: u64::MAX,
        available: 128 << 20,
    };
    assert_eq!(error, expected);
    assert!(gpu.zeroed::<u32>("fits", 32 << 20).is_ok());
}

/// A kernel that the build script would never produce.
struct Raw(&'static Kernel);

impl Pass for Raw {
    fn call(&self) -> Call {
        Call::new(self.0)
    }
}

const fn raw(name: &'static str, source: &'static str) -> Kernel {
    Kernel {
        name,
        variant: "plain",
        entry: "main",
        workgroup: [1, 1, 1],
        source,
        lines: &[],
        buffers: &[],
        params: None,
        constants: &[],
        reads_loop: false,
        writes_loop: false,
        subgroups: false,
        workgroup_bytes: 0,
        checks: Checks::ALWAYS,
        promises: &[],
    }
}

static WRONG: Kernel = raw(
    "test/wrong",
    "@compute @workgroup_size(1) fn main() { let x: u32 = 1.5; }",
);
static MISNAMED: Kernel = raw("test/misnamed", "@compute @workgroup_size(1) fn other() {}");
static LARGE: Kernel = Kernel {
    workgroup: [1 << 20, 1, 1],
    ..raw(
        "test/large",
        "@compute @workgroup_size(1048576) fn main() {}",
    )
};

#[test]
fn a_bad_shader_is_an_error_with_its_name_and_the_device_lives_on() {
    let Some(gpu) = common::open(&Request::any()) else {
        return;
    };
    for kernel in [&WRONG, &MISNAMED] {
        let mut recording = Recording::new();
        recording.dispatch(&Raw(kernel), Groups::Over(1));
        // A kernel that has failed to compile is not kept.
        for _ in 0..2 {
            let error = gpu.run(&recording).unwrap_err();
            assert!(
                matches!(&error, Error::Validation { what, .. } if what == kernel.name),
                "{error}"
            );
        }
    }
    let mut recording = Recording::new();
    recording.dispatch(&Raw(&LARGE), Groups::Over(1));
    let error = gpu.run(&recording).unwrap_err();
    assert!(
        matches!(
            error,
            Error::LimitExceeded {
                needed: 1_048_576,
                ..
            }
        ),
        "{error}"
    );

    let buffer = gpu.zeroed::<u32>("words", 4).unwrap();
    let mut recording = Recording::new();
    recording.fill(&buffer, 7);
    gpu.run(&recording).unwrap();
    assert_eq!(gpu.read(&buffer).unwrap(), [7; 4]);
}

#[test]
fn mistakes_in_a_recording_are_errors_of_its_run() {
    let Some(gpu) = common::open(&Request::any()) else {
        return;
    };
    let [a, b, c] = ["a", "b", "c"].map(|name| gpu.zeroed::<u32>(name, 4).unwrap());
    let message = |record: &dyn Fn(&mut Recording)| {
        let mut recording = Recording::new();
        record(&mut recording);
        gpu.run(&recording).unwrap_err().to_string()
    };
    let search = |distances| BfsLevel {
        offsets: &a,
        targets: &b,
        distances,
        params: Default::default(),
        counted: false,
    };
    insta::assert_snapshot!(message(&|r| { r.copy(&a, 2..5, &b, 0); }), @"a: elements 2..5 of 4");
    insta::assert_snapshot!(message(&|r| { r.copy(&a, 0..2, &b, 3); }), @"b: elements 3..5 of 4");
    insta::assert_snapshot!(message(&|r| { r.copy(&a, 0..1, &a, 3); }), @"a: is copied onto itself");
    insta::assert_snapshot!(message(&|r| { r.write(&a, u64::MAX, &[1]); }), @"a: elements 18446744073709551615..18446744073709551615 of 4");
    insta::assert_snapshot!(message(&|r| { r.read(&a, 0..5); }), @"a: elements 0..5 of 4");
    insta::assert_snapshot!(message(&|r| { r.dispatch(&search(&c), Groups::Over(1)); }), @"test/bfs_level: uses a loop's record, outside a loop");
    insta::assert_snapshot!(message(&|r| { r.repeat(Repeat::over("l", 1), |l| { l.dispatch(&search(&a)); }); }), @"test/bfs_level: `a` is bound as `offsets` and as `distances`, and one of them is written");
    insta::assert_snapshot!(message(&|r| { r.repeat(Repeat::over("l", 1), |_| {}); }), @"l: the loop has an empty body");
    insta::assert_snapshot!(message(&|r| {
        let fill = Fill { target_words: &a, params: FillParams { value: 1 } };
        r.repeat(Repeat::over("l", 1), |l| { l.dispatch(&fill); });
    }), @"l: no pass of the body ever asks for another iteration");
}

#[test]
fn more_workgroups_than_the_adapter_allows_are_refused() {
    let request = Request {
        at_most: Some(Limits::WEBGPU),
        ..Request::any()
    };
    let Some(gpu) = common::open(&request) else {
        return;
    };
    let words = gpu.zeroed::<u32>("words", 4).unwrap();
    let fill = |groups| {
        let pass = Fill {
            target_words: &words,
            params: FillParams { value: 1 },
        };
        let mut recording = Recording::new();
        recording.dispatch(&pass, Groups::Fixed(groups));
        gpu.run(&recording)
    };
    let search = |repeat| {
        let [offsets, targets, distances] =
            ["o", "t", "d"].map(|name| gpu.zeroed::<u32>(name, 4).unwrap());
        let pass = BfsLevel {
            offsets: &offsets,
            targets: &targets,
            distances: &distances,
            params: Default::default(),
            counted: false,
        };
        let mut recording = Recording::new();
        recording.repeat(repeat, |body| {
            body.dispatch(&pass);
        });
        gpu.run(&recording)
    };
    insta::assert_snapshot!(fill([1, 65_536, 1]).unwrap_err(), @"the kernel `basic/fill` (workgroups in one dimension) needs 65536, the adapter allows 65535");
    let repeat = |groups| Repeat::groups("levels", groups);
    insta::assert_snapshot!(search(repeat([65_536, 1, 1])).unwrap_err(), @"the loop `levels` (workgroups in one dimension) needs 65536, the adapter allows 65535");
    insta::assert_snapshot!(search(repeat([1, 1, 1]).fresh([0, 1, 65_537])).unwrap_err(), @"the loop `levels` (workgroups in one dimension) needs 65537, the adapter allows 65535");
    assert!(fill([65_535, 1, 1]).is_ok());
}

/// Drivers need not allow threads to load them, or to close what they opened, at the same time.
#[test]
fn threads_open_and_close_devices_at_the_same_time() {
    let answers = |thread: u32| {
        for round in 0..4 {
            let Some(gpu) = common::open(&Request::any()) else {
                return;
            };
            let words = gpu
                .upload("words", &[thread, round])
                .expect("there is room");
            assert_eq!(
                gpu.read(&words).expect("the device answers"),
                [thread, round]
            );
        }
    };
    std::thread::scope(|scope| {
        for thread in 0..8 {
            scope.spawn(move || answers(thread));
        }
    });
}

#[test]
fn a_buffer_stays_on_its_device() {
    let Some(gpu) = common::open(&Request::any()) else {
        return;
    };
    let Some(other) = common::open(&Request::any()) else {
        return;
    };
    let buffer = gpu.zeroed::<u32>("words", 4).unwrap();
    insta::assert_snapshot!(other.read(&buffer).unwrap_err(), @"words: lives on another device");
    let mut recording = Recording::new();
    recording.fill(&buffer, 0);
    insta::assert_snapshot!(other.run(&recording).unwrap_err(), @"words: lives on another device");
}

/// Lists the kernels that an adapter refuses if it has no more than WebGPU guarantees, and what the
/// largest variant of each needs.
#[test]
fn kernels_that_need_more_than_webgpu_guarantees_are_known() {
    let adapter = adapter("Chip", AdapterKind::Integrated);
    let mut refused = BTreeMap::new();
    for kernel in gpu::kernels::ALL {
        match adapter.can_run(kernel) {
            Ok(()) => {}
            Err(Error::LimitExceeded { what, needed, .. }) => {
                let what = what.replace(&kernel.label(), kernel.name);
                let most = refused.entry(what).or_insert(needed);
                *most = needed.max(*most);
            }
            Err(error) => panic!("{error}"),
        }
    }
    let lines: Vec<String> = refused
        .iter()
        .map(|(what, needed)| format!("{what}: {needed}"))
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @"
    the kernel `bfs/mark` (storage buffers): 9
    the kernel `fbt/mec_attract` (storage buffers): 10
    the kernel `fbt/mec_leaving` (storage buffers): 13
    the kernel `fbt/search` (storage buffers): 12
    the kernel `fbt/trim_mark` (storage buffers): 9
    the kernel `fbt/trim` (storage buffers): 10
    the kernel `long_run/iterate` (storage buffers): 12
    the kernel `worklist/colouring` (storage buffers): 18
    the kernel `worklist/one_component` (storage buffers): 12
    the kernel `worklist/step` (storage buffers): 19
    ");
}

#[test]
fn a_row_larger_than_a_binding_cannot_be_cut() {
    let offsets = [0, 2, 9, 10];
    let error = gpu::cut(3, |row| offsets[row as usize], 6).unwrap_err();
    insta::assert_snapshot!(error, @"row 1 of a sharded array (elements) needs 7, the adapter allows 6");
}
