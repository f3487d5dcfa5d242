//! Tests of claimed cycle means: the answers of `cycle-mean` are accepted, and changed answers are
//! not.

use certify::{ClaimedMeans, ClaimedOptimum, MeanViolation, check_cycle_means};
use cycle_mean::{Answer, Objective, Options, Problem, solve};
use mdp_graph::{BranchId, MdpGraph, StateId};
use proptest::prelude::*;

/// Returns a random graph in which each state has edges, with weights and times.
fn weighted() -> impl Strategy<Value = (MdpGraph, Vec<i64>, Vec<u32>)> {
    (1..20u32).prop_flat_map(|states| {
        let edge = (0..states, -20..=20i64, 1..=3u32);
        let rows = prop::collection::vec(prop::collection::vec(edge, 1..4), states as usize);
        rows.prop_map(|rows| {
            let mut starts = vec![0];
            starts.extend(rows.iter().scan(0, |end, row| {
                *end += row.len() as u32;
                Some(*end)
            }));
            let edges = rows.concat();
            let graph = MdpGraph::from_parts(
                starts,
                (0..=edges.len() as u32).collect(),
                edges.iter().map(|&(target, ..)| StateId(target)).collect(),
            );
            (
                graph.expect("the arrays are a graph"),
                edges.iter().map(|&(_, weight, _)| weight).collect(),
                edges.iter().map(|&(.., time)| time).collect(),
            )
        })
    })
}

/// A claim in a form that can be changed.
#[derive(Clone)]
struct Claim {
    optima: Vec<(mdp_graph::ComponentId, i128, u64, Vec<BranchId>)>,
    potentials: Vec<i64>,
}

impl Claim {
    fn of(answer: &Answer) -> Self {
        let optimum = |optimum: &cycle_mean::Optimum| {
            let (p, q) = (optimum.value.numerator(), optimum.value.denominator());
            (optimum.component, p, q, optimum.cycle.clone())
        };
        Self {
            optima: answer.optima().iter().map(optimum).collect(),
            potentials: answer.potentials().to_vec(),
        }
    }

    fn check(&self, problem: &Problem<'_>, answer: &Answer) -> Result<(), MeanViolation> {
        let optima: Vec<ClaimedOptimum<'_>> = self
            .optima
            .iter()
            .map(
                |(component, numerator, denominator, cycle)| ClaimedOptimum {
                    component: *component,
                    numerator: *numerator,
                    denominator: *denominator,
                    cycle,
                },
            )
            .collect();
        let claim = ClaimedMeans {
            weights: problem.weights(),
            times: problem.times(),
            objective: problem.objective(),
            components: answer.components(),
            optima: &optima,
            potentials: &self.potentials,
        };
        check_cycle_means(problem.graph(), &claim)
    }
}

/// A change that makes a claim wrong.
type Change = Box<dyn Fn(&mut Claim)>;

/// Returns changes that make a claim wrong, each with the obligation that it then violates.
fn changes(right: &Claim, optimum: usize, graph: &MdpGraph) -> Vec<(&'static str, Change)> {
    let (_, numerator, _, cycle) = &right.optima[optimum];
    let mut changes: Vec<(&'static str, Change)> = vec![
        (
            "W1",
            Box::new(move |claim| drop(claim.optima.remove(optimum))),
        ),
        (
            "W1",
            Box::new(move |claim| claim.optima.push(claim.optima[optimum].clone())),
        ),
        (
            "W2",
            Box::new(move |claim| claim.optima[optimum].3.push(BranchId(u32::MAX))),
        ),
        ("W3", Box::new(move |claim| claim.optima[optimum].3.clear())),
        ("W3", Box::new(move |claim| claim.optima[optimum].1 += 1)),
    ];
    if *numerator != 0 {
        changes.push(("W3", Box::new(move |claim| claim.optima[optimum].2 += 1)));
    }
    // An edge of the cycle has no slack, so a larger potential of its target makes the claim wrong.
    let target = graph.all_targets()[cycle[0].index()].index();
    if cycle.len() > 1 {
        changes.push(("W4", Box::new(move |claim| claim.potentials[target] += 1)));
    }
    changes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn right_answers_are_accepted_and_changed_ones_are_not(
        (graph, weights, times) in weighted(),
        greatest: bool,
        timed: bool,
        place in 0..1000usize,
    ) {
        let objective = if greatest { Objective::Max } else { Objective::Min };
        let problem = match timed {
            true => Problem::ratio(&graph, &weights, &times, objective),
            false => Problem::mean(&graph, &weights, objective),
        };
        let answer = solve(&problem, &Options::default()).expect("an answer");
        let right = Claim::of(&answer);
        prop_assert_eq!(right.check(&problem, &answer), Ok(()));

        let optimum = place % right.optima.len();
        for (obligation, change) in changes(&right, optimum, &graph) {
            let mut claim = right.clone();
            change(&mut claim);
            let refused = claim.check(&problem, &answer).expect_err("it is wrong");
            prop_assert_eq!(refused.obligation(), obligation, "{}", refused);
            let message = refused.to_string();
            prop_assert!(message.starts_with(obligation), "{}: {}", obligation, message);
        }
        let mut short = right.clone();
        short.potentials.pop();
        let refused = short.check(&problem, &answer).expect_err("a potential is missing");
        prop_assert_eq!(refused.obligation(), "form");
        // With other weights, another cycle may be optimal, or this one may have another value.
        let mut other = weights.clone();
        other[right.optima[optimum].3[0].index()] += if greatest { 1 } else { -1 };
        let other = match timed {
            true => Problem::ratio(&graph, &other, &times, objective),
            false => Problem::mean(&graph, &other, objective),
        };
        prop_assert!(right.check(&other, &answer).is_err());
    }
}
