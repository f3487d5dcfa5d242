//! `maxend decompose`: reads a model, decomposes its graph, and prints the answer.

use crate::args::{DecomposeArgs, Format, Kind, name_of};
use crate::device::{Job, Plan};
use crate::error::Error;
use crate::export::{self, Found};
use crate::files::Files;
use crate::load::{ExploreOn, Extent, Model, Origin, Request, Wanted};
use crate::observer::{RunObserver, Span};
use crate::prewarm::Prewarm;
use crate::progress::{Progress, Unit};
use crate::timeline::Timeline;
use crate::{annotations, certificate, interrupt, load, output, statistics};
use decompose::gpu::GpuDevice;
use decompose::{Device, Observer as _, Options, Work};
use mdp_graph::{ComponentKind, Components, MdpGraph};
use prism_explicit::ModelType;
use report::{
    Amount, ChoiceDetails, Constant, ConstantValue, Decomposition, Phase, Run, Statistics,
    Valuations,
};
use std::io::{self, Write};

pub(crate) fn run(args: &DecomposeArgs, progress: Progress) -> Result<(), Error> {
    check_usage(args)?;
    let plan = Plan::new(args)?;
    check_files(args)?;
    let mut timeline = Timeline::start();
    let prewarm = Prewarm::new(args, &plan);
    let adapter = plan.adapter();
    let model = load::model(Request {
        args: &args.model,
        wanted: wanted(args),
        deadlocks: args.deadlocks.into(),
        progress,
        size_hint: &|hint| prewarm.size_hint(hint),
        explore_on: adapter.as_ref().map_or(ExploreOn::Cpu, ExploreOn::Gpu),
    })?;
    if args.valuations && model.valuations.is_none() {
        let model = args.model.model.display();
        let message =
            format!("--valuations: no values of variables in {model} or beside it (see --states)");
        return Err(Error::wrong(message));
    }
    timeline.add(
        "read",
        model.read_time,
        Some(Amount::Bytes(model.read_bytes)),
    );
    timeline.add("build", model.build_time, Some(built(&model)));
    let of_coalition = of_coalition(args, &model)?;
    let graph = of_coalition.as_ref().unwrap_or(&model.graph);
    let mut answer = decompose(graph, args, plan, &prewarm, progress)?;
    let (spans, work) = (std::mem::take(&mut answer.spans), answer.work.take());
    timeline.decomposed(spans, work, &answer.device);
    if args.certify {
        timeline.begin();
        let (all, bottom) = match &answer.sccs {
            Some(sccs) => (sccs, Some(&answer.components)),
            None => (&answer.components, None),
        };
        for (name, time) in certificate::check(graph, all, bottom, progress)? {
            timeline.add(name, time, None);
        }
    }
    timeline.begin();
    let written = print(args, &model, &answer, &timeline.phases())?;
    timeline.end("write", written.map(Amount::Bytes));
    timeline.report(args)
}

/// The graph on which the players of a coalition decide, if one is named.
fn of_coalition(args: &DecomposeArgs, model: &Model) -> Result<Option<MdpGraph>, Error> {
    if args.coalition.is_empty() {
        return Ok(None);
    }
    let Some(players) = &model.players else {
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

/// The components, and how they were found.
struct Answer {
    components: Components,
    /// All strongly connected components, if `components` are the bottom ones and are to be
    /// certified.
    sccs: Option<Components>,
    device: String,
    /// The phases of the decomposition, in order.
    spans: Vec<Span>,
    /// The work that the device reported, if that was asked.
    work: Option<Work>,
}

/// Decomposes a graph on the devices of the plan.
fn decompose(
    graph: &MdpGraph,
    args: &DecomposeArgs,
    plan: Plan,
    prewarm: &Prewarm,
    progress: Progress,
) -> Result<Answer, Error> {
    let is_timed = args.profile || args.trace.is_some();
    let observer = RunObserver::new(matches!(plan, Plan::Auto(_)), is_timed);
    // A certificate of bottom components needs all components.
    let kind = match args.components.into() {
        ComponentKind::Bscc if args.certify => ComponentKind::Scc,
        kind => kind,
    };
    let mut attempt = |device| {
        observer.start_over();
        let search = args.search.into();
        let on = |device| {
            let options = Options {
                search,
                device,
                observer: &observer,
            };
            decompose::decompose(graph, kind, &options)
        };
        match device {
            Device::Gpu(GpuDevice { options, .. }) => interrupt::while_deaf(|| {
                observer.phase(decompose::Phase::Open);
                let context = Some(prewarm.context(&options, &observer)?);
                on(Device::Gpu(GpuDevice { options, context }))
            }),
            device => on(device),
        }
    };
    let branches = graph.num_branches() as u64;
    let wrong = |error: &decompose::Error| Error::wrong(error.to_string());
    let verdict = || prewarm.verdict(graph);
    let work = || plan.carry_out(Job::DECOMPOSE, verdict, &mut attempt, &wrong);
    let total = graph.num_states() as u64;
    let found = progress.track("decomposing", Unit::States, total, &observer.done, work)?;
    prewarm.close();
    let (components, sccs) = match (args.components, found.kind()) {
        (Kind::Bscc, ComponentKind::Scc) => (found.only_bottom(graph), Some(found)),
        _ => (found, None),
    };
    let mut spans = observer.finish();
    for span in spans.iter_mut().filter(|span| span.name == "decompose") {
        span.amount = Some(Amount::Branches(branches));
    }
    Ok(Answer {
        components,
        sccs,
        device: device_of(&observer, total),
        spans,
        work: observer.work(),
    })
}

/// The device that decomposed a graph of this many states, and the CPU if that finished it.
fn device_of(observer: &RunObserver, states: u64) -> String {
    let device = observer.opened().unwrap_or_else(|| "cpu".to_owned());
    match observer.host_states() {
        0 => device,
        rest => {
            let share = 100.0 * rest as f64 / states as f64;
            format!("{device}, then cpu for {share:.1} % of the states")
        }
    }
}

/// The parts of a model that the output needs.
fn wanted(args: &DecomposeArgs) -> Wanted<'_> {
    if args.format == Format::Umb {
        return Wanted::everything(args.states.as_deref(), args.labels.as_deref());
    }
    let prints_values = matches!(args.format, Format::Prism | Format::Dot);
    let prints_labels = matches!(args.format, Format::Json | Format::Dot);
    Wanted {
        valuations: match args.valuations || prints_values {
            true => Origin::named(args.states.as_deref(), Origin::Beside),
            false => Origin::Nowhere,
        },
        labels: match prints_labels {
            true => Origin::named(args.labels.as_deref(), Origin::Beside),
            false => Origin::Nowhere,
        },
        details: match args.format {
            Format::Dot => Extent::Everything,
            _ if args.choices => Extent::Actions,
            _ => Extent::Nothing,
        },
        rewards: false,
        only_of_few: args.format == Format::Dot,
    }
}

/// The amount of work in building a model.
fn built(model: &Model) -> Amount {
    let branches = model.graph.num_branches() as u64;
    match model.is_explored {
        true => Amount::Found(branches),
        false => Amount::Branches(branches),
    }
}

/// Actions and probabilities of choices, as reports take them.
fn choice_details(model: &Model) -> Option<ChoiceDetails<'_>> {
    model.details.as_ref().map(|details| ChoiceDetails {
        names: &details.names,
        actions: &details.actions,
        values: match model.model_type {
            // An LTS has no probabilities; its reader sets them to 1.
            ModelType::Lts => &[],
            _ => &details.values,
        },
    })
}

/// The constants that were given, as reports take them.
fn constants(model: &Model) -> Vec<Constant<'_>> {
    let constants = model.constants.iter().map(|(name, value)| Constant {
        name,
        value: match *value {
            prism_language::Value::Bool(value) => ConstantValue::Bool(value),
            prism_language::Value::Int(value) => ConstantValue::Int(value),
            prism_language::Value::Double(value) => ConstantValue::Real(value),
        },
    });
    constants.collect()
}

/// Prints the answer. Returns how many bytes that were, if that is known.
fn print(
    args: &DecomposeArgs,
    model: &Model,
    answer: &Answer,
    phases: &[Phase<'_>],
) -> Result<Option<u64>, Error> {
    let run = Run {
        version: env!("CARGO_PKG_VERSION"),
        model: &args.model.model.display().to_string(),
        model_type: model.model_type.name(),
        players: model.players.as_ref().map(|players| &players.names[..]),
        coalition: &args.coalition,
        observations: model.observations.as_ref().map(|seen| seen.count),
        constants: &constants(model),
        deadlocks: model.deadlocks,
        deadlock_policy: &name_of(&args.deadlocks),
        device: &answer.device,
        search: &name_of(&args.search),
        certified: args.certify,
        phases,
    };
    let valuations = model.valuations.as_ref();
    let row = |state| valuations.map_or_else(Vec::new, |all| all.row(state).collect());
    let valuations = valuations.map(|valuations| Valuations {
        variables: valuations.names(),
        row: &row,
    });
    let initial = match statistics::are_wanted(args, model) {
        true => Some(statistics::initial_states(args, model)?),
        false => None,
    };
    let initial = initial.as_ref().map(statistics::InitialStates::as_report);
    let statistics =
        initial.map(|initial| Statistics::new(&model.graph, &answer.components, initial));
    let details = choice_details(model);
    let decomposition = Decomposition {
        graph: &model.graph,
        components: &answer.components,
        valuations: valuations.as_ref(),
        labels: &annotations::as_report(model.labels.as_ref()),
        details: details.as_ref(),
        statistics: statistics.as_ref(),
        choices: args.choices,
    };
    let Some(write) = text_of(args.format) else {
        return write_archive(args, model, answer).map(|()| None);
    };
    check_room(args.format, &answer.components)?;
    let mut written = 0;
    output::write(args.output.as_deref(), |out| {
        let mut out = output::Counted::new(out);
        write(&mut out, &decomposition, &run)?;
        written = out.bytes();
        Ok(())
    })?;
    Ok(Some(written))
}

/// Writes the model as an archive, with its components.
fn write_archive(args: &DecomposeArgs, model: &Model, answer: &Answer) -> Result<(), Error> {
    let found = Found {
        components: &answer.components,
        choices: args.choices,
    };
    export::write_umb(model, Some(found), args.output.as_deref())
}

/// What writes a format, if that is text.
fn text_of(format: Format) -> Option<WriteText> {
    Some(match format {
        Format::Umb => return None,
        Format::Summary => report::write_summary,
        Format::Labels => |out, of, _| report::write_labels(out, of.components),
        Format::Prism => |out, of, _| report::write_prism(out, of),
        Format::Json => report::write_json,
        Format::Dot => |out, of, _| report::write_dot(out, of),
    })
}

/// Finds out whether there is memory to group states by component, where a format lists them.
fn check_room(format: Format, components: &Components) -> Result<(), Error> {
    let (states, count) = (components.num_states(), components.len());
    let room = match format {
        Format::Summary | Format::Labels | Format::Umb => Ok(()),
        Format::Prism | Format::Json | Format::Dot => {
            let tables = [4 * states, 4 * (count + 1), 4 * (count + 1)];
            mdp_graph::check_room("the members of the components", &tables)
        }
    };
    room.map_err(|error| Error::wrong(error.to_string()))
}

/// What writes a decomposition as text.
type WriteText = fn(&mut dyn Write, &Decomposition<'_>, &Run<'_>) -> io::Result<()>;

/// Checks that what is written can be, and replaces nothing that is read.
fn check_files(args: &DecomposeArgs) -> Result<(), Error> {
    let wanted = wanted(args);
    let mut files = Files::of_model(&args.model, wanted.valuations, wanted.labels);
    match &args.output {
        Some(path) => files.write("--output", Some(path))?,
        None => files.write("the result", None)?,
    }
    match &args.trace {
        Some(path) => files.write("--trace", Some(path)),
        None => Ok(()),
    }
}

/// What clap cannot say of options that do not go together.
fn check_usage(args: &DecomposeArgs) -> Result<(), Error> {
    if args.choices && args.components != Kind::Mec {
        let message = "--choices goes with --components mec: only end components retain choices";
        return Err(Error::Usage(message.to_owned()));
    }
    if !args.coalition.is_empty() && args.components != Kind::Mec {
        let message = "--coalition goes with --components mec: only end components have choices";
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
        ("--labels", args.labels.is_some(), &[Json, Dot, Umb]),
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

/// `a or b`, `a, b or c`.
fn listed(names: &[String]) -> String {
    match names {
        [others @ .., last] if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => names.concat(),
    }
}
