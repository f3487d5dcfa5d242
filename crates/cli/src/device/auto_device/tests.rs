//! Tests the decisions of `--device auto`, for measured models and times, and for cases that must
//! never use a GPU.

use super::{ALONE, AutoDevice, OPENING, Verdict, by_branches, of_cycle_means};
use crate::load::size_hint::SizeHint;
use decompose::cost::EdgeSample;
use mdp_graph::ComponentKind::{self, Mec, Scc};
use mdp_graph::{ChunkBuilder, Deadlocks, MdpGraph, StateId, assemble};
use std::time::Duration;

fn auto_device(kind: ComponentKind, cores: usize) -> AutoDevice {
    AutoDevice { kind, cores }
}

/// Returns a sample in which this share of the edges leads to random states. The other edges lead
/// far too, but close to the targets of their neighbours; if there are no random ones, they lead to
/// the next state.
fn sample(share: f64) -> EdgeSample {
    const STATES: u64 = 1 << 24;
    EdgeSample::of_rows(STATES, |state| {
        (0..10).map(move |edge| {
            let mixed = (10 * state + edge).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
            let target = match ((mixed % 1000) as f64) < 1000.0 * share {
                true => mixed / 7,
                false if share > 0.0 => state + 100_000 * (edge + 1),
                false => state + 1,
            };
            target % STATES
        })
    })
}

/// Returns a sample of a graph with one edge for each state, which leads to a random state.
fn permutation() -> EdgeSample {
    const STATES: u64 = 1 << 24;
    EdgeSample::of_rows(STATES, |state| {
        let mixed = state.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
        std::iter::once(mixed % STATES)
    })
}

/// The columns are: millions of states and of branches, the share of scattered edges, the kind of
/// components, the number of cores, how long a GPU has been opening, and whether it is used.
#[test]
fn the_faster_device_is_taken() {
    let now = OPENING;
    let none = Duration::ZERO;
    #[rustfmt::skip]
    let cases = [
        ("permutation=10000000", 10.0, 10.0, 1.0, Scc, 16, none, true),
        ("permutation=10000000", 10.0, 10.0, 1.0, Scc, 1, none, true),
        ("permutation=2500000", 2.5, 2.5, 1.0, Mec, 16, none, false),
        ("permutation=500000", 0.5, 0.5, 1.0, Mec, 1, now, false),
        ("scattered=98443", 3.05, 8.88, 0.96, Scc, 1, none, true),
        ("scattered=98443", 3.05, 8.88, 0.96, Mec, 16, now, true),
        ("scattered=30000", 0.93, 2.8, 0.96, Scc, 16, none, false),
        ("ladders=50000", 3.2, 12.5, 0.73, Scc, 1, none, true),
        ("mesh=200", 8.0, 23.9, 0.08, Mec, 1, now, true),
        // A random edge makes an edge of the next state scattered, too: 0.067 are, as in the graph.
        ("mesh=200", 8.0, 23.9, 0.033, Scc, 16, none, true),
        ("mesh=200", 8.0, 23.9, 0.033, Mec, 16, none, true),
        ("giant=6000000", 6.0, 18.0, 0.67, Scc, 16, none, false),
        ("giant=6000000", 6.0, 18.0, 0.67, Mec, 16, none, false),
        ("ladders=50000", 3.2, 12.5, 0.73, Mec, 16, none, false),
        ("power-law=21", 2.1, 34.9, 0.71, Mec, 16, none, false),
        // Threads that follow edges soon cover most of a very dense graph; one thread does not.
        ("lotteries=600000", 0.6, 19.7, 0.0, Mec, 16, now, false),
        ("lotteries=600000", 0.6, 19.7, 0.0, Mec, 1, now, true),
        ("lotteries=60000", 0.06, 1.97, 0.0, Mec, 16, now, false),
        ("zeroconf T=100", 19.7, 45.5, 0.28, Mec, 1, now, true),
        ("zeroconf T=100", 19.7, 45.5, 0.15, Scc, 16, now, false),
        ("zeroconf T=100", 19.7, 45.5, 0.15, Mec, 16, now, true),
        ("phil7", 9.0, 81.6, 0.06, Scc, 16, now, false),
        ("coin6 K=6", 3.5, 17.4, 0.04, Scc, 16, none, false),
        ("wlan6 TTM=500", 6.5, 14.5, 0.01, Mec, 16, now, false),
        // A GPU may take many times as long if paths are long.
        ("comb=10000000", 10.0, 10.5, 0.0, Scc, 1, now, false),
        ("chain=100000000", 100.0, 100.0, 0.0, Mec, 1, now, false),
        ("cycle=10000000", 10.0, 10.0, 0.0, Scc, 16, now, false),
        // However far edges lead, the CPU finishes a small model before a GPU is open.
        ("tiny", 0.001, 0.002, 1.0, Mec, 1, now, false),
        ("empty", 0.0, 0.0, 0.0, Scc, 1, now, false),
    ];
    for (name, states, branches, share, kind, cores, opening, expected) in cases {
        let auto_device = auto_device(kind, cores);
        let millions = |count: f64| (count * 1e6) as u64;
        let sample = match states == branches && share > 0.0 {
            true => permutation(),
            false => sample(share),
        };
        let problem = auto_device.problem(millions(states), millions(branches), sample);
        let left = OPENING.saturating_sub(opening);
        let found = auto_device.prefers_gpu(problem, left);
        assert_eq!(found, expected, "{name}, {kind:?} with {cores} cores");
    }
}

#[test]
fn a_gpu_is_opened_early_only_if_it_may_be_faster() {
    let graph = |states, branches, sample| SizeHint::Graph {
        states,
        branches,
        sample,
    };
    let (soon, late) = (Duration::from_millis(20), Duration::from_secs(1));
    let large = 20_000_000;
    #[rustfmt::skip]
    let cases = [
        // Edges of an archive are sampled before the archive is read.
        (graph(large, large, Some(sample(1.0))), soon, true),
        (graph(large, large, Some(sample(0.0))), late, false),
        // Edges lead nearby, and a GPU may still be faster.
        (graph(10 * large, 10 * large, Some(sample(0.0))), soon, true),
        // For a text or a state space, the worst case is assumed once the command has taken long.
        (graph(large, large, None), soon, false),
        (graph(large, large, None), late, true),
        (graph(100_000, 400_000, None), late, false),
        (SizeHint::TextBytes(100_000_000), late, false),
        (SizeHint::TextBytes(300_000_000), soon, true),
    ];
    for (hint, elapsed, expected) in cases {
        let opens = auto_device(Scc, 16).opens(hint, elapsed);
        assert_eq!(opens, expected, "{hint:?} after {elapsed:?}");
    }
}

/// Returns a graph with one edge for each state.
fn graph(states: u32, target: impl Fn(u32) -> u32) -> MdpGraph {
    let mut chunk = ChunkBuilder::default();
    for state in 0..states {
        chunk.push_choice(StateId(state), &[StateId(target(state))]);
    }
    let built = assemble(states, vec![chunk.finish()], Deadlocks::Keep);
    built.expect("it is a graph").graph
}

#[test]
fn the_verdict_has_a_reason() {
    let near = graph(10_000, |state| state);
    let verdict = auto_device(Mec, 1).judge(&near, None);
    let expected = Verdict {
        takes_gpu: false,
        needs_gpu: false,
        reason: "its edges lead nearby".to_owned(),
        overdue: verdict.overdue,
    };
    assert_eq!(verdict, expected);
    let far = graph(100_000, |state| state.wrapping_mul(0x9e37_79b1) % 100_000);
    let verdict = auto_device(Scc, 1).judge(&far, None);
    let expected = Verdict {
        takes_gpu: false,
        needs_gpu: false,
        reason: "it is expected to take 0.00 s, and a GPU 0.29 s".to_owned(),
        overdue: verdict.overdue,
    };
    assert_eq!(verdict, expected);
    let soon = Duration::from_millis(50)..Duration::from_millis(60);
    assert!(verdict.overdue.is_some_and(|time| soon.contains(&time)));
    let below = by_branches(7, 1000);
    assert!(!below.takes_gpu && by_branches(1000, 1000).takes_gpu);
    let reason = "below 1,000 branches it is faster than a GPU";
    assert_eq!(below.reason, reason);
}

#[test]
fn cycle_means_of_a_million_and_a_half_branches_repay_a_gpu() {
    let small = of_cycle_means(400_000);
    assert!(!small.takes_gpu);
    let reason = "it is expected to take 0.08 s, and a GPU 0.29 s";
    assert_eq!(small.reason, reason);
    assert!(!of_cycle_means(1_500_000).takes_gpu);
    assert!(of_cycle_means(1_600_000).takes_gpu);
}

/// If edges lead nearby, a GPU may take very long, or be faster. It begins soon if it is expected
/// to be faster, and otherwise when the CPU is overdue.
#[test]
fn a_gpu_that_may_be_faster_begins_soon_beside_the_cpu() {
    let near = |state: u64| (1..=2).map(move |step| (state + step) % (1 << 24));
    let near = EdgeSample::of_rows(1 << 24, near);
    let overdue = |kind, states, branches| {
        let verdict = auto_device(kind, 16).judge_sample(states, branches, near, None);
        assert!(!verdict.takes_gpu);
        verdict.overdue.expect("the CPU has an estimate")
    };
    // stairs=1000000: 0.40 s for the MECs on the CPU and 0.39 s on a GPU, 0.22 and 0.43 s for SCCs.
    assert_eq!(overdue(Mec, 10_000_001, 12_000_002), ALONE);
    let needs_gpu = |states, branches| {
        let verdict = auto_device(Mec, 16).judge_sample(states, branches, near, None);
        verdict.needs_gpu
    };
    assert!(needs_gpu(10_000_001, 12_000_002) && !needs_gpu(1_000_000, 2_000_000));
    assert!(overdue(Scc, 10_000_001, 12_000_002) > 3 * ALONE);
    assert!(overdue(Mec, 1_000_000, 2_000_000) > ALONE);
}
