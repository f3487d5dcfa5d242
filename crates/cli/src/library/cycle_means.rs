//! Finds optimal cycle means and ratios.

use super::devices::{DeviceChoice, Observer};
use super::pool::on_threads;
use super::{Failure, Model, RewardChoice, Supervisor};
use crate::analyses::cycle_mean::{self, Numbers};
use crate::certificate;
use crate::error::Error;
use ::cycle_mean::{Answer, MeanSearch, Optimum, Ratio};
use mdp_graph::{BranchId, Objective};
use std::num::NonZeroUsize;

/// The values to find, and the options of the search.
#[derive(Clone, Debug)]
pub struct CycleAveraging {
    /// The weights of edges.
    pub rewards: RewardChoice,
    /// The times of edges. If they are given, values are ratios, and otherwise means.
    pub times: Option<RewardChoice>,
    /// Whether to find the least or the greatest values.
    pub objective: Objective,
    /// The device to be used.
    pub device: DeviceChoice,
    /// The number of threads; by default one for each core.
    pub threads: Option<NonZeroUsize>,
    /// Whether to prove the answer, with code that shares nothing with the search.
    pub certify: bool,
}

/// The optimal values of the cycles of a model.
#[derive(Clone, Debug)]
pub struct CycleMeans {
    /// The number of strongly connected components.
    pub num_components: usize,
    /// The optimum of each strongly connected component that has a cycle, in their order.
    pub optima: Vec<OptimalCycle>,
    /// The place of the optimum of all cycles in `optima`, if there is a cycle. If several
    /// components attain it, this is the first of them.
    pub best: Option<usize>,
    /// The name of the device that found them, as it is printed.
    pub device: String,
}

/// An optimal cycle of a strongly connected component.
#[derive(Clone, Debug)]
pub struct OptimalCycle {
    /// The number of the component.
    pub component: usize,
    /// The mean or ratio of the cycle.
    pub value: Ratio,
    /// The branches of the cycle in order, from its smallest state.
    pub cycle: Vec<BranchId>,
}

/// Finds the optimal mean or ratio of the cycles of each strongly connected component.
///
/// # Errors
/// What `maxend cycle-mean` would print.
pub fn cycle_means(
    model: &Model,
    how: &CycleAveraging,
    supervisor: &Supervisor,
) -> Result<CycleMeans, Failure> {
    let found = on_threads(how.threads, || {
        let graph = model.graph();
        let rewards = how.rewards.of(model, "rewards")?;
        let times = how.times.as_ref();
        let times = times.map(|of| Ok::<_, Error>((of.of(model, "times")?, of.name("times"))));
        let times = times.transpose()?;
        let named = times.as_ref().map(|(times, name)| (&**times, *name));
        let numbers = Numbers::of(graph, &rewards, named)?;
        let problem = numbers.problem(graph, how.objective);
        let valuations = model.model.states.valuations.as_ref();
        let observer = Observer::new("solving", graph.num_states(), supervisor);
        let (by, plan) = (MeanSearch::Howard, how.device.clone().plan());
        let answer = cycle_mean::find(&problem, &numbers, valuations, by, plan, &observer)?;
        if how.certify {
            certificate::check_supervised(graph, answer.components(), None, supervisor)?;
            certificate::check_cycle_means(&problem, &answer)?;
        }
        result(&answer, &numbers, observer.device())
    });
    Ok(found?)
}

/// Converts an answer to the units of the model.
fn result(answer: &Answer, numbers: &Numbers, device: String) -> Result<CycleMeans, Error> {
    let best = answer.optimal().map(|optimum| optimum.component);
    let optimal = |optimum: &Optimum| {
        Ok(OptimalCycle {
            component: optimum.component.index(),
            value: numbers.unscaled(optimum.value)?,
            cycle: optimum.cycle.clone(),
        })
    };
    let mut optima = answer.optima().iter();
    Ok(CycleMeans {
        num_components: answer.components().len(),
        optima: answer
            .optima()
            .iter()
            .map(optimal)
            .collect::<Result<_, Error>>()?,
        best: best.and_then(|best| optima.position(|optimum| optimum.component == best)),
        device,
    })
}
