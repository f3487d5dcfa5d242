//! Maximal end components of two kinds of models, in which they follow from the strongly connected
//! components (SCCs).
//!
//! If no state has two choices, as in a Markov chain, a strategy has nothing to decide. So the
//! maximal end components are the bottom SCCs, that is, those that no edge leaves.
//!
//! If no choice has two branches, as in a labelled transition system, a choice that may stay in an
//! SCC always stays. So each SCC is a maximal end component.
//!
//! In both cases, a state on no cycle is in no end component.

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

/// Returns whether no choice has two branches. Each choice has one.
pub(super) fn has_single_branches(graph: &MdpGraph) -> bool {
    graph.num_branches() == graph.num_choices()
}

/// Returns the mark of the maximal end component of each state, or [`Components::NONE`]. `sccs` are
/// the strongly connected components.
pub(super) fn mecs(graph: &MdpGraph, edges: AllEdges<'_>, sccs: Partition) -> Table<u32> {
    let (count, mut marks) = sccs.into_numbers();
    let noted = SharedBits::new(count);
    let note = |is_noted: fn(&[u32], &[u32], u32) -> bool| {
        let states = 0..edges.num_states() as u32;
        let pieces = states.into_par_iter().with_min_len(PIECE);
        pieces.for_each(|state| {
            let own = marks[state as usize];
            if !noted.contains(own) && is_noted(edges.of(state), &marks, own) {
                noted.insert(own);
            }
        });
    };
    // A state without a choice is in no end component: no strategy can stay there.
    let is_mec_if_noted = has_single_branches(graph);
    match is_mec_if_noted {
        true => note(|targets, marks, own| targets.iter().any(|&to| marks[to as usize] == own)),
        false => note(|targets, marks, own| {
            targets.is_empty() || targets.iter().any(|&to| marks[to as usize] != own)
        }),
    }
    let marked = marks.par_iter_mut().with_min_len(PIECE);
    marked.for_each(|mark| {
        if noted.contains(*mark) != is_mec_if_noted {
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

    /// Checks that the MECs are those of the papers' algorithm.
    fn check(states: &[Vec<Vec<u32>>]) -> Result<(), TestCaseError> {
        let graph = MdpGraph::from_choices(states).expect("it is a graph");
        prop_assert!(is_deterministic(&graph) || has_single_branches(&graph));
        let (rows, mut ticker) = (StateRows::new(&graph), Ticker::new(&Silent, states.len()));
        let sccs = tarjan::sccs(&graph, &tarjan::Everything, &mut ticker);
        let sccs = sccs.expect("nobody cancels").into();
        let found = mecs(&graph, AllEdges::new(&graph, &rows), sccs);
        let expected = basic::mecs(&graph, &mut ticker).expect("nobody cancels");
        prop_assert_eq!(
            Components::from_mec_marks(found),
            Components::from_mec_marks(expected)
        );
        Ok(())
    }

    /// Returns the targets of 20 states.
    fn rows() -> impl Strategy<Value = Vec<Vec<u32>>> {
        prop::collection::vec(prop::collection::vec(0..20u32, 0..4), 20)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        #[test]
        fn mecs_of_deterministic_graphs_are_those_of_the_papers_algorithm(rows in rows()) {
            // A state without a target has no choice.
            let choices = |row: Vec<u32>| if row.is_empty() { vec![] } else { vec![row] };
            check(&rows.into_iter().map(choices).collect::<Vec<_>>())?;
        }

        #[test]
        fn mecs_of_transition_systems_are_those_of_the_papers_algorithm(rows in rows()) {
            let choices = |row: Vec<u32>| row.into_iter().map(|target| vec![target]).collect();
            check(&rows.into_iter().map(choices).collect::<Vec<_>>())?;
        }
    }

    #[test]
    fn graphs_are_deterministic_or_certain_or_neither() {
        let is = |choices: &[Vec<u32>]| {
            let graph = MdpGraph::from_choices(&[choices, &[]]).expect("it is a graph");
            (is_deterministic(&graph), has_single_branches(&graph))
        };
        assert_eq!(is(&[vec![0]]), (true, true));
        assert_eq!(is(&[vec![0, 1]]), (true, false));
        assert_eq!(is(&[vec![0], vec![1]]), (false, true));
        assert_eq!(is(&[vec![0], vec![0, 1]]), (false, false));
    }
}
