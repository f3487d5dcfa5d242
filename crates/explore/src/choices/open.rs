//! The choice that has begun and not ended, and the look-up of its branches by their targets.

use crate::states::fingerprint;

/// The branches of a choice wider than this are found by a table.
const WIDE: usize = 16;

/// A place without a branch in the table of a wide choice.
const NONE: u32 = u32::MAX;

/// The choice that has begun and not ended, if there is one.
#[derive(Debug, Default)]
pub(super) struct OpenChoice {
    /// Whether a choice has begun and not ended.
    pub(super) is_open: bool,
    /// The action of the choice that began last.
    pub(super) action: u32,
    /// The number of branches before the choice.
    pub(super) first: usize,
    /// If the choice is wide: a hash table of its branches, with linear probing. `num_wide` is the
    /// number of branches in the table.
    wide: Vec<u32>,
    num_wide: usize,
}

impl OpenChoice {
    pub(super) fn begin(&mut self, action: u32) {
        self.is_open = true;
        self.action = action;
    }

    /// Ends the choice. There are `num_branches` branches up to its end. Returns whether there was
    /// an open choice.
    #[inline]
    pub(super) fn end(&mut self, num_branches: usize) -> bool {
        let was_open = std::mem::take(&mut self.is_open);
        if was_open {
            self.first = num_branches;
            self.num_wide = 0;
        }
        was_open
    }

    /// Forgets the choice, because all branches are forgotten.
    pub(super) fn clear(&mut self) {
        self.is_open = false;
        self.first = 0;
        self.num_wide = 0;
    }

    /// Returns whether there is a table.
    pub(super) fn is_wide(&self) -> bool {
        self.num_wide > 0
    }

    /// Returns the memory held, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.wide.capacity() * 4
    }

    /// Returns the branch of the choice with this target, if there is one. `targets` are those of
    /// all branches, including those before the choice.
    #[inline]
    pub(super) fn find(&mut self, targets: &[u64], target: &[u64]) -> Option<usize> {
        let words = target.len();
        let open = &targets[self.first * words..];
        let branch = if open.len() > WIDE * words {
            self.find_wide(open, target)
        } else if let [word] = target {
            open.iter().position(|other| other == word)
        } else {
            open.chunks_exact(words).position(|other| other == target)
        };
        branch.map(|branch| self.first + branch)
    }

    /// Returns the branch of the choice with this target, counted from the first branch of the
    /// choice, whose targets are `open`.
    fn find_wide(&mut self, open: &[u64], target: &[u64]) -> Option<usize> {
        let words = target.len();
        self.complete_wide(open, words);
        let branches = probe(&self.wide, target).map(|place| self.wide[place]);
        let mut branches = branches.take_while(|&branch| branch != NONE);
        let is = |&branch: &u32| open[branch as usize * words..][..words] == *target;
        branches.find(is).map(|branch| branch as usize)
    }

    /// Adds the branches of the choice that the table does not have yet.
    fn complete_wide(&mut self, open: &[u64], words: usize) {
        let count = open.len() / words;
        if self.num_wide == 0 || self.wide.len() < 2 * count {
            self.num_wide = 0;
            self.wide.clear();
            self.wide.resize((4 * count).next_power_of_two(), NONE);
        }
        let targets = open.chunks_exact(words).enumerate();
        for (branch, target) in targets.skip(self.num_wide) {
            let mut places = probe(&self.wide, target);
            // The table is at most half full.
            if let Some(place) = places.find(|&place| self.wide[place] == NONE) {
                self.wide[place] = branch as u32;
            }
        }
        self.num_wide = count;
    }
}

/// Returns the places of a table, whose size is a power of 2, in the order in which they are tried
/// for a target.
fn probe(table: &[u32], target: &[u64]) -> impl Iterator<Item = usize> + use<> {
    let mask = table.len() - 1;
    let home = fingerprint(target) as usize;
    (0..=mask).map(move |step| (home + step) & mask)
}
