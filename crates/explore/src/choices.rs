//! The choices of a run of states, as a system tells them, with targets sent to shards.
//!
//! Knows nothing of the numbers of states: targets are packed.

use crate::states::hash;

/// Choices wider than this are searched for equal targets by sorting.
const WIDE: usize = 16;

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
    /// The targets of the open choice, and their probabilities.
    open_targets: Vec<u64>,
    open_probabilities: Vec<f64>,

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
            open_targets: Vec::new(),
            open_probabilities: Vec::new(),
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
        if self.words == 1 {
            self.open_targets.push(target[0]);
        } else {
            self.open_targets.extend_from_slice(target);
        }
        self.open_probabilities.push(probability);
    }

    /// Ends the open choice, if there is one.
    #[inline]
    pub(crate) fn end(&mut self) {
        if std::mem::take(&mut self.is_open) {
            match self.open_probabilities.len() {
                0 => self.has_empty_choice = true,
                1 => {}
                2..=WIDE => self.merge_few(),
                _ => self.merge_many(),
            }
            self.keep_open();
        }
    }

    /// Empties the run, and allows it so many branches.
    pub(crate) fn clear(&mut self, max_branches: usize) {
        self.max_branches = max_branches;
        self.is_open = false;
        self.open_targets.clear();
        self.open_probabilities.clear();
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
    pub(crate) fn has_overflowed(&self) -> bool {
        self.num_branches() > self.max_branches
    }

    /// The memory held, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let words: usize = self.targets.iter().map(Vec::capacity).sum();
        (words + self.open_targets.capacity()) * 8
            + (self.probabilities.capacity() + self.open_probabilities.capacity()) * 8
            + (self.branch_ends.capacity() + self.actions.capacity()) * 4
            + self.shards.capacity()
    }

    /// Files the targets of the open choice, which are different from each other, and empties it.
    fn keep_open(&mut self) {
        if !self.has_overflowed() {
            for target in self.open_targets.chunks_exact(self.words) {
                let shard = (hash(target) >> self.shift) as u8;
                self.shards.push(shard);
                let targets = &mut self.targets[usize::from(shard)];
                if let &[word] = target {
                    targets.push(word);
                } else {
                    targets.extend_from_slice(target);
                }
            }
            if self.keep_probabilities {
                self.probabilities
                    .extend_from_slice(&self.open_probabilities);
            }
            // Runs are limited to far fewer than 2^32 branches.
            self.branch_ends.push(self.shards.len() as u32);
        }
        self.open_targets.clear();
        self.open_probabilities.clear();
    }

    /// Merges equal targets of the open choice by comparing each with those before it.
    fn merge_few(&mut self) {
        let words = self.words;
        let mut kept = 1;
        for i in 1..self.open_probabilities.len() {
            let (before, rest) = self.open_targets.split_at(i * words);
            let target = &rest[..words];
            let earlier = before[..kept * words].chunks_exact(words);
            match earlier.into_iter().position(|other| other == target) {
                Some(first) => self.open_probabilities[first] += self.open_probabilities[i],
                None => {
                    self.move_open(i, kept);
                    kept += 1;
                }
            }
        }
        self.truncate_open(kept);
    }

    /// Merges equal targets of the open choice by sorting them.
    fn merge_many(&mut self) {
        let count = self.open_probabilities.len();
        let target = |i: usize| &self.open_targets[i * self.words..][..self.words];
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_unstable_by(|&a, &b| target(a).cmp(target(b)).then(a.cmp(&b)));
        // For each branch the first one with the same target.
        let mut first: Vec<usize> = (0..count).collect();
        for pair in order.windows(2) {
            if target(pair[0]) == target(pair[1]) {
                first[pair[1]] = first[pair[0]];
            }
        }
        for (i, &first) in first.iter().enumerate().filter(|&(i, &first)| first < i) {
            self.open_probabilities[first] += self.open_probabilities[i];
        }
        let mut kept = 0;
        for (i, _) in first.iter().enumerate().filter(|&(i, &first)| first == i) {
            self.move_open(i, kept);
            kept += 1;
        }
        self.truncate_open(kept);
    }

    /// Moves a branch of the open choice to an earlier place.
    fn move_open(&mut self, from: usize, to: usize) {
        let words = self.words;
        self.open_targets
            .copy_within(from * words..(from + 1) * words, to * words);
        self.open_probabilities[to] = self.open_probabilities[from];
    }

    /// Drops all branches of the open choice but the first ones.
    fn truncate_open(&mut self, kept: usize) {
        self.open_targets.truncate(kept * self.words);
        self.open_probabilities.truncate(kept);
    }
}

#[cfg(test)]
mod tests;
