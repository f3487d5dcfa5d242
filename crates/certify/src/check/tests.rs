//! Tests of a choice without a target, which no graph can have.

use super::{PIECE, first_empty};
use mdp_graph::ChoiceId;

#[test]
fn a_choice_without_target_is_found() {
    assert_eq!(first_empty(&[0]), None);
    assert_eq!(first_empty(&[0, 1, 3]), None);
    assert_eq!(first_empty(&[0, 1, 1, 3]), Some(ChoiceId(1)));
    for empty in [0, 1, PIECE - 1, PIECE, 2 * PIECE] {
        let ends = (0..=2 * PIECE).map(|choice| choice as u32 + u32::from(choice < empty));
        let offsets: Vec<u32> = [0].into_iter().chain(ends).collect();
        assert_eq!(first_empty(&offsets), Some(ChoiceId::from_index(empty)));
    }
}
