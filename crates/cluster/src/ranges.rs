//! [`Ranges`]: which worker owns which states.

/// The states of a model, divided into a range of consecutive numbers for each worker.
///
/// Numbers have 64 bits. Within the range of a worker, states are numbered from 0, with 32 bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranges {
    /// The first state of each worker, followed by the end of the last range.
    starts: Vec<u64>,
}

/// The largest number of states and ghosts of a worker. One bit of their numbers is used in
/// messages.
pub const MAX_PER_WORKER: u64 = (1 << 31) - 2;

impl Ranges {
    /// Divides `states` states, numbered from `first`, into ranges whose lengths differ by at most
    /// one.
    ///
    /// # Panics
    /// If there is no worker.
    #[must_use]
    pub fn even(first: u64, states: u64, workers: usize) -> Self {
        assert!(workers > 0, "somebody has to own the states");
        let cut = |i| first + (u128::from(states) * i as u128 / workers as u128) as u64;
        Self {
            starts: (0..=workers).map(cut).collect(),
        }
    }

    /// Divides states into ranges of about the same weight. The states are divided into slices
    /// whose lengths differ by at most one, and `weights` has the total weight of each slice.
    ///
    /// # Panics
    /// If there is no worker.
    #[must_use]
    pub fn balanced(states: u64, weights: &[u64], workers: usize) -> Self {
        let slices = Self::even(0, states, weights.len());
        let total: u128 = weights.iter().map(|&weight| u128::from(weight)).sum();
        let mut starts = vec![0];
        let (mut slice, mut before) = (0, 0u128);
        for worker in 1..workers {
            let aim = total * worker as u128 / workers as u128;
            while slice < weights.len() && before + u128::from(weights[slice]) <= aim {
                before += u128::from(weights[slice]);
                slice += 1;
            }
            starts.push(match weights.get(slice) {
                // All states of a slice are assumed to have the same weight.
                Some(&weight) if weight > 0 => {
                    let states = u128::from(slices.len_of(slice));
                    let part = states * (aim - before) / u128::from(weight);
                    slices.start_of(slice) + part as u64
                }
                _ => slices.start_of(slice),
            });
        }
        starts.push(states);
        Self { starts }
    }

    /// Returns the number of workers.
    #[must_use]
    pub fn workers(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the number of states of all workers.
    #[must_use]
    pub fn num_states(&self) -> u64 {
        self.starts[self.workers()] - self.starts[0]
    }

    /// Returns whether there is a state with this number.
    #[must_use]
    pub fn contains(&self, state: u64) -> bool {
        (self.starts[0]..self.starts[self.workers()]).contains(&state)
    }

    /// Returns the first state of a worker.
    #[must_use]
    pub fn start_of(&self, worker: usize) -> u64 {
        self.starts[worker]
    }

    /// Returns the number of states of a worker.
    #[must_use]
    pub fn len_of(&self, worker: usize) -> u64 {
        self.starts[worker + 1] - self.starts[worker]
    }

    /// Returns the largest number of states of a worker.
    #[must_use]
    pub fn largest(&self) -> u64 {
        (0..self.workers())
            .map(|worker| self.len_of(worker))
            .max()
            .unwrap_or(0)
    }

    /// Returns the owner of a state, and its number there.
    #[must_use]
    pub fn place_of(&self, state: u64) -> (usize, u32) {
        debug_assert!(self.starts[0] <= state && state < self.starts[self.workers()]);
        let worker = self.starts.partition_point(|&start| start <= state) - 1;
        (worker, (state - self.starts[worker]) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::Ranges;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn each_state_has_one_owner(
            first in prop_oneof![Just(0u64), Just(5u64 << 32)],
            states in 0..40u64,
            workers in 1..6usize,
        ) {
            let ranges = Ranges::even(first, states, workers);
            prop_assert_eq!(ranges.num_states(), states);
            for state in first..first + states {
                let (worker, local) = ranges.place_of(state);
                prop_assert!(u64::from(local) < ranges.len_of(worker));
                prop_assert_eq!(ranges.start_of(worker) + u64::from(local), state);
            }
        }

        #[test]
        fn weights_are_shared_out(
            weights in prop::collection::vec(0..9u64, 1..30),
            each in 1..4u64,
            workers in 1..6usize,
        ) {
            let states = each * weights.len() as u64;
            let ranges = Ranges::balanced(states, &weights, workers);
            prop_assert_eq!(ranges.workers(), workers);
            prop_assert_eq!(ranges.num_states(), states);
            prop_assert_eq!(ranges.start_of(0), 0);
            let total: u64 = weights.iter().sum();
            let largest = weights.iter().max().copied().unwrap_or(0);
            for worker in 0..workers {
                let (start, len) = (ranges.start_of(worker), ranges.len_of(worker));
                let weight: f64 = (start..start + len)
                    .map(|state| weights[(state / each) as usize] as f64 / each as f64)
                    .sum();
                prop_assert!(weight <= total as f64 / workers as f64 + 2.0 * largest as f64 + 1.0);
            }
        }
    }
}
