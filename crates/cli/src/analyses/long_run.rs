//! Finds optimal long-run averages.

use crate::device::auto_device;
use crate::device::{Job, JobObserver, Plan};
use crate::error::Error;
use crate::error::diagnostic::Diagnostic;
use crate::model::Model;
use crate::model::choices::ChoiceFacts;
use crate::model::rewards::{Amounts, Rewards};
use crate::naming::Naming;
use cycle_mean::Ratio;
use decompose::Device;
use decompose::gpu::GpuOptions;
use long_run::{Answer, BigRational, Bounds, ExactAnswer, MAX_STATES, Objective, OpenDevice};
use long_run::{Options, Problem, solve, solve_exactly};
use mdp_graph::{Components, StateId};
use prism_explicit::ModelType;
use std::borrow::Cow;
use std::collections::HashMap;

/// Which averages to find, and how closely.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Task {
    pub(crate) objective: Objective,
    /// Whether to find fractions, without rounding. Then the other limits have no effect.
    pub(crate) exact: bool,
    /// How far apart the bounds on an average may be.
    pub(crate) epsilon: f64,
    /// Whether `epsilon` is a part of the average.
    pub(crate) is_relative: bool,
    pub(crate) max_iterations: u64,
    /// What messages call these settings.
    pub(crate) naming: Naming,
}

/// The optimal averages of a model.
pub(crate) enum Averages {
    Bounded(Answer),
    Exact(ExactAnswer),
}

/// The average of a state or of a maximal end component.
pub(crate) struct Average<'a> {
    pub(crate) bounds: Bounds,
    /// The average itself, if it is known exactly.
    pub(crate) exact: Option<&'a BigRational>,
}

impl<'a> Average<'a> {
    fn bounded(bounds: Bounds) -> Self {
        let exact = None;
        Self { bounds, exact }
    }

    fn exactly(value: &'a BigRational) -> Self {
        Self {
            bounds: Bounds::enclosing(value),
            exact: Some(value),
        }
    }
}

impl Averages {
    /// Returns the maximal end components.
    pub(crate) fn mecs(&self) -> &Components {
        match self {
            Self::Bounded(answer) => answer.mecs(),
            Self::Exact(answer) => answer.mecs(),
        }
    }

    /// Returns whether some bounds were computed without rounding, because they were not close
    /// enough.
    pub(crate) fn has_exact_parts(&self) -> bool {
        match self {
            Self::Bounded(answer) => answer.has_exact_parts(),
            Self::Exact(_) => false,
        }
    }

    /// Returns the average from a state.
    pub(crate) fn value(&self, state: StateId) -> Average<'_> {
        match self {
            Self::Bounded(answer) => Average::bounded(answer.value(state)),
            Self::Exact(answer) => Average::exactly(answer.value(state)),
        }
    }

    /// Returns the average of each maximal end component, in their order.
    pub(crate) fn gains(&self) -> Vec<Average<'_>> {
        match self {
            Self::Bounded(answer) => {
                let gains = answer.gains().iter();
                gains.map(|mec| Average::bounded(mec.gain)).collect()
            }
            Self::Exact(answer) => answer.gains().iter().map(Average::exactly).collect(),
        }
    }
}

/// Rejects types of models for which long-run averages are not defined or not supported.
pub(crate) fn check(model: &Model, file: &str) -> Result<(), Error> {
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

/// Finds the averages on the devices of the plan. Bounds on those of the `wanted` states are as
/// close as the task requires.
///
/// # Errors
/// If the model has no such averages, or no device succeeds.
pub(crate) fn find(
    model: &Model,
    rewards: &Rewards,
    wanted: &[StateId],
    task: &Task,
    plan: Plan,
    observer: &dyn JobObserver,
) -> Result<Averages, Error> {
    let of = long_run::Rewards {
        states: rewards.states.as_ref().map(Amounts::values),
        choices: rewards.choices.as_ref().map(Amounts::values),
        branches: rewards.branches.as_ref().map(Amounts::values),
    };
    let probabilities = match &model.choices.details {
        Some(details) => Cow::Borrowed(&details.values[..]),
        None if model.model_type == ModelType::Lts => vec![1.0; model.graph.num_branches()].into(),
        None => Cow::default(),
    };
    let fractions = Fractions::new(&model.choices, rewards, task.exact);
    let problem = Problem::new(&model.graph, &probabilities, of, task.objective)
        .map_err(|error| Error::wrong(error.to_string()))?;
    let problem = problem.with_fractions(fractions.borrowed());
    let mut attempt = |device: Device| {
        let options = Options {
            epsilon: task.epsilon,
            is_relative: task.is_relative,
            max_iterations: task.max_iterations,
            observer,
            ..Options::default()
        };
        match device {
            Device::Gpu { options: how, .. } => on_gpu(&problem, wanted, &how, &options),
            _ if task.exact => solve_exactly(&problem, &options).map(Averages::Exact),
            _ => solve(&problem, wanted, &options).map(Averages::Bounded),
        }
    };
    let branches = model.graph.num_branches() as u64;
    let verdict = || auto_device::by_branches(branches, auto_device::BRANCHES);
    let explained =
        |error: &long_run::Error| with_hints(error, model.graph.num_states(), task.naming);
    plan.run_observed(Job::SOLVE, verdict, observer, &mut attempt, &explained)
}

/// Opens a GPU, and solves the problem there.
fn on_gpu(
    problem: &Problem<'_>,
    wanted: &[StateId],
    gpu: &GpuOptions,
    options: &Options<'_>,
) -> Result<Averages, long_run::Error> {
    let device = gpu::Gpu::open(&gpu.request)?;
    let options = Options {
        device: OpenDevice::Gpu(device),
        ..options.clone()
    };
    solve(problem, wanted, &options).map(Averages::Bounded)
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
fn with_hints(error: &long_run::Error, num_states: usize, naming: Naming) -> Error {
    let diagnostic = Diagnostic::new(error.to_string());
    match error {
        long_run::Error::NotReached {
            is_settled,
            is_relative,
            ..
        } => {
            let mut hints = Vec::new();
            if num_states <= MAX_STATES {
                let exact = naming.of("exact");
                hints.push(format!(
                    "`{exact}` finds it for models of up to 4,096 states"
                ));
            }
            hints.push(format!(
                "`{}` allows a wider interval",
                naming.of("epsilon")
            ));
            if *is_relative {
                let relative = naming.of("relative");
                hints.push(format!(
                    "without `{relative}`, averages close to 0 need no more digits"
                ));
            }
            if !is_settled {
                let more = naming.of("max_iterations");
                hints.push(format!("`{more}` allows more iterations"));
            }
            diagnostic.note(hints.join("; "))
        }
        _ => diagnostic,
    }
    .into()
}
