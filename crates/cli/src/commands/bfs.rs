//! `maxend bfs`: reads a model, searches it breadth-first, and prints distances and a shortest
//! path.

use crate::analyses;
use crate::args::{BfsArgs, BfsFormat, BfsSearch, name_of};
use crate::device::Plan;
use crate::device::observer::RunObserver;
use crate::error::Error;
use crate::files;
use crate::load::{self, Extent, Origin, Request, Wanted};
use crate::model::Model;
use crate::model::annotations;
use crate::progress::{Progress, Unit};
use crate::{certificate, output};
use bfs::{BfsTree, DistanceSearch};
use mdp_graph::{MdpGraph, StateId};
use report::{Bfs, Phase, Run, Target};
use std::io::{self, Write};
use std::time::Instant;

pub(crate) fn run(args: &BfsArgs, progress: Progress) -> Result<(), Error> {
    let wanted = wanted(args);
    let search = search_of(args)?;
    let plan = Plan::for_bfs(args)?;
    files::read_model(&args.model, wanted.valuations, wanted.labels)?;
    files::write("the result", args.output.as_deref())?;
    files::warn_of_ending(args.output.as_deref(), &args.format);
    let model = load::load_model(Request {
        certify: args.certify,
        ..Request::new(&args.model, wanted, progress)
    })?;
    let sources = sources(args, &model)?;
    let targets = targets(args, &model)?;
    let mut phases = vec![
        phase("read", model.times.read),
        phase("build", model.times.build),
    ];
    let (tree, device, spans) = find(&model.graph, &sources, search, plan, progress)?;
    phases.extend(spans);
    if args.certify {
        let start = Instant::now();
        certificate::check_distances(&model.graph, &sources, &tree)?;
        phases.push(phase("certify", start.elapsed()));
    }
    let found = Found {
        path: targets.and_then(|targets| tree.path_to(tree.nearest(targets)?)),
        sources,
        tree,
        device,
    };
    print(args, &model, &found, &phases)
}

/// The result of a search.
struct Found {
    sources: Vec<StateId>,
    tree: BfsTree,
    /// A shortest path to the target.
    path: Option<Vec<StateId>>,
    device: String,
}

fn phase(name: &'static str, time: std::time::Duration) -> Phase<'static> {
    Phase {
        name,
        time,
        amount: None,
    }
}

/// Returns the parts of a model that the search and the output need.
fn wanted(args: &BfsArgs) -> Wanted<'_> {
    let shows_states = match args.format {
        BfsFormat::Summary | BfsFormat::Json => args.target.is_some(),
        BfsFormat::Labels => false,
        BfsFormat::Dot => true,
    };
    Wanted {
        valuations: match shows_states {
            true => Origin::named(args.states.as_deref(), Origin::Beside),
            false => Origin::Nowhere,
        },
        labels: Origin::named(args.labels.as_deref(), Origin::Beside),
        details: match shows_states {
            true => Extent::Actions,
            false => Extent::Nothing,
        },
        ..Wanted::graph()
    }
}

/// Returns the algorithm.
fn search_of(args: &BfsArgs) -> Result<DistanceSearch, Error> {
    let flags = args.flags.unwrap_or_default();
    match args.search {
        BfsSearch::Levels if args.flags.is_some() => {
            let message = "--flags goes with --search vertex or edge";
            Err(Error::Usage(message.to_owned()))
        }
        BfsSearch::Levels => Ok(DistanceSearch::Levels),
        BfsSearch::Vertex => Ok(DistanceSearch::Vertex(flags)),
        BfsSearch::Edge => Ok(DistanceSearch::Edge(flags)),
    }
}

/// Returns the states to search from, ascending.
fn sources(args: &BfsArgs, model: &Model) -> Result<Vec<StateId>, Error> {
    let labels = model.states.labels.as_ref();
    let mut sources = Vec::new();
    for &state in &args.from {
        annotations::check_state("--from", state, &args.model.model, model.graph.num_states())?;
        sources.push(state);
    }
    for label in &args.from_label {
        let states = annotations::labelled("--from-label", label, labels, &args.model.model)?;
        if states.is_empty() {
            tracing::warn!("no state has the label `{label}`");
        }
        sources.extend(states);
    }
    if args.from.is_empty() && args.from_label.is_empty() && model.graph.num_states() > 0 {
        sources = model.initial_states();
    }
    sources.sort_unstable();
    sources.dedup();
    Ok(sources.into_iter().map(StateId).collect())
}

/// Returns the target states, of which the nearest is sought.
fn targets(args: &BfsArgs, model: &Model) -> Result<Option<Vec<StateId>>, Error> {
    let Some(target) = &args.target else {
        return Ok(None);
    };
    let (count, labels) = (model.graph.num_states(), model.states.labels.as_ref());
    annotations::named("--target", target, &args.model.model, count, labels).map(Some)
}

/// Searches on the devices of the plan. Returns the result, the name of the device, and the phases.
fn find(
    graph: &MdpGraph,
    sources: &[StateId],
    search_by: DistanceSearch,
    plan: Plan,
    progress: Progress,
) -> Result<(BfsTree, String, Vec<Phase<'static>>), Error> {
    let observer = RunObserver::new(matches!(plan, Plan::Auto(_)), false);
    let plan = match search_by {
        DistanceSearch::Levels => plan.for_graph(graph),
        _ => plan,
    };
    let work = || analyses::bfs::find(graph, sources, search_by, plan, &observer);
    let total = graph.num_states() as u64;
    let tree = progress.track("searching", Unit::States, total, &observer.done, work)?;
    let spans = observer.finish().into_iter();
    let phases = spans.map(|span| match span.name {
        "decompose" => phase("search", span.time),
        name => phase(name, span.time),
    });
    let device = observer.device_name();
    Ok((tree, device, phases.collect()))
}

fn print(args: &BfsArgs, model: &Model, found: &Found, phases: &[Phase<'_>]) -> Result<(), Error> {
    let search = match args.flags {
        Some(flags) => format!("{}, {} flags", name_of(&args.search), flags.count()),
        None => name_of(&args.search),
    };
    let file = args.model.model.display().to_string();
    let constants = model.file.report_constants();
    let run = Run {
        heading: model.heading(&file, &constants),
        device: &found.device,
        search: &search,
        certified: args.certify,
        phases,
    };
    let valuations = model.states.valuations.as_ref();
    let valuations = valuations.map(annotations::Valuations::as_report);
    let details = model.choices.actions_as_report();
    let levels = found.tree.level_sizes();
    let of = Bfs {
        graph: &model.graph,
        sources: &found.sources,
        distances: found.tree.distances(),
        parents: found.tree.parents(),
        levels: &levels,
        target: args.target.as_deref().map(|name| Target {
            name,
            path: found.path.as_deref(),
        }),
        valuations: valuations.as_ref(),
        details: details.as_ref(),
    };
    let write: WriteText = match args.format {
        BfsFormat::Summary => report::write_bfs_summary,
        BfsFormat::Labels => |out, of, _| report::write_bfs_labels(out, of.distances),
        BfsFormat::Json => report::write_bfs_json,
        BfsFormat::Dot => |out, of, _| report::write_bfs_dot(out, of),
    };
    output::write(args.output.as_deref(), |out| write(out, &of, &run))
}

/// A function that writes an answer as text.
type WriteText = fn(&mut dyn Write, &Bfs<'_>, &Run<'_>) -> io::Result<()>;
