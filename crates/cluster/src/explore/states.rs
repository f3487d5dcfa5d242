//! [`States`]: the packed states of a worker's part, for the checker.

use crate::net::Net;
use crate::part::Part;
use crate::ranges::Ranges;

/// The approximate number of words of states that are sent to a worker at once.
const AT_ONCE: u64 = 1 << 18;

/// The packed states of a worker's range, in the order of their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct States {
    words: usize,
    packed: Vec<u64>,
}

impl States {
    /// Makes the list of states, which have this many words each.
    #[must_use]
    pub fn from_packed(words: usize, packed: Vec<u64>) -> Self {
        Self { words, packed }
    }

    /// Returns the number of words of a state.
    #[must_use]
    pub fn words(&self) -> usize {
        self.words
    }

    /// Returns the number of states.
    #[must_use]
    pub fn len(&self) -> usize {
        self.packed.len() / self.words.max(1)
    }

    /// Returns whether there is no state.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.packed.is_empty()
    }

    /// Returns the packed states, one after another.
    #[must_use]
    pub fn into_packed(self) -> Vec<u64> {
        self.packed
    }

    /// Returns the packed state with this index.
    #[must_use]
    pub fn get(&self, place: usize) -> &[u64] {
        &self.packed[place * self.words..][..self.words]
    }

    /// Returns the states of the range of `part`. This worker has found the states `found`, whose
    /// numbers are in ascending order.
    pub(super) fn by_ranges(found: &Self, numbers: &[u64], part: &Part, net: &mut Net<'_>) -> Self {
        let (ranges, words) = (part.ranges(), found.words);
        let of_a_worker = ranges.largest() * words as u64;
        let rounds = (of_a_worker / AT_ONCE + 1) as usize;
        let cut = |to| Ranges::even(ranges.start_of(to), ranges.len_of(to), rounds);
        let stretches: Vec<Ranges> = (0..ranges.workers()).map(cut).collect();
        let mut packed = vec![0; words * part.num_own()];
        for round in 0..rounds {
            let mut outbox = net.outbox::<u64>();
            for (to, stretch) in stretches.iter().enumerate() {
                let first = stretch.start_of(round);
                let begin = numbers.partition_point(|&number| number < first);
                let end = numbers.partition_point(|&number| number < first + stretch.len_of(round));
                for (place, &number) in (begin..).zip(&numbers[begin..end]) {
                    outbox.push(net, to, number - ranges.start_of(to));
                    for &word in found.get(place) {
                        outbox.push(net, to, word);
                    }
                }
            }
            let mut message = Vec::with_capacity(words + 1);
            for (_, word) in net.exchange(outbox) {
                message.push(word);
                if let [own, state @ ..] = &message[..]
                    && state.len() == words
                {
                    packed[*own as usize * words..][..words].copy_from_slice(state);
                    message.clear();
                }
            }
        }
        Self { words, packed }
    }
}
