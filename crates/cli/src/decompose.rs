//! `maxend decompose`: reads a model, decomposes its graph, prints the answer.

use crate::args::{DecomposeArgs, Format, Kind, name_of};
use crate::device::Plan;
use crate::error::Error;
use crate::load::{Model, Origin, Request, Wanted};
use crate::progress::{Progress, Unit};
use crate::watch::Watch;
use crate::{annotations, certificate, load, output};
use decompose::{Options, mec, scc};
use mdp_graph::{Components, MdpGraph};
use report::{Decomposition, Phase, Run, Valuations};
use std::time::Duration;

pub(crate) fn run(args: &DecomposeArgs, progress: Progress) -> Result<(), Error> {
    check_usage(args)?;
    let plan = Plan::new(args)?;
    output::check(args.output.as_deref())?;
    let model = load::model(Request {
        args: &args.model,
        wanted: wanted(args),
        deadlocks: args.deadlocks.into(),
        progress,
    })?;
    if args.valuations && model.valuations.is_none() {
        let model = args.model.model.display();
        let message = format!("--valuations: no .sta or .sta.gz beside {model} (see --states)");
        return Err(Error::wrong(message));
    }
    let mut answer = decompose(&model.graph, args, plan, progress)?;
    if args.certify {
        let phases = certificate::check(&model.graph, &answer.components)?;
        answer.phases.extend(phases);
    }
    print(args, &model, &answer)
}

/// The components, and how they were found.
struct Answer {
    components: Components,
    device: String,
    phases: Vec<(&'static str, Duration)>,
}

/// Decomposes a graph on the device that the plan leads to.
fn decompose(
    graph: &MdpGraph,
    args: &DecomposeArgs,
    plan: Plan,
    progress: Progress,
) -> Result<Answer, Error> {
    let watch = Watch::new(matches!(plan, Plan::Auto(_)));
    let mut attempt = |device| {
        watch.start_over();
        let options = Options {
            search: args.search.into(),
            device,
            observer: &watch,
        };
        match args.components {
            Kind::Mec => mec(graph, &options),
            Kind::Scc => scc(graph, &options),
        }
    };
    let branches = graph.num_branches() as u64;
    let work = || plan.carry_out(branches, &mut attempt);
    let total = graph.num_states() as u64;
    let components = progress.watch("decomposing", Unit::States, total, &watch.done, work)?;
    Ok(Answer {
        components,
        device: watch.opened().unwrap_or_else(|| "cpu".to_owned()),
        phases: watch.finish(),
    })
}

/// What the output needs of a model, and nothing else.
fn wanted(args: &DecomposeArgs) -> Wanted<'_> {
    Wanted {
        valuations: match args.valuations || args.format == Format::Prism {
            true => Origin::named(args.states.as_deref(), Origin::Beside),
            false => Origin::Nowhere,
        },
        labels: match args.format {
            // A file beside the model is read only if it is named.
            Format::Json | Format::Dot => Origin::named(args.labels.as_deref(), Origin::Model),
            _ => Origin::Nowhere,
        },
    }
}

fn print(args: &DecomposeArgs, model: &Model, answer: &Answer) -> Result<(), Error> {
    let before = [("read", model.read_time), ("build", model.build_time)];
    let phases = before.iter().chain(&answer.phases);
    let phases = phases.map(|&(name, time)| Phase { name, time });
    let run = Run {
        version: env!("CARGO_PKG_VERSION"),
        model: &args.model.model.display().to_string(),
        model_type: model.model_type.name(),
        deadlocks: model.deadlocks,
        deadlock_policy: &name_of(&args.deadlocks),
        device: &answer.device,
        search: &name_of(&args.search),
        certified: args.certify,
        phases: &phases.collect::<Vec<_>>(),
    };
    let valuations = model.valuations.as_ref();
    let row = |state| valuations.map_or_else(Vec::new, |valuations| valuations.row(state));
    let valuations = valuations.map(|valuations| Valuations {
        variables: valuations.names(),
        row: &row,
    });
    let decomposition = Decomposition {
        graph: &model.graph,
        components: &answer.components,
        valuations: valuations.as_ref(),
        labels: &annotations::as_report(model.labels.as_ref()),
        choices: args.choices,
    };
    output::write(args.output.as_deref(), |out| match args.format {
        Format::Summary => report::write_summary(out, &decomposition, &run),
        Format::Labels => report::write_labels(out, &answer.components),
        Format::Prism => report::write_prism(out, &decomposition),
        Format::Json => report::write_json(out, &decomposition, &run),
        Format::Dot => report::write_dot(out, &decomposition),
    })
}

/// What clap cannot say of options that do not go together.
fn check_usage(args: &DecomposeArgs) -> Result<(), Error> {
    if args.choices && args.components == Kind::Scc {
        let message = "--choices goes with --components mec: only end components retain choices";
        return Err(Error::Usage(message.to_owned()));
    }
    if args.gpu.candidates.is_some() && args.components == Kind::Scc {
        let message = "--candidates goes with --components mec: only MECs lose choices on the way";
        return Err(Error::Usage(message.to_owned()));
    }
    let json_or_prism = [Format::Json, Format::Prism];
    let options = [
        ("--choices", args.choices, json_or_prism),
        ("--valuations", args.valuations, json_or_prism),
        ("--states", args.states.is_some(), json_or_prism),
        (
            "--labels",
            args.labels.is_some(),
            [Format::Json, Format::Dot],
        ),
    ];
    for (option, given, [first, second]) in options {
        if given && args.format != first && args.format != second {
            let (first, second) = (name_of(&first), name_of(&second));
            let message = format!("{option} goes with --format {first} or {second}");
            return Err(Error::Usage(message));
        }
    }
    if args.states.is_some() && args.format == Format::Json && !args.valuations {
        let message = "--states goes with --valuations in --format json".to_owned();
        return Err(Error::Usage(message));
    }
    Ok(())
}
