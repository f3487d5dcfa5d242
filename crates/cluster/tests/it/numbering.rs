//! Numbers of components and words of bits are those of one machine.

use crate::support::{FAR, model};
use cluster::{component_numbers, mec, on_threads, part_of, words_of};
use decompose::Options;
use mdp_graph::{ComponentKind, MdpGraph, StateId};
use proptest::prelude::*;
use std::sync::Arc;

/// What this many workers find, put together.
fn found(graph: &Arc<MdpGraph>, workers: usize, first: u64) -> (Vec<u64>, Vec<u64>) {
    let graph = Arc::clone(graph);
    let found = on_threads(workers, move |net| {
        let part = part_of(&graph, first, net).expect("it is small");
        let labels = mec(&part, net).expect("it is small");
        let numbers = component_numbers(&part, &labels, net);
        let words = words_of(&part, |own| numbers[own as usize] > 0, net);
        (numbers, words)
    });
    let (numbers, words): (Vec<_>, Vec<_>) = found.expect("the workers start").into_iter().unzip();
    (numbers.concat(), words.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn numbers_and_words_are_those_of_one_machine(
        graph in model(300),
        workers in prop::sample::select(vec![1usize, 2, 3, 5]),
        first in prop::sample::select(vec![0, FAR]),
    ) {
        let all = decompose::decompose(&graph, ComponentKind::Mec, &Options::default());
        let all = all.expect("it is small");
        let number = |state: StateId| all.component(state).map_or(0, |id| u64::from(id.0) + 1);
        let expected: Vec<u64> = graph.states().map(number).collect();
        let word = |states: &[u64]| {
            let bits = states.iter().enumerate();
            bits.fold(0u64, |word, (bit, &number)| word | u64::from(number > 0) << bit)
        };
        let words: Vec<u64> = expected.chunks(64).map(word).collect();
        prop_assert_eq!(found(&Arc::new(graph), workers, first), (expected, words));
    }
}
