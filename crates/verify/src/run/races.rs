//! Data races within a dispatch.
//!
//! Two accesses to a word race if different invocations make them, at least one writes, at least
//! one is not atomic, and nothing orders them. Atomic operations of WGSL are relaxed. So only
//! barriers order accesses of different invocations, and only those of the same workgroup:
//! `workgroupBarrier` for the memory of the workgroup, `storageBarrier` for storage. Hence three
//! numbers determine the vector clock of an invocation: its own number, that of its workgroup, and
//! the number of barriers that the workgroup has passed (its *epoch*).
//!
//! For each word and kind of access, three earlier accesses are kept. They are chosen such that an
//! access that races with any earlier access races with one of the three.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// The kind of an access to a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Read,
    Write,
    Atomic,
}

/// The invocation, the time and the operation of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    pub(super) invocation: u32,
    pub(super) group: u32,
    pub(super) epoch: u32,
    pub(super) pc: u32,
}

impl Stamp {
    /// Returns whether a barrier comes between an earlier access and this one, or both are by the
    /// same invocation.
    fn is_behind(self, earlier: Self) -> bool {
        self.invocation == earlier.invocation
            || self.group == earlier.group && self.epoch > earlier.epoch
    }
}

/// The last access; the last one by another invocation of the same workgroup and epoch; and the
/// last one by another workgroup.
#[derive(Clone, Copy, Debug, Default)]
struct Last([Option<Stamp>; 3]);

impl Last {
    fn note(&mut self, new: Stamp) {
        let [last, beside, elsewhere] = self.0;
        let Some(last) = last else {
            self.0[0] = Some(new);
            return;
        };
        if last.group != new.group {
            self.0 = [Some(new), None, Some(last)];
        } else if last.epoch != new.epoch {
            self.0 = [Some(new), None, elsewhere];
        } else if last.invocation != new.invocation {
            self.0 = [Some(new), Some(last), elsewhere];
        } else {
            self.0 = [Some(new), beside, elsewhere];
        }
    }

    fn racing(&self, new: Stamp) -> Option<Stamp> {
        let mut known = self.0.iter().flatten();
        known.find(|earlier| !new.is_behind(**earlier)).copied()
    }
}

/// A hash of the number of a word, whose bits are mixed.
#[derive(Default)]
pub(super) struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, word: u64) {
        let mixed = (self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 29);
    }
}

/// A map whose keys are words.
pub(super) type WordMap<T> = HashMap<u64, T, BuildHasherDefault<Mix>>;

/// Clears a map, but keeps memory for as many words as most dispatches access.
pub(super) fn clear<T>(words: &mut WordMap<T>) {
    const MAX: usize = 1 << 13;
    words.clear();
    words.shrink_to(MAX);
}

/// The accesses in a dispatch.
#[derive(Debug, Default)]
pub(super) struct Races {
    words: WordMap<[Last; 3]>,
}

impl Races {
    /// Clears the accesses, but keeps the memory.
    pub(super) fn clear(&mut self) {
        clear(&mut self.words);
    }

    /// Records an access. Returns an earlier one with which it races, with its kind.
    pub(super) fn access(&mut self, word: u64, kind: Kind, new: Stamp) -> Option<(Stamp, Kind)> {
        let known = self.words.entry(word).or_default();
        let conflicting: &[Kind] = match kind {
            Kind::Read => &[Kind::Write, Kind::Atomic],
            Kind::Write => &[Kind::Write, Kind::Read, Kind::Atomic],
            Kind::Atomic => &[Kind::Write, Kind::Read],
        };
        let mut racing = conflicting.iter().filter_map(|&other| {
            let earlier = known[other as usize].racing(new)?;
            Some((earlier, other))
        });
        let found = racing.next();
        known[kind as usize].note(new);
        found
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn stamp() -> impl Strategy<Value = (u32, u32, u32)> {
        (0..4_u32, 0..3_u32, 0..2_u32)
    }

    proptest! {
        /// Against all earlier accesses, which are kept.
        #[test]
        fn three_accesses_a_kind_are_enough(
            all in prop::collection::vec((stamp(), 0..3_usize), 1..40),
        ) {
            let kinds = [Kind::Read, Kind::Write, Kind::Atomic];
            let mut races = Races::default();
            let mut kept: Vec<(Stamp, Kind)> = Vec::new();
            let mut epochs = [0; 4];
            for (pc, ((local, group, step), kind)) in (0..).zip(all) {
                epochs[group as usize] += step;
                let epoch = epochs[group as usize];
                let new = Stamp { invocation: group * 4 + local, group, epoch, pc };
                let kind = kinds[kind];
                let conflicts = |other: Kind| {
                    kind == Kind::Write || other == Kind::Write
                        || (kind == Kind::Atomic) != (other == Kind::Atomic)
                };
                let is_race = |(earlier, other)| conflicts(other) && !new.is_behind(earlier);
                let naive = kept.iter().any(|&access| is_race(access));
                prop_assert_eq!(races.access(7, kind, new).is_some(), naive);
                kept.push((new, kind));
            }
        }
    }
}
