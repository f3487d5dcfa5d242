//! Searches with a goal ([`explore::Goal`]): the device stops from time to time, and the host
//! examines the states found since the last time.

use crate::rows::HostRows;
use explore::{Discoveries, Goal, Progress};

/// The part of the search that the host has examined.
pub(crate) struct Examined<'a> {
    goal: &'a dyn Goal,
    /// The number of words of a state on the device.
    words: usize,
    /// The known states, packed, if the goal examines states.
    pub(crate) states: Vec<u64>,
    known: u32,
    expanded: u32,
    choices: usize,
    /// The first state of the batch that was shortened last, and the number of its states after
    /// that.
    pub(crate) tried: Option<(u64, u64)>,
}

impl<'a> Examined<'a> {
    pub(crate) fn new(goal: &'a dyn Goal, words: u32) -> Self {
        Self {
            goal,
            words: words as usize,
            states: Vec::new(),
            known: 0,
            expanded: 0,
            choices: 0,
            tried: None,
        }
    }

    /// Returns whether the goal examines states.
    pub(crate) fn needs_states(&self) -> bool {
        self.goal.needs_states()
    }

    /// Examines the new states and rows. Returns whether the goal is met. The host must have the
    /// rows of all expanded states.
    pub(crate) fn is_met(&mut self, reached: &Progress, rows: &HostRows, deadlocks: u64) -> bool {
        let (known, expanded) = (reached.states as u32, reached.expanded as u32);
        let actions = rows.actions().map(|all| vec![&all[self.choices..]]);
        let is_met = self.goal.is_met(&Discoveries {
            words: self.words.div_ceil(2),
            states: &self.states,
            fresh: self.known..known,
            expanded: self.expanded..expanded,
            actions,
            has_deadlock: deadlocks > 0,
        });
        (self.known, self.expanded) = (known, expanded);
        self.choices = rows.actions().map_or(0, <[u32]>::len);
        is_met
    }

    /// Returns the memory of the states, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        8 * self.states.len() as u64
    }

    /// Returns the number of rows that may wait on the device until the host examines them.
    pub(crate) fn rows(&self, least: u32) -> u32 {
        least.max(self.expanded / 4)
    }
}
