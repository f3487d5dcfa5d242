//! Policy iteration for the values of a component of the quotient, or for the longest times until
//! it is left: the states of each policy are [eliminated](crate::eliminate).
//!
//! ```text
//! policy: the best choice of each state with the values of the sweeps so far
//! repeat
//!     v := the values of the policy
//!     each state takes a choice whose Q-value is above v, if there is one
//! until no choice has changed, or there is no more room
//! ```
//!
//! No policy stays in the component forever, because the quotient has no end component. All numbers
//! are at least 0, and elimination subtracts nothing, so their relative errors are small.
//!
//! If each state has one choice, bounds follow from the number of roundings, and the longest times
//! are not needed. The value of a state is the sum over all exits of the probability that the
//! component is left there, times the value behind the exit. Let a *forest* be a set of branches
//! that has one branch of each state and in which each state leads to an exit. Its weight is the
//! product of its probabilities. The probability that a run from s takes an exit is the sum of the
//! weights of the forests in which s leads there, divided by the sum of the weights of all forests.
//! So if the probabilities of c states change by a relative error of e, values change by at most
//! about 2 c e. When a state is eliminated to which c states lead, and which leads to d states, the
//! new probabilities of each of the c states have the errors of six roundings, and so have the
//! values that these states add. So this makes 12 c + 6 roundings. The value of the eliminated
//! state has d + 6 more. [The gains of chains](crate::chain) are bounded in the same way.

use super::{LAST_DIGITS, Part, Sought};
use crate::bounds::{Bounds, add_down, add_up};
use crate::context::Context;
use crate::eliminate::{Chain, Room};
use crate::error::Error;

/// The maximum number of policies.
const MAX_POLICIES: usize = 100;

/// The part of all counted errors that is allowed for products of errors, and for the last steps.
const PRODUCTS: f64 = 1.0 + 1.0 / 64.0;
/// The maximum relative error for which products of errors are as small as that.
const MAX_ERROR: f64 = 1e-3;
/// Bounds are not computed if there are smaller probabilities.
const LEAST: f64 = 1e-150;
/// Products that are not normal doubles change values by less than this.
const TINY: f64 = 1e-290;

/// What a state does: it takes a choice, or stays for its gain.
#[derive(Clone, Copy, PartialEq)]
enum Act {
    Take(u32),
    Stay,
}

impl Part<'_> {
    /// Returns the best policy that is found. It begins with the best one for `values`. The number
    /// of each act counts from the option to stay, if there is one, and then the choices.
    pub(crate) fn policy(
        &self,
        mut values: Vec<f64>,
        room: &mut Room<'_>,
        context: &Context<'_>,
    ) -> Result<Vec<usize>, Error> {
        let (policy, _) = self.iterate(Sought::Values, &mut values, room, context)?;
        let number = |(state, act): (usize, Act)| match act {
            Act::Stay => 0,
            Act::Take(choice) => {
                let stays = usize::from(self.gains[state] > f64::NEG_INFINITY);
                stays + (choice - self.states[state]) as usize
            }
        };
        Ok(policy.into_iter().enumerate().map(number).collect())
    }

    /// Replaces values by those of the best policy that is found. Returns whether there is one.
    pub(super) fn eliminate(
        &self,
        sought: Sought<'_>,
        values: &mut Vec<f64>,
        room: &mut Room<'_>,
        context: &Context<'_>,
    ) -> Result<bool, Error> {
        let (_, is_solved) = self.iterate(sought, values, room, context)?;
        Ok(is_solved)
    }

    /// Iterates policies, and replaces values by those of the last one that was evaluated. Returns
    /// the next one, and whether any was evaluated.
    fn iterate(
        &self,
        sought: Sought<'_>,
        values: &mut Vec<f64>,
        room: &mut Room<'_>,
        context: &Context<'_>,
    ) -> Result<(Vec<Act>, bool), Error> {
        let mut policy = vec![Act::Stay; self.members.len()];
        self.improve(sought, &mut policy, values, f64::NEG_INFINITY);
        let mut is_solved = false;
        for _ in 0..MAX_POLICIES {
            context.check()?;
            let Some(found) = self.evaluate(sought, &policy, room) else {
                break;
            };
            (*values, is_solved) = (found, true);
            if !self.improve(sought, &mut policy, values, LAST_DIGITS) {
                break;
            }
        }
        Ok((policy, is_solved))
    }

    /// Takes the act with the greatest Q-value in each state, if it exceeds that of the present one
    /// by more than this part of it. Returns whether any act has changed.
    fn improve(&self, sought: Sought<'_>, policy: &mut [Act], values: &[f64], part: f64) -> bool {
        let mut is_improved = false;
        for (state, own) in policy.iter_mut().enumerate() {
            let q_value = |act: Act| match act {
                Act::Stay => self.stays(sought, state),
                Act::Take(choice) => {
                    let inside = self.branches(choice as usize).iter();
                    let inside: f64 = inside.map(|&(to, p)| p * values[to as usize]).sum();
                    inside + self.adds(sought, choice as usize)
                }
            };
            let takes = (self.states[state]..self.states[state + 1]).map(Act::Take);
            let takes = takes.filter(|&act| match (sought, act) {
                (Sought::Times(near), Act::Take(choice)) => near[choice as usize],
                _ => true,
            });
            let present = q_value(*own);
            let mut most = match part > 0.0 {
                true => present + part * present.abs(),
                false => f64::NEG_INFINITY,
            };
            for act in takes.chain([Act::Stay]) {
                let found = q_value(act);
                if found > most && act != *own {
                    (most, *own, is_improved) = (found, act, true);
                }
            }
        }
        is_improved
    }

    /// Returns what a choice adds to the values behind its branches inside the component.
    fn adds(&self, sought: Sought<'_>, choice: usize) -> f64 {
        match sought {
            Sought::Values => self.outside[choice],
            Sought::Times(_) => 1.0,
        }
    }

    /// Returns the Q-value of staying.
    fn stays(&self, sought: Sought<'_>, state: usize) -> f64 {
        match sought {
            Sought::Values => self.gains[state],
            Sought::Times(_) => 1.0,
        }
    }

    /// Returns the values of a policy.
    fn evaluate(
        &self,
        sought: Sought<'_>,
        policy: &[Act],
        room: &mut Room<'_>,
    ) -> Option<Vec<f64>> {
        let eliminated = self.chain(policy, room)?.eliminate(None, room)?;
        // Rounding may hide that the component is left.
        let values = eliminated.values(self.sums(sought, policy), f64::INFINITY);
        let is_finite = values.iter().all(|value| value.is_finite());
        is_finite.then_some(values)
    }

    /// Returns the chain of a policy.
    fn chain(&self, policy: &[Act], room: &mut Room<'_>) -> Option<Chain> {
        let branches = policy.iter().map(|&act| match act {
            Act::Stay => 0,
            Act::Take(choice) => self.branches(choice as usize).len(),
        });
        let mut chain = Chain::new(policy.len(), branches.sum(), room)?;
        for (state, &act) in policy.iter().enumerate() {
            match act {
                Act::Stay => chain.set(state, [].into_iter(), 1.0),
                Act::Take(choice) => {
                    let inside = self.branches(choice as usize).iter();
                    let inside = inside.map(|&(to, p)| (to as usize, p));
                    chain.set(state, inside, self.exits[choice as usize]);
                }
            }
        }
        Some(chain)
    }

    /// Returns as much room as this many sweeps need.
    pub(crate) fn room<'c>(&self, sweeps: u64, context: &'c Context<'c>) -> Room<'c> {
        Room::new(sweeps, self.members.len(), self.branches.len(), context)
    }

    /// Returns what each state of a policy adds to the values of the states after it.
    fn sums(&self, sought: Sought<'_>, policy: &[Act]) -> Vec<f64> {
        let acts = policy.iter().enumerate();
        acts.map(|(state, &act)| match act {
            Act::Stay => self.stays(sought, state),
            Act::Take(choice) => self.adds(sought, choice as usize),
        })
        .collect()
    }

    /// Returns bounds on the values, if each state has one choice and cannot stay, if elimination
    /// looks at no more branches than this many sweeps, and if rounding does not keep bounds
    /// further apart than `width` plus the distance that values outside make necessary.
    pub(crate) fn bounds_of_chain(
        &self,
        width: f64,
        sweeps: u64,
        context: &Context<'_>,
    ) -> Option<Vec<Bounds>> {
        let mut room = self.room(sweeps, context);
        let limit = add_up(2.0 * self.half_width, width);
        let choices = 0..self.outside.len() as u32;
        let is_chain = choices.len() == self.members.len()
            && self.states.windows(2).all(|ends| ends[0] < ends[1])
            && self.gains.iter().all(|&gain| gain == f64::NEG_INFINITY);
        let is_normal = self.branches.iter().all(|&(_, p)| p >= LEAST)
            && self.exits.iter().all(|&p| p == 0.0 || p >= LEAST);
        if !is_chain || !is_normal {
            return None;
        }
        let policy: Vec<Act> = choices.map(Act::Take).collect();
        let eliminated = self.chain(&policy, &mut room)?.eliminate(None, &mut room)?;
        let sums = self.sums(Sought::Values, &policy);
        let is_exact = eliminated.is_exact() && eliminated.has_normal_sums(sums.clone());
        if !eliminated.roots.is_empty() || !is_exact {
            return None;
        }
        let roundings: usize = eliminated.degrees().map(|(c, d)| 12 * c + d + 12).sum();
        let of_choices = (0..policy.len()).flat_map(|place| self.choices(place));
        let of_choices: f64 = of_choices.map(|(_, choice)| self.nodes.error(choice)).sum();
        let error = (roundings as f64 * f64::EPSILON / 2.0 + of_choices) * PRODUCTS;
        // If all sums are 0, so are all values.
        let tiny = if sums.iter().any(|&sum| sum > 0.0) {
            TINY
        } else {
            0.0
        };
        let around = |value: f64| Bounds {
            lower: add_down(value * (1.0 - error) - tiny, -self.half_width).max(0.0),
            upper: add_up(value * (1.0 + error) + tiny, self.half_width),
        };
        let values = eliminated.values(sums, f64::INFINITY);
        let bounds: Vec<Bounds> = values.into_iter().map(around).collect();
        let is_close = bounds.iter().all(|bounds| bounds.width() <= limit);
        (error < MAX_ERROR && is_close).then_some(bounds)
    }
}
