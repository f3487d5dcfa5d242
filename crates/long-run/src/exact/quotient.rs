//! The values of states from the gains: policy iteration on the model in which each maximal end
//! component is one node that may stay for its gain, or leave.
//!
//! Without the option to stay, this model has no end component. So each policy reaches a node that
//! stays with probability 1, and its values are the solution of a system of linear equations. If no
//! choice improves a policy, its values are not less than what any other policy expects of its next
//! step. The other policy also reaches a node that stays, so the values are not less than those of
//! the other policy.

use super::equation::Equation;
use super::linear::{Solution, solve};
use super::numbers::Choice;
use crate::context::Context;
use crate::error::Error;
use mdp_graph::{ChoiceId, ComponentId, Components, MdpGraph, StateId};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::One as _;

/// The action of a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Action {
    Stay,
    Take(ChoiceId),
}

/// The model with nodes: the components first, and then the states outside of them.
struct Quotient<'a> {
    choices: &'a [Choice],
    gains: &'a [BigRational],
    /// The node of each state.
    nodes: Vec<usize>,
    actions: Vec<Vec<Action>>,
}

/// Returns the value of each state, and the number of policies.
pub(super) fn values(
    graph: &MdpGraph,
    mecs: &Components,
    choices: &[Choice],
    gains: &[BigRational],
    context: &Context<'_>,
) -> Result<(Vec<BigRational>, u64), Error> {
    let quotient = Quotient::new(graph, mecs, choices, gains);
    let mut policy: Vec<Action> = quotient.actions.iter().map(|actions| actions[0]).collect();
    let mut policies = 0;
    loop {
        policies += 1;
        let values = quotient.evaluate(&policy, context)?;
        if !quotient.improve(&mut policy, &values) {
            let of = |state: StateId| {
                let numerator = values.numerators[quotient.nodes[state.index()]].clone();
                BigRational::new(numerator, values.denominator.clone())
            };
            return Ok((graph.states().map(of).collect(), policies));
        }
    }
}

impl<'a> Quotient<'a> {
    fn new(
        graph: &MdpGraph,
        mecs: &Components,
        choices: &'a [Choice],
        gains: &'a [BigRational],
    ) -> Self {
        let mut nodes = Vec::with_capacity(graph.num_states());
        let mut actions = vec![vec![Action::Stay]; gains.len()];
        for state in graph.states() {
            let own = mecs.component(state);
            let node = own.map_or(actions.len(), ComponentId::index);
            if own.is_none() {
                actions.push(Vec::new());
            }
            nodes.push(node);
            let stays = |choice: ChoiceId| {
                let mut targets = graph.targets(choice).iter();
                own.is_some() && targets.all(|&target| mecs.component(target) == own)
            };
            let leaving = graph.choices(state).filter(|&choice| !stays(choice));
            actions[node].extend(leaving.map(Action::Take));
        }
        Self {
            choices,
            gains,
            nodes,
            actions,
        }
    }

    fn evaluate(&self, policy: &[Action], context: &Context<'_>) -> Result<Solution, Error> {
        let equations = policy.iter().enumerate().map(|(node, &action)| {
            let choice = match action {
                Action::Stay => {
                    let mut equation = Equation::new(self.gains[node].numer().clone());
                    equation.add(node, self.gains[node].denom());
                    return equation;
                }
                Action::Take(choice) => &self.choices[choice.index()],
            };
            let mut equation = Equation::new(BigInt::default());
            equation.add(node, &choice.scale);
            for (target, probability) in &choice.branches {
                equation.add(self.nodes[target.index()], &-probability);
            }
            equation
        });
        let equations: Vec<Equation> = equations.collect();
        solve(&equations, context)
    }

    /// Chooses the best action for each node. Keeps the present action if no other is better.
    /// Returns whether a node has changed its action.
    fn improve(&self, policy: &mut [Action], values: &Solution) -> bool {
        let mut is_improved = false;
        let value = |target: StateId| &values.numerators[self.nodes[target.index()]];
        for (node, actions) in self.actions.iter().enumerate() {
            // The common denominator is left out. The second number divides the first.
            let (mut most, mut scale) = (values.numerators[node].clone(), &BigInt::one());
            for &action in actions {
                let (worth, own) = match action {
                    Action::Stay => {
                        let gain = &self.gains[node];
                        (gain.numer() * &values.denominator, gain.denom())
                    }
                    Action::Take(choice) => {
                        let choice = &self.choices[choice.index()];
                        (choice.expected(value), &choice.scale)
                    }
                };
                if &worth * scale > &most * own {
                    (most, scale, policy[node]) = (worth, own, action);
                    is_improved = true;
                }
            }
        }
        is_improved
    }
}
