//! The gain of a component whose states have choices: policy iteration with ordinary rounding.
//!
//! ```text
//! policy: the best choice of each state with the values of the iteration so far
//! repeat
//!     eliminate the states of the policy's chain but for one root in each closed class
//!     if there are several classes: lead all states to the class with the greatest average
//!     v := the values of the policy; its gain g satisfies g + v(s) = reward + expected v
//!     each state takes the choice with the greatest reward + expected v, if that is greater
//!         than that of its present choice
//! until the bounds of v are close enough, no choice has changed, or there is no more room
//! ```
//!
//! The bounds are computed from v as in the iteration, so rounding cannot make them wrong. Another
//! lower bound is the average of a policy, [with the errors of all roundings](crate::chain). Values
//! are differences from that of the root. So they are inexact if the root is hardly ever visited;
//! then the state with the greatest weight in the stationary distribution becomes the root.

use crate::chain;
use crate::context::Context;
use crate::eliminate::{Chain, Eliminated, Room};
use crate::error::Error;
use crate::mec::Mec;

/// The maximum number of policies.
const MAX_POLICIES: usize = 100;
/// A root is replaced if its weight is a smaller part of the greatest one.
const RARE: f64 = 1.0 / 256.0;
/// A choice is better than another one if the difference is greater than this part of the greatest
/// value. Otherwise rounding could make policies go around.
const LAST_DIGITS: f64 = 4.0 * f64::EPSILON;

/// The values of policies, from the first one, which is best with the given values.
pub(crate) struct Policies<'a> {
    mec: &'a Mec<'a>,
    /// The choice of each state.
    pub(crate) policy: Vec<usize>,
    left: usize,
    is_final: bool,
    /// A lower bound on the gain: the average of the best policy so far.
    pub(crate) lower: f64,
}

impl<'a> Policies<'a> {
    pub(crate) fn new(mec: &'a Mec<'a>, values: &[f64]) -> Self {
        let mut all = Self {
            mec,
            policy: (0..values.len())
                .map(|state| mec.choices(state).start)
                .collect(),
            left: MAX_POLICIES,
            is_final: false,
            lower: f64::NEG_INFINITY,
        };
        all.improve(values);
        all
    }

    /// Returns the values of the present policy, and takes the next one. Returns `None` if there is
    /// none, or no more room.
    pub(crate) fn next(
        &mut self,
        room: &mut Room<'_>,
        context: &Context<'_>,
    ) -> Result<Option<Vec<f64>>, Error> {
        context.check()?;
        if self.left == 0 || self.is_final {
            return Ok(None);
        }
        self.left -= 1;
        let values = self.evaluate(room);
        let values = values.filter(|values| values.iter().all(|value| value.is_finite()));
        if let Some(values) = &values {
            self.is_final = !self.improve(values);
        }
        Ok(values)
    }

    /// Takes better choices. Returns whether there were any.
    fn improve(&mut self, values: &[f64]) -> bool {
        let greatest = values.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
        let mut is_improved = false;
        for (state, own) in self.policy.iter_mut().enumerate() {
            let choices = self.mec.choices(state);
            if choices.len() == 1 {
                continue;
            }
            let mut most = self.mec.outcome(*own, values) + LAST_DIGITS * greatest;
            for choice in choices {
                let outcome = self.mec.outcome(choice, values);
                if outcome > most {
                    (most, *own, is_improved) = (outcome, choice, true);
                }
            }
        }
        is_improved
    }

    /// Computes the values of the policy, after all states are led to one class.
    fn evaluate(&mut self, room: &mut Room<'_>) -> Option<Vec<f64>> {
        let mut eliminated = self.chain(room)?.eliminate(None, room)?;
        if eliminated.roots.len() > 1 {
            let best = self.best_root(&eliminated);
            self.lead_to(best, &eliminated.roots, room)?;
            eliminated = self.chain(room)?.eliminate(Some(best), room)?;
        }
        let &[mut root] = &eliminated.roots[..] else {
            return None;
        };
        let mut weights = chain::weights(&eliminated, root, self.policy.len());
        let heaviest = (0..weights.len()).max_by(|&a, &b| weights[a].total_cmp(&weights[b]))?;
        if weights[root] < RARE * weights[heaviest] {
            root = heaviest;
            eliminated = self.chain(room)?.eliminate(Some(root), room)?;
            weights = chain::weights(&eliminated, root, self.policy.len());
        }
        let sum = |term: &dyn Fn(usize) -> f64| -> f64 {
            let terms = self.policy.iter().zip(&weights);
            terms.map(|(&choice, weight)| weight * term(choice)).sum()
        };
        let [time, earned] = [
            sum(&|choice| self.time(choice)),
            sum(&|choice| self.earned(choice)),
        ];
        let gain = earned / time;
        let error = chain::error(self.mec, &self.policy, &eliminated);
        if eliminated.is_exact()
            && let Some(bounds) = chain::bounds(self.mec, &self.policy, &weights, error)
        {
            self.lower = self.lower.max(bounds.lower);
        }
        let terms = self.policy.iter();
        let sums = terms.map(|&choice| self.earned(choice) - gain * self.time(choice));
        Some(eliminated.values(sums.collect(), 0.0))
    }

    /// Returns the chain of the policy. The probabilities of a choice are not divided by their sum.
    fn chain(&self, room: &mut Room<'_>) -> Option<Chain> {
        let branches = |&choice: &usize| self.mec.branches(choice).count();
        let branches = self.policy.iter().map(branches).sum();
        let mut chain = Chain::new(self.policy.len(), branches, room)?;
        for (state, &choice) in self.policy.iter().enumerate() {
            chain.set(state, self.mec.branches(choice), 0.0);
        }
        Some(chain)
    }

    /// Returns the time of a step: the sum of the probabilities of a choice.
    fn time(&self, choice: usize) -> f64 {
        self.mec.sum(choice).middle()
    }

    /// Returns the reward of a step, times its time.
    fn earned(&self, choice: usize) -> f64 {
        self.mec.earned(choice) * self.time(choice)
    }

    /// Returns the root whose class has the greatest average.
    fn best_root(&self, eliminated: &Eliminated) -> usize {
        let all = self.policy.iter();
        let earned = eliminated.forward(all.clone().map(|&choice| self.earned(choice)).collect());
        let times = eliminated.forward(all.map(|&choice| self.time(choice)).collect());
        let average = |root: usize| match earned[root] / times[root] {
            average if average.is_finite() => average,
            _ => f64::NEG_INFINITY,
        };
        let better = |a: usize, b: usize| if average(b) > average(a) { b } else { a };
        let roots = eliminated.roots.iter().copied();
        roots.reduce(better).unwrap_or_default()
    }

    /// Leads all states to the class of the root `best` with probability 1. Those that may come to
    /// another root take a choice that may lead to a state which is already led there.
    fn lead_to(&mut self, best: usize, roots: &[usize], room: &mut Room<'_>) -> Option<()> {
        let count = self.policy.len();
        room.take(2 * (count + self.mec.num_branches()))?;
        let of_policy = |state: usize| self.policy[state]..self.policy[state] + 1;
        let before = Sources::new(self.mec, of_policy);
        let mut is_led = vec![true; count];
        let mut stack: Vec<usize> = roots.iter().copied().filter(|&root| root != best).collect();
        stack.iter().for_each(|&root| is_led[root] = false);
        while let Some(state) = stack.pop() {
            for &(source, _) in before.of(state) {
                if std::mem::replace(&mut is_led[source as usize], false) {
                    stack.push(source as usize);
                }
            }
        }
        let before = Sources::new(self.mec, |state| self.mec.choices(state));
        let mut queue: Vec<usize> = (0..count).filter(|&state| is_led[state]).collect();
        let mut first = 0;
        while let Some(&state) = queue.get(first) {
            first += 1;
            for &(source, choice) in before.of(state) {
                if !std::mem::replace(&mut is_led[source as usize], true) {
                    self.policy[source as usize] = choice as usize;
                    queue.push(source as usize);
                }
            }
        }
        Some(())
    }
}

/// The states and choices that lead to each state.
struct Sources {
    starts: Vec<usize>,
    all: Vec<(u32, u32)>,
}

impl Sources {
    /// Lists the sources of some choices of each state.
    fn new(mec: &Mec<'_>, choices: impl Fn(usize) -> std::ops::Range<usize>) -> Self {
        let count = mec.num_states();
        let mut starts = vec![0; count + 1];
        let targets = |choice| mec.branches(choice).map(|(target, _)| target);
        for choice in (0..count).flat_map(&choices) {
            targets(choice).for_each(|target| starts[target + 1] += 1);
        }
        (0..count).for_each(|state| starts[state + 1] += starts[state]);
        let mut next = starts.clone();
        let mut all = vec![(0, 0); starts[count]];
        for state in 0..count {
            for choice in choices(state) {
                for target in targets(choice) {
                    all[next[target]] = (state as u32, choice as u32);
                    next[target] += 1;
                }
            }
        }
        Self { starts, all }
    }

    fn of(&self, state: usize) -> &[(u32, u32)] {
        &self.all[self.starts[state]..self.starts[state + 1]]
    }
}
