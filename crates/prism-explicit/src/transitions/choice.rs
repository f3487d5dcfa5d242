//! Collects the lines of one choice, and checks them together: no target occurs twice, there is at
//! least one branch, and the values have the right sum. This module does not see the text; the
//! chunk reader finds the lines that are wrong.

use crate::error::ErrorKind;
use model_type::SUM_TOLERANCE;

/// A choice of a state: a distribution (DTMC, MDP), bounds of a distribution (IDTMC, IMDP), rates
/// (CTMC) or one transition (LTS).
///
/// Branches with value 0 have been dropped, and at least one branch is left. No target occurs
/// twice, except in a Markov chain whose lines have different actions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Choice<'a> {
    /// The state of the choice.
    pub state: u32,
    /// The index of the choice among those of its state, from 0; always 0 in a Markov chain.
    pub index: u32,
    /// The action of the choice, in an MDP or LTS.
    pub action: Option<&'a str>,
    /// The target of each branch, in the order of the file.
    pub targets: &'a [u32],
    /// The probability or rate of each branch, above 0. In an LTS, it is 1; in an interval model,
    /// it is the upper bound of the probability.
    pub values: &'a [f64],
    /// The lower bound of each branch, in an interval model; otherwise empty.
    pub lower: &'a [f64],
    /// The action of each branch, in a Markov chain; empty if no branch has one.
    pub branch_actions: &'a [Option<&'a str>],
}

/// The rule for the sum of the values of a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SumRule {
    /// The values must sum to 1.
    Require,
    /// The values are intervals, which must contain numbers that sum to 1.
    Enclose,
    /// The values need not sum to 1, but if those of some state do not, the model is a CTMC.
    Note,
    /// The values need not sum to 1.
    Ignore,
}

/// The choice whose lines are being read.
#[derive(Default)]
pub(super) struct OpenChoice<'i> {
    /// The state and the index of the choice; see [`key`].
    pub(super) key: u64,
    /// The position at which its first line starts.
    pub(super) start: usize,
    pub(super) action: Option<&'i [u8]>,
    /// The targets of all its lines, including those with value 0.
    pub(super) targets: Vec<u32>,
    pub(super) values: Vec<f64>,
    /// As in [`Choice::lower`], for all its lines.
    pub(super) lower: Vec<f64>,
    /// As in [`Choice::branch_actions`], for all its lines.
    pub(super) branch_actions: Vec<Option<&'i str>>,
    sum: f64,
    lower_sum: f64,
    has_zero: bool,
    unsorted: bool,
    /// The targets of the branches that were dropped.
    pub(super) dropped: Vec<u32>,
    scratch: Vec<(u32, Option<&'i str>)>,
}

/// Returns the state and the index of a choice as one number, which increases through a file.
#[inline(always)]
pub(super) fn key(state: u32, index: u32) -> u64 {
    u64::from(state) << 32 | u64::from(index)
}

pub(super) fn state_of(key: u64) -> u32 {
    (key >> 32) as u32
}

pub(super) fn index_of(key: u64) -> u32 {
    key as u32
}

/// Returns the text of an action, which is ASCII.
fn as_text(action: &[u8]) -> Option<&str> {
    std::str::from_utf8(action).ok()
}

impl<'i> OpenChoice<'i> {
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// Starts a choice without branches.
    #[inline(always)]
    pub(super) fn begin(&mut self, key: u64, start: usize, action: Option<&'i [u8]>) {
        self.key = key;
        self.start = start;
        self.action = action;
        self.clear();
    }

    #[inline(always)]
    pub(super) fn clear(&mut self) {
        self.targets.clear();
        self.values.clear();
        self.lower.clear();
        self.branch_actions.clear();
        self.sum = 0.0;
        self.lower_sum = 0.0;
        self.has_zero = false;
        self.unsorted = false;
    }

    #[inline(always)]
    pub(super) fn push(&mut self, target: u32, value: f64) {
        self.unsorted |= self.targets.last().is_some_and(|&last| last >= target);
        self.has_zero |= value == 0.0;
        self.sum += value;
        self.targets.push(target);
        self.values.push(value);
    }

    /// Records the lower bound of the branch that was added last, for interval models.
    pub(super) fn push_lower(&mut self, lower: f64) {
        self.lower_sum += lower;
        self.lower.push(lower);
    }

    /// Records the action of the branch that was added last, for Markov chains.
    pub(super) fn push_action(&mut self, action: Option<&'i [u8]>) {
        let action = action.and_then(as_text);
        if action.is_some() || !self.branch_actions.is_empty() {
            self.branch_actions.resize(self.targets.len() - 1, None);
            self.branch_actions.push(action);
        }
    }

    /// Returns whether two lines have the same target and, in a Markov chain, the same action.
    pub(super) fn has_duplicate(&mut self) -> bool {
        const SMALL: usize = 16;
        if !self.unsorted {
            return false;
        }
        if self.targets.len() <= SMALL && self.branch_actions.is_empty() {
            let seen = |k: usize| self.targets[..k].contains(&self.targets[k]);
            return (1..self.targets.len()).any(seen);
        }
        let actions = self
            .branch_actions
            .iter()
            .copied()
            .chain(std::iter::repeat(None));
        self.scratch.clear();
        self.scratch
            .extend(self.targets.iter().copied().zip(actions));
        self.scratch.sort_unstable();
        self.scratch.windows(2).any(|pair| pair[0] == pair[1])
    }

    /// Drops branches with value 0, which may be all of them. Returns the number of dropped
    /// branches.
    #[inline(always)]
    pub(super) fn drop_zeros(&mut self) -> usize {
        if self.has_zero {
            self.drop_some_zeros()
        } else {
            0
        }
    }

    #[inline(never)]
    fn drop_some_zeros(&mut self) -> usize {
        let all = self.targets.len();
        let mut kept = 0;
        self.dropped.clear();
        for branch in 0..all {
            if self.values[branch] != 0.0 {
                self.targets[kept] = self.targets[branch];
                self.values[kept] = self.values[branch];
                if let Some(&lower) = self.lower.get(branch) {
                    self.lower[kept] = lower;
                }
                if let Some(&action) = self.branch_actions.get(branch) {
                    self.branch_actions[kept] = action;
                }
                kept += 1;
            } else {
                self.dropped.push(self.targets[branch]);
            }
        }
        self.targets.truncate(kept);
        self.values.truncate(kept);
        self.lower.truncate(kept);
        self.branch_actions.truncate(kept);
        all - kept
    }

    pub(super) fn all_zero(&self) -> ErrorKind {
        let (state, choice) = (state_of(self.key), index_of(self.key));
        ErrorKind::AllZero { state, choice }
    }

    /// Returns whether the sum of the values follows the rule.
    #[inline(always)]
    pub(super) fn fits(&self, sums: SumRule) -> bool {
        match sums {
            SumRule::Ignore => true,
            SumRule::Require | SumRule::Note => (self.sum - 1.0).abs() <= SUM_TOLERANCE,
            SumRule::Enclose => {
                self.lower_sum <= 1.0 + SUM_TOLERANCE && self.sum >= 1.0 - SUM_TOLERANCE
            }
        }
    }

    pub(super) fn bad_sum(&self, sums: SumRule) -> ErrorKind {
        let (state, choice) = (state_of(self.key), index_of(self.key));
        if sums == SumRule::Enclose {
            return ErrorKind::BadIntervals {
                state,
                choice,
                low: self.lower_sum,
                high: self.sum,
            };
        }
        ErrorKind::BadSum {
            state,
            choice,
            sum: self.sum,
        }
    }

    #[inline(always)]
    pub(super) fn as_choice(&self) -> Choice<'_> {
        Choice {
            state: state_of(self.key),
            index: index_of(self.key),
            action: self.action.and_then(as_text),
            targets: &self.targets,
            values: &self.values,
            lower: &self.lower,
            branch_actions: &self.branch_actions,
        }
    }
}
