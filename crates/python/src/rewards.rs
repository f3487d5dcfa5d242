//! [`Rewards`]: what an average or a cycle earns, and whether it is to earn much or little.

use crate::borrowed::doubles;
use maxend::library::{GivenRewards, RewardChoice};
use mdp_graph::Objective;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The name of a reward structure, or the rewards of states, choices and branches.
#[derive(FromPyObject)]
pub(crate) enum Rewards<'py> {
    Named(Option<String>),
    Given(Part<'py>, Part<'py>, Part<'py>),
}

/// An array of doubles.
type Part<'py> = Option<Bound<'py, PyAny>>;

impl TryFrom<Rewards<'_>> for RewardChoice {
    type Error = PyErr;

    fn try_from(rewards: Rewards<'_>) -> PyResult<Self> {
        let part = |array: Part<'_>| array.as_ref().map(doubles).transpose();
        match rewards {
            Rewards::Named(name) => Ok(Self::Named(name)),
            Rewards::Given(states, choices, branches) => Ok(Self::Given(GivenRewards {
                states: part(states)?,
                choices: part(choices)?,
                branches: part(branches)?,
            })),
        }
    }
}

/// Returns the objective with this name.
pub(crate) fn objective(name: &str) -> PyResult<Objective> {
    match name {
        "min" => Ok(Objective::Min),
        "max" => Ok(Objective::Max),
        _ => Err(PyValueError::new_err(format!(
            "objective must be 'min' or 'max', not {name:?}"
        ))),
    }
}
