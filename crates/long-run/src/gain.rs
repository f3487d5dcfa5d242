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
//! The bounds hold for any v, so rounding in the iteration does not matter. If many iterations are
//! needed, v is computed by [policy iteration](crate::policy), and the bounds of a Markov chain by
//! [elimination](crate::chain). If that is not enough, a small component is solved [without
//! rounding](crate::exact::part).

use crate::anderson::Acceleration;
use crate::bounds::Bounds;
use crate::chain;
use crate::context::Context;
use crate::eliminate::Room;
use crate::error::{Error, Subject};
use crate::exact::part;
use crate::mec::{BLOCK, Mec, STEP};
use crate::policy::Policies;
use crate::precision::Precision;
use mdp_graph::ComponentId;

/// The gain of a maximal end component.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MecGain {
    /// The component.
    pub component: ComponentId,
    /// The optimal average of strategies that stay in the component.
    pub gain: Bounds,
    /// The number of iterations that computed it.
    pub iterations: u64,
    /// Whether it was then computed without rounding, because the bounds were not close enough.
    pub is_exact: bool,
}

/// The bounds on the gain of a component, and how they were found.
pub(crate) struct Found {
    pub(crate) gain: Bounds,
    /// The number of iterations that computed them.
    pub(crate) iterations: u64,
    /// Whether they were then computed without rounding.
    pub(crate) is_exact: bool,
}

impl Found {
    /// Returns what is known after this many iterations, before bounds are computed.
    fn nothing_after(iterations: u64) -> Self {
        Self {
            gain: Bounds {
                lower: f64::NEG_INFINITY,
                upper: f64::INFINITY,
            },
            iterations,
            is_exact: false,
        }
    }
}

/// The bounds are computed early if their distance is expected to be at most this part of the
/// allowed one.
const LIKELY: f64 = 0.75;

/// The minimum number of iterations before the bounds are computed again. Otherwise it is a quarter
/// of the iterations so far.
const FIRST: u64 = 4;

/// If the bounds are not close enough after this many iterations, states are eliminated. This may
/// look at as many branches as the iterations so far have looked at. If these are too few, it is
/// tried again after four times as many iterations. So it takes little longer than they do.
const PATIENCE: u64 = 256;

/// With a relative precision, iteration ends if the bounds are this close, compared with the
/// greatest reward, and have not become twice as close in `CHECKS` computations: rounding keeps
/// them apart, and they may lie around 0.
const ROUNDING: f64 = 1.0 / (1u64 << 36) as f64;
const CHECKS: u32 = 16;

/// The beginning of value iteration: values of the states of a component, and the number of
/// iterations that computed them.
pub(crate) struct Begin {
    pub(crate) values: Vec<f64>,
    pub(crate) iterations: u64,
}

impl Begin {
    /// Begins with values of 0.
    fn new(states: usize) -> Self {
        Self {
            values: vec![0.0; states],
            iterations: 0,
        }
    }
}

/// Computes bounds on the gain of a component, as close as `precision` says.
pub(crate) fn gain(
    mec: &Mec<'_>,
    begin: Option<Begin>,
    precision: Precision,
    context: &Context<'_>,
) -> Result<Found, Error> {
    let begin = begin.unwrap_or_else(|| Begin::new(mec.num_states()));
    let mut iteration = Iteration::new(begin.values);
    let mut found = Found::nothing_after(begin.iterations);
    let elimination = Elimination::new(mec, precision, context);
    let (mut rest, mut due) = (Rest::default(), PATIENCE);
    let mut is_small = part::is_small(mec.num_states(), mec.num_branches());
    loop {
        // Each bound is valid by itself, whichever vector it is computed from.
        let bounds = mec.bounds(&iteration.values);
        found.gain = found.gain.meet(bounds);
        if precision.allows(found.gain) {
            return Ok(found);
        }
        let iterations = found.iterations;
        let mut is_settled = precision.is_relative() && rest.is_over(mec, found.gain.width());
        let is_last = is_small && (iterations >= part::AFTER || is_settled);
        if iterations >= due || is_last {
            let mut room = Room::new(iterations, mec.num_states(), mec.num_branches(), context);
            let begin = (&iteration.values[..], bounds);
            let eliminated = elimination.run(begin, found.gain, &mut room)?;
            found.gain = eliminated.bounds;
            if let Some(values) = eliminated.closer_values {
                iteration = Iteration::new(values);
            }
            if is_last
                && !precision.allows(found.gain)
                && let Some(bounds) = part::gain(mec, eliminated.policy, context)?
            {
                found.gain = found.gain.meet(bounds);
                found.is_exact = true;
            }
            if precision.allows(found.gain) {
                return Ok(found);
            }
            is_small &= !is_last;
            is_settled |= found.is_exact;
            due = room.retry_after(iterations);
        }
        let left = context.max_iterations.saturating_sub(iterations);
        let more = left.min(FIRST.max(iterations / 4));
        if more == 0 || is_settled {
            let of = Subject::Component(mec.smallest);
            let bounds = context.signed(found.gain);
            return Err(Error::not_reached(
                of, bounds, precision, iterations, is_settled,
            ));
        }
        let enough = STEP * precision.distance(found.gain) * LIKELY;
        found.iterations += iteration.advance(mec, more, enough, context)?;
    }
}

/// The vectors of value iteration.
struct Iteration {
    values: Vec<f64>,
    next: Vec<f64>,
    acceleration: Acceleration,
}

impl Iteration {
    fn new(values: Vec<f64>) -> Self {
        Self {
            next: vec![0.0; values.len()],
            acceleration: Acceleration::of_differences(values.len()),
            values,
        }
    }

    /// Iterates at most `most` times, until the bounds are expected to be at most `enough` apart.
    /// Returns the number of iterations.
    fn advance(
        &mut self,
        mec: &Mec<'_>,
        most: u64,
        enough: f64,
        context: &Context<'_>,
    ) -> Result<u64, Error> {
        let mut iterations = 0;
        while iterations < most {
            context.check()?;
            mec.iterate(&self.values, &mut self.next);
            std::mem::swap(&mut self.values, &mut self.next);
            iterations += 1;
            let width = self
                .acceleration
                .advance(&mut self.values, &self.next, BLOCK);
            if width.is_some_and(|width| width < enough) {
                break;
            }
        }
        // Only differences matter, and they are most exact among small numbers.
        let base = self.values[0];
        self.values.iter_mut().for_each(|value| *value -= base);
        Ok(iterations)
    }
}

/// A search for closer bounds by elimination.
struct Elimination<'a> {
    mec: &'a Mec<'a>,
    precision: Precision,
    context: &'a Context<'a>,
}

/// The result of a search by elimination.
struct Eliminated {
    /// The closest bounds that are known.
    bounds: Bounds,
    /// The values of the policy with the closest bounds, if these are closer than those of the
    /// values at the beginning.
    closer_values: Option<Vec<f64>>,
    /// The choice of each state in the last policy.
    policy: Vec<usize>,
}

impl<'a> Elimination<'a> {
    fn new(mec: &'a Mec<'a>, precision: Precision, context: &'a Context<'a>) -> Self {
        Self {
            mec,
            precision,
            context,
        }
    }

    /// Narrows the bounds `best`. Begins with these values, and the bounds that follow from them.
    fn run(
        &self,
        (values, of_values): (&[f64], Bounds),
        mut best: Bounds,
        room: &mut Room<'_>,
    ) -> Result<Eliminated, Error> {
        if let Some(bounds) = chain::gain(self.mec, room) {
            best = best.meet(bounds);
        }
        let mut width = of_values.width();
        let mut closer_values = None;
        let mut policies = Policies::new(self.mec, values);
        while !self.precision.allows(best) {
            let Some(values) = policies.next(room, self.context)? else {
                break;
            };
            let bounds = self.mec.bounds(&values);
            best = best.meet(bounds);
            best.lower = best.lower.max(policies.lower);
            if bounds.width() < width {
                (width, closer_values) = (bounds.width(), Some(values));
            }
        }
        Ok(Eliminated {
            bounds: best,
            closer_values,
            policy: policies.policy,
        })
    }
}

/// Notices when iteration no longer brings bounds closer.
#[derive(Default)]
struct Rest {
    /// The width of the bounds when they had last become twice as close, if they ever have.
    width: Option<f64>,
    /// How often bounds were computed since then.
    checks: u32,
}

impl Rest {
    /// Notes the width of the bounds of a component. Returns whether only rounding keeps them
    /// apart.
    fn is_over(&mut self, mec: &Mec<'_>, width: f64) -> bool {
        self.checks += 1;
        if self.width.is_none_or(|before| width < before / 2.0) {
            (self.width, self.checks) = (Some(width), 0);
        }
        self.checks > CHECKS && width <= ROUNDING * mec.greatest_earned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inner::Inner;
    use crate::problem::{Problem, Rewards};
    use decompose::{Options, Silent};
    use mdp_graph::{MdpGraph, Objective, StateId};

    /// Values whose bounds are further apart would take the place of better ones.
    #[test]
    fn elimination_returns_only_closer_values() {
        let choices = [[vec![0], vec![1]], [vec![0, 1], vec![0]]];
        let states: Vec<Vec<Vec<u32>>> = choices.map(Vec::from).to_vec();
        let graph = MdpGraph::from_choices(&states).expect("targets are states");
        let rewards = Rewards {
            states: Some(&[1.0, 4.0]),
            ..Rewards::default()
        };
        let probabilities = [1.0, 1.0, 0.5, 0.5, 1.0];
        let problem = Problem::new(&graph, &probabilities, rewards, Objective::Max);
        let problem = problem.expect("a problem");
        let mecs = decompose::mec(&graph, &Options::default()).expect("the CPU can");
        let inner = Inner::new(&problem, &mecs, |_| true).expect("there is room");
        let mec = Mec::new(&inner, 0, StateId(0));
        let context = Context {
            observer: &Silent,
            objective: Objective::Max,
            max_iterations: 0,
        };
        let found = |width: f64| {
            let mut room = Room::new(1000, 2, 5, &context);
            let best = Bounds {
                lower: f64::NEG_INFINITY,
                upper: f64::INFINITY,
            };
            let of_values = Bounds {
                lower: 0.0,
                upper: width,
            };
            let elimination = Elimination::new(&mec, Precision::absolute(1e-300), &context);
            let found = elimination.run((&[0.0; 2], of_values), best, &mut room);
            let found = found.expect("nobody cancels");
            assert!(
                found.bounds.width() < 1e-9,
                "the bounds are used in any case"
            );
            found.closer_values.is_some()
        };
        assert!(found(1.0));
        assert!(!found(0.0));
    }
}
