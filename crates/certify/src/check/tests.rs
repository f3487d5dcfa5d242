//! What no graph shows, because it cannot be built: a choice without a target.

use super::{Check, Place, Step, Visit};
use crate::Violation;
use mdp_graph::{ChoiceId, ChunkBuilder, Components, Deadlocks, StateId, assemble};

#[test]
fn a_choice_without_target_is_not_retained() {
    let mut chunk = ChunkBuilder::default();
    chunk.push_choice(StateId(0), &[StateId(0)]);
    let built = assemble(1, vec![chunk.finish()], Deadlocks::Keep);
    let graph = built.expect("one state with a loop").graph;
    let components = Components::from_mec_marks(vec![0]);
    let own = Place {
        position: 1,
        back: 1,
    };
    let check = Check {
        graph: &graph,
        components: &components,
        places: &[own],
        first: &[1],
    };
    let visit = Visit {
        state: StateId(0),
        own,
        class: 1..2,
        targets: &[own],
    };
    assert!(matches!(visit.step(&[own]), Step::Retained));
    assert!(matches!(visit.step(&[]), Step::Wrong));
    let violation = check.wrong_choice(&visit, 1, ChoiceId(0));
    let expected = Violation::EmptyChoice {
        state: StateId(0),
        choice: 1,
    };
    assert_eq!(violation, expected);
    assert_eq!(violation.to_string(), "state 0, choice 1 has no target");
}
