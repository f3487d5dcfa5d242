//! The iteration predictor. It expects that a loop repeats about as often as the last time.

use std::collections::HashMap;

use super::schedule::FIRST_BATCH;

/// What is known of loops from the last times they ran, by name.
#[derive(Default)]
pub(super) struct IterationPredictor(HashMap<String, History>);

/// How often a loop repeated, the last two times.
struct History([u64; 2]);

impl IterationPredictor {
    /// How many iterations a loop will take, an even number.
    pub(super) fn predict(&self, name: &str) -> u64 {
        let history = self.0.get(name);
        history.map_or(FIRST_BATCH, |History(iterations)| {
            let most = iterations.iter().max().copied().unwrap_or_default();
            most.next_multiple_of(2).max(2)
        })
    }

    /// A loop took so many iterations.
    pub(super) fn learn(&mut self, name: &str, iterations: u64) {
        match self.0.get_mut(name) {
            Some(History(known)) => *known = [known[1], iterations],
            None => {
                self.0.insert(name.to_owned(), History([iterations; 2]));
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
        predictor.learn("trim", 5);
        assert_eq!(predictor.predict("trim"), 6);
        predictor.learn("trim", 3);
        assert_eq!(predictor.predict("trim"), 6);
        predictor.learn("trim", 3);
        assert_eq!(predictor.predict("trim"), 4);
        predictor.learn("trim", 0);
        predictor.learn("trim", 0);
        assert_eq!(predictor.predict("trim"), 2);
        // Another loop's history says nothing.
        assert_eq!(predictor.predict("search"), FIRST_BATCH);
    }
}
