//! The set of known states, which all threads search and extend at the same time.
//!
//! The set is a hash table with linear probing. A slot holds 32 bits of the hash of a state, its
//! *fingerprint*, and the number of the state. The state itself is in the list of known states. It
//! is compared only if the fingerprints agree. If all states are so narrow that different states
//! have different fingerprints, it is not compared at all. The place of a state is determined by
//! the first bits of its fingerprint. So a table can grow in one sweep, without access to the
//! states.
//!
//! While a batch is looked up, a new state has a provisional number: the number of known states
//! plus the place of its branch among all branches of the batch. Threads compete for slots, but the
//! smallest provisional number wins. It belongs to the branch that a sequential search would meet
//! first.
//!
//! Each slot is a single word, and the states were packed before the threads began. So no ordering
//! between memory accesses is needed, and all atomic operations are relaxed.

use crate::states::{Known, Width, fingerprint};
use mdp_graph::{StateId, Table};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};
use zerocopy::{FromBytes, IntoBytes};

/// A slot without a state. A slot with one holds its number plus 1, which is not 0.
const EMPTY: u64 = 0;

/// The number of targets that are looked up together, so that their cache misses overlap.
const TOGETHER: usize = 32;

/// The smallest number of slots.
const MIN_SLOTS: usize = 1 << 10;

/// The number of slots in a piece of a sweep through the table.
const PIECE: usize = 1 << 16;

#[inline(always)]
fn slot(fingerprint: u32, number: u32) -> u64 {
    u64::from(fingerprint) << 32 | u64::from(number + 1)
}

/// Returns the number in a slot that is not empty.
#[inline(always)]
fn number_in(entry: u64) -> u32 {
    (entry as u32).wrapping_sub(1)
}

#[inline(always)]
fn fingerprint_in(entry: u64) -> u32 {
    (entry >> 32) as u32
}

/// The known states.
#[derive(Debug)]
pub(crate) struct Set {
    slots: Table<u64>,
    /// The number of states in the table.
    len: usize,
}

impl Set {
    pub(crate) fn new() -> Self {
        let slots = Table::new(MIN_SLOTS);
        Self { slots, len: 0 }
    }

    /// Returns the number of slots needed for `additional` more states.
    fn slots_for(&self, additional: usize) -> usize {
        let len = self.len + additional;
        // At most two thirds are full.
        let least = len.saturating_mul(3).div_ceil(2);
        least.next_power_of_two().max(self.slots.len())
    }

    /// Returns the memory for a larger table, in bytes, if `additional` more states need one. The
    /// old table still exists while the new one is filled.
    pub(crate) fn growth(&self, additional: usize) -> usize {
        let slots = self.slots_for(additional);
        if slots > self.slots.len() {
            slots * 8
        } else {
            0
        }
    }

    /// Returns the memory held, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.slots.len() * 8
    }

    /// Makes room for `additional` states.
    pub(crate) fn reserve(&mut self, additional: usize) {
        let size = self.slots_for(additional);
        if size == self.slots.len() {
            return;
        }
        let old = std::mem::replace(&mut self.slots, Table::new(size));
        let slots = self.slots();
        let insert = |&entry: &u64| {
            if entry != EMPTY {
                slots.insert(entry);
            }
        };
        old.par_chunks(PIECE)
            .for_each(|piece| piece.iter().for_each(insert));
    }

    /// Returns the slots, for threads to share.
    pub(crate) fn slots(&mut self) -> Slots<'_> {
        let bits = self.slots.len().trailing_zeros();
        let slots = <[AtomicU64]>::mut_from_bytes(self.slots.as_mut_bytes());
        Slots {
            slots: slots.expect("a table of words is aligned for words"),
            shift: u32::BITS - bits,
        }
    }

    /// Counts states that were added.
    pub(crate) fn count(&mut self, added: usize) {
        self.len += added;
    }
}

/// The slots of a set, which threads share.
#[derive(Clone, Copy)]
pub(crate) struct Slots<'a> {
    slots: &'a [AtomicU64],
    /// The number of bits by which a fingerprint is shifted to become a place.
    shift: u32,
}

impl Slots<'_> {
    #[inline(always)]
    fn load(self, place: usize) -> u64 {
        self.slots[place].load(Ordering::Relaxed)
    }

    /// Returns the place at which the search for a state with this fingerprint begins.
    #[inline(always)]
    fn home(self, fingerprint: u32) -> usize {
        (fingerprint >> self.shift) as usize
    }

    /// Returns the place that is tried next.
    #[inline(always)]
    fn after(self, place: usize) -> usize {
        (place + 1) & (self.slots.len() - 1)
    }

    /// Returns the first slot from this one on that is empty or has this fingerprint, and its
    /// place.
    #[inline(always)]
    fn walk(self, mut place: usize, mut entry: u64, fingerprint: u32) -> (usize, u64) {
        while entry != EMPTY && fingerprint_in(entry) != fingerprint {
            place = self.after(place);
            entry = self.load(place);
        }
        (place, entry)
    }

    /// Adds an entry of an older table.
    fn insert(self, entry: u64) {
        let mut place = self.home(fingerprint_in(entry));
        let take = |place: usize| {
            let slot = &self.slots[place];
            slot.compare_exchange(EMPTY, entry, Ordering::Relaxed, Ordering::Relaxed)
        };
        while take(place).is_err() {
            place = self.after(place);
        }
    }

    /// Looks up `targets`, and adds those that are new. The table must have room for them. Appends
    /// the number of each target to `numbers`. Numbers from the number of `known` states on are
    /// provisional.
    ///
    /// In pseudo-code, for each run of targets that are looked up together:
    ///
    /// ```text
    /// for each target: load the slot at its home
    /// for each target: walk on to its fingerprint; load the first word of that state
    /// for each target: if that state is known, and is the target, its number;
    ///                  else search on from there, and add
    /// ```
    #[inline(always)]
    pub(crate) fn look_up<W: Width, N: Newcomers>(
        self,
        known: Known<'_, W>,
        are_narrow: bool,
        targets: &[u64],
        newcomers: &mut N,
        numbers: &mut Vec<StateId>,
    ) {
        numbers.reserve(targets.len() / known.width.words());
        for together in targets.chunks(TOGETHER * known.width.words()) {
            if are_narrow && known.width.words() == 1 {
                self.look_up_together::<W, N, true>(known, together, newcomers, numbers);
            } else {
                self.look_up_together::<W, N, false>(known, together, newcomers, numbers);
            }
        }
    }

    #[inline(always)]
    fn look_up_together<W: Width, N: Newcomers, const NARROW: bool>(
        self,
        known: Known<'_, W>,
        targets: &[u64],
        newcomers: &mut N,
        numbers: &mut Vec<StateId>,
    ) {
        let targets = || targets.chunks_exact(known.width.words()).enumerate();
        let mut fingerprints = [0; TOGETHER];
        let mut places = [0; TOGETHER];
        let mut entries = [EMPTY; TOGETHER];
        for (i, target) in targets() {
            fingerprints[i] = fingerprint(target);
            places[i] = self.home(fingerprints[i]);
            entries[i] = self.load(places[i]);
        }
        let mut first_words = [0; TOGETHER];
        for (i, _) in targets() {
            (places[i], entries[i]) = self.walk(places[i], entries[i], fingerprints[i]);
            if !NARROW {
                first_words[i] = known.first_word(number_in(entries[i]));
            }
        }
        let mut found = [StateId(0); TOGETHER];
        let mut len = 0;
        for (i, target) in targets() {
            let number = number_in(entries[i]);
            let is_known = number < known.len
                && (NARROW || first_words[i] == target[0] && known.get(number) == target);
            found[i] = StateId(if is_known {
                newcomers.pass();
                number
            } else {
                let at = (places[i], fingerprints[i]);
                self.find_or_add::<W, N, NARROW>(known, target, at, newcomers)
            });
            len = i + 1;
        }
        numbers.extend_from_slice(&found[..len]);
    }

    /// Returns the number of `target`, and adds it if it is new. The search begins at `place`.
    fn find_or_add<W: Width, N: Newcomers, const NARROW: bool>(
        self,
        known: Known<'_, W>,
        target: &[u64],
        (mut place, fingerprint): (usize, u32),
        newcomers: &mut N,
    ) -> u32 {
        loop {
            let entry;
            (place, entry) = self.walk(place, self.load(place), fingerprint);
            if entry == EMPTY {
                match newcomers.add(self, place, fingerprint, target) {
                    Some(number) => return number,
                    // Another thread was faster, perhaps with the same state.
                    None => continue,
                }
            }
            let number = number_in(entry);
            if number < known.len {
                if NARROW || known.get(number) == target {
                    newcomers.pass();
                    return number;
                }
            } else if NARROW || newcomers.packed(number - known.len) == target {
                return newcomers.meet(self, place, number);
            }
            place = self.after(place);
        }
    }

    /// Returns the number in the slot at a place that is not empty.
    pub(crate) fn number(self, place: u32) -> u32 {
        number_in(self.load(place as usize))
    }

    /// Writes the number of the state at a place that is not empty.
    pub(crate) fn set_number(self, place: u32, number: u32) {
        let place = place as usize;
        let entry = slot(fingerprint_in(self.load(place)), number);
        self.slots[place].store(entry, Ordering::Relaxed);
    }
}

/// Handles targets that were not known before the batch. One of these methods is called for every
/// target, in order.
pub(crate) trait Newcomers {
    /// The next target was known.
    fn pass(&mut self);

    /// Adds the next target, which is new: claims an empty slot for it. Returns its number, or
    /// `None` if the slot is no longer empty.
    fn add(
        &mut self,
        slots: Slots<'_>,
        place: usize,
        fingerprint: u32,
        target: &[u64],
    ) -> Option<u32>;

    /// Records that the next target has been found in this batch before, with this provisional
    /// number. Returns its number.
    fn meet(&mut self, slots: Slots<'_>, place: usize, number: u32) -> u32;

    /// Returns the packed state with a provisional number, counted from 0.
    fn packed(&self, index: u32) -> &[u64];
}

/// The new states of a batch that one thread looks up: its numbers are final at once.
pub(crate) struct Alone<'a> {
    words: usize,
    known: u32,
    /// The new states, packed, in order.
    fresh: &'a mut Vec<u64>,
    len: u32,
}

impl<'a> Alone<'a> {
    pub(crate) fn new<W: Width>(known: Known<'_, W>, fresh: &'a mut Vec<u64>) -> Self {
        let (words, known) = (known.width.words(), known.len);
        let len = 0;
        Self {
            words,
            known,
            fresh,
            len,
        }
    }

    /// Returns the number of new states.
    pub(crate) fn len(&self) -> u32 {
        self.len
    }
}

impl Newcomers for Alone<'_> {
    #[inline(always)]
    fn pass(&mut self) {}

    #[inline]
    fn add(
        &mut self,
        slots: Slots<'_>,
        place: usize,
        fingerprint: u32,
        target: &[u64],
    ) -> Option<u32> {
        // If this wraps around, there are more states than a graph can hold, and the batch is
        // discarded.
        let number = self.known.wrapping_add(self.len);
        slots.slots[place].store(slot(fingerprint, number), Ordering::Relaxed);
        self.fresh.extend_from_slice(target);
        self.len += 1;
        Some(number)
    }

    #[inline(always)]
    fn meet(&mut self, _: Slots<'_>, _: usize, number: u32) -> u32 {
        number
    }

    #[inline(always)]
    fn packed(&self, index: u32) -> &[u64] {
        &self.fresh[index as usize * self.words..][..self.words]
    }
}

/// A branch to a state that was not known before the batch, and the place of this state in the set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pending {
    pub(crate) branch: u32,
    pub(crate) place: u32,
}

/// The new states of a batch that several threads look up, from the view of one chunk.
pub(crate) struct Shared<'a> {
    words: usize,
    /// The targets of all chunks, and the number of branches before each chunk.
    targets: &'a [&'a [u64]],
    starts: &'a [u32],
    /// The provisional number of the chunk's first branch.
    first: u32,
    /// The number of targets of the chunk so far.
    branch: u32,
    pending: &'a mut Vec<Pending>,
}

impl<'a> Shared<'a> {
    /// Makes the view of chunk `index`, for chunks with these targets.
    pub(crate) fn new<W: Width>(
        known: Known<'_, W>,
        index: usize,
        targets: &'a [&'a [u64]],
        starts: &'a [u32],
        pending: &'a mut Vec<Pending>,
    ) -> Self {
        Self {
            words: known.width.words(),
            targets,
            starts,
            first: known.len + starts[index],
            branch: 0,
            pending,
        }
    }

    #[inline]
    fn push(&mut self, place: usize) -> u32 {
        let (branch, place) = (self.branch, place as u32);
        self.pending.push(Pending { branch, place });
        self.branch += 1;
        self.first + branch
    }
}

impl Newcomers for Shared<'_> {
    #[inline(always)]
    fn pass(&mut self) {
        self.branch += 1;
    }

    #[inline]
    fn add(&mut self, slots: Slots<'_>, place: usize, fingerprint: u32, _: &[u64]) -> Option<u32> {
        let entry = slot(fingerprint, self.first + self.branch);
        let taken = &slots.slots[place];
        let taken = taken.compare_exchange(EMPTY, entry, Ordering::Relaxed, Ordering::Relaxed);
        taken.is_ok().then(|| self.push(place))
    }

    #[inline]
    fn meet(&mut self, slots: Slots<'_>, place: usize, number: u32) -> u32 {
        let own = self.push(place);
        if own < number {
            // The fingerprint stays as it is, so this is the minimum of the numbers.
            let entry = slot(fingerprint_in(slots.load(place)), own);
            slots.slots[place].fetch_min(entry, Ordering::Relaxed);
        }
        own
    }

    fn packed(&self, index: u32) -> &[u64] {
        let chunk = self.starts.partition_point(|&start| start <= index) - 1;
        let branch = (index - self.starts[chunk]) as usize;
        &self.targets[chunk][branch * self.words..][..self.words]
    }
}

#[cfg(test)]
mod tests;
