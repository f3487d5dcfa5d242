//! Predicts the number of iterations of a loop from its last two runs.

use std::collections::HashMap;

use super::schedule::FIRST_BATCH;

/// The histories of loops, by name.
#[derive(Default)]
pub(super) struct IterationPredictor(HashMap<String, History>);

/// The last two runs of a loop.
struct History {
    /// The numbers of iterations.
    iterations: [u64; 2],
    /// Whether the steps after the loop were run the last time.
    went_on: bool,
}

impl IterationPredictor {
    /// Returns the expected number of iterations of a loop, which is even.
    pub(super) fn predict(&self, name: &str) -> u64 {
        let history = self.0.get(name);
        history.map_or(FIRST_BATCH, |history| {
            let most = history.iterations.iter().max().copied().unwrap_or_default();
            most.next_multiple_of(2).max(2)
        })
    }

    /// Returns whether a loop is likely to take exactly as many iterations as predicted, and to be
    /// followed by the steps after it.
    pub(super) fn is_sure(&self, name: &str) -> bool {
        let history = self.0.get(name);
        history.is_some_and(|history| {
            let [last, other] = history.iterations;
            last == other && history.went_on
        })
    }

    /// Stores that a loop took this many iterations, and whether the steps after it were run.
    pub(super) fn learn(&mut self, name: &str, iterations: u64, went_on: bool) {
        let known = self.0.get(name).map(|history| history.iterations[1]);
        let history = History {
            iterations: [known.unwrap_or(iterations), iterations],
            went_on,
        };
        match self.0.get_mut(name) {
            Some(known) => *known = history,
            None => {
                self.0.insert(name.to_owned(), history);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_is_expected_to_take_as_long_as_in_the_longer_of_the_last_two_times() {
        let mut predictor = IterationPredictor::default();
        assert_eq!(predictor.predict("trim"), FIRST_BATCH);
        predictor.learn("trim", 5, true);
        assert_eq!(predictor.predict("trim"), 6);
        predictor.learn("trim", 3, true);
        assert_eq!(predictor.predict("trim"), 6);
        predictor.learn("trim", 3, true);
        assert_eq!(predictor.predict("trim"), 4);
        predictor.learn("trim", 0, true);
        predictor.learn("trim", 0, true);
        assert_eq!(predictor.predict("trim"), 2);
        // The histories of other loops do not matter.
        assert_eq!(predictor.predict("search"), FIRST_BATCH);
    }

    #[test]
    fn a_prediction_is_sure_if_the_loop_took_as_long_as_the_last_time() {
        let mut predictor = IterationPredictor::default();
        assert!(!predictor.is_sure("trim"));
        predictor.learn("trim", 5, true);
        assert!(predictor.is_sure("trim"));
        predictor.learn("trim", 5, false);
        assert!(!predictor.is_sure("trim"));
        predictor.learn("trim", 5, true);
        assert!(predictor.is_sure("trim"));
        predictor.learn("trim", 6, true);
        assert!(!predictor.is_sure("trim"));
    }
}
