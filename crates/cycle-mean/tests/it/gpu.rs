//! Tests that the GPU goes from policy to policy as the CPU does, so that both find the same
//! answer. These tests use Mesa's lavapipe, or the adapter that `MAXEND_ADAPTER` names.

use crate::graphs::{self, Edge, Weighted, graphs};
use cycle_mean::{
    Answer, Error, MeanSearch, Objective, OpenDevice, Options, Problem, Work, solve,
    solve_components,
};
use decompose::scc;
use gpu::{Gpu, Request};
use proptest::prelude::*;
use std::sync::OnceLock;
use test_models::{adapter, device_or_skip};

/// Returns the adapter under test. Without it, tests are skipped or, if a device is required, fail.
fn gpu() -> Option<&'static Gpu> {
    static GPU: OnceLock<Option<Gpu>> = OnceLock::new();
    let open = || device_or_skip(Gpu::open(&Request::named(adapter())));
    GPU.get_or_init(open).as_ref()
}

fn on<'a>(gpu: &Gpu) -> Options<'a> {
    Options {
        device: OpenDevice::Gpu(gpu.clone()),
        ..Options::default()
    }
}

/// Returns all parts of an answer.
fn said(answer: Result<Answer, Error>) -> Result<impl PartialEq + std::fmt::Debug, Error> {
    answer.map(|answer| {
        let components = answer.components().clone();
        let potentials = answer.potentials().to_vec();
        (components, answer.optima().to_vec(), potentials)
    })
}

/// Solves a problem on both devices, in both ways of a GPU, and compares the answers. The CPU finds
/// the components. Returns the work of the GPU in its search by doubling.
fn compare(problem: &Problem<'_>, options: &Options<'_>) -> Work {
    let by_steps = Options {
        search: MeanSearch::Paper,
        ..options.clone()
    };
    compare_one(problem, &by_steps);
    compare_one(problem, options)
}

fn compare_one(problem: &Problem<'_>, options: &Options<'_>) -> Work {
    let on = |options: &Options<'_>| {
        let components = scc(problem.graph(), &decompose::Options::default());
        solve_components(problem, components.expect("nobody cancels"), options)
    };
    let (on_gpu, on_cpu) = (on(options), on(&Options::default()));
    let work = on_gpu.as_ref().ok().and_then(Answer::work).cloned();
    assert_eq!(said(on_gpu), said(on_cpu));
    work.unwrap_or_default()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn means_are_those_of_the_cpu(of in graphs(40, 120, 50, 1)) {
        if let Some(gpu) = gpu() {
            compare(&of.mean(Objective::Min), &on(gpu));
            compare(&of.mean(Objective::Max), &on(gpu));
        }
    }

    #[test]
    fn ratios_are_those_of_the_cpu(of in graphs(30, 70, 50, 0)) {
        if let Some(gpu) = gpu() {
            compare(&of.ratio(Objective::Min), &on(gpu));
            compare(&of.ratio(Objective::Max), &on(gpu));
        }
    }

    /// The weights are near the bound, or the products of sums and times are.
    #[test]
    fn large_numbers_are_computed_with_exactly(
        of in graphs(6, 16, 1 << 56, 1),
        with_times in graphs(5, 14, 1 << 54, 1),
    ) {
        if let Some(gpu) = gpu() {
            compare(&of.mean(Objective::Min), &on(gpu));
            compare(&with_times.ratio(Objective::Max), &on(gpu));
        }
    }

    /// With weights of 0 and 1, most edges and cycles are as good as others.
    #[test]
    fn both_devices_take_the_same_of_equal_cycles(of in graphs(40, 120, 1, 1)) {
        if let Some(gpu) = gpu() {
            compare(&of.mean(Objective::Min), &on(gpu));
        }
    }

    #[test]
    fn the_host_continues_a_search_that_is_too_deep(of in graphs(60, 90, 20, 1)) {
        if let Some(gpu) = gpu() {
            let options = Options { most_levels: 1, ..on(gpu) };
            compare(&of.mean(Objective::Min), &options);
        }
    }
}

#[test]
fn the_host_continues_a_search_with_many_policies() {
    let Some(gpu) = gpu() else { return };
    for states in [90, 101, 110, 300] {
        let of = graphs::path_with_ways_back(states);
        let work = compare(&of.mean(Objective::Min), &on(gpu));
        assert_eq!(work.host_states > 0, states > 101, "{states}");
    }
}

#[test]
fn a_gpu_finds_the_components_too() {
    let Some(gpu) = gpu() else { return };
    let of = Weighted::new(
        4,
        &[
            (0, 1, 3, 1),
            (1, 0, 4, 1),
            (1, 2, 0, 1),
            (2, 3, 1, 1),
            (3, 2, 1, 1),
        ],
    );
    let problem = of.mean(Objective::Min);
    assert_eq!(
        said(solve(&problem, &on(gpu))),
        said(solve(&problem, &Options::default()))
    );
}

#[test]
fn a_grid_is_solved() {
    let Some(gpu) = gpu() else { return };
    let of = graphs::grid(40);
    let work = compare(&of.mean(Objective::Min), &on(gpu));
    assert!(
        work.policies > 1 && work.doublings > 10 && work.levels > 10,
        "{work:?}"
    );
    assert_eq!(work.host_states, 0);
    compare(&of.ratio(Objective::Max), &on(gpu));
    let shallow = Options {
        most_levels: 3,
        ..on(gpu)
    };
    assert_eq!(
        compare(&of.mean(Objective::Min), &shallow).host_states,
        1600
    );
}

#[test]
fn a_long_cycle_takes_doublings_for_its_length() {
    let Some(gpu) = gpu() else { return };
    let of = graphs::cycle(100_000);
    let work = compare_one(&of.mean(Objective::Max), &on(gpu));
    assert_eq!((work.policies, work.levels), (1, 1));
    // Each of two passes takes 17 doublings, and at most one more iteration of two doublings.
    assert!((34..=38).contains(&work.doublings), "{work:?}");
}

/// In the first policy, paths to the cycle are short. They determine the number of passes for the
/// next policy.
#[test]
fn a_policy_that_takes_more_passes_than_the_one_before_is_evaluated_again() {
    let Some(gpu) = gpu() else { return };
    // It costs nothing to go from an even state to the odd one beside it, but much to come back.
    let beside = |i: u32| {
        let (even, odd, next) = (2 * i, 2 * i + 1, (2 * i + 2) % 80);
        [(even, odd, 0, 1), (even, next, 1, 1), (odd, even, 10, 1)]
    };
    let edges: Vec<Edge> = (0..40).flat_map(beside).collect();
    let of = Weighted::new(80, &edges);
    let work = compare_one(&of.mean(Objective::Min), &on(gpu));
    assert!(work.repeated > 0, "{work:?}");
    let answer = solve(&of.mean(Objective::Min), &on(gpu)).expect("an answer");
    let cycle = answer.optimal().map(|optimum| optimum.cycle.len());
    assert_eq!(cycle, Some(40));
}

#[test]
fn the_papers_search_takes_a_level_for_each_step() {
    let Some(gpu) = gpu() else { return };
    let of = graphs::cycle(500);
    let paper = Options {
        search: MeanSearch::Paper,
        ..on(gpu)
    };
    let work = compare_one(&of.mean(Objective::Max), &paper);
    // No state is eliminated, and no state has to be connected to the cycle.
    assert_eq!(
        (work.policies, work.doublings, work.levels),
        (1, 0, 1 + 500 + 1)
    );
}

#[test]
fn many_small_components_are_solved_at_once() {
    let Some(gpu) = gpu() else { return };
    let triangle = |c: u32| {
        let weight = |i: u32| i64::from((c * 7 + i * 5) % 11) - 5;
        let edge = |i: u32| (3 * c + i, 3 * c + (i + 1) % 3, weight(i), 1 + (c + i) % 3);
        let back = (3 * c + 1, 3 * c, weight(4), 1);
        let on = (3 * c, (3 * c + 5) % 30_000, 1, 1);
        [edge(0), edge(1), edge(2), back, on]
    };
    // The last components lead to the first ones, but nothing leads back.
    let edges: Vec<Edge> = (0..9_998).flat_map(triangle).collect();
    let of = Weighted::new(30_000, &edges);
    let work = compare(&of.mean(Objective::Min), &on(gpu));
    assert!(work.policies < 6, "{work:?}");
    compare(&of.ratio(Objective::Min), &on(gpu));
}

/// A state with more edges than one invocation handles, several of which are the cheapest.
#[test]
fn long_rows_are_shared_by_a_workgroup() {
    let Some(gpu) = gpu() else { return };
    let n = 3000;
    let out = (1..n).map(|s| (0, s, i64::from(s % 50) * 3 + 7, 1 + s % 3));
    let back = (1..n).map(|s| (s, 0, i64::from(s % 71) + 5, 1 + s % 4));
    let along = (1..n).map(|s| (s, s % (n - 1) + 1, i64::from(s % 90), 2));
    let edges: Vec<Edge> = out.chain(back).chain(along).collect();
    let of = Weighted::new(n, &edges);
    for objective in [Objective::Min, Objective::Max] {
        compare(&of.mean(objective), &on(gpu));
        compare(&of.ratio(objective), &on(gpu));
    }
}

#[test]
fn searches_that_a_device_does_not_support_are_refused() {
    let Some(gpu) = gpu() else { return };
    let of = graphs::grid(3);
    let options = Options {
        search: MeanSearch::Yto,
        ..on(gpu)
    };
    let refused = solve(&of.mean(Objective::Min), &options).expect_err("there is no such search");
    insta::assert_snapshot!(refused, @"a GPU cannot search by Yto");
    let paper = Options {
        search: MeanSearch::Paper,
        ..Options::default()
    };
    let refused = solve(&of.mean(Objective::Min), &paper).expect_err("it needs a GPU");
    insta::assert_snapshot!(refused, @"the CPU cannot search by Paper");
    let nothing = Weighted::new(2, &[(0, 1, 1, 1)]);
    assert_eq!(
        compare(&nothing.mean(Objective::Min), &on(gpu)),
        Work::default()
    );
}
