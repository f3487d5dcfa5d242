//! `maxend decompose`: reads a model, decomposes its graph, and prints the answer.

mod answer;
mod decomposition_race;
mod on_devices;
mod on_gpus;
mod resident;
mod statistics;
mod task;
mod timeline;

use crate::args::{DecomposeArgs, Format, IntervalEdges, Kind, name_of};
use crate::device::Plan;
use crate::device::gpu_set::GpuSet;
use crate::device::prewarm::Prewarm;
use crate::error::Error;
use crate::files;
use crate::load::{ExploreOn, Extent, Loaded, Opener, Origin, Request, Sizes, Wanted};
use crate::model::Model;
use crate::model::intervals::Intervals;
use crate::output::{self, Outputs};
use crate::progress::{Counting, Progress};
use crate::{certificate, load};
use answer::{Answer, print};
use mdp_graph::MdpGraph;
use report::Amount;
use std::cell::RefCell;
use std::sync::Arc;
use timeline::Timeline;

pub(crate) fn run(args: &DecomposeArgs, progress: Progress) -> Result<(), Error> {
    check_usage(args)?;
    let (plan, gpus) = GpuSet::of(args, Plan::new(args)?)?;
    check_files(args)?;
    let (mut timeline, mut outputs) = (Timeline::start(), Outputs::default());
    let prewarm = Arc::new(Prewarm::new(args, &plan));
    let model = match load(args, &plan, &prewarm, progress)? {
        Loaded::OnHost(model) => *model,
        Loaded::OnDevice(model) => {
            let options = plan.gpu().cloned().unwrap_or_default();
            let job = resident::Job {
                args,
                options: &options,
                prewarm: &prewarm,
                progress,
            };
            match job.decompose(*model, &mut timeline, &mut outputs)? {
                None => return timeline.report(args, outputs),
                Some(model) => model,
            }
        }
    };
    if args.valuations && model.states.valuations.is_none() {
        let model = args.model.model.display();
        let message =
            format!("--valuations: no values of variables in {model} or beside it (see --states)");
        return Err(Error::wrong(message));
    }
    timeline.add(
        "read",
        model.times.read,
        Some(Amount::Bytes(model.file.bytes)),
    );
    timeline.add("build", model.times.build, Some(built(&model)));
    if let Some(time) = model.times.check {
        timeline.add("check", time, None);
    }
    let of_coalition = of_coalition(args, &model)?;
    let of_intervals = of_intervals(args, &model)?;
    let has_intervals = of_intervals.is_some();
    let other = of_coalition.or(of_intervals).map(Arc::new);
    let graph = other.as_ref().unwrap_or(&model.graph);
    let mut answer = match &gpus {
        Some(gpus) => on_gpus::decompose(graph, args, gpus, progress)?,
        None => on_devices::decompose(graph, args, plan, &prewarm, progress)?,
    };
    let (spans, work) = (std::mem::take(&mut answer.spans), answer.work.take());
    timeline.decomposed(spans, work, &answer.device);
    if args.certify {
        certify(graph, &answer, &mut timeline, progress)?;
    }
    timeline.begin();
    answer.retaining = other.filter(|_| has_intervals);
    let written = print(args, &model, &answer, &timeline.phases(), &mut outputs)?;
    timeline.end("write", written.map(Amount::Bytes));
    timeline.report(args, outputs)
}

/// Proves the answer.
fn certify(
    graph: &MdpGraph,
    answer: &Answer,
    timeline: &mut Timeline,
    progress: Progress,
) -> Result<(), Error> {
    timeline.begin();
    let (all, bottom) = match &answer.sccs {
        Some(sccs) => (sccs, Some(&answer.components)),
        None => (&answer.components, None),
    };
    for (name, time) in certificate::check(graph, all, bottom, progress)? {
        timeline.add(name, time, None);
    }
    Ok(())
}

/// Returns the graph on which the players of a coalition decide, if one is named.
fn of_coalition(args: &DecomposeArgs, model: &Model) -> Result<Option<MdpGraph>, Error> {
    if args.coalition.is_empty() {
        return Ok(None);
    }
    let Some(players) = &model.states.players else {
        let model = args.model.model.display();
        return Err(Error::wrong(format!(
            "--coalition: {model} is no game, and has no players"
        )));
    };
    let is_in = players.coalition(&args.coalition)?;
    let graph = players.graph_of(&model.graph, &is_in);
    graph
        .map(Some)
        .map_err(|error| Error::wrong(error.to_string()))
}

/// Returns the graph that defines the end components of an interval model.
fn of_intervals(args: &DecomposeArgs, model: &Model) -> Result<Option<MdpGraph>, Error> {
    let (Some(lower), Some(details)) = (&model.choices.lower_bounds, &model.choices.details) else {
        return match args.interval_edges {
            IntervalEdges::Possible => Ok(None),
            IntervalEdges::Certain => {
                let model = args.model.model.display();
                Err(Error::wrong(format!(
                    "--interval-edges: {model} has no intervals"
                )))
            }
        };
    };
    let intervals = Intervals {
        graph: &model.graph,
        lower,
        upper: &details.values,
    };
    match args.interval_edges {
        // The graph of the model has exactly these edges.
        IntervalEdges::Possible => Ok(None),
        IntervalEdges::Certain => intervals.with_help(&Counting::default()).map(Some),
    }
}

/// Reads the model. Its graph may stay on the device that explored it, if the output does not need
/// it.
fn load(
    args: &DecomposeArgs,
    plan: &Plan,
    prewarm: &Arc<Prewarm>,
    progress: Progress,
) -> Result<Loaded, Error> {
    let open_later = || -> Opener {
        let (prewarm, options) = (Arc::clone(prewarm), plan.gpu().cloned().unwrap_or_default());
        Box::new(move || prewarm.for_exploration(&options))
    };
    let has_limit = args.model.builder.max_memory.is_some();
    let explore_on = match (plan, plan.asked_gpu()) {
        (Plan::Auto(_), _) if !has_limit => ExploreOn::Auto(Box::new(open_later)),
        (_, Some(options)) => {
            let open = move || prewarm.for_exploration(options);
            ExploreOn::Gpu(Box::new(open), RefCell::default())
        }
        _ => ExploreOn::Cpu,
    };
    let request = Request {
        deadlocks: args.deadlocks.into(),
        size_hint: &|hint| prewarm.size_hint(hint),
        explore_on: &explore_on,
        certify: args.certify,
        ..Request::new(&args.model, wanted(args), progress)
    };
    match resident::suits(args, plan) {
        true => load::load_resident(request),
        false => Ok(Loaded::OnHost(Box::new(load::load_model(request)?))),
    }
}

/// Returns the parts of a model that the output needs.
fn wanted(args: &DecomposeArgs) -> Wanted<'_> {
    if args.format == Format::Umb {
        return Wanted::everything(args.states.as_deref(), args.labels.as_deref());
    }
    let prints_values = matches!(args.format, Format::Prism | Format::Dot);
    // A summary says which components can be reached from the states with the label `init`.
    let reads_labels = matches!(args.format, Format::Json | Format::Dot) || args.labels.is_some();
    Wanted {
        valuations: match args.valuations || prints_values {
            true => Origin::named(args.states.as_deref(), Origin::Beside),
            false => Origin::Nowhere,
        },
        labels: match reads_labels {
            true => Origin::named(args.labels.as_deref(), Origin::Beside),
            false => Origin::Nowhere,
        },
        details: match args.format {
            Format::Dot => Extent::Everything,
            _ if args.choices => Extent::Actions,
            _ => Extent::Nothing,
        },
        sizes: match args.format {
            Format::Dot => Sizes::Small,
            _ => Sizes::All,
        },
        ..Wanted::graph()
    }
}

/// Returns the amount of work in building a model.
fn built(model: &Model) -> Amount {
    let branches = model.graph.num_branches() as u64;
    match model.construction.is_explored {
        true => Amount::Found(branches),
        false => Amount::Branches(branches),
    }
}

/// Checks that the output files can be written, and do not replace input files.
fn check_files(args: &DecomposeArgs) -> Result<(), Error> {
    let wanted = wanted(args);
    files::read_model(&args.model, wanted.valuations, wanted.labels)?;
    match &args.output {
        Some(path) => files::write("--output", Some(path))?,
        None => files::write("the result", None)?,
    }
    files::warn_of_ending(args.output.as_deref(), &args.format);
    match &args.trace {
        Some(path) => files::write("--trace", Some(path)),
        None => Ok(()),
    }
}

/// Checks the options for conflicts that clap cannot detect.
fn check_usage(args: &DecomposeArgs) -> Result<(), Error> {
    if args.choices && args.components != Kind::Mec {
        let message = "--choices goes with --components mec: only end components retain choices";
        return Err(Error::Usage(message.to_owned()));
    }
    if !args.coalition.is_empty() && args.components != Kind::Mec {
        let message = "--coalition goes with --components mec: only end components have choices";
        return Err(Error::Usage(message.to_owned()));
    }
    if args.interval_edges == IntervalEdges::Certain && args.components != Kind::Mec {
        let message = "--interval-edges certain goes with --components mec: it is about choices";
        return Err(Error::Usage(message.to_owned()));
    }
    if args.gpu.candidates.is_some() && args.components != Kind::Mec {
        let message = "--candidates goes with --components mec: only MECs lose choices on the way";
        return Err(Error::Usage(message.to_owned()));
    }
    use Format::{Dot, Json, Prism, Summary, Umb};
    let options: [(_, _, &[Format]); 5] = [
        ("--choices", args.choices, &[Json, Prism, Dot, Umb]),
        ("--statistics", args.statistics, &[Summary, Json]),
        ("--valuations", args.valuations, &[Json, Prism]),
        ("--states", args.states.is_some(), &[Json, Prism, Dot, Umb]),
        (
            "--labels",
            args.labels.is_some(),
            &[Summary, Json, Dot, Umb],
        ),
    ];
    for (option, given, formats) in options {
        if given && !formats.contains(&args.format) {
            let names: Vec<String> = formats.iter().map(name_of).collect();
            let message = format!("{option} goes with --format {}", listed(&names));
            return Err(Error::Usage(message));
        }
    }
    if args.format == Umb {
        output::check_binary(args.output.is_none().then_some("--format umb"))?;
    }
    if args.states.is_some() && args.format == Format::Json && !args.valuations {
        let message = "--states goes with --valuations in --format json".to_owned();
        return Err(Error::Usage(message));
    }
    Ok(())
}

/// Lists names: `a or b`, `a, b or c`.
fn listed(names: &[String]) -> String {
    match names {
        [others @ .., last] if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => names.concat(),
    }
}
