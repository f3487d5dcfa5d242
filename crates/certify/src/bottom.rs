//! Bottom strongly connected components: the components that no edge leaves.
//!
//! A [`Certificate`](crate::Certificate) of all components shows that the components themselves are
//! right. Then one pass over the edges is enough, and no further certificate is needed.

use crate::Violation;
use mdp_graph::{Components, MdpGraph, SharedBits, StateId};
use rayon::prelude::*;

/// Checks that `bottom` consists of those components of `sccs` that no edge leaves, if `sccs` are
/// the strongly connected components of `graph`:
///
/// - B1: each component of `bottom` is one of `sccs`;
/// - B2: no edge leaves a component of `bottom`;
/// - B3: each component of `sccs` that no edge leaves is in `bottom`.
///
/// Takes one pass over the branches and one over the states, on all threads of the current rayon
/// pool, and one bit per component.
///
/// # Errors
/// The violated obligation. If several states violate obligations, it is that of the smallest
/// state.
pub fn check_bottom(
    graph: &MdpGraph,
    sccs: &Components,
    bottom: &Components,
) -> Result<(), Violation> {
    for answer in [sccs, bottom].map(Components::num_states) {
        if answer != graph.num_states() {
            return Err(Violation::OtherGraph {
                graph: graph.num_states(),
                answer,
            });
        }
    }
    let left = SharedBits::new(sccs.len());
    let states = || {
        (0..graph.num_states())
            .into_par_iter()
            .map(StateId::from_index)
    };
    let wrong = states().find_map_first(|state| {
        let name = sccs.smallest_of(state);
        let leaves = graph
            .successors(state)
            .iter()
            .find(|&&target| sccs.smallest_of(target) != name);
        if let (Some(id), Some(_)) = (sccs.component(state), leaves) {
            left.insert(id.0);
        }
        check_state(state, name, bottom.smallest_of(state), leaves.copied())
    });
    // Whether an edge leaves a component is known only after all of its states have been examined.
    // If an edge does leave it, the answer may contain only states of it that have no edge out of
    // it.
    let missing = || {
        states().find_map_first(|state| {
            let id = sccs.component(state)?;
            let component = sccs.smallest(id);
            match (left.contains(id.0), bottom.smallest_of(state)) {
                (true, Some(component)) => Some(Violation::OtherBottom { state, component }),
                (false, None) => Some(Violation::MissingBottom { state, component }),
                _ => None,
            }
        })
    };
    wrong.or_else(missing).map_or(Ok(()), Err)
}

/// Returns the error of a state in the component `name`, if the answer says that the state is in
/// the bottom component `claimed`. `leaves` is the target of an edge that leaves the component.
fn check_state(
    state: StateId,
    name: Option<StateId>,
    claimed: Option<StateId>,
    leaves: Option<StateId>,
) -> Option<Violation> {
    let component = claimed?;
    match leaves {
        _ if name.is_none() => Some(Violation::NoComponent { state }),
        Some(target) => Some(Violation::LeavesBottom {
            state,
            component,
            target,
        }),
        None if name != claimed => Some(Violation::OtherBottom { state, component }),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::check_bottom;
    use mdp_graph::{Components, MdpGraph};

    const NONE: u32 = Components::NONE;

    /// States 0 and 1 are a cycle, and 1 may leave it to 2; 2 and 3 are a cycle; 4 is a deadlock.
    fn graph() -> MdpGraph {
        MdpGraph::from_choices(&[
            vec![vec![1]],
            vec![vec![0], vec![0, 2]],
            vec![vec![3]],
            vec![vec![2]],
            vec![],
        ])
        .expect("the graph is well formed")
    }

    #[test]
    fn only_the_right_bottom_components_are_accepted() {
        let graph = graph();
        let sccs = Components::from_scc_marks(&graph, vec![0, 0, 2, 2, 4]);
        assert_eq!(
            check_bottom(&graph, &sccs, &sccs.only_bottom(&graph)),
            Ok(())
        );
        for (marks, message) in [
            (
                vec![0, 0, 2, 2, 4],
                "B2: state 1, in the component of state 0, has an edge to state 2, outside it",
            ),
            (
                vec![NONE, NONE, 2, 3, 4],
                "B1: state 3 is said to be in the bottom component of state 3, which is not its strongly \
                 connected component",
            ),
            (
                vec![NONE, NONE, 2, 2, NONE],
                "B3: state 4 is in no bottom component, but no edge leaves its strongly connected \
                 component, that of state 4",
            ),
            (
                vec![NONE, NONE, 2, NONE, 4],
                "B3: state 3 is in no bottom component, but no edge leaves its strongly connected \
                 component, that of state 2",
            ),
        ] {
            // Marks are read as those of maximal end components, because these may leave states
            // out.
            let claimed = Components::from_mec_marks(marks);
            let wrong = check_bottom(&graph, &sccs, &claimed).expect_err("the answer is wrong");
            assert_eq!(wrong.to_string(), message);
            assert_eq!(wrong.obligation(), &message[..2]);
        }
        let other = Components::from_mec_marks(vec![NONE; 4]);
        let wrong =
            check_bottom(&graph, &sccs, &other).expect_err("the answer is of another graph");
        assert_eq!(wrong.obligation(), "form");
    }
}
