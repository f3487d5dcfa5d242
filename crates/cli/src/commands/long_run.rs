//! `maxend long-run`: reads a model with rewards, and bounds its optimal long-run averages.

use crate::analyses::long_run::{self, Task};
use crate::args::{LongRunArgs, LongRunFormat};
use crate::device::Plan;
use crate::device::observer::RunObserver;
use crate::error::Error;
use crate::files;
use crate::load::{self, DeadlockWarning, Origin, Request, Structures, Wanted};
use crate::model::Model;
use crate::model::annotations;
use crate::model::rewards::{self, Rewards};
use crate::naming::Naming;
use crate::output;
use crate::progress::{Progress, Unit};
use mdp_graph::{Deadlocks, Objective, StateId, check_room};
use report::{Average, Averaged, LongRun};

pub(crate) fn run(args: &LongRunArgs, progress: Progress) -> Result<(), Error> {
    let plan = Plan::for_long_run(args)?;
    let labels = Origin::named(args.labels.as_deref(), Origin::Beside);
    files::read_model(&args.model, Origin::Nowhere, labels)?;
    files::write("the result", args.output.as_deref())?;
    files::warn_of_ending(args.output.as_deref(), &args.format);
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
    long_run::check(&model, &file)?;
    let of_label = args.label.as_deref();
    let of_label = of_label
        .map(|label| ones(&model, label, args))
        .transpose()?;
    let rewards = match &of_label {
        Some(rewards) => rewards,
        None => {
            let name = args.rewards.as_deref();
            rewards::select(&model, name, &file, Naming::Options, "rewards")?
        }
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
        has_exact_parts: found.has_exact_parts,
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

/// The averages of initial states, and of maximal end components.
struct Found {
    initial: Vec<Average>,
    mecs: Vec<Average>,
    device: String,
    has_exact_parts: bool,
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
    let task = Task {
        objective: match args.min {
            true => Objective::Min,
            false => Objective::Max,
        },
        exact: args.exact,
        epsilon: args.epsilon,
        is_relative: args.relative,
        max_iterations: args.max_iterations,
        naming: Naming::Options,
    };
    let observer = RunObserver::new(matches!(plan, Plan::Auto(_)), false);
    let plan = plan.for_graph(&model.graph);
    let work = || long_run::find(model, rewards, initial, &task, plan, &observer);
    let total = model.graph.num_states() as u64;
    let averages = progress.track("solving", Unit::States, total, &observer.done, work)?;
    let mecs = averages.mecs();
    let shown = (initial.len() + mecs.len()) * size_of::<Average>();
    let each = mecs.len() * size_of::<long_run::Average<'_>>();
    check_room("the averages that are printed", &[shown, each])?;
    let gains = mecs.ids().zip(averages.gains());
    Ok(Found {
        initial: initial
            .iter()
            .map(|&state| reported(state, None, &averages.value(state)))
            .collect(),
        mecs: gains
            .map(|(id, gain)| reported(mecs.smallest(id), Some(mecs.size(id)), &gain))
            .collect(),
        device: observer.device_name(),
        has_exact_parts: averages.has_exact_parts(),
    })
}

/// Returns an average for a report.
fn reported(state: StateId, states: Option<u32>, average: &long_run::Average<'_>) -> Average {
    Average {
        state: state.into(),
        states,
        fraction: average.exact.map(ToString::to_string),
        lower: average.bounds.lower,
        upper: average.bounds.upper,
    }
}
