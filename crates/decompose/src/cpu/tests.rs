//! The searches' memory: what no public function shows.

use super::rows::Rows;
use super::table::{Stack, Table};
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

    #[test]
    fn a_stack_in_a_table_is_a_stack(values in prop::collection::vec(0..100u32, 0..50), least in 0..100u32) {
        let mut table = Table::new(values.len());
        let mut stack = Stack::new(&mut table);
        values.iter().for_each(|&value| stack.push(value));
        let kept = values.iter().rposition(|&value| value < least).map_or(0, |last| last + 1);
        prop_assert_eq!(stack.pop_while(|value| value >= least).to_vec(), values[kept..].to_vec());
        for &value in values[..kept].iter().rev() {
            prop_assert_eq!(stack.pop(), Some(value));
        }
        prop_assert_eq!(stack.pop(), None);
    }
}

#[test]
fn tables_small_and_large_are_zero_and_hold_what_is_written() {
    for len in [0, 1, 1000, 3_000_001] {
        let mut table: Table<[u32; 3]> = Table::new(len);
        assert_eq!(table.len(), len);
        assert!(table.iter().all(|&value| value == [0; 3]));
        if let Some(last) = table.last_mut() {
            *last = [1, 2, 3];
            assert_eq!(table[len - 1], [1, 2, 3]);
        }
    }
}
