//! Compares cycles with the definitions, and bounds their steps and the work for them.

use super::graphs;
use crate::commands::components::cycles::{Cycles, Limits};
use crate::commands::components::incoming::Incoming;
use decompose::{Options, mec, scc};
use mdp_graph::{ComponentKind, Components, MdpGraph, StateId};
use proptest::prelude::*;
use report::{Cycle, Step};
use std::cell::OnceCell;

/// The cycles of some states, and the number of edges that were followed for them.
struct Answer {
    cycles: Vec<(StateId, Cycle)>,
    edges: u64,
}

fn cycles(
    graph: &MdpGraph,
    found: &Components,
    limits: Limits,
    states: impl Iterator<Item = StateId>,
) -> Answer {
    let incoming = OnceCell::new();
    let incoming = || incoming.get_or_init(|| Incoming::new(graph));
    let mut search = Cycles::new(graph, found, &incoming, limits);
    let cycles = states.map(|state| (state, search.through(state))).collect();
    Answer {
        cycles,
        edges: search.edges(),
    }
}

/// Returns the edges from a state that a strategy can use without leaving its component.
fn edges(graph: &MdpGraph, found: &Components, state: StateId) -> Vec<(Step, StateId)> {
    let choices: Vec<_> = match found.kind() {
        ComponentKind::Mec => found.retained_choices(graph, state).collect(),
        _ => graph.choices(state).collect(),
    };
    let step = |choice| Step { state, choice };
    let edges = choices.into_iter().flat_map(|choice| {
        let targets = graph.targets(choice).iter();
        targets.map(move |&target| (step(choice), target))
    });
    let own = found.component(state);
    edges
        .filter(|&(_, target)| own.is_some() && found.component(target) == own)
        .collect()
}

/// Returns the length of a shortest path of at least one step along `edges`, by adding a step to
/// all paths at a time.
fn distance(edges: &[(Step, StateId)], from: StateId, to: StateId) -> Option<usize> {
    let mut ends = vec![from];
    for len in 1..=edges.len() {
        let last = |step: &Step| ends.contains(&step.state);
        ends = edges
            .iter()
            .filter(|(step, _)| last(step))
            .map(|&(_, target)| target)
            .collect();
        ends.sort_unstable();
        ends.dedup();
        if ends.contains(&to) {
            return Some(len);
        }
    }
    None
}

/// Checks what each state gets.
fn check(graph: &MdpGraph, found: &Components, limits: Limits) {
    let all: Vec<_> = graph
        .states()
        .flat_map(|s| edges(graph, found, s))
        .collect();
    let answer = cycles(graph, found, limits, graph.states());
    // The edges that were given so far.
    let mut given: Vec<(Step, StateId)> = Vec::new();
    for (i, (state, cycle)) in answer.cycles.iter().enumerate() {
        let (state, shortest) = (*state, distance(&all, *state, *state));
        let (steps, to) = match cycle {
            Cycle::None => {
                assert_eq!(shortest, None, "{graph:?} {state}");
                continue;
            }
            Cycle::Of(owner) => {
                assert!(i >= limits.with_own);
                let (_, cycle) = &answer.cycles[owner.index()];
                let (Cycle::Steps(steps) | Cycle::Path { steps, .. }) = cycle else {
                    panic!("{owner} has no cycle");
                };
                assert!(*owner < state && steps.iter().any(|step| step.state == state));
                continue;
            }
            Cycle::Steps(steps) => {
                let is_first = i < limits.with_own;
                assert!(
                    !is_first || Some(steps.len()) == shortest,
                    "{graph:?} {state}"
                );
                let mut states: Vec<_> = steps.iter().map(|step| step.state).collect();
                states.sort_unstable();
                states.dedup();
                assert_eq!(states.len(), steps.len(), "a cycle visits no state twice");
                assert_eq!(steps[0].state, state);
                (steps, state)
            }
            Cycle::Path { steps, to } => {
                assert!(i >= limits.with_own);
                assert!(steps.iter().any(|step| step.state == state));
                // It becomes a cycle by what was given before.
                let from = steps[0].state;
                let closes = from == *to || distance(&given, *to, from).is_some();
                assert!(closes, "{graph:?} {state}");
                (steps, *to)
            }
        };
        let nexts = steps[1..].iter().map(|step| step.state).chain([to]);
        let followed: Vec<_> = steps.iter().copied().zip(nexts).collect();
        assert!(followed.iter().all(|edge| all.contains(edge)), "{graph:?}");
        given.extend(followed);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn each_state_has_a_cycle(
        graph in graphs(16),
        with_own in 0usize..4,
        edges in 0u64..6,
        steps in 0usize..4,
    ) {
        let limits = Limits { with_own, edges, steps };
        check(&graph, &mec(&graph, &Options::default()).expect("the CPU can"), limits);
        check(&graph, &scc(&graph, &Options::default()).expect("the CPU can"), limits);
    }
}

fn graph(choices: impl Iterator<Item = Vec<Vec<u32>>>) -> MdpGraph {
    let choices: Vec<_> = choices.collect();
    MdpGraph::from_choices(&choices).expect("targets are states")
}

/// Returns families of graphs with `n` states.
pub(super) fn families(n: u32) -> Vec<(&'static str, MdpGraph)> {
    let last = n - 1;
    let random = |i: u32| i.wrapping_mul(2_654_435_761).rotate_left(16) % n;
    let mut hub_and_sinks = vec![(1..n).map(|target| vec![target]).collect::<Vec<_>>()];
    hub_and_sinks.extend((1..n).map(|state| match state < n / 2 {
        true => vec![vec![0]],
        false => vec![vec![state]],
    }));
    // A long cycle, and many states that are alternatives to one of its edges.
    let half = n / 2;
    let alternatives = |state: u32| match state {
        _ if state == half / 2 => (half..n).chain([state + 1]).map(|t| vec![t]).collect(),
        _ if state >= half => vec![vec![half / 2 + 1]],
        _ => vec![vec![(state + 1) % half]],
    };
    let chain = |state: u32| match state {
        _ if state == last => vec![vec![last]],
        _ => vec![vec![state.saturating_sub(1), state + 1]],
    };
    let two_ways = |state: u32| vec![vec![state.saturating_sub(1)], vec![last.min(state + 1)]];
    let random = |state: u32| {
        let pair = |i| vec![random(4 * state + i), random(4 * state + i + 1)];
        vec![pair(0), pair(2)]
    };
    vec![
        ("chain", graph((0..n).map(chain))),
        ("two ways", graph((0..n).map(two_ways))),
        (
            "retry",
            graph((0..n).map(|s| vec![vec![s, last.min(s + 1)]])),
        ),
        (
            "from start",
            graph((0..n).map(|s| vec![vec![0, last.min(s + 1)]])),
        ),
        ("random", graph((0..n).map(random))),
        (
            "hub",
            graph((0..n).map(|s| match s {
                0 => (1..n).map(|target| vec![target]).collect(),
                _ => vec![vec![0]],
            })),
        ),
        (
            "lottery",
            graph((0..n).map(|s| match s {
                0 => vec![(1..n).collect()],
                _ => vec![vec![0]],
            })),
        ),
        ("hub and sinks", graph(hub_and_sinks.into_iter())),
        (
            "nest",
            graph((0..n).map(|s| vec![vec![(s + 1) % n], vec![0]])),
        ),
        ("ring", graph((0..n).map(|s| vec![vec![(s + 1) % n]]))),
        ("alternatives", graph((0..n).map(alternatives))),
        ("pairs", graph((0..n).map(|s| vec![vec![last.min(s ^ 1)]]))),
    ]
}

/// All states together take time and steps that are linear in the size of the model.
#[test]
fn the_work_and_the_steps_are_linear() {
    let n = 4000;
    let limits = Limits::default();
    for (name, graph) in families(n) {
        let size = (graph.num_states() + graph.num_choices() + graph.num_branches()) as u64;
        for found in [
            mec(&graph, &Options::default()),
            scc(&graph, &Options::default()),
        ] {
            let found = found.expect("the CPU can");
            for every in [1, 10] {
                let states = graph.states().step_by(every);
                let answer = cycles(&graph, &found, limits, states);
                // One search for each of the first states, one for the first state of each
                // component, and two for the trees.
                let most = (limits.with_own as u64 + 3) * size + limits.edges * u64::from(n);
                assert!(answer.edges <= most, "{name}: {} > {most}", answer.edges);
                let given: usize = answer.cycles.iter().map(|(_, cycle)| steps(cycle)).sum();
                // Each state may be on the first cycles, on that of a component, twice on a path,
                // and at both ends of one.
                let most = (limits.with_own + 5 + limits.steps) * n as usize;
                assert!(given <= most, "{name}: {given} > {most}");
            }
        }
    }
}

fn steps(cycle: &Cycle) -> usize {
    match cycle {
        Cycle::Steps(steps) | Cycle::Path { steps, .. } => steps.len(),
        Cycle::None | Cycle::Of(_) => 0,
    }
}

#[test]
fn a_ring_has_few_cycles() {
    let graph = graph((0..1000).map(|state| vec![vec![(state + 1) % 1000]]));
    let found = mec(&graph, &Options::default()).expect("the CPU can");
    for (state, cycle) in cycles(&graph, &found, Limits::default(), graph.states()).cycles {
        match cycle {
            Cycle::Steps(steps) => assert!(state.0 < 10 && steps.len() == 1000),
            Cycle::Of(owner) => assert!(state.0 >= 10 && owner.0 == 0),
            other => panic!("{state} has {other:?}"),
        }
    }
}

#[test]
fn a_cycle_that_is_not_known_is_searched() {
    // Two rings: all states of the first one come before those of the second.
    let graph = graph((0..40).map(|state: u32| match state {
        19 => vec![vec![0]],
        39 => vec![vec![20]],
        _ => vec![vec![state + 1]],
    }));
    let found = mec(&graph, &Options::default()).expect("the CPU can");
    let all = cycles(&graph, &found, Limits::default(), graph.states()).cycles;
    assert_eq!(
        [&all[19].1, &all[39].1],
        [&Cycle::Of(StateId(0)), &Cycle::Of(StateId(20))]
    );
    assert!(matches!(&all[20].1, Cycle::Steps(steps) if steps.len() == 20));
}

/// In a nest, a state leads on or to state 0. Each path adds only what is new.
#[test]
fn a_long_cycle_is_a_path_from_an_earlier_one() {
    let graph = graph((0..300).map(|s| vec![vec![(s + 1) % 300], vec![0]]));
    let found = mec(&graph, &Options::default()).expect("the CPU can");
    let states = graph.states().step_by(10);
    let all = cycles(&graph, &found, Limits::default(), states).cycles;
    let Cycle::Path { steps, to } = &all[11].1 else {
        panic!("{:?}", all[11]);
    };
    let first = steps[0].state;
    assert_eq!((first.0, steps.len(), to.0), (100, 11, 0));
    assert!(steps.iter().map(|step| step.state.0).eq(100..=110));
}

/// A detour leads away from a ring and back. Its path begins and ends on the ring, whose cycle was
/// given before.
#[test]
fn a_path_begins_on_the_cycle_of_the_root() {
    let graph = graph((0..90).map(|s: u32| match s {
        25 => vec![vec![26], vec![50]],
        49 => vec![vec![0]],
        89 => vec![vec![26]],
        _ => vec![vec![s + 1]],
    }));
    let found = mec(&graph, &Options::default()).expect("the CPU can");
    let states = (0..10).chain([60]).map(StateId);
    let all = cycles(
        &graph,
        &found,
        Limits {
            edges: 0,
            ..Limits::default()
        },
        states,
    )
    .cycles;
    let Cycle::Path { steps, to } = &all[10].1 else {
        panic!("{:?}", all[10]);
    };
    assert!(
        steps
            .iter()
            .map(|step| step.state.0)
            .eq([25].into_iter().chain(50..90))
    );
    assert_eq!(to.0, 26);
}
