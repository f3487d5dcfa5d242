//! Optimal long-run averages without rounding: policy iteration in rational numbers.
//!
//! Each double of the model stands for the shortest decimal that is nearest to it (0.1 is 1/10),
//! and each distribution is divided by its sum. `gain.rs` finds the gain of a maximal end
//! component, and `quotient.rs` the values of states from these; both stop at a policy that no
//! choice improves, which proves it optimal. `linear.rs` solves their equations, and `numbers.rs`
//! has the model in rational numbers. `part.rs` uses them for parts of a model, with its doubles.

mod equation;
mod gain;
mod improve;
mod linear;
mod modular;
mod numbers;
pub(crate) mod part;
mod quotient;

use crate::context::Context;
use crate::cycles::{self, Mean};
use crate::error::Error;
use crate::options::Options;
use crate::problem::Problem;
use mdp_graph::{ChoiceId, ComponentId, Components, Objective, StateId};
use num_bigint::BigInt;
use num_integer::Integer as _;
use num_rational::BigRational;
use num_traits::ToPrimitive as _;
use numbers::choice;
use rayon::prelude::*;

pub(crate) use numbers::Choice;

/// The maximum number of states of a model that is solved exactly: equations with many
/// branches are eliminated slowly, and the numbers of the solution are long.
pub const MAX_STATES: usize = 4096;

/// The optimal long-run averages of a model, without rounding.
#[derive(Clone, Debug)]
pub struct ExactAnswer {
    mecs: Components,
    gains: Vec<BigRational>,
    values: Vec<BigRational>,
    policies: u64,
}

impl ExactAnswer {
    /// Returns the maximal end components.
    #[must_use]
    pub fn mecs(&self) -> &Components {
        &self.mecs
    }

    /// Returns the optimal average of strategies that stay in a component, for each maximal end
    /// component.
    #[must_use]
    pub fn gains(&self) -> &[BigRational] {
        &self.gains
    }

    /// Returns the optimal average of a state.
    #[must_use]
    pub fn value(&self, state: StateId) -> &BigRational {
        &self.values[state.index()]
    }

    /// Returns the number of policies that were evaluated, for all components and for the values of
    /// states.
    #[must_use]
    pub fn policies(&self) -> u64 {
        self.policies
    }
}

/// Finds the optimal long-run average of each maximal end component and of each state, exactly.
///
/// # Errors
/// [`Error::TooLarge`] if there are more than [`MAX_STATES`] states; otherwise the errors of a
/// search.
pub fn solve_exactly(problem: &Problem<'_>, options: &Options<'_>) -> Result<ExactAnswer, Error> {
    let graph = problem.graph;
    if graph.num_states() > MAX_STATES {
        return Err(Error::TooLarge {
            states: graph.num_states(),
            most: MAX_STATES,
        });
    }
    let decomposition = decompose::Options {
        observer: options.observer,
        ..decompose::Options::default()
    };
    let mecs = decompose::mec(graph, &decomposition)?;
    let context = Context {
        observer: options.observer,
        objective: problem.objective,
        max_iterations: options.max_iterations,
    };
    let found = gains(problem, &mecs, &context)?;
    let (gains, counts): (Vec<BigRational>, Vec<u64>) = found.into_iter().unzip();
    let (values, policies) = quotient::of_states(problem, &mecs, &gains, &context)?;
    let signed = |value: BigRational| match problem.objective {
        Objective::Max => value,
        Objective::Min => -value,
    };
    Ok(ExactAnswer {
        gains: gains.into_iter().map(signed).collect(),
        values: values.into_iter().map(signed).collect(),
        policies: policies + counts.iter().sum::<u64>(),
        mecs,
    })
}

/// Returns the gain of each component, and the number of policies that found it.
fn gains(
    problem: &Problem<'_>,
    mecs: &Components,
    context: &Context<'_>,
) -> Result<Vec<(BigRational, u64)>, Error> {
    let (graph, members) = (problem.graph, mecs.members());
    let mut places = vec![0; graph.num_states()];
    for id in mecs.ids() {
        for (place, state) in members.states(id).iter().enumerate() {
            places[state.index()] = place;
        }
    }
    let known = cycles::means(
        graph,
        mecs,
        &|states, all| weights(states, all, problem),
        context,
    )?;
    let one = |id: ComponentId| {
        if let Some(Mean {
            weight,
            unit,
            iterations,
        }) = &known[id.index()]
        {
            return Ok((weight / unit, *iterations));
        }
        let states = members.states(id);
        let retained = states.iter().map(|&state| {
            let retained = mecs.retained_choices(graph, state);
            let place = |target: StateId| places[target.index()];
            retained
                .map(|of| choice(problem, state, of, place))
                .collect()
        });
        let retained: Vec<Vec<Choice>> = retained.collect();
        gain::gain(&retained, &mut vec![0; states.len()], context)
    };
    let ids: Vec<ComponentId> = mecs.ids().collect();
    let found: Vec<Result<_, Error>> = ids.into_par_iter().map(one).collect();
    found.into_iter().collect()
}

/// Returns the rewards of choices as integers, and the number by which they were multiplied. `None`
/// if the integers are too large.
fn weights(
    states: usize,
    retained: &[(StateId, ChoiceId)],
    problem: &Problem<'_>,
) -> Option<(Vec<i64>, BigInt)> {
    let of = |&(state, retained): &(StateId, ChoiceId)| {
        let Choice { earned, scale, .. } = choice(problem, state, retained, StateId::index);
        BigRational::new(earned, scale)
    };
    let earned: Vec<BigRational> = retained.iter().map(of).collect();
    let denominators = earned.iter().map(BigRational::denom);
    let factor = denominators.fold(BigInt::from(1), |all, denominator| all.lcm(denominator));
    let weights: Option<Vec<i64>> = earned
        .iter()
        .map(|earned| (earned * &factor).to_integer().to_i64())
        .collect();
    let weights = weights.filter(|weights| cycles::fits(states, weights))?;
    Some((weights, factor))
}
