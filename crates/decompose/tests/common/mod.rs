//! Random models of many shapes, and oracles that follow the definitions alone.

use mdp_graph::MdpGraph;
use proptest::prelude::*;

/// The targets of each choice of each state.
pub(crate) type Model = Vec<Vec<Vec<u32>>>;

/// Returns the graph of a model. Deadlocks stay as they are.
pub(crate) fn graph(model: &Model) -> MdpGraph {
    MdpGraph::from_choices(model).expect("a random model is well formed")
}

/// Returns models of up to `max_states` states: uniformly random ones; ones whose targets lie near
/// their state, so that there are long paths and many components; ones whose targets mostly lie
/// ahead, so that there is hardly a cycle; and long cycles with chords, some of which lead to a
/// sink.
pub(crate) fn model(max_states: u32) -> impl Strategy<Value = Model> {
    (1..=max_states, 0..4u32).prop_flat_map(|(n, shape)| {
        let target = move |state: u32| match shape {
            0 => (0..n).boxed(),
            1 => (state.saturating_sub(2)..(state + 3).min(n)).boxed(),
            2 => prop_oneof![9 => state..n, 1 => 0..n].boxed(),
            _ => prop_oneof![6 => Just((state + 1) % n), 2 => 0..n, 1 => Just(n - 1)].boxed(),
        };
        (0..n)
            .map(|state| {
                let targets = prop::collection::btree_set(target(state), 1..4);
                let choice = targets.prop_map(|t| t.into_iter().collect::<Vec<_>>());
                prop::collection::vec(choice, 0..4)
            })
            .collect::<Vec<_>>()
    })
}

/// Returns the label of each state's SCC, by transitive closure.
pub(crate) fn scc_oracle(model: &Model) -> Vec<Option<u32>> {
    let all: Vec<usize> = (0..model.len()).collect();
    let reach = closure(model.len(), &all, |s| {
        model[s].iter().flatten().map(|&t| t as usize).collect()
    });
    let label = |s: usize| (0..model.len()).find(|&t| t == s || (reach[s][t] && reach[t][s]));
    all.iter().map(|&s| label(s).map(|t| t as u32)).collect()
}

/// Returns the label of each state's MEC: the largest end component with this state, found by
/// trying every set of states.
pub(crate) fn mec_oracle(model: &Model) -> Vec<Option<u32>> {
    let n = model.len();
    let mut largest: Vec<u32> = vec![0; n];
    for set in 1..1u32 << n {
        if is_end_component(model, set) {
            for state in (0..n).filter(|s| set >> s & 1 == 1) {
                if set.count_ones() > largest[state].count_ones() {
                    largest[state] = set;
                }
            }
        }
    }
    largest
        .iter()
        .map(|&set| (set != 0).then_some(set.trailing_zeros()))
        .collect()
}

/// Returns whether a set of states, given as bits, is an end component with all its choices that
/// stay. If a set is an end component with fewer choices, it is one with all of them.
fn is_end_component(model: &Model, set: u32) -> bool {
    let states: Vec<usize> = (0..model.len()).filter(|s| set >> s & 1 == 1).collect();
    let stays = |targets: &&Vec<u32>| targets.iter().all(|t| set >> t & 1 == 1);
    if states.iter().any(|&s| !model[s].iter().any(|c| stays(&c))) {
        return false;
    }
    let reach = closure(model.len(), &states, |s| {
        model[s]
            .iter()
            .filter(stays)
            .flatten()
            .map(|&t| t as usize)
            .collect()
    });
    states
        .iter()
        .all(|&s| states.iter().all(|&t| s == t || reach[s][t]))
}

/// Returns for each pair of states whether the first reaches the second by one or more steps
/// through `states`.
fn closure(n: usize, states: &[usize], successors: impl Fn(usize) -> Vec<usize>) -> Vec<Vec<bool>> {
    let mut reach = vec![vec![false; n]; n];
    for &state in states {
        for target in successors(state) {
            reach[state][target] = true;
        }
    }
    test_models::close(&mut reach, states.iter().copied());
    reach
}
