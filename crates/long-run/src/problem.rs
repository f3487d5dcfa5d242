//! The problem: a model with probabilities and rewards, and the kind of average to find.

use crate::bounds::Bounds;
use mdp_graph::{ChoiceId, MdpGraph, Objective, StateId};
use num_rational::BigRational;
use std::collections::HashMap;
use std::ops::Range;

/// The rewards of a step: the sum of those of its state, its choice and its branch.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rewards<'a> {
    /// The reward of each state.
    pub states: Option<&'a [f64]>,
    /// The reward of each choice.
    pub choices: Option<&'a [f64]>,
    /// The reward of each branch.
    pub branches: Option<&'a [f64]>,
}

/// The numbers of a model that are fractions, by their places. Only
/// [`solve_exactly`](crate::solve_exactly) uses them, in place of the decimals of their doubles.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fractions<'a> {
    /// Probabilities of branches.
    pub probabilities: Option<&'a HashMap<usize, BigRational>>,
    /// Rewards of states.
    pub states: Option<&'a HashMap<usize, BigRational>>,
    /// Rewards of choices.
    pub choices: Option<&'a HashMap<usize, BigRational>>,
    /// Rewards of branches.
    pub branches: Option<&'a HashMap<usize, BigRational>>,
}

/// A model with rewards, and the objective: the least or the greatest average.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    pub(crate) graph: &'a MdpGraph,
    pub(crate) probabilities: &'a [f64],
    rewards: Rewards<'a>,
    pub(crate) objective: Objective,
    pub(crate) fractions: Fractions<'a>,
}

/// The reason for which a problem is not valid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// An array has the wrong length.
    #[error("there are {found} {what}, but the model needs {wanted}")]
    WrongLength {
        /// The contents of the array.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The length that it must have.
        wanted: usize,
    },
    /// A state has no choice, so runs that reach it end.
    #[error("state {state} has no choice, and so no long run")]
    Deadlock {
        /// The state.
        state: StateId,
    },
    /// A probability is not above 0, or not finite.
    #[error("the probability {value} of branch {branch} is not a number above 0")]
    Probability {
        /// The number of the branch.
        branch: usize,
        /// Its probability.
        value: f64,
    },
    /// A reward is infinite, or not a number.
    #[error("the reward {value} is not finite")]
    Reward {
        /// The reward.
        value: f64,
    },
}

impl<'a> Problem<'a> {
    /// Makes a problem. `probabilities` has one value per branch.
    ///
    /// # Errors
    /// An array has the wrong length, a state has no choice, or a probability or reward is not
    /// valid.
    pub fn new(
        graph: &'a MdpGraph,
        probabilities: &'a [f64],
        rewards: Rewards<'a>,
        objective: Objective,
    ) -> Result<Self, ProblemError> {
        let Rewards {
            states,
            choices,
            branches,
        } = rewards;
        let arrays = [
            ("probabilities", Some(probabilities), graph.num_branches()),
            ("rewards of states", states, graph.num_states()),
            ("rewards of choices", choices, graph.num_choices()),
            ("rewards of branches", branches, graph.num_branches()),
        ];
        for (what, array, wanted) in arrays {
            let found = array.map_or(wanted, <[f64]>::len);
            if found != wanted {
                return Err(ProblemError::WrongLength {
                    what,
                    found,
                    wanted,
                });
            }
        }
        let is_no_probability = |value: &f64| !(value.is_finite() && *value > 0.0);
        if let Some(branch) = probabilities.iter().position(is_no_probability) {
            let value = probabilities[branch];
            return Err(ProblemError::Probability { branch, value });
        }
        let mut all = [states, choices, branches].into_iter().flatten().flatten();
        if let Some(&value) = all.find(|value| !value.is_finite()) {
            return Err(ProblemError::Reward { value });
        }
        match graph.states().find(|&state| graph.is_deadlock(state)) {
            Some(state) => Err(ProblemError::Deadlock { state }),
            None => Ok(Self {
                graph,
                probabilities,
                rewards,
                objective,
                fractions: Fractions::default(),
            }),
        }
    }

    /// Returns the problem with numbers that are fractions. They must be nearly equal to the
    /// doubles in the same places.
    #[must_use]
    pub fn with_fractions(self, fractions: Fractions<'a>) -> Self {
        Self { fractions, ..self }
    }

    /// Returns the rewards.
    pub(crate) fn rewards(&self) -> Rewards<'a> {
        self.rewards
    }

    /// Returns the branches of a choice.
    pub(crate) fn branches(&self, choice: ChoiceId) -> Range<usize> {
        let offsets = self.graph.branch_offsets();
        offsets[choice.index()] as usize..offsets[choice.index() + 1] as usize
    }

    /// Returns the sum of the probabilities of a choice. It is 1, up to rounding.
    pub(crate) fn sum(&self, choice: ChoiceId) -> Bounds {
        sum(self.probabilities[self.branches(choice)].iter().copied())
    }

    /// Returns the expected reward of a choice of `state`. It is negated if the least average is
    /// sought, so that the greatest is always sought.
    pub(crate) fn earned(&self, state: StateId, choice: ChoiceId) -> Bounds {
        let of =
            |array: Option<&[f64]>, i: usize| Bounds::exactly(array.map_or(0.0, |array| array[i]));
        let fixed =
            of(self.rewards.states, state.index()).plus(of(self.rewards.choices, choice.index()));
        let earned = match self.rewards.branches {
            None => fixed,
            Some(rewards) => {
                let terms = self.branches(choice).map(|branch| {
                    Bounds::exactly(rewards[branch]).times(self.probabilities[branch])
                });
                let expected = terms.fold(Bounds::default(), Bounds::plus);
                fixed.plus(expected.divided_by(self.sum(choice)))
            }
        };
        match self.objective {
            Objective::Max => earned,
            Objective::Min => earned.negated(),
        }
    }
}

/// Returns the sum of numbers.
pub(crate) fn sum(numbers: impl Iterator<Item = f64>) -> Bounds {
    let terms = numbers.map(Bounds::exactly);
    terms.fold(Bounds::default(), Bounds::plus)
}
