//! `maxend cycle-mean`: reads a model with rewards, and prints the optimal mean or ratio of its
//! cycles.

use crate::args::{CycleMeanArgs, MeanFormat, name_of};
use crate::device::auto_device;
use crate::device::observer::RunObserver;
use crate::device::{Job, JobObserver as _, Plan};
use crate::error::Error;
use crate::error::diagnostic::Diagnostic;
use crate::files::Files;
use crate::load::{self, Extent, Origin, Request, Structures, Wanted};
use crate::model::Model;
use crate::model::annotations::Valuations;
use crate::model::rewards::{self, Weights};
use crate::progress::{Progress, Unit};
use crate::{certificate, interrupt, output};
use certify::{ClaimedMeans, ClaimedOptimum};
use cycle_mean::{Answer, Objective, OpenDevice, Options, Problem, Ratio, solve, solve_components};
use decompose::gpu::GpuOptions;
use decompose::{Device, scc};
use mdp_graph::{BranchId, MdpGraph};
use report::{ComponentMean, CycleMeans, Phase};
use std::time::Instant;

/// The number of decimals that are printed.
const DIGITS: usize = 12;

pub(crate) fn run(args: &CycleMeanArgs, progress: Progress) -> Result<(), Error> {
    let plan = Plan::for_cycle_means(args)?;
    if args.each && args.format == MeanFormat::Dot {
        let message = "--each goes with --format text or json".to_owned();
        return Err(Error::Usage(message));
    }
    let valuations = Origin::named(args.states.as_deref(), Origin::Beside);
    let mut files = Files::of_model(&args.model, valuations, Origin::Nowhere);
    files.write("the result", args.output.as_deref())?;
    let both = [args.rewards.as_deref(), Some(args.time.as_str())];
    let (weights, _) = both.split_at(1);
    let wanted = Wanted {
        valuations,
        details: Extent::Actions,
        rewards: Structures::These(if args.ratio { &both } else { weights }),
        ..Wanted::graph()
    };
    let model = load::load_model(Request {
        deadlocks: args.deadlocks.into(),
        certify: args.certify,
        ..Request::new(&args.model, wanted, progress)
    })?;
    let numbers = Numbers::of(args, &model)?;
    let mut phases = vec![
        phase("read", model.times.read),
        phase("build", model.times.build),
    ];
    let problem = numbers.problem(args, &model.graph);
    let start = Instant::now();
    let (answer, device) = find(
        args,
        plan,
        &model,
        &problem,
        numbers.weights.factor,
        progress,
    )?;
    phases.push(phase("solve", start.elapsed()));
    if args.certify {
        let start = Instant::now();
        certify(&problem, &answer, progress)?;
        phases.push(phase("certify", start.elapsed()));
    }
    print(args, &model, &numbers, &answer, &device, &phases)
}

fn phase(name: &'static str, time: std::time::Duration) -> Phase<'static> {
    Phase {
        name,
        time,
        amount: None,
    }
}

/// The weights and times of branches, as integers.
struct Numbers {
    weights: Weights,
    weights_name: String,
    times: Option<Times>,
}

/// The time of each branch.
struct Times {
    values: Vec<u32>,
    factor: u64,
    name: String,
}

impl Numbers {
    fn of(args: &CycleMeanArgs, model: &Model) -> Result<Self, Error> {
        let file = args.model.model.display().to_string();
        let chosen = rewards::select(model, args.rewards.as_deref(), &file, "--rewards")?;
        let times = match args.ratio {
            true => {
                let times = rewards::select(model, Some(&args.time), &file, "--time")?;
                Some(Times::of(
                    &times.weights(&model.graph)?,
                    &args.time,
                    &model.graph,
                )?)
            }
            false => None,
        };
        Ok(Self {
            weights: chosen.weights(&model.graph)?,
            weights_name: chosen.name.clone().unwrap_or_else(|| "rewards".to_owned()),
            times,
        })
    }

    fn problem<'a>(&'a self, args: &CycleMeanArgs, graph: &'a MdpGraph) -> Problem<'a> {
        let objective = if args.max {
            Objective::Max
        } else {
            Objective::Min
        };
        match &self.times {
            Some(times) => Problem::ratio(graph, &self.weights.values, &times.values, objective),
            None => Problem::mean(graph, &self.weights.values, objective),
        }
    }

    /// Returns the weight of a branch in the model.
    fn weight(&self, branch: BranchId) -> String {
        let weights = &self.weights;
        Ratio::new(weights.values[branch.index()].into(), weights.factor).to_string()
    }

    /// Returns the time of a branch in the model; an empty text if there are no times.
    fn time(&self, branch: BranchId) -> String {
        self.times.as_ref().map_or_else(String::new, |times| {
            Ratio::new(times.values[branch.index()].into(), times.factor).to_string()
        })
    }

    /// Converts a value of the scaled problem to a value of the model.
    fn unscaled(&self, value: Ratio) -> Result<Ratio, Error> {
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
            name: name.to_owned(),
        })
    }
}

/// Solves the problem on the devices of the plan. Also returns the name of the device.
fn find(
    args: &CycleMeanArgs,
    plan: Plan,
    model: &Model,
    problem: &Problem<'_>,
    factor: u64,
    progress: Progress,
) -> Result<(Answer, String), Error> {
    let observer = RunObserver::new(matches!(plan, Plan::Auto(_)), false);
    let mut attempt = |device: Device| {
        observer.start_over();
        let options = Options {
            search: args.search.into(),
            observer: &observer,
            ..Options::default()
        };
        match device {
            Device::Gpu { options: how, .. } => {
                interrupt::while_in_driver(|| on_gpu(problem, &how, &options))
            }
            _ => solve(problem, &options),
        }
    };
    let branches = model.graph.num_branches() as u64;
    let verdict = || auto_device::of_cycle_means(branches);
    let wrong =
        |error: &cycle_mean::Error| refused(error, model.states.valuations.as_ref(), factor);
    let work = || plan.run(Job::SOLVE, verdict, &mut attempt, &wrong);
    let total = model.graph.num_states() as u64;
    let answer = progress.track("solving", Unit::States, total, &observer.done, work)?;
    Ok((answer, observer.device_name()))
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

/// Returns the error for a problem that has no answer, with hints.
fn refused(error: &cycle_mean::Error, valuations: Option<&Valuations>, factor: u64) -> Error {
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

/// Certifies the components, and then the value of each.
fn certify(problem: &Problem<'_>, answer: &Answer, progress: Progress) -> Result<(), Error> {
    let components = answer.components();
    certificate::check(problem.graph(), components, None, progress)?;
    let claimed = answer.optima().iter().map(|optimum| ClaimedOptimum {
        component: optimum.component,
        numerator: optimum.value.numerator(),
        denominator: optimum.value.denominator(),
        cycle: &optimum.cycle,
    });
    let optima: Vec<ClaimedOptimum<'_>> = claimed.collect();
    let claim = ClaimedMeans {
        weights: problem.weights(),
        times: problem.times(),
        greatest: problem.objective() == Objective::Max,
        components,
        optima: &optima,
        potentials: answer.potentials(),
    };
    certify::check_cycle_means(problem.graph(), &claim).map_err(Error::rejected)
}

/// Returns the optimum of each component, in the units of the model.
fn component_means<'a>(
    numbers: &Numbers,
    answer: &'a Answer,
) -> Result<Vec<ComponentMean<'a>>, Error> {
    let means = answer.optima().iter().map(|optimum| {
        let value = numbers.unscaled(optimum.value)?;
        Ok(ComponentMean {
            component: answer.components().smallest(optimum.component),
            states: answer.components().size(optimum.component),
            fraction: value.to_string(),
            decimal: value.decimal(DIGITS),
            cycle: &optimum.cycle,
            iterations: optimum.iterations,
        })
    });
    means.collect()
}

fn print(
    args: &CycleMeanArgs,
    model: &Model,
    numbers: &Numbers,
    answer: &Answer,
    device: &str,
    phases: &[Phase<'_>],
) -> Result<(), Error> {
    let components = component_means(numbers, answer)?;
    let best = answer.optimal().map(|optimum| optimum.component);
    let optimal = best.and_then(|best| {
        let mut optima = answer.optima().iter();
        optima.position(|optimum| optimum.component == best)
    });
    let valuations = model.states.valuations.as_ref();
    let valuations = valuations.map(Valuations::as_report);
    let details = model.choices.actions_as_report();
    let weight = |branch| numbers.weight(branch);
    let time = |branch| numbers.time(branch);
    let file = args.model.model.display().to_string();
    let of = CycleMeans {
        version: env!("CARGO_PKG_VERSION"),
        model: &file,
        constants: &model.file.report_constants(),
        graph: &model.graph,
        greatest: args.max,
        weights: &numbers.weights_name,
        times: numbers.times.as_ref().map(|times| times.name.as_str()),
        search: &name_of(&args.search),
        device,
        counts: &counts(answer),
        optimal,
        components: &components,
        each: args.each,
        weight: &weight,
        time: &time,
        valuations: valuations.as_ref(),
        details: details.as_ref(),
        certified: args.certify,
        phases,
    };
    let write = match args.format {
        MeanFormat::Text => report::write_cycle_means,
        MeanFormat::Json => report::write_cycle_means_json,
        MeanFormat::Dot => report::write_cycle_means_dot,
    };
    output::write(args.output.as_deref(), |out| write(out, &of))
}

/// Returns the counts of a GPU's work, by name.
fn counts(answer: &Answer) -> Vec<(&'static str, u64)> {
    answer.work().map_or_else(Vec::new, |work| {
        vec![
            ("policies", work.policies.into()),
            ("doublings", work.doublings),
            ("levels", work.levels),
            ("states left to the host", work.host_states),
        ]
    })
}
