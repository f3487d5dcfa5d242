//! Searches with a goal ([`explore::Goal`]): the device stops now and then, and the host looks at
//! what it has found.

use crate::rows::HostRows;
use explore::{Goal, News, Progress};

/// What the host has looked at.
pub(crate) struct Looks<'a> {
    goal: &'a dyn Goal,
    /// The words of a state of the device.
    words: usize,
    /// The states that are known, packed, if the goal looks at them.
    pub(crate) states: Vec<u64>,
    known: u32,
    expanded: u32,
    choices: usize,
    /// Where the batch begins that was shortened last, and to how many states.
    pub(crate) tried: Option<(u64, u64)>,
}

impl<'a> Looks<'a> {
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

    /// Whether it looks at states.
    pub(crate) fn needs_states(&self) -> bool {
        self.goal.needs_states()
    }

    /// Looks at what is new. Whether the goal is met. The host has the rows of all states that were
    /// expanded.
    pub(crate) fn is_met(&mut self, reached: &Progress, rows: &HostRows, deadlocks: u64) -> bool {
        let (known, expanded) = (reached.states as u32, reached.expanded as u32);
        let actions = rows.actions().map(|all| vec![&all[self.choices..]]);
        let is_met = self.goal.is_met(&News {
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

    /// What the states take, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        8 * self.states.len() as u64
    }

    /// How many rows may wait until the next look.
    pub(crate) fn rows(&self, least: u32) -> u32 {
        least.max(self.expanded / 4)
    }
}
