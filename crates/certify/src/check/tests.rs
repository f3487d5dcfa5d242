//! What no graph shows, because it cannot be built: a choice without a target.

use super::{Check, Places, Step};
use crate::Violation;
use mdp_graph::{ChunkBuilder, Components, Deadlocks, StateId, assemble};

#[test]
fn a_choice_without_target_is_not_retained() {
    let mut chunk = ChunkBuilder::default();
    chunk.push_choice(StateId(0), &[StateId(0)]);
    let built = assemble(1, vec![chunk.finish()], Deadlocks::Keep);
    let graph = built.expect("one state with a loop").graph;
    let components = Components::from_mec_marks(vec![0]);
    let places = Places::new(&components, &[StateId(0)]).expect("one place");
    let check = Check {
        graph: &graph,
        components: &components,
        position: &places.position,
        first: &places.first,
        back: &[0],
    };
    assert!(matches!(check.step(&(0..1), &[StateId(0)]), Step::Retained));
    assert!(matches!(check.step(&(0..1), &[]), Step::Wrong));
    let violation = check.wrong_choice(StateId(0), &(0..1), 1, &[]);
    let expected = Violation::EmptyChoice {
        state: StateId(0),
        choice: 1,
    };
    assert_eq!(violation, expected);
    assert_eq!(violation.to_string(), "state 0, choice 1 has no target");
}
