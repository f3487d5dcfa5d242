//! Maximal end components of models in which no state has two choices, such as Markov chains.
//!
//! In such a model a strategy has nothing to decide. So the maximal end components are the bottom
//! strongly connected components, that is, those that no edge leaves. States without a choice are
//! in no end component.

use super::edges::AllEdges;
use mdp_graph::{Components, MdpGraph, Partition, SharedBits, Table};
use rayon::prelude::*;

/// The number of consecutive states that a thread handles at a time.
const PIECE: usize = 1 << 12;

/// Returns whether no state has two choices.
pub(super) fn is_deterministic(graph: &MdpGraph) -> bool {
    let offsets = graph.choice_offsets();
    graph.num_choices() <= graph.num_states()
        && offsets
            .par_windows(2)
            .with_min_len(PIECE)
            .all(|state| state[1] - state[0] <= 1)
}

/// Returns the mark of the maximal end component of each state, or [`Components::NONE`]. `sccs` are
/// the strongly connected components.
pub(super) fn mecs(edges: AllEdges<'_>, sccs: Partition) -> Table<u32> {
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
        // A state without a choice counts as left, too: no strategy can stay there.
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
        fn mecs_of_deterministic_graphs_are_those_of_the_papers_algorithm(
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
            let found = mecs(AllEdges::new(&graph, &rows), sccs);
            let expected = basic::mecs(&graph, &mut ticker).expect("nobody cancels");
            prop_assert_eq!(
                Components::from_mec_marks(found),
                Components::from_mec_marks(expected)
            );
        }
    }

    #[test]
    fn a_graph_with_a_state_of_two_choices_is_not_deterministic() {
        let graph = MdpGraph::from_choices(&[vec![vec![0], vec![1]], vec![]]);
        assert!(!is_deterministic(&graph.expect("it is a graph")));
    }
}
