//! Finds the gain of a maximal end component by value iteration; the bounds are computed
//! separately.
//!
//! ```text
//! v := 0
//! repeat
//!     some times: v := v + STEP (T v - v), with ordinary rounding; accelerated if that takes long
//!     lower, upper := the least and the greatest of (T v)(s) - v(s), rounded away
//! until upper - lower is small enough
//! ```
//!
//! The bounds hold for any v, so rounding in the iteration does not matter.

use crate::anderson::Acceleration;
use crate::bounds::Bounds;
use crate::control::Control;
use crate::error::Error;
use crate::inner::{Inner, Outcome};
use mdp_graph::StateId;
use rayon::prelude::*;
use std::ops::Range;

/// The part of the way that a step goes from v to T v. It is less than 1, so that periodic
/// components converge.
const STEP: f64 = 0.875;

/// The minimum number of states in a task.
const BLOCK: usize = 1 << 11;

/// The bounds are computed early if their distance is expected to be at most this part of the
/// allowed one.
const LIKELY: f64 = 0.75;

/// The minimum number of iterations before the bounds are computed again. Otherwise it is a quarter
/// of the iterations so far.
const FIRST: u64 = 4;

/// A maximal end component.
pub(crate) struct Mec<'a> {
    inner: &'a Inner,
    states: Range<usize>,
    /// The smallest state of the component in the model, for messages.
    smallest: StateId,
}

/// The beginning of value iteration: values of the states of a component, and the number of
/// iterations that computed them.
pub(crate) struct Begin {
    pub(crate) values: Vec<f64>,
    pub(crate) iterations: u64,
}

/// Computes bounds on the gain of a component, whose distance is at most `epsilon`. Returns them,
/// and the number of iterations.
pub(crate) fn gain(
    mec: &Mec<'_>,
    begin: Option<Begin>,
    epsilon: f64,
    control: &Control<'_>,
) -> Result<(Bounds, u64), Error> {
    let Begin {
        mut values,
        mut iterations,
    } = begin.unwrap_or_else(|| Begin {
        values: vec![0.0; mec.states.len()],
        iterations: 0,
    });
    let mut next = vec![0.0; values.len()];
    let mut acceleration = Acceleration::of_differences(values.len());
    let mut best = Bounds {
        lower: f64::NEG_INFINITY,
        upper: f64::INFINITY,
    };
    loop {
        // Each bound is valid by itself, whichever vector it is computed from.
        let bounds = mec.bounds(&values);
        best.lower = best.lower.max(bounds.lower);
        best.upper = best.upper.min(bounds.upper);
        if best.width() <= epsilon {
            return Ok((best, iterations));
        }
        let more = FIRST
            .max(iterations / 4)
            .min(control.max_iterations.saturating_sub(iterations));
        if more == 0 {
            return Err(Error::NotReached {
                component: Some(mec.smallest),
                bounds: control.signed(best),
                epsilon,
                iterations,
            });
        }
        for _ in 0..more {
            control.check()?;
            mec.iterate(&values, &mut next);
            std::mem::swap(&mut values, &mut next);
            iterations += 1;
            let width = acceleration.advance(&mut values, &next, BLOCK);
            if width.is_some_and(|width| width < STEP * epsilon * LIKELY) {
                break;
            }
        }
        // Only differences matter, and they are most exact among small numbers.
        let base = values[0];
        values.iter_mut().for_each(|value| *value -= base);
    }
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
    fn choices(&self, state: usize) -> Range<usize> {
        self.inner.choices(self.states.start + state)
    }

    /// Returns the branches of a choice: targets within the component, and probabilities.
    fn branches(&self, choice: usize) -> impl Iterator<Item = (usize, f64)> {
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
    fn iterate(&self, values: &[f64], next: &mut [f64]) {
        let step = |(state, next): (usize, &mut f64)| {
            let outcome = |choice: usize| {
                let terms = self.branches(choice).map(|(target, p)| p * values[target]);
                let expected: f64 = terms.sum();
                let Outcome { earned, scale } = self.inner.outcomes[choice];
                earned + expected * scale
            };
            let best = self
                .choices(state)
                .map(outcome)
                .fold(f64::NEG_INFINITY, f64::max);
            *next = values[state] + STEP * (best - values[state]);
        };
        next.par_iter_mut()
            .with_min_len(BLOCK)
            .enumerate()
            .for_each(step);
    }

    /// Computes bounds on the gain from arbitrary values of the states.
    fn bounds(&self, values: &[f64]) -> Bounds {
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
