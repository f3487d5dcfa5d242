//! Evaluates properties of a single state other than its successors: its labels, its observation,
//! and its rewards.

use crate::ast::Span;
use crate::average;
use crate::code::Failure;
use crate::composition::ActionId;
use crate::constants::Value;
use crate::error::{Error, ErrorKind, Fault};
use crate::observables::{Observable, Seen};
use crate::program::{Label, Program};
use crate::rewards::RewardStructure;
use crate::successors::{Scratch, Visitor};

/// The reason why a reward cannot be computed.
enum Stop {
    Failure(Failure),
    NotFinite(Span, f64),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl Program {
    /// Returns whether the state has the label, which must be one of [`labels`](Program::labels).
    ///
    /// # Errors
    ///
    /// If the expression of the label has no value in this state, for instance because of a
    /// division by zero.
    pub fn has_label(
        &self,
        label: &Label,
        scratch: &mut Scratch,
        state: &[u64],
    ) -> Result<bool, Error> {
        let space = &mut scratch.space;
        self.unpack(state, &mut space.values);
        space.unpacked = 0;
        let holds = self.code.run(label.code, &space.values, &mut space.stack);
        holds.map(|bits| bits != 0).map_err(|failure| {
            let note = format!("in state {}", self.show(state));
            self.locate(*self.failed(failure).note(note))
        })
    }

    /// Returns the observables; empty unless the model is partially observable.
    #[must_use]
    pub fn observables(&self) -> &[Observable] {
        &self.observables
    }

    /// Computes the observation of `state`: replaces `seen` by the values of the observables.
    ///
    /// # Errors
    ///
    /// If an observable has no value in this state, for instance because of a division by zero.
    pub fn observe(
        &self,
        scratch: &mut Scratch,
        state: &[u64],
        seen: &mut Vec<Value>,
    ) -> Result<(), Error> {
        let space = &mut scratch.space;
        self.unpack(state, &mut space.values);
        space.unpacked = 0;
        seen.clear();
        for observable in &self.observables {
            let bits = match observable.seen {
                Seen::Variable(slot) => space.values[usize::from(slot)].cast_unsigned(),
                Seen::Code(code) => {
                    let value = self.code.run(code, &space.values, &mut space.stack);
                    value.map_err(|failure| self.stopped(&failure.into(), state))?
                }
            };
            seen.push(Value::new(bits, observable.of));
        }
        Ok(())
    }

    /// Returns the reward structures, in the order of the text.
    #[must_use]
    pub fn rewards(&self) -> &[RewardStructure] {
        &self.rewards
    }

    /// Returns the reward of `state`: the sum of the items for states whose guards hold.
    ///
    /// # Errors
    ///
    /// If an expression has no value in this state, or a reward is not finite.
    pub fn state_reward(
        &self,
        structure: &RewardStructure,
        scratch: &mut Scratch,
        state: &[u64],
    ) -> Result<f64, Error> {
        self.reward(structure, scratch, state, None)
    }

    /// Returns the reward of a choice of `state` with this action: the sum of the items for the
    /// action whose guards hold. `None` stands for choices without an action.
    ///
    /// # Errors
    ///
    /// As [`state_reward`](Self::state_reward).
    pub fn choice_reward(
        &self,
        structure: &RewardStructure,
        scratch: &mut Scratch,
        state: &[u64],
        action: Option<ActionId>,
    ) -> Result<f64, Error> {
        self.reward(structure, scratch, state, Some(action))
    }

    /// Returns the reward of the only choice of a Markov chain, or of the Markovian choice of
    /// `state`. Each command, or combination of commands, that is part of this choice has the
    /// reward of a choice with its action. The reward of the choice is their [`average()`],
    /// weighted by the probabilities or rates of the parts. It is 0 if there is no such choice.
    ///
    /// # Errors
    ///
    /// As [`state_reward`](Self::state_reward) and [`successors`](Self::successors).
    pub fn merged_reward(
        &self,
        structure: &RewardStructure,
        scratch: &mut Scratch,
        state: &[u64],
    ) -> Result<f64, Error> {
        let mut parts = Parts::default();
        self.successors(scratch, state, &mut parts)?;
        let weighty = parts.0.into_iter().filter(|&(_, weight)| weight > 0.0);
        let earned = weighty.map(|(action, weight)| {
            let reward = self.choice_reward(structure, scratch, state, action)?;
            Ok((weight, reward))
        });
        Ok(average(&earned.collect::<Result<Vec<_>, Error>>()?))
    }

    /// Returns the sum of the items for `earner`.
    fn reward(
        &self,
        structure: &RewardStructure,
        scratch: &mut Scratch,
        state: &[u64],
        earner: Option<Option<ActionId>>,
    ) -> Result<f64, Error> {
        let space = &mut scratch.space;
        self.unpack(state, &mut space.values);
        space.unpacked = 0;
        let mut sum = 0.0;
        for item in structure.items.iter().filter(|item| item.action == earner) {
            let mut earned = || -> Result<f64, Stop> {
                let (values, stack) = (&space.values, &mut space.stack);
                if self.code.run(item.guard, values, stack)? == 0 {
                    return Ok(0.0);
                }
                let value = f64::from_bits(self.code.run(item.value, values, stack)?);
                match value.is_finite() {
                    true => Ok(value),
                    false => Err(Stop::NotFinite(item.span, value)),
                }
            };
            sum += earned().map_err(|stop| self.stopped(&stop, state))?;
        }
        Ok(sum)
    }

    #[cold]
    fn stopped(&self, stop: &Stop, state: &[u64]) -> Error {
        let fault = match *stop {
            Stop::Failure(failure) => self.failed(failure),
            Stop::NotFinite(span, value) => Fault::new(span, ErrorKind::BadReward { value }),
        };
        self.locate(*fault.note(format!("in state {}", self.show(state))))
    }
}

/// The actions of the parts of a merged choice, each with the total weight of its branches.
#[derive(Default)]
struct Parts(Vec<(Option<ActionId>, f64)>);

impl Visitor for Parts {
    fn choice(&mut self, _: Option<ActionId>) {}

    fn part(&mut self, action: Option<ActionId>) {
        // Consecutive parts often have the same action.
        if self.0.last().is_none_or(|&(last, _)| last != action) {
            self.0.push((action, 0.0));
        }
    }

    fn branch(&mut self, weight: f64, _: &[u64]) {
        if let Some((_, sum)) = self.0.last_mut() {
            *sum += weight;
        }
    }
}
