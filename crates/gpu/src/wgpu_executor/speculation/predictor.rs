//! The iteration predictor: how often loops repeat, which is mostly about as often as last time.

use std::collections::HashMap;

use crate::wgpu_executor::schedule::FIRST_BATCH;

/// What is known of loops from the last times they ran, by name.
#[derive(Default)]
pub(super) struct IterationPredictor(HashMap<String, History>);

/// How often a loop repeated.
struct History {
    /// The last two times.
    iterations: [u64; 2],
    /// How often the prediction was enough, of late.
    confidence: f32,
}

impl History {
    /// An even number.
    fn prediction(&self) -> u64 {
        let most = self.iterations.iter().max().copied().unwrap_or_default();
        most.next_multiple_of(2).max(2)
    }
}

impl IterationPredictor {
    /// How many iterations a loop will take, an even number, and how likely it is that these are
    /// enough.
    pub(super) fn predict(&self, name: &str) -> (u64, f32) {
        let history = self.0.get(name);
        history.map_or((FIRST_BATCH, 0.5), |history| {
            (history.prediction(), history.confidence)
        })
    }

    /// A loop took so many iterations.
    pub(super) fn learn(&mut self, name: &str, iterations: u64) {
        let Some(history) = self.0.get_mut(name) else {
            let history = History {
                iterations: [iterations; 2],
                confidence: 0.5,
            };
            self.0.insert(name.to_owned(), history);
            return;
        };
        let was_enough = iterations <= history.prediction();
        let enough = if was_enough { 1.0 } else { 0.0 };
        history.confidence = 0.75 * history.confidence + 0.25 * enough;
        history.iterations = [history.iterations[1], iterations];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_is_expected_to_take_as_long_as_in_the_longer_of_the_last_two_times() {
        let mut predictor = IterationPredictor::default();
        assert_eq!(predictor.predict("trim"), (FIRST_BATCH, 0.5));
        predictor.learn("trim", 5);
        assert_eq!(predictor.predict("trim"), (6, 0.5));
        predictor.learn("trim", 3);
        assert_eq!(predictor.predict("trim"), (6, 0.625));
        predictor.learn("trim", 3);
        assert_eq!(predictor.predict("trim").0, 4);
        predictor.learn("trim", 0);
        predictor.learn("trim", 0);
        assert_eq!(predictor.predict("trim").0, 2);
        // Another loop's history says nothing.
        assert_eq!(predictor.predict("search"), (FIRST_BATCH, 0.5));
    }

    #[test]
    fn confidence_falls_with_each_prediction_that_was_too_low() {
        let mut predictor = IterationPredictor::default();
        for iterations in [2, 20, 200, 2000] {
            predictor.learn("search", iterations);
        }
        assert_eq!(predictor.predict("search"), (2000, 0.5 * 0.75_f32.powi(3)));
    }
}
