//! The rows that searches read: what no public function shows.

use super::rows::Rows;
use mdp_graph::{ChunkBuilder, Deadlocks, MdpGraph, StateId, assemble};
use proptest::prelude::*;

/// A graph of `n` states with the given numbers of choices, which all lead to state 0.
fn graph(choices: &[usize]) -> MdpGraph {
    let mut chunk = ChunkBuilder::default();
    for (state, &choices) in choices.iter().enumerate() {
        for _ in 0..choices {
            chunk.push_choice(StateId::from_index(state), &[StateId(0)]);
        }
    }
    assemble(choices.len() as u32, vec![chunk.finish()], Deadlocks::Keep)
        .expect("the graph is well formed")
        .graph
}

proptest! {
    #[test]
    fn rows_are_the_ranges_of_branches(choices in prop::collection::vec(0..4usize, 1..50), chain: bool) {
        let choices = if chain { vec![1; choices.len()] } else { choices };
        let graph = graph(&choices);
        let rows = Rows::new(&graph);
        prop_assert_eq!(rows.len(), graph.num_states() + 1);
        for state in graph.states() {
            let row = rows[state.index()] as usize..rows[state.index() + 1] as usize;
            prop_assert_eq!(row, graph.branch_range(state));
        }
        prop_assert!(!chain || matches!(rows, Rows::OfChoices(_)));
    }
}
