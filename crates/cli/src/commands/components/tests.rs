//! Compares explanations with the definitions, on random models.

use super::cycles::Cycles;
use super::incoming::Incoming;
use super::why::{self, Lost};
use decompose::{Options, mec, scc};
use mdp_graph::{Components, MdpGraph, StateId};
use proptest::collection::vec;
use proptest::prelude::*;
use report::{Cycle, Return};

/// Returns graphs of up to eight states, each with up to three choices of up to three targets.
fn graphs() -> impl Strategy<Value = MdpGraph> {
    (1u32..8).prop_flat_map(|n| {
        let choice = vec(0..n, 1..4).prop_map(|mut targets| {
            targets.sort_unstable();
            targets.dedup();
            targets
        });
        let states = vec(vec(choice, 0..4), n as usize);
        states.prop_map(|states| MdpGraph::from_choices(&states).expect("targets are states"))
    })
}

/// Checks that a cycle follows branches from a state back to it, and never leaves its component.
fn check_cycle(graph: &MdpGraph, found: &Components, state: StateId, is_there: bool) {
    let steps = match Cycles::new(graph, found).through(state) {
        Cycle::Steps(steps) => steps,
        Cycle::None => Vec::new(),
        Cycle::Of(_) => panic!("there was no other"),
    };
    assert_eq!(!steps.is_empty(), is_there, "{graph:?} {state}");
    for (i, step) in steps.iter().enumerate() {
        let next = steps[(i + 1) % steps.len()].state;
        assert!(
            graph
                .choices(step.state)
                .any(|choice| choice == step.choice)
        );
        assert!(graph.targets(step.choice).contains(&next));
        assert_eq!(found.component(step.state), found.component(state));
    }
    assert!(steps.first().is_none_or(|step| step.state == state));
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
    fn each_state_is_explained(graph in graphs()) {
        let mecs = mec(&graph, &Options::default()).expect("the CPU can");
        let sccs = scc(&graph, &Options::default()).expect("the CPU can");
        let incoming = Incoming::new(&graph);
        let reasons = Lost::new(&graph, &incoming, &mecs, &sccs);
        for state in graph.states() {
            let is_in = mecs.component(state).is_some();
            check_cycle(&graph, &mecs, state, is_in);
            let id = sccs.component(state).expect("each state is in one");
            check_cycle(&graph, &sccs, state, !sccs.is_trivial(id));
            let retained = mecs.retained_choices(&graph, state).count();
            let leaving = why::leaving(&graph, &mecs, state).len();
            let choices = graph.choices(state).len();
            if is_in {
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
        // One search is enough for all states.
        prop_assert!(incoming.returned() <= graph.num_branches());
    }
}

#[test]
fn a_ring_has_few_cycles() {
    let next = |state: u32| vec![vec![(state + 1) % 1000]];
    let states: Vec<_> = (0..1000).map(next).collect();
    let graph = MdpGraph::from_choices(&states).expect("targets are states");
    let found = mec(&graph, &Options::default()).expect("the CPU can");
    let mut cycles = Cycles::new(&graph, &found);
    for state in graph.states() {
        match cycles.through(state) {
            Cycle::Steps(steps) => assert!(state.0 < 10 && steps.len() == 1000),
            Cycle::Of(owner) => assert!(state.0 >= 10 && owner.0 == 0),
            Cycle::None => panic!("there is one"),
        }
    }
}

#[test]
fn a_cycle_that_is_not_known_is_searched() {
    // Two rings: all states of the first one come before those of the second.
    let next = |state: u32| match state {
        19 => vec![vec![0]],
        39 => vec![vec![20]],
        _ => vec![vec![state + 1]],
    };
    let states: Vec<_> = (0..40).map(next).collect();
    let graph = MdpGraph::from_choices(&states).expect("targets are states");
    let found = mec(&graph, &Options::default()).expect("the CPU can");
    let mut cycles = Cycles::new(&graph, &found);
    let all: Vec<Cycle> = graph.states().map(|state| cycles.through(state)).collect();
    assert_eq!(
        [&all[19], &all[39]],
        [&Cycle::Of(StateId(0)), &Cycle::Of(StateId(20))]
    );
    assert!(matches!(&all[20], Cycle::Steps(steps) if steps.len() == 20));
}
