//! [`RewardChoice`]: the rewards that an analysis of a model is about.

use super::Model;
use crate::error::Error;
use crate::model::rewards::{Amounts, Rewards, select};
use crate::naming::Naming;
use std::borrow::Cow;

/// The choice of rewards.
#[derive(Clone, Debug)]
pub enum RewardChoice {
    /// The structure of the model with this name; without a name, the only one.
    Named(Option<String>),
    /// Other rewards.
    Given(GivenRewards),
}

/// Rewards that are not those of the model. The reward of a step is the sum of those of its state,
/// its choice and its branch.
#[derive(Clone, Debug, Default)]
pub struct GivenRewards {
    /// The reward of each state.
    pub states: Option<Vec<f64>>,
    /// The reward of each choice.
    pub choices: Option<Vec<f64>>,
    /// The reward of each branch.
    pub branches: Option<Vec<f64>>,
}

impl RewardChoice {
    /// Returns the rewards. `argument` is the name of the argument that chooses them.
    pub(super) fn of<'a>(
        &'a self,
        model: &'a Model,
        argument: &str,
    ) -> Result<Cow<'a, Rewards>, Error> {
        match self {
            Self::Named(name) => {
                let (name, arguments) = (name.as_deref(), Naming::Arguments);
                let named = select(&model.model, name, &model.name, arguments, argument);
                named.map(Cow::Borrowed)
            }
            Self::Given(given) => given.of(model).map(Cow::Owned),
        }
    }

    /// Returns the name by which the rewards were chosen, or this one.
    pub(super) fn name<'a>(&'a self, otherwise: &'a str) -> &'a str {
        match self {
            Self::Named(Some(name)) => name,
            _ => otherwise,
        }
    }
}

impl GivenRewards {
    fn of(&self, model: &Model) -> Result<Rewards, Error> {
        let graph = model.graph();
        let amounts = |what: &str, values: &Option<Vec<f64>>, wanted: usize| {
            let found = values.as_ref().map_or(wanted, Vec::len);
            match found == wanted {
                true => Ok(values.clone().map(Amounts::from)),
                false => Err(Error::wrong(format!(
                    "there are {found} rewards of {what}, but the model needs {wanted}"
                ))),
            }
        };
        Ok(Rewards {
            name: None,
            states: amounts("states", &self.states, graph.num_states())?,
            choices: amounts("choices", &self.choices, graph.num_choices())?,
            branches: amounts("branches", &self.branches, graph.num_branches())?,
        })
    }
}
