//! Finds optimal long-run averages.

use super::devices::{DeviceChoice, Observer};
use super::pool::on_threads;
use super::{Failure, Model, RewardChoice, Supervisor};
use crate::analyses::long_run::{self, Average, Task};
use crate::device::Plan;
use crate::error::Error;
use crate::naming::Naming;
use ::long_run::BigRational;
use mdp_graph::{Objective, StateId};
use prism_explicit::ModelType;
use std::num::NonZeroUsize;

/// The averages to find, and the options of the search.
#[derive(Clone, Debug)]
pub struct Averaging {
    /// What is averaged.
    pub rewards: RewardChoice,
    /// Whether to find the greatest or the least averages.
    pub objective: Objective,
    /// Whether to find fractions, without rounding.
    pub exact: bool,
    /// How far apart the bounds on an average may be, unless it is found without rounding.
    pub epsilon: f64,
    /// Whether `epsilon` is a part of the average.
    pub is_relative: bool,
    /// The largest number of iterations.
    pub max_iterations: u64,
    /// The device to be used.
    pub device: DeviceChoice,
    /// The number of threads; by default one for each core.
    pub threads: Option<NonZeroUsize>,
}

/// The optimal long-run averages of a model.
#[derive(Clone, Debug)]
pub struct LongRun {
    /// The averages from all states.
    pub values: Averages,
    /// The averages of strategies that stay in a maximal end component, for each of these.
    pub gains: Averages,
    /// The name of the device that found them, as it is printed.
    pub device: String,
}

/// Optimal averages.
#[derive(Clone, Debug)]
pub struct Averages {
    /// Lower bounds.
    pub lower: Vec<f64>,
    /// Upper bounds.
    pub upper: Vec<f64>,
    /// The averages themselves, if they are known without rounding.
    pub exact: Option<Vec<BigRational>>,
}

impl<'a> FromIterator<Average<'a>> for Averages {
    fn from_iter<I: IntoIterator<Item = Average<'a>>>(averages: I) -> Self {
        let averages: Vec<Average<'_>> = averages.into_iter().collect();
        let exact = averages.iter().map(|average| average.exact.cloned());
        Self {
            lower: averages
                .iter()
                .map(|average| average.bounds.lower)
                .collect(),
            upper: averages
                .iter()
                .map(|average| average.bounds.upper)
                .collect(),
            exact: exact.collect(),
        }
    }
}

/// Finds the optimal long-run averages from all states of a model, and of its maximal end
/// components.
///
/// # Errors
/// What `maxend long-run` would print.
pub fn long_run(
    model: &Model,
    how: &Averaging,
    supervisor: &Supervisor,
) -> Result<LongRun, Failure> {
    let found = on_threads(how.threads, || {
        long_run::check(&model.model, &model.name)?;
        // In an LTS, each choice has one branch, whose probability is 1.
        let is_lts = model.model.model_type == ModelType::Lts;
        if model.model.choices.details.is_none() && !is_lts {
            let message = format!("the probabilities of {} are not known", model.name);
            return Err(Error::wrong(message));
        }
        let rewards = how.rewards.of(model, "rewards")?;
        let task = Task {
            objective: how.objective,
            exact: how.exact,
            epsilon: how.epsilon,
            is_relative: how.is_relative,
            max_iterations: how.max_iterations,
            naming: Naming::Arguments,
        };
        let states: Vec<StateId> = model.graph().states().collect();
        let observer = Observer::new("solving", states.len(), supervisor);
        let found = long_run::find(
            &model.model,
            &rewards,
            &states,
            &task,
            plan(how)?,
            &observer,
        )?;
        Ok(LongRun {
            values: states.iter().map(|&state| found.value(state)).collect(),
            gains: found.gains().into_iter().collect(),
            device: observer.device(),
        })
    });
    Ok(found?)
}

/// Returns the devices. Fractions are computed on the CPU only.
fn plan(how: &Averaging) -> Result<Plan, Error> {
    match (how.exact, &how.device) {
        (false, device) => Ok(device.clone().plan()),
        (true, DeviceChoice::Gpu(_)) => Err(Error::Usage(
            "exact averages are computed on the CPU, but the device is a GPU".to_owned(),
        )),
        (true, _) => Ok(Plan::Cpu),
    }
}
