//! Maximal end components of models in which no state has two choices, such as Markov chains.
//!
//! There nothing can be decided, so the edges of a component are those of its states: the maximal
//! end components are the strongly connected components that no edge leaves, but for states without
//! a choice.

use super::edges::All;
use mdp_graph::{Components, MdpGraph, Partition, SharedBits, Table};
use rayon::prelude::*;

/// How many states a thread looks at in a row.
const PIECE: usize = 1 << 12;

/// Whether no state has two choices.
pub(super) fn is_deterministic(graph: &MdpGraph) -> bool {
    let offsets = graph.choice_offsets();
    graph.num_choices() <= graph.num_states()
        && offsets
            .par_windows(2)
            .with_min_len(PIECE)
            .all(|state| state[1] - state[0] <= 1)
}

/// For each state the mark of its maximal end component, or [`Components::NONE`], if these are the
/// strongly connected components.
pub(super) fn mecs(edges: All<'_>, sccs: Partition) -> Table<u32> {
    let (count, mut marks) = sccs.into_numbers();
    let left = SharedBits::new(count);
    let states = || {
        (0..edges.num_states() as u32)
            .into_par_iter()
            .with_min_len(PIECE)
    };
    states().for_each(|state| {
        let own = marks[state as usize];
        let mut targets = edges.of(state).iter();
        // A state without a choice is left, too: nothing can be done there forever.
        let stays =
            !targets.as_slice().is_empty() && targets.all(|&target| marks[target as usize] == own);
        if !stays && !left.contains(own) {
            left.insert(own);
        }
    });
    let marked = marks.par_iter_mut().with_min_len(PIECE);
    marked.for_each(|mark| {
        if left.contains(*mark) {
            *mark = Components::NONE;
        }
    });
    marks
}

#[cfg(test)]
mod tests {
    use super::super::ticker::Ticker;
    use super::super::{basic, tarjan};
    use super::*;
    use crate::Silent;
    use mdp_graph::StateRows;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        #[test]
        fn they_are_those_that_the_papers_algorithm_finds(
            rows in prop::collection::vec(prop::collection::vec(0..20u32, 0..4), 20),
        ) {
            // A state without a target has no choice.
            let choices = |row: Vec<u32>| if row.is_empty() { vec![] } else { vec![row] };
            let states: Vec<_> = rows.into_iter().map(choices).collect();
            let graph = MdpGraph::from_choices(&states).expect("it is a graph");
            prop_assert!(is_deterministic(&graph));
            let (rows, mut ticker) = (StateRows::new(&graph), Ticker::new(&Silent, 20));
            let sccs = tarjan::sccs(&graph, &tarjan::Everything, &mut ticker);
            let sccs = sccs.expect("nobody cancels").into();
            let found = mecs(All::new(&graph, &rows), sccs);
            let expected = basic::mecs(&graph, &mut ticker).expect("nobody cancels");
            prop_assert_eq!(
                Components::from_mec_marks(found),
                Components::from_mec_marks(expected)
            );
        }
    }

    #[test]
    fn a_state_with_two_choices_may_decide() {
        let graph = MdpGraph::from_choices(&[vec![vec![0], vec![1]], vec![]]);
        assert!(!is_deterministic(&graph.expect("it is a graph")));
    }
}
