//! `maxend quotient`: reads a model, and writes a smaller one in which each component is one state.

use crate::args::{QuotientArgs, QuotientKind};
use crate::error::Error;
use crate::export::{self, Target};
use crate::files;
use crate::load::{self, DeadlockWarning, Origin, Request, Wanted};
use crate::model::annotations;
use crate::model::choices::{ChoiceFacts, Details};
use crate::model::states::StateFacts;
use crate::model::{Construction, FileFacts, Model};
use crate::output::{self, Outputs};
use crate::paths;
use crate::progress::{Counting, Progress, Unit};
use decompose::{Options, decompose};
use mdp_graph::{
    BitSet, ComponentKind, Components, Deadlocks, MdpGraph, Quotient, StateId, StayPolicy,
};
use prism_explicit::{Dialect, Labels, ModelType};
use report::counted;
use std::sync::Arc;

/// The label of the state that stands for staying forever.
const SINK: &str = "sink";

pub(crate) fn run(args: &QuotientArgs, progress: Progress) -> Result<(), Error> {
    let target = Target::of(args.to, &args.output)?.unwrap_or(Target::Explicit(Dialect::Prism));
    check_usage(args, target)?;
    let labels = Origin::named(args.labels.as_deref(), Origin::Beside);
    check_files(args, target, labels)?;
    let wanted = Wanted::but_valuations(args.labels.as_deref());
    let model = load::load_model(Request {
        deadlocks: Deadlocks::SelfLoop,
        deadlock_warning: DeadlockWarning::Plain,
        ..Request::new(&args.model, wanted, progress)
    })?;
    if model.states.markovian.is_some() && args.components == QuotientKind::Mec {
        let model = args.model.model.display();
        let message = format!("{model} is a Markov automaton: its quotient has no exit rates");
        return Err(Error::wrong(message));
    }
    if model.states.players.is_some() && args.components == QuotientKind::Mec {
        let model = args.model.model.display();
        let message = format!("{model} is a game: states of one MEC may belong to several players");
        return Err(Error::wrong(message));
    }
    if model.choices.lower_bounds.is_some() {
        let model = args.model.model.display();
        let message = format!("{model} is an interval model, of which there is no quotient");
        return Err(Error::wrong(message));
    }
    let kept = kept_labels(args, &model)?;
    let quotient = find(args, &model.graph, &kept, progress)?;
    tracing::info!(
        "{}, {}, {}",
        counted(quotient.graph().num_states() as u64, "state", "states"),
        counted(quotient.graph().num_choices() as u64, "choice", "choices"),
        counted(quotient.graph().num_branches() as u64, "branch", "branches"),
    );
    let states = quotient.states().to_vec();
    let quotient = as_model(args, model, &kept, quotient);
    let mut outputs = Outputs::default();
    let out = &args.output;
    let files = export::write_among(&mut outputs, &quotient, target, out, progress)?;
    if let Some(map) = &args.map {
        outputs.write(map, |out| report::write_state_map(out, &states))?;
    }
    outputs.finish()?;
    export::tell_of_files(&files);
    Ok(())
}

/// Returns the labels to keep, with their states. The first one is `init`.
fn kept_labels(args: &QuotientArgs, model: &Model) -> Result<Vec<(String, BitSet)>, Error> {
    let states = model.graph.num_states();
    let mut kept = Vec::new();
    if states > 0 {
        kept.push((
            "init".to_owned(),
            BitSet::of_ascending(states, &model.initial_states()),
        ));
    }
    for name in args.keep.iter().filter(|name| *name != "init") {
        if kept.iter().any(|(known, _)| known == name) {
            continue;
        }
        let file = &args.model.model;
        let of = annotations::labelled("--keep", name, model.states.labels.as_ref(), file)?;
        kept.push((name.clone(), BitSet::of_ascending(states, of)));
    }
    Ok(kept)
}

/// Decomposes the model, and merges the states of each component.
fn find(
    args: &QuotientArgs,
    graph: &MdpGraph,
    kept: &[(String, BitSet)],
    progress: Progress,
) -> Result<Quotient, Error> {
    let wrong = |error: mdp_graph::BuildError| Error::wrong(error.to_string());
    let quotient = match args.components {
        QuotientKind::Scc => {
            let sccs = components(graph, ComponentKind::Scc, progress)?;
            Quotient::condensation(graph, &sccs)
        }
        QuotientKind::Mec if args.keep.is_empty() => {
            let mecs = components(graph, ComponentKind::Mec, progress)?;
            Quotient::of_end_components(graph, &mecs, staying(args))
        }
        QuotientKind::Mec => {
            let apart = kept.iter().filter(|(name, _)| args.keep.contains(name));
            let apart: Vec<&BitSet> = apart.map(|(_, states)| states).collect();
            let are_alike = |a: StateId, b: StateId| {
                let mut labels = apart.iter();
                labels.all(|of| of.contains(a.index()) == of.contains(b.index()))
            };
            let stays_alike = |state, choice| {
                let mut targets = graph.targets(choice).iter();
                targets.all(|&target| are_alike(state, target))
            };
            let alike = graph.retain_choices(stays_alike).map_err(wrong)?;
            let mecs = components(&alike, ComponentKind::Mec, progress)?;
            Quotient::of_end_components(graph, &mecs, staying(args))
        }
    };
    quotient.map_err(wrong)
}

/// Returns the components of a graph, found on the CPU.
pub(crate) fn components(
    graph: &MdpGraph,
    kind: ComponentKind,
    progress: Progress,
) -> Result<Components, Error> {
    let observer = Counting::default();
    let options = Options {
        observer: &observer,
        ..Options::default()
    };
    let total = graph.num_states() as u64;
    let work = || {
        decompose(graph, kind, &options).map_err(|error| match error {
            decompose::Error::Cancelled => Error::Cancelled,
            error => Error::wrong(error.to_string()),
        })
    };
    progress.track("decomposing", Unit::States, total, &observer.done, work)
}

fn staying(args: &QuotientArgs) -> StayPolicy {
    match args.stay {
        true => StayPolicy::ToSink,
        false => StayPolicy::MustLeave,
    }
}

/// Returns the quotient as a model, with the data of the original model that it keeps.
fn as_model(
    args: &QuotientArgs,
    model: Model,
    kept: &[(String, BitSet)],
    quotient: Quotient,
) -> Model {
    let labels = labels(kept, &quotient);
    let details = model
        .choices
        .details
        .as_ref()
        .map(|details| details_of(args, &model.graph, details, &quotient));
    let mut lost = Vec::new();
    if !model.rewards.is_empty() {
        lost.push("rewards".to_owned());
    }
    if model.states.observations.is_some() {
        lost.push("observations".to_owned());
    }
    Model {
        model_type: match args.components {
            // A state of the quotient may stand for states with different observations.
            QuotientKind::Mec if model.states.observations.is_some() => ModelType::Mdp,
            QuotientKind::Mec => model.model_type,
            QuotientKind::Scc => ModelType::Lts,
        },
        graph: Arc::new(quotient.into_graph()),
        construction: Construction {
            deadlocks: 0,
            ..model.construction
        },
        states: StateFacts {
            labels: Some(labels),
            ..StateFacts::default()
        },
        choices: ChoiceFacts::of(details),
        rewards: Vec::new(),
        file: FileFacts {
            archive: None,
            lost,
            ..model.file
        },
        times: model.times,
    }
}

/// Returns the labels of the quotient's states: those of any original state that they stand for.
fn labels(kept: &[(String, BitSet)], quotient: &Quotient) -> Labels {
    let of = |states: &BitSet| {
        let members = (0..quotient.states().len()).filter(|&state| states.contains(state));
        let mut found: Vec<u32> = members
            .map(|state| quotient.state_of(StateId::from_index(state)).0)
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    };
    let kept = kept.iter().map(|(name, states)| (name.clone(), of(states)));
    let sink = quotient.sink().map(|sink| (SINK.to_owned(), vec![sink.0]));
    Labels::new(Dialect::Prism, kept.chain(sink))
}

/// Returns the actions and probabilities of the quotient.
fn details_of(
    args: &QuotientArgs,
    original: &MdpGraph,
    details: &Details,
    quotient: &Quotient,
) -> Details {
    let graph = quotient.graph();
    if args.components == QuotientKind::Scc {
        return Details {
            values: vec![1.0; graph.num_branches()],
            names: vec![String::new()],
            actions: vec![0; graph.num_choices()],
        };
    }
    let choices = graph.states().flat_map(|state| graph.choices(state));
    let action = |choice| {
        let origin = quotient.origin(choice);
        origin.map_or(0, |origin| details.actions[origin.index()])
    };
    Details {
        values: quotient.merge_values(original, &details.values),
        names: details.names.clone(),
        actions: choices.map(action).collect(),
    }
}

/// Checks that the output files can be written, and do not replace input files.
fn check_files(args: &QuotientArgs, target: Target, labels: Origin<'_>) -> Result<(), Error> {
    files::read_model(&args.model, Origin::Nowhere, labels)?;
    match target.is_one_file() {
        true => files::write("--output", Some(&args.output))?,
        false => files::write_with_annotations("--output", &args.output)?,
    }
    match &args.map {
        Some(map) => files::write("--map", Some(map)),
        None => Ok(()),
    }
}

/// Checks the options for conflicts that clap cannot detect.
fn check_usage(args: &QuotientArgs, target: Target) -> Result<(), Error> {
    let to_stream = paths::is_standard_output(&args.output);
    if target == Target::Umb {
        output::check_binary(to_stream.then_some("--to umb"))?;
    }
    if args.stay && args.keep.iter().any(|name| name == SINK) {
        let message = "--keep sink does not go with --stay, whose state gets that label";
        return Err(Error::Usage(message.to_owned()));
    }
    if args.components == QuotientKind::Mec {
        return Ok(());
    }
    if args.stay {
        let message = "--stay goes with --components mec: a condensation has no choice to stay";
        return Err(Error::Usage(message.to_owned()));
    }
    if matches!(target, Target::Drn | Target::Explicit(Dialect::Storm)) {
        let message = "--to storm and --to drn go with --components mec: a condensation has states \
                       without a choice, which Storm's formats cannot express";
        return Err(Error::Usage(message.to_owned()));
    }
    Ok(())
}
