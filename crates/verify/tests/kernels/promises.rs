//! Promises of hosts about the contents of buffers: a dispatch that breaks a promise is a finding.

use gpu::kernels::bfs::MarkSources;
use gpu::kernels::csr::InlineAdjacency;
use gpu::kernels::cycle_mean::Start;
use gpu::kernels::explore::Branches;
use gpu::kernels::{ExploreParams, HowardParams, MarkParams};
use gpu::{Gpu, Groups, Pass, Recording};
use verify::run::{Fault, Interpreter, Settings};

/// Returns the findings about promises for a pass that `make` records on a device.
fn found(pass: impl Fn(&Gpu, &mut Recording)) -> Vec<String> {
    let device = Interpreter::new(Settings::default());
    let mut recording = Recording::new();
    pass(&device.gpu(), &mut recording);
    device.gpu().run(&recording).expect("it runs");
    let findings = device.findings().into_iter();
    let of_promises = findings.filter(|(_, finding)| finding.fault == Fault::Promise);
    of_promises.map(|(_, finding)| finding.message).collect()
}

fn run(recording: &mut Recording, pass: &impl Pass) {
    recording.dispatch(pass, Groups::Fixed([1, 1, 1]));
}

#[test]
fn a_comparison_with_a_word_of_a_buffer() {
    let lay_out = |direction: u32| {
        found(|gpu, recording| {
            let offsets = gpu.upload("offsets", &[0_u32, 1, 1]).expect("it fits");
            let edges = gpu.upload("edges", &[1_u32]).expect("it fits");
            let direction = gpu.upload("direction", &[direction]).expect("it fits");
            let inline_rows = gpu.zeroed("rows", 8).expect("it fits");
            run(
                recording,
                &InlineAdjacency {
                    offsets: &offsets,
                    edges: &edges,
                    direction: &direction,
                    inline_rows: &inline_rows,
                },
            );
        })
    };
    assert_eq!(lay_out(1), [""; 0]);
    assert_eq!(
        lay_out(2),
        ["`assume direction < 2` does not hold: 2 and 2"]
    );
}

#[test]
fn entries_that_are_not_distinct() {
    let mark = |sources: &[u32]| {
        found(|gpu, recording| {
            let sources = gpu.upload("sources", sources).expect("it fits");
            let words = gpu.zeroed("words", 8).expect("it fits");
            let params = MarkParams { value: 1 };
            run(
                recording,
                &MarkSources {
                    sources: &sources,
                    words: &words,
                    params,
                },
            );
        })
    };
    assert_eq!(mark(&[3, 1, 2]), [""; 0]);
    assert_eq!(
        mark(&[3, 1, 3]),
        ["`distinct sources` does not hold: entry 2 is 3"]
    );
}

#[test]
fn entries_that_do_not_ascend() {
    let start = |components: [u32; 3]| {
        found(|gpu, recording| {
            // The one after the last is no state.
            let rows = components.iter().copied().chain([0]);
            let rows: Vec<[u32; 2]> = (0..)
                .zip(rows)
                .map(|(k, component)| [k, component])
                .collect();
            let rows = gpu.upload("rows", &rows).expect("it fits");
            let edges = gpu.upload("edges", &[[0_u32; 2]; 3]).expect("it fits");
            let choices = gpu.upload("choices", &[0_u32, 1, 2]).expect("it fits");
            let [changed, next_states, best] =
                [2, 3, 2].map(|len| gpu.zeroed::<u32>("zeros", len).expect("it fits"));
            let walks = gpu.zeroed("walks", 3).expect("it fits");
            let params = HowardParams {
                states: 3,
                components: 2,
                ..HowardParams::default()
            };
            let pass = Start {
                rows: &rows,
                edges: Some(&edges),
                wide_edges: None,
                choices: &choices,
                changed: &changed,
                next_states: &next_states,
                walks: &walks,
                best: &best,
                params,
                wide: false,
            };
            run(recording, &pass);
        })
    };
    assert_eq!(start([0, 1, 1]), [""; 0]);
    let wrong = "`ascending rows.y below params.states` does not hold: entry 2 is 0";
    assert_eq!(start([0, 1, 0]), [wrong]);
}

#[test]
fn entries_that_are_distinct_where_others_say_so() {
    let write = |labels: [u32; 3], candidates: u32| {
        found(|gpu, recording| {
            let mut control = [0_u32; 16];
            control[2] = candidates;
            let control = gpu.upload("control", &control).expect("it fits");
            let labels = gpu.upload("labels", &labels).expect("it fits");
            let ranks = gpu.upload("ranks", &[0_u32, 0, 1]).expect("it fits");
            let [found, slots, targets, tallies] =
                [3, 4, 3, 16].map(|len| gpu.zeroed::<u32>("zeros", len).expect("it fits"));
            let pass = Branches {
                found: &found,
                slots: &slots,
                control: &control,
                targets: &targets,
                labels: &labels,
                ranks: &ranks,
                tallies: &tallies,
                params: ExploreParams::default(),
            };
            run(recording, &pass);
        })
    };
    let dropped = 1 << 31;
    assert_eq!(write([dropped, 1, 1], 3), [""; 0]);
    assert_eq!(write([1, 1, 1], 1), [""; 0]);
    let wrong =
        "`distinct ranks below control[2] where labels < 0x80000000` does not hold: entry 1 is 0";
    assert_eq!(write([1, 1, 1], 3), [wrong]);
}
