//! The values of states from the gains: policy iteration on the model in which each maximal end
//! component is one node that may stay for its gain, or leave.
//!
//! Without the option to stay, this model has no end component. So each policy reaches a node that
//! stays with probability 1, and its values are the solution of a system of linear equations. If no
//! choice improves a policy, its values are not less than what any other policy expects of its next
//! step. The other policy also reaches a node that stays, so the values are not less than those of
//! the other policy.

use super::linear::{Equation, solve};
use super::numbers::Choice;
use crate::control::Control;
use crate::error::Error;
use mdp_graph::{ChoiceId, ComponentId, Components, MdpGraph, StateId};
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
    control: &Control<'_>,
) -> Result<(Vec<BigRational>, u64), Error> {
    let quotient = Quotient::new(graph, mecs, choices, gains);
    let mut policy: Vec<Action> = quotient.actions.iter().map(|actions| actions[0]).collect();
    let mut policies = 0;
    loop {
        policies += 1;
        let values = quotient.evaluate(&policy, control)?;
        if !quotient.improve(&mut policy, &values) {
            let of = |state: StateId| values[quotient.nodes[state.index()]].clone();
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

    fn evaluate(
        &self,
        policy: &[Action],
        control: &Control<'_>,
    ) -> Result<Vec<BigRational>, Error> {
        let equations = policy.iter().enumerate().map(|(node, &action)| {
            let mut equation = match action {
                Action::Stay => Equation::new(self.gains[node].clone()),
                Action::Take(_) => Equation::new(BigRational::default()),
            };
            equation.add(node, &BigRational::one());
            if let Action::Take(choice) = action {
                for (target, probability) in &self.choices[choice.index()].branches {
                    equation.add(self.nodes[target.index()], &-probability);
                }
            }
            equation
        });
        solve(equations.collect(), control)
    }

    /// Chooses the best action for each node. Keeps the present action if no other is better.
    /// Returns whether a node has changed its action.
    fn improve(&self, policy: &mut [Action], values: &[BigRational]) -> bool {
        let mut is_improved = false;
        for (node, actions) in self.actions.iter().enumerate() {
            let mut most = values[node].clone();
            for &action in actions {
                let worth = match action {
                    Action::Stay => self.gains[node].clone(),
                    Action::Take(choice) => {
                        let branches = self.choices[choice.index()].branches.iter();
                        let value = |target: StateId| &values[self.nodes[target.index()]];
                        branches.map(|(target, p)| p * value(*target)).sum()
                    }
                };
                if worth > most {
                    (most, policy[node]) = (worth, action);
                    is_improved = true;
                }
            }
        }
        is_improved
    }
}
