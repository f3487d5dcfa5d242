//! How often loops repeat: mostly about as often as last time.

use std::collections::HashMap;

use super::repeat;

/// What is known of loops from the last times they ran, by name.
#[derive(Default)]
pub(super) struct Foresight(HashMap<String, Known>);

/// How often a loop repeated.
struct Known {
    /// The last two times.
    iterations: [u64; 2],
    /// How often that was enough for the next time, of late.
    confidence: f32,
}

impl Known {
    /// An even number.
    fn expected(&self) -> u64 {
        let most = self.iterations.iter().max().copied().unwrap_or_default();
        most.next_multiple_of(2).max(2)
    }
}

impl Foresight {
    /// How many iterations a loop will take, and how sure that is.
    pub(super) fn of(&self, name: &str) -> (u64, f32) {
        let known = self.0.get(name);
        known.map_or((repeat::FIRST_BATCH, 0.5), |known| {
            (known.expected(), known.confidence)
        })
    }

    pub(super) fn learn(&mut self, name: &str, iterations: u64) {
        let Some(known) = self.0.get_mut(name) else {
            let known = Known {
                iterations: [iterations; 2],
                confidence: 0.5,
            };
            self.0.insert(name.to_owned(), known);
            return;
        };
        let enough = if iterations <= known.expected() {
            1.0
        } else {
            0.0
        };
        known.confidence = 0.75 * known.confidence + 0.25 * enough;
        known.iterations = [known.iterations[1], iterations];
    }
}
