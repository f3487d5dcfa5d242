//! `maxend cycle-mean`: reads a model with rewards, and prints the optimal mean or ratio of its
//! cycles.

use crate::analyses::cycle_mean::{self, Numbers};
use crate::args::{CycleMeanArgs, CycleMeanSearch, MeanFormat, name_of};
use crate::device::Plan;
use crate::device::observer::RunObserver;
use crate::error::Error;
use crate::files;
use crate::load::{self, Extent, Origin, Request, Structures, Wanted};
use crate::model::Model;
use crate::model::annotations::Valuations;
use crate::model::rewards::{self, Rewards};
use crate::naming::Naming;
use crate::progress::{Progress, Unit};
use crate::{certificate, output};
use ::cycle_mean::{Answer, Objective, Problem};
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
    files::read_model(&args.model, valuations, Origin::Nowhere)?;
    files::write("the result", args.output.as_deref())?;
    files::warn_of_ending(args.output.as_deref(), &args.format);
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
    let chosen = Chosen::of(args, &model)?;
    let times = chosen.times.map(|times| (times, args.time.as_str()));
    let numbers = Numbers::of(&model.graph, chosen.weights, times)?;
    let mut phases = vec![
        phase("read", model.times.read),
        phase("build", model.times.build),
    ];
    let objective = match args.max {
        true => Objective::Max,
        false => Objective::Min,
    };
    let problem = numbers.problem(&model.graph, objective);
    let start = Instant::now();
    let (answer, device) = find(args, plan, &model, &problem, &numbers, progress)?;
    phases.push(phase("solve", start.elapsed()));
    if args.certify {
        let start = Instant::now();
        certificate::check(&model.graph, answer.components(), None, progress)?;
        certificate::check_cycle_means(&problem, &answer)?;
        phases.push(phase("certify", start.elapsed()));
    }
    let found = Found {
        weights: chosen.weights.name.as_deref().unwrap_or("rewards"),
        numbers: &numbers,
        answer: &answer,
        device: &device,
    };
    print(args, &model, &found, &phases)
}

fn phase(name: &'static str, time: std::time::Duration) -> Phase<'static> {
    Phase {
        name,
        time,
        amount: None,
    }
}

/// The reward structures that give the weights and the times.
struct Chosen<'a> {
    weights: &'a Rewards,
    times: Option<&'a Rewards>,
}

impl<'a> Chosen<'a> {
    fn of(args: &CycleMeanArgs, model: &'a Model) -> Result<Self, Error> {
        let file = args.model.model.display().to_string();
        let chosen = |name, option| rewards::select(model, name, &file, Naming::Options, option);
        let weights = chosen(args.rewards.as_deref(), "rewards")?;
        let times = match args.ratio {
            true => Some(chosen(Some(&args.time), "time")?),
            false => None,
        };
        Ok(Self { weights, times })
    }
}

/// What was found, and of which numbers.
struct Found<'a> {
    /// The name of the weights.
    weights: &'a str,
    numbers: &'a Numbers,
    answer: &'a Answer,
    device: &'a str,
}

/// Solves the problem on the devices of the plan. Also returns the name of the device.
fn find(
    args: &CycleMeanArgs,
    plan: Plan,
    model: &Model,
    problem: &Problem<'_>,
    numbers: &Numbers,
    progress: Progress,
) -> Result<(Answer, String), Error> {
    let observer = RunObserver::new(matches!(plan, Plan::Auto(_)), false);
    let valuations = model.states.valuations.as_ref();
    let search = args.search.into();
    let plan = match args.search {
        CycleMeanSearch::Howard => plan.for_graph(&model.graph),
        _ => plan,
    };
    let work = || cycle_mean::find(problem, numbers, valuations, search, plan, &observer);
    let total = model.graph.num_states() as u64;
    let answer = progress.track("solving", Unit::States, total, &observer.done, work)?;
    Ok((answer, observer.device_name()))
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
    found: &Found<'_>,
    phases: &[Phase<'_>],
) -> Result<(), Error> {
    let (numbers, answer) = (found.numbers, found.answer);
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
        weights: found.weights,
        times: args.ratio.then_some(args.time.as_str()),
        search: &name_of(&args.search),
        device: found.device,
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
