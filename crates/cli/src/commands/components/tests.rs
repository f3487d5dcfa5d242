//! Compares explanations with the definitions, on random models.

mod cycles;

use super::incoming::Incoming;
use super::why::{self, Lost};
use decompose::{Options, mec, scc};
use mdp_graph::{MdpGraph, StateId};
use proptest::collection::vec;
use proptest::prelude::*;
use report::Return;

/// Returns graphs of less than this many states, each with up to three choices of up to three
/// targets.
fn graphs(bound: u32) -> impl Strategy<Value = MdpGraph> {
    (1..bound).prop_flat_map(|n| {
        let choice = vec(0..n, 1..4).prop_map(|mut targets| {
            targets.sort_unstable();
            targets.dedup();
            targets
        });
        let states = vec(vec(choice, 0..4), n as usize);
        states.prop_map(|states| MdpGraph::from_choices(&states).expect("targets are states"))
    })
}

/// Returns the states from which `goal` is reached surely, or by some path, by trying every set:
/// the union of all sets of states each of which has a path to the goal by choices that stay in the
/// set.
fn sure(graph: &MdpGraph, goal: StateId) -> Vec<bool> {
    let n = graph.num_states();
    let mut sure = vec![false; n];
    for set in (0u32..1 << n).filter(|set| set >> goal.0 & 1 == 1) {
        let is_in = |state: StateId| set >> state.0 & 1 == 1;
        let mut reaches = 1u32 << goal.0;
        for _ in 0..n {
            for state in graph.states().filter(|&state| is_in(state)) {
                let mut choices = graph.choices(state);
                let can = choices.any(|choice| {
                    let targets = graph.targets(choice);
                    let hits = |target: &StateId| reaches >> target.0 & 1 == 1;
                    targets.iter().all(|&target| is_in(target)) && targets.iter().any(hits)
                });
                reaches |= u32::from(can) << state.0;
            }
        }
        if reaches & set == set {
            graph
                .states()
                .filter(|&state| is_in(state))
                .for_each(|state| sure[state.index()] = true);
        }
    }
    sure
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn each_state_is_explained(graph in graphs(8)) {
        let mecs = mec(&graph, &Options::default()).expect("the CPU can");
        let sccs = scc(&graph, &Options::default()).expect("the CPU can");
        let reasons = Lost::new(&graph, &Incoming::new(&graph), &mecs, &sccs);
        for state in graph.states() {
            let retained = mecs.retained_choices(&graph, state).count();
            let leaving = why::leaving(&graph, &mecs, state).len();
            let choices = graph.choices(state).len();
            if mecs.component(state).is_some() {
                prop_assert_eq!(retained + leaving, choices);
                continue;
            }
            let lost = reasons.leaving(state);
            // Each choice of a state in no end component has a target from which it is lost.
            prop_assert_eq!(lost.len(), choices);
            let sure = sure(&graph, state);
            for leaving in lost {
                let targets = graph.targets(leaving.choice);
                prop_assert!(targets.contains(&leaving.target));
                prop_assert!(!sure[leaving.target.index()]);
                // A target from which no path leads back is preferred.
                let returns = |target: &StateId| sccs.component(*target) == sccs.component(state);
                let is_unsure = leaving.returns == Some(Return::Unsure);
                prop_assert_eq!(is_unsure, returns(&leaving.target));
                prop_assert_eq!(is_unsure, targets.iter().all(returns));
            }
        }
    }
}

/// All states that are in no end component are explained by one search.
#[test]
fn reasons_take_linear_time() {
    for (name, graph) in cycles::families(1000) {
        let mecs = mec(&graph, &Options::default()).expect("the CPU can");
        let sccs = scc(&graph, &Options::default()).expect("the CPU can");
        let incoming = Incoming::new(&graph);
        let reasons = Lost::new(&graph, &incoming, &mecs, &sccs);
        for state in graph.states() {
            if mecs.component(state).is_none() {
                let choices = graph.choices(state).len();
                assert_eq!(reasons.leaving(state).len(), choices, "{name}");
            }
        }
        assert!(incoming.returned() <= graph.num_branches(), "{name}");
    }
}
