//! One shard of the set of known states: those whose hashes begin with the shard's bits.
//!
//! A table with linear probing. A slot holds 32 bits of a state's hash and the state's number; the
//! state itself is among the known states, where it is compared only if the 32 bits agree, and not even
//! then as long as all states are so narrow that these bits tell them apart. The place of a slot is the
//! beginning of these bits, so a table grows in one sweep, without looking at a state.

use crate::states::{Known, Width, fingerprint, hash};

/// A slot without a state; no state has the number `u32::MAX`.
const EMPTY: u64 = u64::MAX;

/// So many targets are looked up together, to have their cache misses at the same time.
const TOGETHER: usize = 32;

#[inline(always)]
fn slot(fingerprint: u32, number: u32) -> u64 {
    u64::from(fingerprint) << 32 | u64::from(number)
}

/// A shard, and what the phases of the current batch leave in it.
#[derive(Debug)]
pub(crate) struct Shard {
    slots: Vec<u64>,
    /// How far a fingerprint is shifted to become a place.
    shift: u32,
    /// The number of states in the table.
    len: usize,
    /// The bits that are set in some of these states, if they have one word.
    bits: u64,

    /// The number of each target that was looked up, chunk after chunk; from the number of known
    /// states on, it is provisional.
    pub(crate) results: Vec<u32>,
    /// For each chunk, where its results begin and how many states were new before it.
    pub(crate) starts: Vec<Start>,
    /// The new states, packed, in the order in which they were seen.
    fresh: Vec<u64>,
    /// Their places in the table.
    fresh_places: Vec<u32>,
    /// Their numbers, once they are known.
    pub(crate) fresh_numbers: Vec<u32>,
}

/// Where a chunk's part begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Start {
    /// In the shard's results.
    pub(crate) result: usize,
    /// Among the shard's new states.
    pub(crate) fresh: u32,
}

impl Shard {
    pub(crate) fn new() -> Self {
        Self {
            slots: vec![EMPTY; 2],
            shift: u32::BITS - 1,
            len: 0,
            bits: 0,
            results: Vec::new(),
            starts: Vec::new(),
            fresh: Vec::new(),
            fresh_places: Vec::new(),
            fresh_numbers: Vec::new(),
        }
    }

    /// The number of slots in which `additional` more states find room.
    pub(crate) fn slots_for(&self, additional: usize) -> usize {
        let len = self.len + additional;
        // At most two thirds are full.
        let least = len.saturating_mul(3).div_ceil(2);
        least.next_power_of_two().max(self.slots.len())
    }

    /// The number of slots.
    pub(crate) fn num_slots(&self) -> usize {
        self.slots.len()
    }

    /// The memory held, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        (self.slots.capacity() + self.fresh.capacity()) * 8
            + (self.results.capacity() + self.fresh_places.capacity()) * 4
            + self.fresh_numbers.capacity() * 4
    }

    /// Makes room for `additional` states.
    fn reserve(&mut self, additional: usize) {
        let size = self.slots_for(additional);
        if size == self.slots.len() {
            return;
        }
        let old = std::mem::replace(&mut self.slots, vec![EMPTY; size]);
        self.shift = u32::BITS - size.trailing_zeros();
        for entry in old.into_iter().filter(|&entry| entry != EMPTY) {
            let mut place = self.home((entry >> 32) as u32);
            while self.slots[place] != EMPTY {
                place = self.after(place);
            }
            self.slots[place] = entry;
        }
    }

    /// Begins a batch with so many targets.
    pub(crate) fn begin(&mut self, targets: usize) {
        self.reserve(targets);
        self.results.clear();
        self.starts.clear();
        self.fresh.clear();
        self.fresh_places.clear();
        self.fresh_numbers.clear();
    }

    /// Looks up the `targets` of the next chunk, and adds those that are new. There is room for them.
    pub(crate) fn look_up<W: Width>(&mut self, known: Known<'_, W>, targets: &[u64]) {
        self.starts.push(Start {
            result: self.results.len(),
            fresh: self.fresh_places.len() as u32,
        });
        for together in targets.chunks(TOGETHER * known.width.words()) {
            let bits = together.iter().fold(self.bits, |bits, word| bits | word);
            if known.width.words() == 1 && bits >> 32 == 0 {
                self.look_up_narrow(known, together);
            } else {
                self.look_up_together(known, together);
            }
        }
    }

    /// Looks up a few targets of one word below 2^32, in a shard where all states are such: then equal
    /// fingerprints mean equal states, and these need not be read.
    #[inline(always)]
    fn look_up_narrow<W: Width>(&mut self, known: Known<'_, W>, targets: &[u64]) {
        let mut fingerprints = [0; TOGETHER];
        let mut homes = [EMPTY; TOGETHER];
        for (i, target) in targets.iter().enumerate() {
            fingerprints[i] = fingerprint(hash(&[*target]));
            homes[i] = self.slots[self.home(fingerprints[i])];
        }
        for (i, target) in targets.iter().enumerate() {
            let home = self.home(fingerprints[i]);
            let number = if (homes[i] >> 32) as u32 == fingerprints[i] && homes[i] != EMPTY {
                homes[i] as u32
            } else {
                // Reads this slot again, as another target may have taken it.
                match self.walk(home, self.slots[home], fingerprints[i]) {
                    (place, EMPTY) => self.add(known, &[*target], place, fingerprints[i]),
                    (_, entry) => entry as u32,
                }
            };
            self.results.push(number);
        }
    }

    /// Looks up a few targets in three passes, of which the first two only read what the next one needs,
    /// with few branches that depend on it:
    ///
    /// ```text
    /// for each target: read the slot at home
    /// for each target: walk to the first slot with its fingerprint, or none; read that state's first word
    /// for each target: if the state is the target, its number; else search on from there, and add
    /// ```
    #[inline(always)]
    fn look_up_together<W: Width>(&mut self, known: Known<'_, W>, targets: &[u64]) {
        let targets = || targets.chunks_exact(known.width.words()).enumerate();
        let mut fingerprints = [0; TOGETHER];
        let mut places = [0; TOGETHER];
        let mut entries = [EMPTY; TOGETHER];
        for (i, target) in targets() {
            fingerprints[i] = fingerprint(hash(target));
            places[i] = self.home(fingerprints[i]);
            entries[i] = self.slots[places[i]];
        }
        let mut first_words = [0; TOGETHER];
        for (i, _) in targets() {
            (places[i], entries[i]) = self.walk(places[i], entries[i], fingerprints[i]);
            first_words[i] = known.first_word(entries[i] as u32);
        }
        for (i, target) in targets() {
            let number = entries[i] as u32;
            let is_known =
                number < known.len && first_words[i] == target[0] && known.get(number) == target;
            let number = if is_known {
                number
            } else {
                self.find_or_add(known, target, places[i], fingerprints[i])
            };
            self.results.push(number);
        }
    }

    /// The first slot from this one on that is empty or has this fingerprint, with its place.
    #[inline(always)]
    fn walk(&self, mut place: usize, mut entry: u64, fingerprint: u32) -> (usize, u64) {
        while entry != EMPTY && (entry >> 32) as u32 != fingerprint {
            place = self.after(place);
            entry = self.slots[place];
        }
        (place, entry)
    }

    /// The number of `target`, which is not before this place, and is added if it is new.
    fn find_or_add<W: Width>(
        &mut self,
        known: Known<'_, W>,
        target: &[u64],
        mut place: usize,
        fingerprint: u32,
    ) -> u32 {
        let words = known.width.words();
        let mut entry;
        loop {
            (place, entry) = self.walk(place, self.slots[place], fingerprint);
            if entry == EMPTY {
                return self.add(known, target, place, fingerprint);
            }
            let number = entry as u32;
            let state = match number.checked_sub(known.len) {
                None => known.get(number),
                Some(fresh) => &self.fresh[fresh as usize * words..][..words],
            };
            if state == target {
                return number;
            }
            place = self.after(place);
        }
    }

    /// Adds a state at an empty place, and returns its provisional number.
    fn add<W: Width>(
        &mut self,
        known: Known<'_, W>,
        target: &[u64],
        place: usize,
        fingerprint: u32,
    ) -> u32 {
        // If this wraps, there are more states than a graph holds, and the batch comes to nothing.
        let number = known.len.wrapping_add(self.num_fresh());
        self.slots[place] = slot(fingerprint, number);
        self.fresh.extend_from_slice(target);
        self.fresh_places.push(place as u32);
        self.len += 1;
        self.bits |= target[0];
        number
    }

    /// Learns the numbers of the next new states.
    pub(crate) fn patch(&mut self, numbers: &[u32]) {
        let first = self.fresh_numbers.len();
        for (&place, &number) in self.fresh_places[first..].iter().zip(numbers) {
            let entry = &mut self.slots[place as usize];
            *entry = slot((*entry >> 32) as u32, number);
        }
        self.fresh_numbers.extend_from_slice(numbers);
    }

    /// The number of new states in this batch.
    pub(crate) fn num_fresh(&self) -> u32 {
        self.fresh_places.len() as u32
    }

    /// The place where a state with this fingerprint is, unless others were there before.
    #[inline(always)]
    fn home(&self, fingerprint: u32) -> usize {
        (fingerprint >> self.shift) as usize
    }

    /// The place that is tried after another.
    #[inline(always)]
    fn after(&self, place: usize) -> usize {
        (place + 1) & (self.slots.len() - 1)
    }
}

#[cfg(test)]
mod tests;
