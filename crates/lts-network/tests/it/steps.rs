//! The tables of steps say the same as the search on the CPU.

use crate::networks::{behaviour, compile};
use crate::oracle::reach;
use explore::{Options, explore};
use lts_formats::read_exp;
use lts_network::StepTables;
use mdp_graph::Deadlocks;
use proptest::prelude::*;

/// Products with more states are left out.
const MAX_STATES: usize = 500;

/// A packed state, in words of 32 bits.
fn narrow(state: &[u64], words: usize) -> Vec<u32> {
    let halves = state
        .iter()
        .flat_map(|&word| [word as u32, (word >> 32) as u32]);
    halves.take(words).collect()
}

/// The successors of a state by the tables, as a kernel finds them.
fn successors(tables: &StepTables, state: &[u32]) -> Vec<Vec<u32>> {
    let mut all = Vec::new();
    for &[word, shift, mask, first] in &tables.groups {
        let row = (first + (state[word as usize] >> shift & mask)) as usize;
        for step in tables.rows[row]..tables.rows[row + 1] {
            let step = &tables.steps[step as usize * state.len()..][..state.len()];
            let mut words = state.iter().zip(step);
            if words.all(|(word, [asked, value, ..])| (word ^ value) & asked == 0) {
                let changed = state.iter().zip(step).map(|(word, own)| word ^ own[2]);
                all.push(changed.collect());
            }
        }
    }
    all.sort();
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn steps_are_transitions(behaviour in behaviour()) {
        if reach(&behaviour, MAX_STATES).is_none() {
            return Ok(());
        }
        let network = compile(&behaviour);
        let Some(tables) = network.step_tables() else { return Ok(()) };
        let options = Options { deadlocks: Deadlocks::Keep, ..Options::default() };
        let found = explore(&network, &options).expect("no limits");
        let words = network.num_words();
        prop_assert_eq!(&tables.initial, &narrow(network.initial_state(), words));
        for state in found.graph.states() {
            let own = narrow(found.states.get(state), words);
            let choices = found.graph.choices(state);
            let targets = choices.flat_map(|choice| found.graph.targets(choice));
            let mut expected: Vec<Vec<u32>> =
                targets.map(|&target| narrow(found.states.get(target), words)).collect();
            expected.sort();
            prop_assert!(expected.len() <= tables.most_successors as usize);
            prop_assert!(!tables.leaves_free || !own.contains(&u32::MAX));
            prop_assert_eq!(successors(&tables, &own), expected);
        }
    }
}

#[test]
fn small_processes_share_a_group() {
    let behaviour = read_exp(
        b"par a in des (0, 2, 3) (0, a, 1) (1, b, 2) || des (0, 2, 3) (0, a, 1) (1, c, 0) end par",
    )
    .expect("a network");
    let tables = compile(&behaviour)
        .step_tables()
        .expect("no transition comes twice");
    assert_eq!(tables.groups, [[0, 0, 0xf, 0]]);
    assert_eq!(tables.rows.len(), 17);
    assert_eq!(tables.most_successors, 2);
    assert!(tables.leaves_free);
}
