//! Tests that compare all searches with each other and with slow ones, on random graphs and on
//! known shapes.

use crate::graphs::{self, Weighted, graphs};
use crate::oracle;
use cycle_mean::{Answer, Error, MeanSearch, Objective, Options, Problem, Ratio, solve};
use proptest::prelude::*;

const SEARCHES: [MeanSearch; 3] = [MeanSearch::Howard, MeanSearch::Lawler, MeanSearch::Yto];
const OBJECTIVES: [Objective; 2] = [Objective::Min, Objective::Max];

fn answer(problem: &Problem<'_>, search: MeanSearch) -> Result<Answer, Error> {
    let options = Options {
        search,
        ..Options::default()
    };
    solve(problem, &options)
}

/// Checks that the cycles of an answer have its values, and that its potentials prove them.
fn check(problem: &Problem<'_>, of: &Weighted, answer: &Answer) {
    let components = answer.components();
    let component = |state: u32| components.component(mdp_graph::StateId(state));
    let time = |branch: usize| problem.times().map_or(1, |times| i128::from(times[branch]));
    let sign = if problem.objective() == Objective::Max {
        -1
    } else {
        1
    };
    for optimum in answer.optima() {
        let (mut weight, mut total) = (0, 0);
        let ring = optimum
            .cycle
            .iter()
            .zip(optimum.cycle.iter().cycle().skip(1));
        for (branch, next) in ring {
            let target = of.graph.all_targets()[branch.index()];
            assert_eq!(target.0, of.sources[next.index()]);
            weight += i128::from(of.weights[branch.index()]);
            total += time(branch.index());
        }
        assert_eq!(optimum.value, Ratio::new(weight, total as u64));
        let (p, q) = (
            optimum.value.numerator(),
            i128::from(optimum.value.denominator()),
        );
        for (branch, &source) in of.sources.iter().enumerate() {
            let target = of.graph.all_targets()[branch];
            let inside = component(source) == Some(optimum.component)
                && components.component(target) == Some(optimum.component);
            if inside {
                let potential = |state: usize| i128::from(answer.potentials()[state]);
                let length = sign * (q * i128::from(of.weights[branch]) - p * time(branch));
                let slack = length + potential(source as usize) - potential(target.index());
                assert!(slack >= 0, "edge {branch} of {of:?}");
            }
        }
    }
}

/// Returns the value of each component, found by the slow search.
fn expected(problem: &Problem<'_>, answer: &Answer) -> Option<Vec<Ratio>> {
    let cycles = oracle::all_cycles(problem)?;
    let best = answer.optima().iter().map(|optimum| {
        let members = problem.graph().states();
        let own = members.filter(|&s| answer.components().component(s) == Some(optimum.component));
        let values = own.filter_map(|state| cycles[state.index()]);
        match problem.objective() {
            Objective::Min => values.min(),
            Objective::Max => values.max(),
        }
    });
    best.collect()
}

fn agree(problem: &Problem<'_>, of: &Weighted) {
    for search in SEARCHES {
        let Ok(answer) = answer(problem, search) else {
            let error = answer(problem, search).expect_err("an error");
            assert!(matches!(error, Error::ZeroTime { .. }), "{error}");
            assert_eq!(oracle::all_cycles(problem), None, "{of:?}");
            continue;
        };
        check(problem, of, &answer);
        let values: Vec<Ratio> = answer
            .optima()
            .iter()
            .map(|optimum| optimum.value)
            .collect();
        assert_eq!(
            Some(values),
            expected(problem, &answer),
            "{search:?}: {of:?}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn means_agree_with_the_best_simple_cycles(of in graphs(7, 16, 5, 1)) {
        for objective in OBJECTIVES {
            agree(&of.mean(objective), &of);
        }
    }

    #[test]
    fn ratios_agree_with_the_best_simple_cycles(of in graphs(6, 12, 5, 0)) {
        for objective in OBJECTIVES {
            agree(&of.ratio(objective), &of);
        }
    }

    #[test]
    fn large_weights_are_computed_with_exactly(of in graphs(6, 14, 1 << 56, 1)) {
        agree(&of.mean(Objective::Min), &of);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn searches_agree_on_graphs_of_some_size(of in graphs(60, 240, 1000, 1)) {
        let karp = oracle::karp(&of);
        for search in SEARCHES {
            let least = answer(&of.mean(Objective::Min), search).expect("an answer");
            check(&of.mean(Objective::Min), &of, &least);
            prop_assert_eq!(least.optimal().map(|optimum| optimum.value), karp);
        }
        let ratios = SEARCHES.map(|search| {
            let greatest = answer(&of.ratio(Objective::Max), search).expect("an answer");
            check(&of.ratio(Objective::Max), &of, &greatest);
            greatest.optima().iter().map(|optimum| optimum.value).collect::<Vec<_>>()
        });
        prop_assert_eq!(&ratios[0], &ratios[1]);
        prop_assert_eq!(&ratios[0], &ratios[2]);
    }
}

#[test]
fn all_searches_agree_on_a_grid() {
    let of = graphs::grid(40);
    let values = SEARCHES.map(|search| {
        let answer = answer(&of.mean(Objective::Min), search).expect("an answer");
        check(&of.mean(Objective::Min), &of, &answer);
        answer.optimal().expect("a cycle").value
    });
    assert!(values.iter().all(|value| *value == values[0]), "{values:?}");
    let of_ratio = answer(&of.ratio(Objective::Min), MeanSearch::Howard).expect("an answer");
    check(&of.ratio(Objective::Min), &of, &of_ratio);
}

#[test]
fn a_long_cycle_takes_one_policy() {
    let of = graphs::cycle(300_000);
    let answer = answer(&of.mean(Objective::Max), MeanSearch::Howard).expect("an answer");
    let optimum = answer.optimal().expect("a cycle");
    assert_eq!(optimum.value, Ratio::new(1, 300_000));
    assert_eq!((optimum.iterations, optimum.cycle.len()), (1, 300_000));
    check(&of.mean(Objective::Max), &of, &answer);
}

#[test]
fn a_graph_without_cycles_has_no_optimum() {
    let of = Weighted::new(3, &[(0, 1, 1, 1), (1, 2, 1, 1), (0, 2, i64::MAX, 0)]);
    let answer = answer(&of.ratio(Objective::Min), MeanSearch::Howard).expect("an answer");
    assert_eq!(answer.optimal(), None);
}

#[test]
fn answers_do_not_depend_on_the_number_of_threads() {
    let of = graphs::grid(100);
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let answer = pool
            .expect("a pool")
            .install(|| answer(&of.mean(Objective::Min), MeanSearch::Howard));
        let answer = answer.expect("an answer");
        (answer.optima().to_vec(), answer.potentials().to_vec())
    };
    assert_eq!(on(1), on(3));
}

/// After 100 policies, policies and another algorithm take turns. Either may end first.
#[test]
fn searches_agree_where_policies_take_turns() {
    for states in 95..125 {
        let path = graphs::path_with_ways_back(states);
        agree(&path.mean(Objective::Min), &path);
        agree(&path.ratio(Objective::Min), &path);
        let found = answer(&path.mean(Objective::Min), MeanSearch::Howard).expect("no time is 0");
        let iterations = found.optima()[0].iterations;
        // There are 100 policies, and 8 in the first turn. The other algorithm counts its
        // iterations differently.
        match states {
            ..=109 => assert_eq!(iterations, states - 1),
            _ => assert_ne!(iterations, states - 1),
        }
    }
}

/// Policy iteration alone would take as many policies as there are states, each in linear time.
#[test]
fn values_that_depend_on_states_far_away_do_not_take_quadratic_time() {
    const STATES: u32 = 50_000;
    let path = graphs::path_with_ways_back(STATES);
    let problem = path.mean(Objective::Min);
    let [howard, yto] = [MeanSearch::Howard, MeanSearch::Yto].map(|search| {
        let found = answer(&problem, search).expect("no cycle takes no time");
        check(&problem, &path, &found);
        found
    });
    let whole = Ratio::new(
        i128::from(STATES) - 1 - 10 * i128::from(STATES),
        STATES.into(),
    );
    assert_eq!(howard.optima()[0].value, whole);
    assert_eq!(yto.optima()[0].value, whole);
    // There are 100 policies, and 8 between the turns.
    let thresholds = yto.optima()[0].iterations;
    assert!(howard.optima()[0].iterations <= thresholds + 108);
}
