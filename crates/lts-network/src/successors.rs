//! The transitions of a state of a network.

use crate::encode::Run;
use crate::network::Network;
use explore::{Choices, InitialStates, System};
use std::collections::HashSet;
use std::convert::Infallible;

/// Up to this number of transitions with one label, comparing them with each other is faster than
/// using a set.
const FEW: usize = 16;

/// The number of transitions between two checks of whether more are needed.
const TRANSITIONS_PER_LOOK: u32 = 1 << 12;

/// The memory that a thread needs to compute transitions.
#[derive(Debug, Default)]
pub struct Scratch {
    /// The states of the processes.
    local: Vec<u32>,
    /// The participants of a rule, each with its targets and the index of the current one.
    parts: Vec<(usize, Run, usize)>,
    /// The target of a transition.
    target: Vec<u64>,
    seen: Seen,
    until_look: u32,
}

/// The transitions of a state that were already reported and may occur again, each with a label and
/// a target.
#[derive(Debug, Default)]
struct Seen {
    told: Vec<u64>,
    count: usize,
    many: HashSet<Box<[u64]>>,
}

impl Seen {
    fn clear(&mut self) {
        self.told.clear();
        self.many.clear();
        self.count = 0;
    }

    /// Adds a transition. Returns whether it is new.
    fn insert(&mut self, label: u32, target: &[u64]) -> bool {
        let width = target.len() + 1;
        if self.count <= FEW {
            let is_same = |told: &[u64]| told[0] == u64::from(label) && told[1..] == *target;
            if self.told.chunks_exact(width).any(is_same) {
                return false;
            }
            self.told.push(label.into());
            self.told.extend_from_slice(target);
            self.count += 1;
            if self.count > FEW {
                self.many
                    .extend(self.told.chunks_exact(width).map(Box::from));
            }
            return true;
        }
        let transition = [&[u64::from(label)], target].concat();
        self.many.insert(transition.into_boxed_slice())
    }
}

/// Receives the transitions of a state.
pub trait Visitor {
    /// Receives a transition with a label of the network, and with a packed state as its target.
    fn transition(&mut self, label: u32, target: &[u64]);

    /// Returns whether no more transitions are needed. Called every few thousand transitions.
    fn is_over(&mut self) -> bool;
}

impl Visitor for Choices<'_> {
    #[inline]
    fn transition(&mut self, label: u32, target: &[u64]) {
        self.begin(label + 1);
        self.branch(target, 1.0);
    }

    fn is_over(&mut self) -> bool {
        Choices::is_over(self)
    }
}

impl System for Network {
    type Scratch = Scratch;
    type Error = Infallible;

    fn words(&self) -> usize {
        self.num_words().div_ceil(2)
    }

    fn scratch(&self) -> Scratch {
        Scratch::default()
    }

    fn initial_states(
        &self,
        _: &mut Scratch,
        initial: &mut InitialStates<'_, '_>,
    ) -> Result<(), Infallible> {
        initial.add(self.initial_state());
        Ok(())
    }

    fn successors(
        &self,
        scratch: &mut Scratch,
        state: &[u64],
        choices: &mut Choices<'_>,
    ) -> Result<(), Infallible> {
        self.visit_transitions(scratch, state, choices);
        Ok(())
    }
}

impl Network {
    /// Calls a visitor with the transitions of a packed state, in order and without duplicates.
    pub fn visit_transitions(
        &self,
        scratch: &mut Scratch,
        state: &[u64],
        visitor: &mut impl Visitor,
    ) {
        scratch.local.clear();
        scratch
            .local
            .extend(self.fields.iter().map(|field| field.get(state)));
        scratch.seen.clear();
        scratch.until_look = TRANSITIONS_PER_LOOK;
        for (process, rows) in self.tables.rows.iter().enumerate() {
            let local = scratch.local[process];
            for independent in rows.independent(local) {
                scratch.target.clear();
                scratch.target.extend_from_slice(state);
                self.fields[process].set(&mut scratch.target, independent.target);
                self.tell(independent.label, scratch, visitor);
            }
            for dependent in rows.dependent(local) {
                for rule in dependent.rules.range() {
                    if self.take_part(rule, dependent.sync, scratch) {
                        let is_over = self.synchronise(rule, state, scratch, visitor);
                        if is_over {
                            return;
                        }
                    }
                }
            }
        }
    }

    /// Returns whether a packed state has no transition.
    #[must_use]
    pub fn is_deadlock(&self, scratch: &mut Scratch, state: &[u64]) -> bool {
        scratch.local.clear();
        scratch
            .local
            .extend(self.fields.iter().map(|field| field.get(state)));
        self.tables.rows.iter().enumerate().all(|(process, rows)| {
            let local = scratch.local[process];
            let mut dependent = rows.dependent(local).iter();
            rows.independent(local).is_empty()
                && !dependent.any(|dependent| {
                    let mut rules = dependent.rules.range();
                    rules.any(|rule| self.take_part(rule, dependent.sync, scratch))
                })
        })
    }

    /// Collects the transitions of the participants of a rule. Returns whether each has at least
    /// one.
    #[inline]
    fn take_part(&self, rule: usize, sync: u32, scratch: &mut Scratch) -> bool {
        scratch.parts.clear();
        for process in self.tables.rules.participants(rule) {
            let row = self.tables.rows[process].dependent(scratch.local[process]);
            let Ok(place) = row.binary_search_by_key(&sync, |dependent| dependent.sync) else {
                return false;
            };
            scratch.parts.push((process, row[place].targets, 0));
        }
        true
    }

    /// Reports the transitions of a rule: one for each combination of targets of the participants.
    /// Returns whether no more transitions are needed.
    fn synchronise(
        &self,
        rule: usize,
        state: &[u64],
        scratch: &mut Scratch,
        visitor: &mut impl Visitor,
    ) -> bool {
        let label = self.tables.rules.label(rule);
        scratch.target.clear();
        scratch.target.extend_from_slice(state);
        for &(process, run, _) in &scratch.parts {
            let first = self.tables.rows[process].targets(run)[0];
            self.fields[process].set(&mut scratch.target, first);
        }
        loop {
            self.tell(label, scratch, visitor);
            scratch.until_look -= 1;
            if scratch.until_look == 0 {
                scratch.until_look = TRANSITIONS_PER_LOOK;
                if visitor.is_over() {
                    return true;
                }
            }
            if !self.advance(scratch) {
                return false;
            }
        }
    }

    /// Advances to the next combination of targets, like an odometer. Returns whether there is one.
    #[inline]
    fn advance(&self, scratch: &mut Scratch) -> bool {
        for (process, run, next) in scratch.parts.iter_mut().rev() {
            let targets = self.tables.rows[*process].targets(*run);
            *next = (*next + 1) % targets.len();
            self.fields[*process].set(&mut scratch.target, targets[*next]);
            if *next > 0 {
                return true;
            }
        }
        false
    }

    /// Reports the transition to the current target, unless it was reported before.
    #[inline]
    fn tell(&self, label: u32, scratch: &mut Scratch, visitor: &mut impl Visitor) {
        let may_repeat = self.tables.may_repeat[label as usize];
        if may_repeat && !scratch.seen.insert(label, &scratch.target) {
            return;
        }
        visitor.transition(label, &scratch.target);
    }
}
