//! `maxend long-run`: reads a model with rewards, and bounds its optimal long-run averages.

use crate::args::{LongRunArgs, LongRunFormat};
use crate::device::auto_device;
use crate::device::observer::RunObserver;
use crate::device::{Job, JobObserver as _, Plan};
use crate::error::Error;
use crate::error::diagnostic::Diagnostic;
use crate::files::Files;
use crate::load::{self, DeadlockWarning, Origin, Request, Structures, Wanted};
use crate::model::Model;
use crate::model::annotations;
use crate::model::choices::ChoiceFacts;
use crate::model::rewards::{self, Amounts, Rewards};
use crate::progress::{Progress, Unit};
use crate::{interrupt, output};
use cycle_mean::Ratio;
use decompose::Device;
use decompose::gpu::GpuOptions;
use long_run::{BigRational, Bounds, MAX_STATES, Objective, OpenDevice, Options, Problem};
use long_run::{solve, solve_exactly};
use mdp_graph::{Components, Deadlocks, StateId};
use prism_explicit::ModelType;
use report::{Average, Averaged, LongRun};
use std::collections::HashMap;

pub(crate) fn run(args: &LongRunArgs, progress: Progress) -> Result<(), Error> {
    let plan = Plan::for_long_run(args)?;
    let labels = Origin::named(args.labels.as_deref(), Origin::Beside);
    let mut files = Files::of_model(&args.model, Origin::Nowhere, labels);
    files.write("the result", args.output.as_deref())?;
    let structures = [args.rewards.as_deref()];
    let wanted = Wanted {
        rewards: match args.label {
            Some(_) => Structures::Nothing,
            None => Structures::These(&structures),
        },
        fractions: args.exact,
        ..Wanted::but_valuations(args.labels.as_deref())
    };
    let model = load::load_model(Request {
        // A run that ends has no long-run average.
        deadlocks: Deadlocks::SelfLoop,
        deadlock_warning: DeadlockWarning::Plain,
        ..Request::new(&args.model, wanted, progress)
    })?;
    let file = args.model.model.display().to_string();
    check(&model, &file)?;
    let of_label = args.label.as_deref();
    let of_label = of_label
        .map(|label| ones(&model, label, args))
        .transpose()?;
    let rewards = match &of_label {
        Some(rewards) => rewards,
        None => rewards::select(&model, args.rewards.as_deref(), &file, "--rewards")?,
    };
    let initial: Vec<StateId> = model.initial_states().into_iter().map(StateId).collect();
    let found = find(args, plan, &model, rewards, &initial, progress)?;
    let of = LongRun {
        version: env!("CARGO_PKG_VERSION"),
        model: &file,
        states: model.graph.num_states(),
        constants: &model.file.report_constants(),
        averaged: match &args.label {
            Some(label) => Averaged::Label(label),
            None => Averaged::Rewards(rewards.name.as_deref().unwrap_or("rewards")),
        },
        device: &found.device,
        greatest: !args.min,
        epsilon: (!args.exact).then_some(args.epsilon),
        relative: args.relative,
        initial: &found.initial,
        mecs: &found.mecs,
        each: args.each,
    };
    let write = match args.format {
        LongRunFormat::Text => report::write_long_run,
        LongRunFormat::Json => report::write_long_run_json,
    };
    output::write(args.output.as_deref(), |out| write(out, &of))
}

/// Returns rewards of 1 for states with a label.
fn ones(model: &Model, label: &str, args: &LongRunArgs) -> Result<Rewards, Error> {
    let labels = model.states.labels.as_ref();
    let states = annotations::labelled("--label", label, labels, &args.model.model)?;
    let mut values = vec![0.0; model.graph.num_states()];
    for &state in states {
        values[state as usize] = 1.0;
    }
    Ok(Rewards {
        states: Some(values.into()),
        ..Rewards::default()
    })
}

/// Rejects types of models for which long-run averages are not defined or not supported.
fn check(model: &Model, file: &str) -> Result<(), Error> {
    let averages = match model.model_type {
        ModelType::Mdp | ModelType::Dtmc | ModelType::Lts => None,
        ModelType::Ctmc | ModelType::Ma => Some("averages over continuous time"),
        ModelType::Pomdp => Some("averages under partial observation"),
        ModelType::Smg => Some("averages of games"),
        ModelType::Idtmc | ModelType::Imdp => Some("averages that depend on nature"),
    };
    if let Some(averages) = averages {
        let model_type = model.model_type;
        let message = format!(
            "{file} is of type {model_type}: {averages} are not supported, only averages per step of MDPs, \
             DTMCs and LTSs"
        );
        return Err(Error::wrong(message));
    }
    if model.graph.num_states() == 0 {
        return Err(Error::wrong(format!(
            "{file} has no states, and so no long run"
        )));
    }
    Ok(())
}

/// The averages of initial states, and of maximal end components.
struct Found {
    initial: Vec<Average>,
    mecs: Vec<Average>,
    device: String,
}

/// Solves the problem.
fn find(
    args: &LongRunArgs,
    plan: Plan,
    model: &Model,
    rewards: &Rewards,
    initial: &[StateId],
    progress: Progress,
) -> Result<Found, Error> {
    let of = long_run::Rewards {
        states: rewards.states.as_ref().map(Amounts::values),
        choices: rewards.choices.as_ref().map(Amounts::values),
        branches: rewards.branches.as_ref().map(Amounts::values),
    };
    let probabilities = model
        .choices
        .details
        .as_ref()
        .map_or(&[][..], |details| &details.values);
    let objective = if args.min {
        Objective::Min
    } else {
        Objective::Max
    };
    let fractions = Fractions::new(&model.choices, rewards, args.exact);
    let wrong = |error: &dyn std::error::Error| Error::wrong(error.to_string());
    let problem =
        Problem::new(&model.graph, probabilities, of, objective).map_err(|error| wrong(&error))?;
    let problem = problem.with_fractions(fractions.borrowed());
    let observer = RunObserver::new(matches!(plan, Plan::Auto(_)), false);
    let mut attempt = |device: Device| {
        observer.start_over();
        let options = Options {
            epsilon: args.epsilon,
            is_relative: args.relative,
            max_iterations: args.max_iterations,
            observer: &observer,
            ..Options::default()
        };
        match device {
            Device::Gpu { options: how, .. } => {
                interrupt::while_in_driver(|| on_gpu(&problem, initial, &how, &options))
            }
            _ if args.exact => exactly_on_cpu(&problem, initial, &options),
            _ => bounded_averages(&problem, initial, &options),
        }
    };
    let branches = model.graph.num_branches() as u64;
    let verdict = || auto_device::by_branches(branches, auto_device::BRANCHES);
    let refused = |error: &long_run::Error| refused(error, model.graph.num_states());
    let work = || plan.run(Job::SOLVE, verdict, &mut attempt, &refused);
    let total = model.graph.num_states() as u64;
    let (initial, mecs) = progress.track("solving", Unit::States, total, &observer.done, work)?;
    Ok(Found {
        initial,
        mecs,
        device: observer.device_name(),
    })
}

/// The numbers of a model that are not the decimals of their doubles, by places.
#[derive(Default)]
struct Fractions {
    probabilities: HashMap<usize, BigRational>,
    states: HashMap<usize, BigRational>,
    choices: HashMap<usize, BigRational>,
    branches: HashMap<usize, BigRational>,
}

impl Fractions {
    /// Returns those of a model and its rewards, if they are wanted.
    fn new(choices: &ChoiceFacts, rewards: &Rewards, are_wanted: bool) -> Self {
        if !are_wanted {
            return Self::default();
        }
        let rational = |(place, ratio): (usize, Ratio)| {
            let (over, under) = (ratio.numerator(), ratio.denominator());
            (place, BigRational::new(over.into(), under.into()))
        };
        let of = |amounts: &Option<Amounts>| {
            let all = amounts.iter().flat_map(Amounts::fractions);
            all.map(rational).collect()
        };
        let probabilities = choices
            .fractions
            .iter()
            .map(|(&place, &ratio)| (place, ratio));
        Self {
            probabilities: probabilities.map(rational).collect(),
            states: of(&rewards.states),
            choices: of(&rewards.choices),
            branches: of(&rewards.branches),
        }
    }

    fn borrowed(&self) -> long_run::Fractions<'_> {
        long_run::Fractions {
            probabilities: Some(&self.probabilities),
            states: Some(&self.states),
            choices: Some(&self.choices),
            branches: Some(&self.branches),
        }
    }
}

/// Returns the error for a problem that has no answer, with hints.
fn refused(error: &long_run::Error, num_states: usize) -> Error {
    let diagnostic = Diagnostic::new(error.to_string());
    match error {
        long_run::Error::NotReached {
            is_still,
            is_relative,
            ..
        } => {
            let mut hints = Vec::new();
            if num_states <= MAX_STATES {
                hints.push("`--exact` finds it for models of up to 4,096 states");
            }
            hints.push("`--epsilon` allows a wider interval");
            if *is_relative {
                hints.push("without `--relative`, averages close to 0 need no more digits");
            }
            if !is_still {
                hints.push("`--max-iterations` allows more iterations");
            }
            diagnostic.note(hints.join("; "))
        }
        _ => diagnostic,
    }
    .into()
}

/// The averages of initial states, and those of maximal end components.
type Averages = (Vec<Average>, Vec<Average>);

/// Opens a GPU, and solves the problem there.
fn on_gpu(
    problem: &Problem<'_>,
    initial: &[StateId],
    gpu: &GpuOptions,
    options: &Options<'_>,
) -> Result<Averages, long_run::Error> {
    let device = gpu::Gpu::open(&gpu.request)?;
    let options = Options {
        device: OpenDevice::Gpu(device),
        ..options.clone()
    };
    bounded_averages(problem, initial, &options)
}

fn bounded_averages(
    problem: &Problem<'_>,
    initial: &[StateId],
    options: &Options<'_>,
) -> Result<Averages, long_run::Error> {
    let answer = solve(problem, initial, options)?;
    let values = initial
        .iter()
        .map(|&state| bounded(state, None, &answer.value(state)));
    let gains: Vec<Bounds> = answer.gains().iter().map(|mec| mec.gain).collect();
    Ok((values.collect(), of_mecs(answer.mecs(), &gains, bounded)))
}

fn exactly_on_cpu(
    problem: &Problem<'_>,
    initial: &[StateId],
    options: &Options<'_>,
) -> Result<Averages, long_run::Error> {
    let answer = solve_exactly(problem, options)?;
    let values = initial
        .iter()
        .map(|&state| exactly(state, None, answer.value(state)));
    let mecs = of_mecs(answer.mecs(), answer.gains(), exactly);
    Ok((values.collect(), mecs))
}

/// Returns the averages of components from their gains, which are in the order of components.
fn of_mecs<G>(
    mecs: &Components,
    gains: &[G],
    average: fn(StateId, Option<u32>, &G) -> Average,
) -> Vec<Average> {
    let each = mecs.ids().zip(gains);
    each.map(|(id, gain)| average(mecs.smallest(id), Some(mecs.size(id)), gain))
        .collect()
}

fn bounded(state: StateId, states: Option<u32>, &Bounds { lower, upper }: &Bounds) -> Average {
    Average {
        state: state.into(),
        states,
        fraction: None,
        lower,
        upper,
    }
}

fn exactly(state: StateId, states: Option<u32>, value: &BigRational) -> Average {
    Average {
        fraction: Some(value.to_string()),
        ..bounded(state, states, &Bounds::around(value))
    }
}
