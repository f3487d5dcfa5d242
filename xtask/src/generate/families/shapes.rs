//! Models that consist of a single structure.

use super::model::{Branch, Model};

/// Passes on one choice without a name that leads to `target`.
pub(super) fn step(target: u32, choice: &mut dyn FnMut(Option<&str>, &[Branch])) {
    choice(None, &[(target, 1.0)]);
}

/// s → s + 1; the last state stays.
pub(super) struct Chain {
    pub(super) size: u32,
}

impl Model for Chain {
    fn num_states(&self) -> u32 {
        self.size
    }

    fn choices(&self, state: u32, choice: &mut dyn FnMut(Option<&str>, &[Branch])) {
        step((state + 1).min(self.size - 1), choice);
    }
}

/// One cycle through all states.
pub(super) struct Cycle {
    pub(super) size: u32,
}

impl Model for Cycle {
    fn num_states(&self) -> u32 {
        self.size
    }

    fn choices(&self, state: u32, choice: &mut dyn FnMut(Option<&str>, &[Branch])) {
        step((state + 1) % self.size, choice);
    }
}

/// A gambler who cannot stop: up or down with equal chances, and out at the top. All states but the
/// last form one SCC. The removal of choices starts at the top and proceeds one state at a time to
/// the bottom.
pub(super) struct Drift {
    pub(super) size: u32,
}

impl Model for Drift {
    fn num_states(&self) -> u32 {
        self.size
    }

    fn choices(&self, state: u32, choice: &mut dyn FnMut(Option<&str>, &[Branch])) {
        let top = self.size - 1;
        match state {
            _ if state == top => step(top, choice),
            0 => step(1, choice),
            _ => choice(None, &[(state - 1, 0.5), (state + 1, 0.5)]),
        }
    }
}

/// Rung s can be climbed safely, but the way down from s is a gamble that may lead up instead; the
/// top has no way down. Once the top is known to be a separate component, the gamble of the rung
/// below is removed, so this rung is cut off as well: one state a round.
pub(super) struct Ladder {
    pub(super) size: u32,
}

impl Model for Ladder {
    fn num_states(&self) -> u32 {
        self.size + 1
    }

    fn choices(&self, state: u32, choice: &mut dyn FnMut(Option<&str>, &[Branch])) {
        if state == self.size {
            return step(state, choice);
        }
        choice(Some("climb"), &[(state + 1, 1.0)]);
        if state > 0 {
            choice(Some("gamble"), &[(state - 1, 0.5), (state + 1, 0.5)]);
        }
        choice(Some("stay"), &[(state, 1.0)]);
    }
}

/// The worst case of the search for MECs on the CPU, which looks at all that is left for each of
/// `size` steps:
///
/// - state 0, the ground, which stays;
/// - `size` landings, which lead to the cycle;
/// - `size` steps, each of which may stay, or take a gamble: to a landing of its own, or one step
///   down;
/// - a cycle of eight states a step, one of which may also go to the top of the steps.
///
/// A search goes down from the top. It has been to all landings when it finds that the lowest
/// gamble leads to the ground, which is done with: that landing was reached by a choice that it
/// cannot judge.
pub(super) struct Stairs {
    pub(super) size: u32,
}

impl Model for Stairs {
    fn num_states(&self) -> u32 {
        10 * self.size + 1
    }

    fn choices(&self, state: u32, choice: &mut dyn FnMut(Option<&str>, &[Branch])) {
        let top = 2 * self.size;
        let cycle = top + 1;
        match state {
            0 => step(0, choice),
            _ if state <= self.size => step(cycle, choice),
            _ if state <= top => {
                let landing = state - self.size;
                let below = if landing == 1 { 0 } else { state - 1 };
                choice(Some("stay"), &[(state, 1.0)]);
                choice(Some("gamble"), &[(landing, 0.5), (below, 0.5)]);
            }
            _ => {
                let is_last = state + 1 == self.num_states();
                step(if is_last { cycle } else { state + 1 }, choice);
                if state == cycle {
                    step(top, choice);
                }
            }
        }
    }
}

/// Cycles of two states 2i ↔ 2i + 1; the second state of each may also go on to the next cycle.
pub(super) struct TwoCycles {
    pub(super) size: u32,
}

impl Model for TwoCycles {
    fn num_states(&self) -> u32 {
        2 * self.size
    }

    fn choices(&self, state: u32, choice: &mut dyn FnMut(Option<&str>, &[Branch])) {
        step(state ^ 1, choice);
        if state % 2 == 1 && state + 1 < self.num_states() {
            step(state + 1, choice);
        }
    }
}

/// State 0 has `size` choices, each to a state of its own; those with odd numbers come back, the
/// others stay where they are.
pub(super) struct Fan {
    pub(super) size: u32,
}

impl Model for Fan {
    fn num_states(&self) -> u32 {
        self.size + 1
    }

    fn choices(&self, state: u32, choice: &mut dyn FnMut(Option<&str>, &[Branch])) {
        match state {
            0 => (1..=self.size).for_each(|target| step(target, choice)),
            odd if odd % 2 == 1 => step(0, choice),
            even => step(even, choice),
        }
    }
}

/// State 0 has one choice among `size` states, which return. A tenth as many states stay. They come
/// last: a search that starts there has closed them when it comes to the choice.
pub(super) struct Lottery {
    pub(super) size: u32,
}

impl Model for Lottery {
    fn num_states(&self) -> u32 {
        1 + self.size + self.size / 10
    }

    fn choices(&self, state: u32, choice: &mut dyn FnMut(Option<&str>, &[Branch])) {
        if state > 0 {
            return step(if state <= self.size { 0 } else { state }, choice);
        }
        let probability = 1.0 / f64::from(self.size);
        let branches: Vec<Branch> = (1..=self.size)
            .map(|target| (target, probability))
            .collect();
        choice(None, &branches);
    }
}
