//! The gain of a maximal end component: policy iteration.
//!
//! ```text
//! policy: a retained choice of each state
//! repeat
//!     class := of the policy's bottom components the one with the greatest average
//!     lead the states that may come to another one to this one
//!     solve: gain + value[s] = reward + expected value of the next state; value = 0 in one state
//!         of the class
//!     each state takes the choice with the greatest reward + expected value, if that is greater
//!         than gain + value[s]
//! until no state has changed its choice
//! ```
//!
//! It ends. If a choice was improved in a bottom component of the new policy, the average there is
//! greater than the gain. Otherwise the only bottom component is the previous class, with the same
//! gain and the same value 0. No other value is less, and at least one is greater. So no policy
//! occurs twice. In the end, the values prove that no strategy earns more (Puterman, theorem
//! 8.4.1).

use super::equation::Equation;
use super::improve::improve;
use super::linear::{Solution, solve};
use super::numbers::Choice;
use crate::context::Context;
use crate::error::Error;
use decompose::decompose;
use mdp_graph::{ComponentKind, MdpGraph, StateId};
use num_bigint::BigInt;
use num_rational::BigRational;

/// A component: the retained choices of its states. Their targets are places of states here.
struct Component<'a> {
    retained: &'a [Vec<Choice>],
}

/// Returns the gain, and the number of policies. `policy` is the first one, and becomes the best.
pub(super) fn gain(
    retained: &[Vec<Choice>],
    policy: &mut [usize],
    context: &Context<'_>,
) -> Result<(BigRational, u64), Error> {
    let of = Component { retained };
    let mut policies = 0;
    loop {
        policies += 1;
        let class = of.lead_to_best(policy, context)?;
        let all: Vec<usize> = (0..policy.len()).collect();
        let (gain, values) = of.evaluate(policy, &all, class[0], context)?;
        if !improve(retained, policy, &gain, &values) {
            return Ok((BigRational::new(gain, values.denominator), policies));
        }
    }
}

impl Component<'_> {
    fn choice(&self, policy: &[usize], place: usize) -> &Choice {
        &self.retained[place][policy[place]]
    }

    /// Returns the bottom components of a policy, by the places of their states.
    fn classes(&self, policy: &[usize]) -> Result<Vec<Vec<usize>>, Error> {
        let (mut ends, mut targets) = (vec![0], Vec::new());
        for place in 0..policy.len() {
            let choice = self.choice(policy, place);
            targets.extend(choice.targets().map(StateId::from_index));
            ends.push(targets.len() as u32);
        }
        let choices = (0..=policy.len() as u32).collect();
        let chain = MdpGraph::from_parts(choices, ends, targets);
        let chain = chain.map_err(|_| Error::Singular)?;
        let bottom = decompose(&chain, ComponentKind::Bscc, &decompose::Options::default())?;
        let members = bottom.members();
        let each = bottom
            .ids()
            .map(|id| members.states(id).iter().map(|s| s.index()).collect());
        Ok(each.collect())
    }

    /// Finds the bottom component with the greatest average, and leads all states there with
    /// probability 1. Returns its states.
    fn lead_to_best(
        &self,
        policy: &mut [usize],
        context: &Context<'_>,
    ) -> Result<Vec<usize>, Error> {
        let classes = self.classes(policy)?;
        let mut best: Option<(BigRational, usize)> = None;
        if classes.len() > 1 {
            for (number, class) in classes.iter().enumerate() {
                let (average, of) = self.evaluate(policy, class, class[0], context)?;
                let average = BigRational::new(average, of.denominator);
                if best.as_ref().is_none_or(|(known, _)| average > *known) {
                    best = Some((average, number));
                }
            }
        }
        let best = best.map_or(0, |(_, number)| number);
        if classes.len() > 1 {
            let others = classes
                .iter()
                .enumerate()
                .filter(|(number, _)| *number != best);
            let others: Vec<usize> = others.flat_map(|(_, class)| class).copied().collect();
            self.lead_away(policy, &others);
        }
        classes.into_iter().nth(best).ok_or(Error::Singular)
    }

    /// Gives new choices to all states that may reach `others`. Each takes a choice that may lead
    /// to a state which is already led to the best class.
    fn lead_away(&self, policy: &mut [usize], others: &[usize]) {
        let mut is_led = vec![true; policy.len()];
        for &place in others {
            is_led[place] = false;
        }
        let mut is_fixpoint = false;
        while !is_fixpoint {
            is_fixpoint = true;
            for place in 0..policy.len() {
                let choice = self.choice(policy, place);
                if is_led[place] && choice.targets().any(|target| !is_led[target]) {
                    is_led[place] = false;
                    is_fixpoint = false;
                }
            }
        }
        while let Some((place, number)) = (0..policy.len()).filter(|&p| !is_led[p]).find_map(|p| {
            let leads = |choice: &Choice| choice.targets().any(|target| is_led[target]);
            Some((p, self.retained[p].iter().position(leads)?))
        }) {
            policy[place] = number;
            is_led[place] = true;
        }
    }

    /// Returns the average of a policy in the closed set `within`, whose only bottom component
    /// contains the state `reference`, and the values of the states of this set, in their order.
    /// All have the same denominator.
    fn evaluate(
        &self,
        policy: &[usize],
        within: &[usize],
        reference: usize,
        context: &Context<'_>,
    ) -> Result<(BigInt, Solution), Error> {
        let mut unknown = vec![0; policy.len()];
        for (number, &place) in within.iter().enumerate() {
            unknown[place] = number;
        }
        // The value of the reference is 0. Its unknown is used for the average.
        let average = unknown[reference];
        let equations = within.iter().map(|&place| {
            let choice = self.choice(policy, place);
            let mut equation = Equation::new(choice.earned.clone());
            equation.add(average, &choice.scale);
            if place != reference {
                equation.add(unknown[place], &choice.scale);
            }
            for (target, probability) in &choice.branches {
                if *target != reference {
                    equation.add(unknown[*target], &-probability);
                }
            }
            equation
        });
        let equations: Vec<Equation> = equations.collect();
        let mut values = solve(&equations, context)?;
        let average = std::mem::take(&mut values.numerators[average]);
        Ok((average, values))
    }
}
