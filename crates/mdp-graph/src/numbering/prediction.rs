//! Tells whether a processor can predict the branches of [`super::in_one_pass`]: whether a state is
//! in the component of the state before it, and whether it is lone.
//!
//! A sample of the marks is run through a simple branch predictor. It foresees components that
//! follow one another, however small they are, but not states that are mixed.

/// The sample: at most this many pieces of this many states.
const PIECES: usize = 8;
const PIECE: usize = 512;

/// If more than one in this many states is not foreseen, code without branches is faster. A wrong
/// prediction takes about as long as this code takes for four states.
const DIVISOR: usize = 8;

/// The number of outcomes on which a prediction depends.
const HISTORY: u32 = 6;

/// Predicts one branch from its last outcomes.
struct Predictor {
    /// The last outcomes, a bit each.
    history: usize,
    /// For each history a counter, which moves by one with each outcome. From 2 on, the branch is
    /// predicted to be taken.
    counters: [u8; 1 << HISTORY],
}

impl Predictor {
    const MAX: u8 = 3;

    fn new() -> Self {
        Self {
            history: 0,
            counters: [1; 1 << HISTORY],
        }
    }

    /// Learns an outcome, and returns whether it had been predicted.
    fn foresees(&mut self, is_taken: bool) -> bool {
        let counter = &mut self.counters[self.history];
        let prediction = *counter >= 2;
        *counter = match is_taken {
            true => Self::MAX.min(*counter + 1),
            false => counter.saturating_sub(1),
        };
        self.history = (self.history << 1 | usize::from(is_taken)) & ((1 << HISTORY) - 1);
        prediction == is_taken
    }
}

/// Returns whether branches are hard to predict for these marks, by a sample. `lone`: the mark of
/// lone states. It has no answer for few states, and then returns `false`.
pub(super) fn is_hard(marks: &[u32], lone: u32) -> bool {
    let (mut new_marks, mut lone_states) = (Predictor::new(), Predictor::new());
    let (mut states, mut unforeseen) = (0, 0);
    let pieces = marks.chunks_exact(PIECE);
    let step = pieces.len().div_ceil(PIECES).max(1);
    for piece in pieces.step_by(step) {
        let mut last = None;
        for &mark in piece {
            let is_lone = mark == lone;
            let is_new = is_lone || last != Some(mark);
            unforeseen += usize::from(!new_marks.foresees(is_new));
            if is_new {
                unforeseen += usize::from(!lone_states.foresees(is_lone));
            }
            last = Some(mark);
        }
        states += piece.len();
    }
    unforeseen * DIVISOR > states
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbering::tests::scrambled;

    const LONE: u32 = 99;

    fn is_hard_for(mark: impl Fn(u32) -> u32) -> bool {
        let marks: Vec<u32> = (0..100_000).map(mark).collect();
        // A graph may have fewer states than the sample.
        assert!(!is_hard(&marks[..PIECE - 1], LONE));
        is_hard(&marks, LONE)
    }

    #[test]
    fn components_and_lone_states_in_no_order_are_hard_to_predict() {
        assert!(is_hard_for(|state| [LONE, 5][scrambled(state) as usize % 2]));
        assert!(is_hard_for(
            |state| [7, 7, 7, 5][scrambled(state) as usize % 4]
        ));
        assert!(is_hard_for(
            |state| [LONE, 7, 7, 7][scrambled(state) as usize % 4]
        ));
    }

    #[test]
    fn what_repeats_is_easy_to_predict() {
        assert!(!is_hard_for(|_| LONE));
        assert!(!is_hard_for(|_| 7));
        // Components of three states, one after the other, and of one and four states.
        assert!(!is_hard_for(|state| state / 3));
        assert!(!is_hard_for(|state| [LONE, 7, 7, 7, 7][state as usize % 5]));
        // Neighbours are always in different components.
        assert!(!is_hard_for(|state| state % 64));
        // Few states differ from those around them.
        assert!(!is_hard_for(|state| if scrambled(state) < 128 {
            LONE
        } else {
            7
        }));
    }
}
