//! [`Set`]: the packed states that a worker owns while states are found, with their numbers.

/// The mark of a free slot.
const NONE: u32 = u32::MAX;

/// Packed states, in the order in which they were found, with a hash table (linear probing) that
/// finds their indices.
pub(super) struct Set {
    words: usize,
    packed: Vec<u64>,
    /// Indices of states by hash. At most half of the table is used.
    table: Vec<u32>,
    len: usize,
}

impl Set {
    pub(super) fn new(words: usize) -> Self {
        Self {
            words,
            packed: Vec::new(),
            table: vec![NONE; 1 << 8],
            len: 0,
        }
    }

    #[cfg(test)]
    fn len(&self) -> usize {
        self.len
    }

    /// Returns the size of the states and their table in bytes.
    pub(super) fn bytes(&self) -> u64 {
        8 * self.packed.len() as u64 + 4 * self.table.len() as u64
    }

    /// Returns the packed state with this index.
    pub(super) fn get(&self, place: usize) -> &[u64] {
        &self.packed[place * self.words..][..self.words]
    }

    /// Returns the packed states, one after another.
    pub(super) fn into_packed(self) -> Vec<u64> {
        self.packed
    }

    /// Returns the index of a state, if it is in the set.
    pub(super) fn find(&self, state: &[u64], hash: u64) -> Option<u32> {
        let slot = self.slot(state, hash);
        Some(self.table[slot]).filter(|&place| place != NONE)
    }

    /// Returns the index of a state. If it is new, it is added at the end.
    pub(super) fn insert(&mut self, state: &[u64], hash: u64) -> u32 {
        if 2 * (self.len + 1) > self.table.len() {
            self.grow();
        }
        let slot = self.slot(state, hash);
        if self.table[slot] == NONE {
            self.table[slot] = self.len as u32;
            self.packed.extend_from_slice(state);
            self.len += 1;
        }
        self.table[slot]
    }

    /// Reorders the states from `first` on: the new state at `first + i` is the old one at `first +
    /// order[i]`.
    pub(super) fn reorder(&mut self, first: usize, order: &[u32]) {
        let slot = |&from: &u32| {
            let state = self.get(first + from as usize);
            self.slot(state, hash(state))
        };
        let slots: Vec<usize> = order.iter().map(slot).collect();
        let fresh = self.packed.split_off(first * self.words);
        for (i, (&from, slot)) in order.iter().zip(slots).enumerate() {
            self.packed
                .extend_from_slice(&fresh[from as usize * self.words..][..self.words]);
            self.table[slot] = (first + i) as u32;
        }
    }

    fn home(&self, hash: u64) -> usize {
        hash as usize & (self.table.len() - 1)
    }

    /// Returns the slot of a state, or the free slot where it belongs.
    fn slot(&self, state: &[u64], hash: u64) -> usize {
        let mut slot = self.home(hash);
        while self.table[slot] != NONE && self.get(self.table[slot] as usize) != state {
            slot = (slot + 1) & (self.table.len() - 1);
        }
        slot
    }

    fn grow(&mut self) {
        self.table = vec![NONE; 2 * self.table.len()];
        for place in 0..self.len {
            let slot = self.slot_of_new(hash(self.get(place)));
            self.table[slot] = place as u32;
        }
    }

    /// Returns the first free slot for a state that is not in the table.
    fn slot_of_new(&self, hash: u64) -> usize {
        let mut slot = self.home(hash);
        while self.table[slot] != NONE {
            slot = (slot + 1) & (self.table.len() - 1);
        }
        slot
    }
}

/// Returns the hash of a packed state. States that differ in few bits, at any position, have
/// different hashes. The upper half determines the owner of a state, and the lower half its slot.
pub(super) fn hash(state: &[u64]) -> u64 {
    // Digits of pi, made odd.
    const START: u64 = 0x243f_6a88_85a3_08d3;
    const FACTOR: u64 = 0xa409_3822_299f_31d1;
    const LAST: u64 = 0x082e_fa98_ec4e_6c89;
    let fold = |a: u64, b: u64| {
        let product = u128::from(a) * u128::from(b);
        product as u64 ^ (product >> 64) as u64
    };
    let mixed = state
        .iter()
        .fold(START, |hash, &word| fold(hash ^ word, FACTOR));
    fold(mixed, LAST)
}

/// Returns the worker that owns states with this hash.
pub(super) fn owner(hash: u64, workers: usize) -> usize {
    (((hash >> 32) * workers as u64) >> 32) as usize
}

#[cfg(test)]
mod tests {
    use super::{Set, hash};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn states_stay_where_they_were_put(
            states in prop::collection::vec(prop::collection::vec(0..3u64, 2), 1..600),
        ) {
            let (mut set, mut known) = (Set::new(2), Vec::new());
            for state in &states {
                let place = known.iter().position(|other| other == state);
                prop_assert_eq!(set.find(state, hash(state)).map(|p| p as usize), place);
                let expected = place.unwrap_or(known.len());
                prop_assert_eq!(set.insert(state, hash(state)) as usize, expected);
                if place.is_none() {
                    known.push(state.clone());
                }
            }
            // All but the first one are put into the opposite order.
            let order: Vec<u32> = (0..known.len() as u32 - 1).rev().collect();
            set.reorder(1, &order);
            known[1..].reverse();
            prop_assert_eq!(set.len(), known.len());
            for (place, state) in known.iter().enumerate() {
                prop_assert_eq!(set.get(place), &state[..]);
                prop_assert_eq!(set.find(state, hash(state)), Some(place as u32));
            }
        }
    }
}
