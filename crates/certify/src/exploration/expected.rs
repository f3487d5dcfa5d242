//! The packed states to which the next branches should lead.

use super::claim::ClaimedExploration;
use std::ops::Range;

/// The number of branches for which packed states are copied together.
const WINDOW: usize = 512;

/// The packed states to which the next branches should lead, according to the claim. They are
/// copied many at a time, because then the processor waits for many of them at the same time.
#[derive(Debug, Default)]
pub(super) struct Expected {
    /// The branches whose targets are in `keys`.
    window: Range<usize>,
    /// No branch from here on is needed.
    end: usize,
    keys: Vec<u64>,
}

impl Expected {
    /// Begins with the first of these branches, all of which are needed.
    pub(super) fn begin(&mut self, branches: Range<usize>) {
        self.window = branches.start..branches.start;
        self.end = branches.end;
    }

    /// Returns whether the branch, which was not asked about before, leads to the packed state
    /// `key`.
    #[inline]
    pub(super) fn leads_to(
        &mut self,
        claim: &ClaimedExploration<'_>,
        branch: usize,
        key: &[u64],
    ) -> bool {
        if !self.window.contains(&branch) {
            self.copy(claim, branch);
        }
        let place = (branch - self.window.start) * claim.words;
        match (claim.words, key) {
            // Most states have one word. Comparing slices of any length takes much longer.
            (1, &[word]) => self.keys[place] == word,
            (words, _) => self.keys[place..][..words] == *key,
        }
    }

    /// Copies the targets of the branches from `first` on.
    fn copy(&mut self, claim: &ClaimedExploration<'_>, first: usize) {
        self.window = first..self.end.min(first + WINDOW);
        let targets = &claim.graph.all_targets()[self.window.clone()];
        self.keys.clear();
        match claim.words {
            1 => {
                let keys = targets.iter().map(|target| claim.states[target.index()]);
                self.keys.extend(keys);
            }
            _ => {
                for &target in targets {
                    self.keys.extend_from_slice(claim.key(target));
                }
            }
        }
    }
}
