//! [`Counts`]: numbers of states, choices and branches.

use std::ops::Add;

/// The number of states, of choices and of branches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) states: u64,
    pub(crate) choices: u64,
    pub(crate) branches: u64,
}

impl Add for Counts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            states: self.states + other.states,
            choices: self.choices + other.choices,
            branches: self.branches + other.branches,
        }
    }
}
