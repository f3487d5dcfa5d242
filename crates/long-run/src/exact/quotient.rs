//! The values of states from the gains: policy iteration on the model in which each maximal end
//! component is one node that may stay for its gain, or leave.
//!
//! Without the option to stay, this model has no end component. So each policy reaches a node that
//! stays with probability 1, and its values are the solution of a system of linear equations. If no
//! choice improves a policy, its values are not less than what any other policy expects of its next
//! step. The other policy also reaches a node that stays, so the values are not less than those of
//! the other policy.

use super::equation::Equation;
use super::improve::improve;
use super::linear::{Solution, solve};
use super::numbers::{Choice, choice};
use crate::context::Context;
use crate::error::Error;
use crate::problem::Problem;
use mdp_graph::{ChoiceId, ComponentId, Components};
use num_bigint::BigInt;
use num_rational::BigRational;

/// Returns the value of each state of a model, and the number of policies.
pub(super) fn of_states(
    problem: &Problem<'_>,
    mecs: &Components,
    gains: &[BigRational],
    context: &Context<'_>,
) -> Result<(Vec<BigRational>, u64), Error> {
    // The components are the first nodes, and then come the states outside of them.
    let mut actions: Vec<Vec<Choice>> = gains.iter().map(|gain| vec![Choice::end(gain)]).collect();
    let nodes = problem.graph.states().map(|state| {
        let own = mecs.component(state).map(ComponentId::index);
        own.unwrap_or_else(|| {
            actions.push(Vec::new());
            actions.len() - 1
        })
    });
    let nodes: Vec<usize> = nodes.collect();
    for state in problem.graph.states() {
        let own = mecs.component(state);
        let stays = |choice: ChoiceId| {
            let mut targets = problem.graph.targets(choice).iter();
            own.is_some() && targets.all(|&target| mecs.component(target) == own)
        };
        let leaving = problem
            .graph
            .choices(state)
            .filter(|&choice| !stays(choice));
        actions[nodes[state.index()]].extend(leaving.map(|leaving| Choice {
            earned: BigInt::default(),
            ..choice(problem, state, leaving, |target| nodes[target.index()])
        }));
    }
    let mut policy = vec![0; actions.len()];
    let (values, policies) = values(&actions, &mut policy, context)?;
    let of = |&node: &usize| {
        let numerator = values.numerators[node].clone();
        BigRational::new(numerator, values.denominator.clone())
    };
    Ok((nodes.iter().map(of).collect(), policies))
}

/// Returns the value of each node, and the number of policies. `policy` is the first one, and
/// becomes the best.
pub(super) fn values(
    actions: &[Vec<Choice>],
    policy: &mut [usize],
    context: &Context<'_>,
) -> Result<(Solution, u64), Error> {
    let mut policies = 0;
    loop {
        policies += 1;
        let values = evaluate(actions, policy, context)?;
        if !improve(actions, policy, &BigInt::default(), &values) {
            return Ok((values, policies));
        }
    }
}

/// Returns the value of each node under a policy.
fn evaluate(
    actions: &[Vec<Choice>],
    policy: &[usize],
    context: &Context<'_>,
) -> Result<Solution, Error> {
    let equations = policy.iter().enumerate().map(|(node, &number)| {
        let choice = &actions[node][number];
        let mut equation = Equation::new(choice.earned.clone());
        equation.add(node, &choice.scale);
        for (target, probability) in &choice.branches {
            equation.add(*target, &-probability);
        }
        equation
    });
    let equations: Vec<Equation> = equations.collect();
    solve(&equations, context)
}
