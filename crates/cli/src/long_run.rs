//! `maxend long-run`: reads a model with rewards, and bounds its optimal long-run averages.

use crate::args::{LongRunArgs, LongRunFormat};
use crate::error::Error;
use crate::files::Files;
use crate::load::{self, ExploreOn, Extent, Model, Origin, Request, Wanted};
use crate::observer::RunObserver;
use crate::output;
use crate::progress::{Progress, Unit};
use crate::rewards::{self, Amounts, Rewards};
use long_run::{Answer, Bounds, Goal, Options, Problem, solve};
use mdp_graph::{Deadlocks, StateId};
use prism_explicit::ModelType;
use report::{Average, LongRun};

pub(crate) fn run(args: &LongRunArgs, progress: Progress) -> Result<(), Error> {
    let labels = Origin::named(args.labels.as_deref(), Origin::Beside);
    let mut files = Files::of_model(&args.model, Origin::Nowhere, labels);
    files.write("the result", args.output.as_deref())?;
    let model = load::model(Request {
        args: &args.model,
        wanted: Wanted {
            valuations: Origin::Nowhere,
            labels,
            details: Extent::Everything,
            rewards: true,
            only_of_few: false,
        },
        // A run that comes to its end has no long run.
        deadlocks: Deadlocks::SelfLoop,
        progress,
        size_hint: &|_| {},
        explore_on: ExploreOn::Cpu,
    })?;
    let file = args.model.model.display().to_string();
    if model.model_type == ModelType::Ctmc {
        let message = format!(
            "{file} is a CTMC: averages over continuous time are not supported, only averages a step \
             of MDPs, DTMCs and LTSs"
        );
        return Err(Error::wrong(message));
    }
    if model.graph.num_states() == 0 {
        return Err(Error::wrong(format!(
            "{file} has no states, and so no long run"
        )));
    }
    let rewards = rewards::select(&model, args.rewards.as_deref(), &file, "--rewards")?;
    let initial: Vec<StateId> = model.initial_states().into_iter().map(StateId).collect();
    let answer = find(args, &model, rewards, &initial, progress)?;
    print(args, &file, &model, rewards, &initial, &answer)
}

/// Solves the problem.
fn find(
    args: &LongRunArgs,
    model: &Model,
    rewards: &Rewards,
    initial: &[StateId],
    progress: Progress,
) -> Result<Answer, Error> {
    let of = long_run::Rewards {
        states: rewards.states.as_ref().map(Amounts::values),
        choices: rewards.choices.as_ref().map(Amounts::values),
        branches: rewards.branches.as_ref().map(Amounts::values),
    };
    let probabilities = model
        .details
        .as_ref()
        .map_or(&[][..], |details| &details.values);
    let goal = if args.min { Goal::Min } else { Goal::Max };
    let wrong = |error: &dyn std::error::Error| Error::wrong(error.to_string());
    let problem =
        Problem::new(&model.graph, probabilities, of, goal).map_err(|error| wrong(&error))?;
    let observer = RunObserver::new(false, false);
    let options = Options {
        epsilon: args.epsilon,
        max_iterations: args.max_iterations,
        observer: &observer,
    };
    let total = model.graph.num_states() as u64;
    let work = || solve(&problem, initial, &options);
    let solved = progress.track("solving", Unit::States, total, &observer.done, work);
    solved.map_err(|error| match error {
        long_run::Error::Cancelled => Error::Cancelled,
        error => wrong(&error),
    })
}

fn print(
    args: &LongRunArgs,
    file: &str,
    model: &Model,
    rewards: &Rewards,
    initial: &[StateId],
    answer: &Answer,
) -> Result<(), Error> {
    let average = |state: StateId, states, Bounds { lower, upper }| Average {
        state: state.into(),
        states,
        lower,
        upper,
    };
    let mecs = answer.gains().iter().map(|mec| {
        let mecs = answer.mecs();
        let size = mecs.size(mec.component);
        average(mecs.smallest(mec.component), Some(size), mec.gain)
    });
    let mecs: Vec<Average> = mecs.collect();
    let initial = initial
        .iter()
        .map(|&state| average(state, None, answer.value(state)));
    let initial: Vec<Average> = initial.collect();
    let of = LongRun {
        version: env!("CARGO_PKG_VERSION"),
        model: file,
        states: model.graph.num_states(),
        rewards: rewards.name.as_deref().unwrap_or("rewards"),
        greatest: !args.min,
        epsilon: args.epsilon,
        initial: &initial,
        mecs: &mecs,
        each: args.each,
    };
    let write = match args.format {
        LongRunFormat::Text => report::write_long_run,
        LongRunFormat::Json => report::write_long_run_json,
    };
    output::write(args.output.as_deref(), |out| write(out, &of))
}
