//! The gain of a maximal end component: value iteration, with bounds computed apart from it.
//!
//! ```text
//! v := 0
//! repeat
//!     some times: v := v + STEP (T v - v), with ordinary rounding
//!     lower, upper := the least and the greatest of (T v)(s) - v(s), rounded away
//! until upper - lower is small enough
//! ```
//!
//! The bounds hold for any v, so that rounding in the iteration does no harm.

use crate::bounds::Bounds;
use crate::control::Control;
use crate::error::Error;
use crate::problem::Problem;
use mdp_graph::{ComponentId, Components, StateId};
use rayon::prelude::*;

/// How far a step goes. Less than all of the way, so that periodic components converge.
const STEP: f64 = 0.9;

/// So many states, at least, are worth a task of their own.
const BLOCK: usize = 1 << 11;

/// Iterations before the bounds are computed again: a quarter of those that were made.
const FIRST: u64 = 4;

/// A component by itself, with its states counted from 0.
struct Mec {
    /// Where the choices of each state begin.
    states: Vec<u32>,
    /// Where the branches of each choice begin.
    choices: Vec<u32>,
    branches: Vec<Branch>,
    /// What each choice earns.
    earned: Vec<Bounds>,
    /// The sum of the probabilities of each choice.
    sums: Vec<Bounds>,
}

#[derive(Clone, Copy)]
struct Branch {
    target: u32,
    probability: f64,
}

/// Bounds on the gain of a component, no further apart than `epsilon`; and the number of
/// iterations.
pub(crate) fn gain(
    problem: &Problem<'_>,
    mecs: &Components,
    (id, states): (ComponentId, &[StateId]),
    epsilon: f64,
    control: &Control<'_>,
) -> Result<(Bounds, u64), Error> {
    let mec = Mec::new(problem, mecs, id, states);
    let mut values = vec![0.0; states.len()];
    let mut next = values.clone();
    let mut best = Bounds {
        lower: f64::NEG_INFINITY,
        upper: f64::INFINITY,
    };
    let mut iterations = 0;
    loop {
        // Each bound holds by itself, whichever vector gave it.
        let bounds = mec.bounds(&values);
        best.lower = best.lower.max(bounds.lower);
        best.upper = best.upper.min(bounds.upper);
        if best.width() <= epsilon {
            return Ok((best, iterations));
        }
        let more = FIRST
            .max(iterations / 4)
            .min(control.max_iterations - iterations);
        if more == 0 {
            return Err(Error::NotReached {
                component: Some(mecs.smallest(id)),
                bounds: control.signed(best),
                epsilon,
                iterations,
            });
        }
        for _ in 0..more {
            control.check()?;
            mec.iterate(&values, &mut next);
            std::mem::swap(&mut values, &mut next);
        }
        iterations += more;
        // Differences count, and are most exact among small numbers.
        let base = values[0];
        values.iter_mut().for_each(|value| *value -= base);
    }
}

impl Mec {
    fn new(problem: &Problem<'_>, mecs: &Components, id: ComponentId, states: &[StateId]) -> Self {
        let mut mec = Self {
            states: vec![0],
            choices: vec![0],
            branches: Vec::new(),
            earned: Vec::new(),
            sums: Vec::new(),
        };
        debug_assert_eq!(states.len(), mecs.size(id) as usize);
        for &state in states {
            for choice in mecs.retained_choices(problem.graph, state) {
                for branch in problem.branches(choice) {
                    let target = problem.graph.all_targets()[branch];
                    // States are ascending.
                    let place = states.binary_search(&target).unwrap_or_default();
                    mec.branches.push(Branch {
                        target: place as u32,
                        probability: problem.probabilities[branch],
                    });
                }
                mec.choices.push(mec.branches.len() as u32);
                mec.earned.push(problem.earned(state, choice));
                mec.sums.push(problem.sum(choice));
            }
            mec.states.push(mec.earned.len() as u32);
        }
        mec
    }

    fn choices(&self, state: usize) -> std::ops::Range<usize> {
        self.states[state] as usize..self.states[state + 1] as usize
    }

    fn branches(&self, choice: usize) -> &[Branch] {
        &self.branches[self.choices[choice] as usize..self.choices[choice + 1] as usize]
    }

    /// One iteration, with ordinary rounding.
    fn iterate(&self, values: &[f64], next: &mut [f64]) {
        let step = |(state, next): (usize, &mut f64)| {
            let outcome = |choice: usize| {
                let branches = self.branches(choice).iter();
                let expected: f64 = branches
                    .map(|branch| branch.probability * values[branch.target as usize])
                    .sum();
                self.earned[choice].middle() + expected / self.sums[choice].middle()
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

    /// Bounds on the gain, by any values of the states.
    fn bounds(&self, values: &[f64]) -> Bounds {
        let of_state = |state: usize| {
            let outcome = |choice: usize| {
                let branches = self.branches(choice).iter();
                let terms = branches.map(|branch| {
                    Bounds::exactly(values[branch.target as usize]).times(branch.probability)
                });
                let expected = terms.fold(Bounds::default(), Bounds::plus);
                self.earned[choice].plus(expected.divided_by(self.sums[choice]))
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
