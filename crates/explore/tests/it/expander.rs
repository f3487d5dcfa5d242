//! Tests of rows of single states.

use crate::systems::system;
use explore::{Choices, ExpandError, Expander};
use std::convert::Infallible;

#[test]
fn rows_have_the_choices_of_single_states() {
    // The system halves even numbers, and ends at odd ones. State 6 has a choice of which no branch
    // leads anywhere.
    let halves = system::<_, Infallible>(
        vec![vec![12], vec![8], vec![12]],
        |state: &[u64], choices: &mut Choices<'_>| {
            let number = state[0];
            if number.is_multiple_of(2) {
                choices.begin(0);
                choices.branch(&[number / 2], if number == 6 { 0.0 } else { 1.0 });
                choices.begin(0);
                choices.branch(&[number], 0.5);
                choices.branch(&[number], 0.5);
            }
            Ok(())
        },
    );
    let mut expander = Expander::new(&halves);
    assert_eq!(expander.initial_states().expect("two"), [12, 8]);
    let row = expander.row(&[8]).expect("two choices");
    assert_eq!((row.branch_ends, row.targets), (&[1, 2][..], &[4, 8][..]));
    assert_eq!(expander.row(&[7]).expect("a deadlock").branch_ends, [0; 0]);
    assert_eq!(
        expander.row(&[6]).map(|_| ()),
        Err(ExpandError::EmptyChoice)
    );
}
