//! [`ChoiceFacts`]: what a file says about the choices and branches of a model, apart from what the
//! graph has.

use super::branch_actions::BranchActions;
use cycle_mean::Ratio;
use mdp_graph::ChoiceId;
use prism_explicit::RewardedTransition;
use std::collections::HashMap;

/// What a file says about the choices and branches of a model, apart from their rewards.
#[derive(Debug, Default)]
pub(crate) struct ChoiceFacts {
    /// Actions and probabilities, if they are wanted.
    pub(crate) details: Option<Details>,
    /// The lower bounds of the probabilities of branches, if it is an interval model. The details
    /// have the upper bounds.
    pub(crate) lower_bounds: Option<Vec<f64>>,
    /// The probabilities of branches that are written as fractions, if they are wanted and known
    /// without rounding.
    pub(crate) fractions: HashMap<usize, Ratio>,
    /// The actions of a chain's branches, if they are wanted.
    pub(crate) branch_actions: BranchActions,
    /// The dropped branches of explicit transitions, in ascending order. They are kept if rewards
    /// are wanted, because rewards may refer to them.
    pub(crate) impossible: Vec<RewardedTransition>,
}

/// The actions and probabilities, which a graph does not have, in the order of its choices and
/// branches.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Details {
    /// The probability of each branch; in a CTMC its rate, in an LTS 1.
    pub(crate) values: Vec<f64>,
    /// The names of the actions. The first one is empty, and stands for no action.
    pub(crate) names: Vec<String>,
    /// The action of each choice, by number.
    pub(crate) actions: Vec<u32>,
}

impl ChoiceFacts {
    /// Returns actions and probabilities, without other facts.
    pub(crate) fn of(details: Option<Details>) -> Self {
        Self {
            details,
            ..Self::default()
        }
    }

    /// Returns the actions of choices for a report that does not show probabilities.
    pub(crate) fn actions_as_report(&self) -> Option<report::ChoiceDetails<'_>> {
        self.details.as_ref().map(|details| report::ChoiceDetails {
            names: &details.names,
            actions: &details.actions,
            values: &[],
            lower: &[],
        })
    }

    /// Returns the actions of a branch of a choice, by number; none if they are not known.
    pub(crate) fn actions(&self, choice: ChoiceId, branch: usize) -> impl Iterator<Item = u32> {
        let mut own = self.branch_actions.of(branch).peekable();
        let details = self.details.as_ref();
        let of_choice = details.filter(|_| own.peek().is_none());
        let of_choice = of_choice.map(|details| details.actions[choice.index()]);
        own.chain(of_choice)
    }
}
