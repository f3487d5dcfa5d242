//! [`StateRows`]: where the branches of each state begin and end. One look-up replaces those in
//! both levels of a graph.

use crate::{MdpGraph, StateId, Table};
use rayon::prelude::*;
use std::ops::{Deref, Range};

/// The number of states that a thread handles at a time.
const PIECE: usize = 1 << 14;

/// `n + 1` offsets of states into the branches of a graph.
///
/// It takes no memory if each state has exactly one choice.
#[derive(Debug)]
pub struct StateRows<'a>(Offsets<'a>);

#[derive(Debug)]
enum Offsets<'a> {
    /// The graph's own offsets, if each state has one choice.
    OfChoices(&'a [u32]),
    Joined(Table<u32>),
}

impl<'a> StateRows<'a> {
    /// Returns the rows of a graph. This takes O(n) time, on all threads of the current rayon pool.
    pub fn new(graph: &'a MdpGraph) -> Self {
        let (choices, branches) = (graph.choice_offsets(), graph.branch_offsets());
        // Without an early exit, a piece is one loop of vector instructions.
        let one_each = |(i, piece): (usize, &[u32])| {
            let own = (i * PIECE) as u32..;
            let same = |all: bool, (choice, own): (&u32, u32)| all & (*choice == own);
            piece.iter().zip(own).fold(true, same)
        };
        let mut pieces = choices.chunks(PIECE).enumerate();
        if graph.num_choices() == graph.num_states() && pieces.all(one_each) {
            return Self(Offsets::OfChoices(branches));
        }
        let mut rows = Table::new(choices.len());
        let pairs = rows.par_iter_mut().zip(choices).with_min_len(PIECE);
        pairs.for_each(|(row, &choice)| *row = branches[choice as usize]);
        Self(Offsets::Joined(rows))
    }

    /// Returns the branches of a state.
    ///
    /// # Panics
    /// Panics if there is no such state.
    #[inline]
    pub fn row(&self, state: StateId) -> Range<u32> {
        self[state.index()]..self[state.index() + 1]
    }
}

impl Deref for StateRows<'_> {
    type Target = [u32];

    #[inline]
    fn deref(&self) -> &[u32] {
        match &self.0 {
            Offsets::OfChoices(rows) => rows,
            Offsets::Joined(rows) => rows,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the rows of a graph in which state `i` has the choices `states[i]`.
    fn rows(states: &[&[&[u32]]]) -> Vec<Range<u32>> {
        let graph = MdpGraph::from_choices(states).expect("it is a graph");
        let rows = StateRows::new(&graph);
        graph.states().map(|state| rows.row(state)).collect()
    }

    #[test]
    fn rows_span_all_choices_of_a_state() {
        assert_eq!(rows(&[&[&[0, 1]], &[&[1]]]), [0..2, 2..3]);
        assert_eq!(rows(&[&[&[0], &[0, 1]], &[&[1]], &[]]), [0..3, 3..4, 4..4]);
        // There are as many choices as states, but not one for each.
        assert_eq!(rows(&[&[&[0], &[0, 1]], &[]]), [0..3, 3..3]);
        assert_eq!(rows(&[]), []);
    }

    proptest! {
        #[test]
        fn rows_are_the_ranges_of_branches(
            choices in prop::collection::vec(0..4usize, 1..50),
            chain: bool,
        ) {
            let row = |&choices: &usize| vec![[0]; if chain { 1 } else { choices }];
            let model: Vec<_> = choices.iter().map(row).collect();
            let graph = MdpGraph::from_choices(&model).expect("it is a graph");
            let rows = StateRows::new(&graph);
            prop_assert_eq!(rows.len(), graph.num_states() + 1);
            for state in graph.states() {
                let Range { start, end } = rows.row(state);
                prop_assert_eq!(start as usize..end as usize, graph.branch_range(state));
            }
            prop_assert!(!chain || matches!(rows.0, Offsets::OfChoices(_)));
        }
    }
}
