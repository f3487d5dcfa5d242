//! A maximal end component: its states and choices, an iteration, and bounds on the gain.

use crate::bounds::Bounds;
use crate::inner::{Inner, Outcome};
use mdp_graph::StateId;
use rayon::prelude::*;
use std::ops::Range;

/// The part of the way that a step goes from v to T v. It is less than 1, so that periodic
/// components converge.
pub(crate) const STEP: f64 = 0.875;

/// The minimum number of states in a task.
pub(crate) const BLOCK: usize = 1 << 11;

/// A maximal end component.
pub(crate) struct Mec<'a> {
    inner: &'a Inner,
    states: Range<usize>,
    /// The smallest state of the component in the model, for messages.
    pub(crate) smallest: StateId,
}

impl<'a> Mec<'a> {
    /// Makes the component with this number.
    pub(crate) fn new(inner: &'a Inner, component: usize, smallest: StateId) -> Self {
        Self {
            inner,
            states: inner.component(component),
            smallest,
        }
    }

    /// Returns the choices of a state of the component.
    pub(crate) fn choices(&self, state: usize) -> Range<usize> {
        self.inner.choices(self.states.start + state)
    }

    /// Returns the number of states.
    pub(crate) fn num_states(&self) -> usize {
        self.states.len()
    }

    /// Returns the choice of a state, if there is only one.
    pub(crate) fn only_choice(&self, state: usize) -> Option<usize> {
        let choices = self.choices(state);
        (choices.len() == 1).then_some(choices.start)
    }

    /// Returns the expected reward of a choice.
    pub(crate) fn earned(&self, choice: usize) -> f64 {
        self.inner.outcomes[choice].earned
    }

    /// Returns the greatest absolute value of an expected reward.
    pub(crate) fn greatest_earned(&self) -> f64 {
        let choices = (0..self.num_states()).flat_map(|state| self.choices(state));
        choices.fold(0.0, |most: f64, choice| most.max(self.earned(choice).abs()))
    }

    /// Returns bounds on the expected reward of a choice.
    pub(crate) fn reward(&self, choice: usize) -> Bounds {
        self.inner.earned[choice]
    }

    /// Returns bounds on the sum of the probabilities of a choice.
    pub(crate) fn sum(&self, choice: usize) -> Bounds {
        self.inner.sums[choice]
    }

    /// Returns the number of branches of all choices.
    pub(crate) fn num_branches(&self) -> usize {
        let choices = (0..self.num_states()).flat_map(|state| self.choices(state));
        choices
            .map(|choice| self.inner.branches(choice).len())
            .sum()
    }

    /// Returns the expected value after a choice, with its reward, with ordinary rounding.
    #[inline]
    pub(crate) fn outcome(&self, choice: usize, values: &[f64]) -> f64 {
        let terms = self.branches(choice).map(|(target, p)| p * values[target]);
        let expected: f64 = terms.sum();
        let Outcome { earned, scale } = self.inner.outcomes[choice];
        earned + expected * scale
    }

    /// Returns the branches of a choice: targets within the component, and probabilities.
    pub(crate) fn branches(&self, choice: usize) -> impl Iterator<Item = (usize, f64)> {
        let branches = self.inner.branches(choice);
        let targets = &self.inner.targets[branches.clone()];
        let probabilities = &self.inner.probabilities[branches];
        let within = |&target: &u32| target as usize - self.states.start;
        targets
            .iter()
            .map(within)
            .zip(probabilities.iter().copied())
    }

    /// Does one iteration, with ordinary rounding.
    pub(crate) fn iterate(&self, values: &[f64], next: &mut [f64]) {
        let step = |(state, next): (usize, &mut f64)| {
            let best = self
                .choices(state)
                .map(|choice| self.outcome(choice, values))
                .fold(f64::NEG_INFINITY, f64::max);
            *next = values[state] + STEP * (best - values[state]);
        };
        next.par_iter_mut()
            .with_min_len(BLOCK)
            .enumerate()
            .for_each(step);
    }

    /// Computes bounds on the gain from arbitrary values of the states.
    pub(crate) fn bounds(&self, values: &[f64]) -> Bounds {
        let of_state = |state: usize| {
            let outcome = |choice: usize| {
                let branches = self.branches(choice);
                let terms = branches.map(|(target, p)| Bounds::exactly(values[target]).times(p));
                let expected = terms.fold(Bounds::default(), Bounds::plus);
                self.inner.earned[choice].plus(expected.divided_by(self.inner.sums[choice]))
            };
            let best = self.choices(state).map(outcome).reduce(Bounds::max);
            // Each state of a MEC has a retained choice.
            best.unwrap_or_default()
                .minus(Bounds::exactly(values[state]))
        };
        (0..values.len())
            .into_par_iter()
            .with_min_len(BLOCK)
            .map(of_state)
            .reduce_with(|a, b| Bounds {
                lower: a.lower.min(b.lower),
                upper: a.upper.max(b.upper),
            })
            .unwrap_or_default()
    }
}
