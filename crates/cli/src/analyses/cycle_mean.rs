//! Finds optimal cycle means and ratios.

use crate::device::auto_device;
use crate::device::{Job, JobObserver, Plan};
use crate::error::Error;
use crate::error::diagnostic::Diagnostic;
use crate::model::annotations::Valuations;
use crate::model::rewards::{Rewards, Weights};
use cycle_mean::{Answer, MeanSearch, OpenDevice, Options, Problem, Ratio};
use cycle_mean::{solve, solve_components};
use decompose::gpu::GpuOptions;
use decompose::{Device, scc};
use mdp_graph::{BranchId, MdpGraph, Objective};

/// The weights and times of branches, as integers.
pub(crate) struct Numbers {
    pub(crate) weights: Weights,
    times: Option<Times>,
}

/// The time of each branch.
struct Times {
    values: Vec<u32>,
    factor: u64,
}

impl Numbers {
    /// Converts rewards to weights and, with the name of their structure, to times.
    ///
    /// # Errors
    /// If they do not become integers that are small enough, or a time is below 0.
    pub(crate) fn of(
        graph: &MdpGraph,
        rewards: &Rewards,
        times: Option<(&Rewards, &str)>,
    ) -> Result<Self, Error> {
        let times = times.map(|(times, name)| Times::of(&times.weights(graph)?, name, graph));
        Ok(Self {
            times: times.transpose()?,
            weights: rewards.weights(graph)?,
        })
    }

    /// Returns the problem of ratios if there are times, and otherwise of means.
    pub(crate) fn problem<'a>(&'a self, graph: &'a MdpGraph, objective: Objective) -> Problem<'a> {
        match &self.times {
            Some(times) => Problem::ratio(graph, &self.weights.values, &times.values, objective),
            None => Problem::mean(graph, &self.weights.values, objective),
        }
    }

    /// Returns the weight of a branch in the model.
    pub(crate) fn weight(&self, branch: BranchId) -> String {
        let weights = &self.weights;
        Ratio::new(weights.values[branch.index()].into(), weights.factor).to_string()
    }

    /// Returns the time of a branch in the model; an empty text if there are no times.
    pub(crate) fn time(&self, branch: BranchId) -> String {
        self.times.as_ref().map_or_else(String::new, |times| {
            Ratio::new(times.values[branch.index()].into(), times.factor).to_string()
        })
    }

    /// Converts a value of the scaled problem to a value of the model.
    pub(crate) fn unscaled(&self, value: Ratio) -> Result<Ratio, Error> {
        let factor = self.times.as_ref().map_or(1, |times| times.factor);
        let unscaled = value
            .times(factor)
            .and_then(|value| value.divided_by(self.weights.factor));
        unscaled.ok_or_else(|| {
            let factor = self.weights.factor;
            Error::wrong(format!(
                "the value {value}, divided by {factor}, is no fraction of 64 bits"
            ))
        })
    }
}

impl Times {
    fn of(times: &Weights, name: &str, graph: &MdpGraph) -> Result<Self, Error> {
        let wrong = times
            .values
            .iter()
            .position(|&time| u32::try_from(time).is_err());
        if let Some(branch) = wrong {
            let offsets = graph.branch_offsets();
            let choice = offsets.partition_point(|&end| end as usize <= branch) - 1;
            let choices = graph.choice_offsets();
            let state = choices.partition_point(|&end| end as usize <= choice) - 1;
            let target = graph.all_targets()[branch];
            let time = Ratio::new(times.values[branch].into(), times.factor);
            let reason = match times.values[branch] < 0 {
                true => "a time is at least 0".to_owned(),
                false => format!(
                    "a time, multiplied by {}, the common denominator, is below 2^32",
                    times.factor
                ),
            };
            let message =
                format!("`{name}` gives the edge from state {state} to state {target} time {time}");
            return Err(Diagnostic::new(message).note(reason).into());
        }
        Ok(Self {
            values: times.values.iter().map(|&time| time as u32).collect(),
            factor: times.factor,
        })
    }
}

/// Solves the problem of these numbers on the devices of the plan. Errors show the values of
/// variables, if they are known.
///
/// # Errors
/// If the problem has no answer, or no device succeeds.
pub(crate) fn find(
    problem: &Problem<'_>,
    numbers: &Numbers,
    valuations: Option<&Valuations>,
    search: MeanSearch,
    plan: Plan,
    observer: &dyn JobObserver,
) -> Result<Answer, Error> {
    let mut attempt = |device: Device| {
        let options = Options {
            search,
            observer,
            ..Options::default()
        };
        match device {
            Device::Gpu { options: how, .. } => on_gpu(problem, &how, &options),
            _ => solve(problem, &options),
        }
    };
    let verdict = || auto_device::of_cycle_means(problem.graph().num_branches() as u64);
    let explained =
        |error: &cycle_mean::Error| with_hints(error, valuations, numbers.weights.factor);
    plan.run_observed(Job::SOLVE, verdict, observer, &mut attempt, &explained)
}

/// Solves the problem on a GPU, which also finds the components.
fn on_gpu(
    problem: &Problem<'_>,
    gpu: &GpuOptions,
    options: &Options<'_>,
) -> Result<Answer, cycle_mean::Error> {
    let device = gpu::Gpu::open(&gpu.request)?;
    let decomposition = decompose::Options {
        device: Device::Gpu {
            options: gpu.clone(),
            open: Some(device.clone()),
        },
        observer: options.observer,
        ..decompose::Options::default()
    };
    let components = scc(problem.graph(), &decomposition)?;
    let options = Options {
        device: OpenDevice::Gpu(device),
        ..options.clone()
    };
    solve_components(problem, components, &options)
}

/// Returns the error of a problem that has no answer, with hints for the user.
fn with_hints(error: &cycle_mean::Error, valuations: Option<&Valuations>, factor: u64) -> Error {
    let diagnostic = Diagnostic::new(error.to_string());
    match error {
        cycle_mean::Error::Bound { .. } if factor > 1 => diagnostic.note(format!(
            "rewards were multiplied by {factor}, their common denominator"
        )),
        cycle_mean::Error::ZeroTime { states } => match (valuations, states.first()) {
            (Some(values), Some(&state)) => diagnostic.note(values.shown(state)),
            _ => diagnostic,
        },
        _ => diagnostic,
    }
    .into()
}
