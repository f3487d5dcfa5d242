//! The choices of a run of states, as a system tells them, with targets sent to shards.
//!
//! Knows nothing of the numbers of states: targets are packed.

use crate::states::hash;

/// The branches of a choice wider than this are found by a table.
const WIDE: usize = 16;

/// A place without a branch in the table of a wide choice.
const NONE: u32 = u32::MAX;

/// Receives the choices of a state, one after another, each with its branches.
///
/// Branches of one choice with the same target become one, in the place of the first; their
/// probabilities are added. Branches with probability 0 are dropped and counted.
#[derive(Debug)]
pub struct Choices {
    words: usize,
    /// How far a hash is shifted to become the number of a shard.
    shift: u32,
    keep_actions: bool,
    keep_probabilities: bool,
    /// More branches than this are not kept: the run has overflowed.
    max_branches: usize,

    /// Whether a choice has begun and not ended.
    is_open: bool,
    /// The branches of the open choice; they are the last ones of all.
    open: Vec<Filed>,
    /// If the open choice is wide: its branches by hash, with linear probing; so many are in it.
    wide: Vec<u32>,
    num_wide: usize,

    /// For each choice that has ended, the number of branches up to its end.
    pub(crate) branch_ends: Vec<u32>,
    /// The action of each choice, that of the open one included, if they are kept.
    pub(crate) actions: Vec<u32>,
    /// The shard of each branch.
    pub(crate) shards: Vec<u8>,
    /// The targets by shard, in the order of branches.
    pub(crate) targets: Vec<Vec<u64>>,
    /// The probability of each branch, if they are kept.
    pub(crate) probabilities: Vec<f64>,
    /// The number of branches dropped.
    pub(crate) dropped: u64,
    /// Whether some choice had no branch left.
    pub(crate) has_empty_choice: bool,
}

/// Where a branch has been filed.
#[derive(Clone, Copy, Debug)]
struct Filed {
    /// The hash of its target, which begins with the number of its shard.
    hash: u64,
    /// Where in the shard the target begins.
    at: usize,
}

impl Choices {
    /// For packed states of `words` words and `shards` shards, a power of 2 from 2 to 256.
    pub(crate) fn new(
        words: usize,
        shards: usize,
        keep_actions: bool,
        keep_probabilities: bool,
    ) -> Self {
        debug_assert!(shards.is_power_of_two() && (2..=256).contains(&shards));
        Self {
            words,
            shift: u64::BITS - shards.trailing_zeros(),
            keep_actions,
            keep_probabilities,
            max_branches: usize::MAX,
            is_open: false,
            open: Vec::new(),
            wide: Vec::new(),
            num_wide: 0,
            branch_ends: Vec::new(),
            actions: Vec::new(),
            shards: Vec::new(),
            targets: vec![Vec::new(); shards],
            probabilities: Vec::new(),
            dropped: 0,
            has_empty_choice: false,
        }
    }

    /// Begins the next choice of the state; `action` is the system's number for its action,
    /// [`NO_ACTION`](crate::NO_ACTION) if it has none.
    #[inline]
    pub fn begin(&mut self, action: u32) {
        self.end();
        self.is_open = true;
        if self.keep_actions {
            self.actions.push(action);
        }
    }

    /// Adds a branch to the choice that was begun last: with `probability` (of a Markov chain in
    /// continuous time: at this rate), which is finite and not negative, the system moves to the packed
    /// state `target`.
    #[inline]
    pub fn branch(&mut self, target: &[u64], probability: f64) {
        debug_assert!(self.is_open, "a branch without a choice");
        debug_assert_eq!(target.len(), self.words);
        debug_assert!(probability.is_finite() && probability >= 0.0);
        if probability == 0.0 {
            self.dropped += 1;
            return;
        }
        if self.has_overflowed() {
            return;
        }
        let hash = hash(target);
        if !self.open.is_empty()
            && let Some(first) = self.find_open(hash, target)
        {
            if self.keep_probabilities {
                let branch = self.shards.len() - self.open.len() + first;
                self.probabilities[branch] += probability;
            }
            return;
        }
        let shard = hash >> self.shift;
        let targets = &mut self.targets[shard as usize];
        let at = targets.len();
        if let &[word] = target {
            targets.push(word);
        } else {
            targets.extend_from_slice(target);
        }
        self.open.push(Filed { hash, at });
        self.shards.push(shard as u8);
        if self.keep_probabilities {
            self.probabilities.push(probability);
        }
    }

    /// Ends the open choice, if there is one.
    #[inline]
    pub(crate) fn end(&mut self) {
        if std::mem::take(&mut self.is_open) {
            self.has_empty_choice |= self.open.is_empty();
            if !self.has_overflowed() {
                // Runs are limited to fewer than 2^32 branches.
                self.branch_ends.push(self.shards.len() as u32);
            }
            self.open.clear();
            self.num_wide = 0;
        }
    }

    /// Empties the run, and allows it so many branches.
    pub(crate) fn clear(&mut self, max_branches: usize) {
        self.max_branches = max_branches;
        self.is_open = false;
        self.open.clear();
        self.num_wide = 0;
        self.branch_ends.clear();
        self.actions.clear();
        self.shards.clear();
        self.targets.iter_mut().for_each(Vec::clear);
        self.probabilities.clear();
        self.dropped = 0;
        self.has_empty_choice = false;
    }

    /// The number of words of a packed state.
    pub(crate) fn words(&self) -> usize {
        self.words
    }

    /// The number of choices that have ended.
    pub(crate) fn num_choices(&self) -> usize {
        self.branch_ends.len()
    }

    /// The number of their branches.
    pub(crate) fn num_branches(&self) -> usize {
        self.shards.len()
    }

    /// Whether there were more branches than allowed; those beyond are not kept.
    #[inline]
    pub(crate) fn has_overflowed(&self) -> bool {
        self.num_branches() > self.max_branches
    }

    /// The memory held, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let words: usize = self.targets.iter().map(Vec::capacity).sum();
        (words + self.probabilities.capacity()) * 8
            + self.open.capacity() * size_of::<Filed>()
            + self.wide.capacity() * 4
            + (self.branch_ends.capacity() + self.actions.capacity()) * 4
            + self.shards.capacity()
    }

    /// Which branch of the open choice has this target.
    fn find_open(&mut self, hash: u64, target: &[u64]) -> Option<usize> {
        let is_wide = self.open.len() > WIDE;
        if is_wide {
            self.complete_wide();
        }
        let is = |filed: Filed| filed.hash == hash && self.target(filed) == target;
        if !is_wide {
            return self.open.iter().position(|&filed| is(filed));
        }
        let branches = probe(&self.wide, hash).map(|place| self.wide[place]);
        let mut branches = branches.take_while(|&branch| branch != NONE);
        let found = branches.find(|&branch| is(self.open[branch as usize]));
        found.map(|branch| branch as usize)
    }

    /// Puts those branches of the open choice into the table that are not yet there.
    fn complete_wide(&mut self) {
        let count = self.open.len();
        if self.num_wide == 0 || self.wide.len() < 2 * count {
            self.num_wide = 0;
            self.wide.clear();
            self.wide.resize((4 * count).next_power_of_two(), NONE);
        }
        for branch in self.num_wide..count {
            let mut places = probe(&self.wide, self.open[branch].hash);
            // The table is at most half full.
            if let Some(place) = places.find(|&place| self.wide[place] == NONE) {
                self.wide[place] = branch as u32;
            }
        }
        self.num_wide = count;
    }

    /// The target of a branch.
    fn target(&self, filed: Filed) -> &[u64] {
        let targets = &self.targets[(filed.hash >> self.shift) as usize];
        &targets[filed.at..][..self.words]
    }
}

/// The places of a table, whose size is a power of 2, in the order in which they are tried for a hash.
fn probe(table: &[u32], hash: u64) -> impl Iterator<Item = usize> + use<> {
    let mask = table.len() - 1;
    (0..=mask).map(move |step| (hash as usize).wrapping_add(step) & mask)
}

#[cfg(test)]
mod tests;
