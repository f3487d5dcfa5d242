//! Tests that states of quotients by end components are reached with the same probabilities as in
//! the models.

use crate::common::{graph, model};
use decompose::{Options, mec};
use mdp_graph::{MdpGraph, Quotient, StateId, StayPolicy};
use proptest::prelude::*;

/// Returns the greatest or least probability to reach `goal` from each state, by value iteration.
fn reach(
    graph: &MdpGraph,
    values: &[f64],
    goal: impl Fn(StateId) -> bool,
    best: fn(f64, f64) -> f64,
) -> Vec<f64> {
    let start = graph.states().map(|state| f64::from(u8::from(goal(state))));
    let mut found: Vec<f64> = start.collect();
    loop {
        let step = |state: StateId| {
            if goal(state) {
                return 1.0;
            }
            let choices = graph.choices(state).map(|choice| {
                let first = graph.branch_offsets()[choice.index()] as usize;
                let targets = graph.targets(choice).iter().zip(&values[first..]);
                targets.map(|(to, value)| value * found[to.index()]).sum()
            });
            choices.reduce(best).unwrap_or(0.0)
        };
        let next: Vec<f64> = graph.states().map(step).collect();
        let change = next
            .iter()
            .zip(&found)
            .fold(0.0, |most, (a, b)| f64::max(most, a - b));
        found = next;
        if change < 1e-13 {
            return found;
        }
    }
}

/// Returns the probabilities if all targets of a choice have the same one.
fn uniform(graph: &MdpGraph) -> Vec<f64> {
    let choices = graph.states().flat_map(|state| graph.choices(state));
    let values = choices.flat_map(|choice| {
        let count = graph.targets(choice).len();
        vec![1.0 / count as f64; count]
    });
    values.collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn probabilities_are_those_of_the_model(model in model(9), goals: u16) {
        let graph = graph(&model);
        let values = uniform(&graph);
        let goal = |state: StateId| goals >> (state.0 % 16) & 1 == 1;
        // In each end component, either all states are goals or none.
        let alike = graph.retain_choices(|state, choice| {
            graph.targets(choice).iter().all(|&to| goal(to) == goal(state))
        })?;
        let components = mec(&alike, &Options::default()).unwrap();
        for (staying, best) in [
            (StayPolicy::MustLeave, f64::max as fn(f64, f64) -> f64),
            (StayPolicy::ToSink, f64::max),
            (StayPolicy::ToSink, f64::min),
        ] {
            let quotient = Quotient::of_end_components(&graph, &components, staying)?;
            let goals: Vec<StateId> = graph.states().filter(|&state| goal(state))
                .map(|state| quotient.state_of(state)).collect();
            let merged = quotient.merge_values(&graph, &values);
            let expected = reach(&graph, &values, goal, best);
            let found = reach(quotient.graph(), &merged, |state| goals.contains(&state), best);
            for state in graph.states() {
                let own = quotient.state_of(state).index();
                prop_assert!((found[own] - expected[state.index()]).abs() < 1e-9);
            }
        }
    }
}
