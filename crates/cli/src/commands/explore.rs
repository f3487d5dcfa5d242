//! `maxend explore`: finds all states of a model, searches among them, and writes the state space.

mod document;
mod livelock;
mod paper;
mod results;
mod text;
mod trace;

use crate::args::{Check, ExploreArgs, ExploreFormat, ExploreSearch};
use crate::device;
use crate::error::Error;
use crate::export::{self, Target};
use crate::files;
use crate::input::Input;
use crate::interrupt;
use crate::load::{self, Extent, Origin, Request, Source, Until, Wanted, network};
use crate::model::Model;
use crate::progress::Progress;
use crate::{output, paths};
use lts_formats::is_internal;
use mdp_graph::StateId;
use prism_explicit::{Dialect, Labels, ModelType};
use prism_language::ErrorKind;
use report::SoughtKind;
use results::SearchResult;
use std::time::Instant;
use trace::{Step, Trace, Witness};

pub(crate) fn run(args: &ExploreArgs, progress: Progress) -> Result<(), Error> {
    paper::check(args)?;
    let target = check_output(args)?;
    let input = Input::of_model(&args.model)?;
    let source = Source::of(&args.model.model, &input);
    check_source(args, source, &input)?;
    if args.paper.search == ExploreSearch::Paper {
        return paper::run(args, &input, source, progress);
    }
    let file = args.model.model.display().to_string();
    let label = args.find.as_ref().map(|_| unused_label(&input));
    let input = match (&args.find, &label) {
        (Some(expression), Some(label)) => with_label(args, &input, label, expression)?,
        _ => input,
    };
    let explore_on = device::explore_on(&args.on, args.model.builder.max_memory.is_some())?;
    let until = until(args, label.as_deref());
    let request = Request {
        explore_on: &explore_on,
        certify: args.certify,
        until,
        ..Request::new(&args.model, wanted(args, until), progress)
    };
    if needs_counts_alone(args)
        && let Some(counted) = load::count_states(&input, source, request)?
    {
        return output::write(None, |out| match args.format {
            ExploreFormat::Text => text::write_counts(out, counted.counts),
            ExploreFormat::Json => document::write_counted(out, &file, &counted),
        });
    }
    let mut model = match source {
        Source::Automaton => network::load_automaton(&input, request)?,
        _ => load::load_input(input, source, request)?,
    };
    if interrupt::is_cancelled() {
        return Err(Error::Cancelled);
    }
    let start = Instant::now();
    let results = search(args, &model, label.as_deref(), until)?;
    let time = start.elapsed();
    output::write(None, |out| match args.format {
        ExploreFormat::Text => text::write(out, &model, &results, until, args.certify),
        ExploreFormat::Json => {
            document::write(out, &file, &model, &results, until, args.certify, time)
        }
    })?;
    if let (Some(target), Some(out)) = (target, &args.output) {
        model.states.labels = model
            .states
            .labels
            .map(|labels| without(&labels, label.as_deref()));
        export::write(&model, target, out, progress)?;
    }
    match results.iter().any(|result| result.found.is_some()) {
        true => Err(Error::Found),
        false => Ok(()),
    }
}

/// Returns the format to write, if the model is to be written. Checks that the output can be
/// written, and does not replace an input file.
fn check_output(args: &ExploreArgs) -> Result<Option<Target>, Error> {
    files::read_model(&args.model, Origin::Nowhere, Origin::Nowhere)?;
    let Some(out) = &args.output else {
        files::write("the result", None)?;
        return Ok(None);
    };
    if paths::is_standard_output(out) {
        let message = "--output needs a file: the counts go to standard output";
        return Err(Error::Usage(message.to_owned()));
    }
    let target = Target::of(args.to, out)?.unwrap_or(Target::Explicit(Dialect::Prism));
    match target.is_one_file() {
        false => files::write_with_annotations("--output", out)?,
        true => files::write("--output", Some(out))?,
    }
    Ok(Some(target))
}

fn check_source(args: &ExploreArgs, source: Source, input: &Input) -> Result<(), Error> {
    let name = &input.name;
    match source {
        Source::Explicit | Source::Combined | Source::Archive | Source::Graph | Source::Drn => {
            let message = format!("the states of {name} are given, and need not be explored");
            return Err(Error::Usage(message));
        }
        Source::Automaton | Source::Program | Source::Jani | Source::Network => {
            source.check_usage_of_explored(&args.model)?;
        }
    }
    if args.find.is_some() && source != Source::Program {
        let message = format!("--find goes with a model in PRISM's language, which {name} is not");
        return Err(Error::Usage(message));
    }
    Ok(())
}

/// Returns whether the command searches for something.
fn has_traces(args: &ExploreArgs) -> bool {
    !args.check.is_empty() || args.find_action.is_some() || args.find.is_some()
}

/// Returns whether the command needs only the number of states.
fn needs_counts_alone(args: &ExploreArgs) -> bool {
    !has_traces(args) && !args.certify && args.output.is_none()
}

/// Returns the goals of the exploration, if it may end when they are found.
fn until<'a>(args: &'a ExploreArgs, label: Option<&'a str>) -> Option<Until<'a>> {
    let needs_all = args.certify || args.output.is_some() || args.check.contains(&Check::Livelock);
    (has_traces(args) && !needs_all).then(|| Until {
        deadlock: args.check.contains(&Check::Deadlock),
        action: args.find_action.as_deref(),
        label,
    })
}

/// Returns the parts of the model that the command needs.
fn wanted(args: &ExploreArgs, until: Option<Until<'_>>) -> Wanted<'static> {
    let has_traces = has_traces(args);
    if args.output.is_some() {
        return Wanted {
            branch_actions: has_traces,
            ..Wanted::everything(None, None)
        };
    }
    let beside = |wanted| {
        if wanted {
            Origin::Beside
        } else {
            Origin::Nowhere
        }
    };
    Wanted {
        valuations: beside(has_traces),
        // If the exploration has the label as a goal, it evaluates the label.
        labels: beside(args.find.is_some() && until.is_none()),
        details: match has_traces {
            true => Extent::Actions,
            false => Extent::Nothing,
        },
        branch_actions: has_traces,
        ..Wanted::graph()
    }
}

/// Returns a name that does not occur in a text.
fn unused_label(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let mut name = "found".to_owned();
    while text.contains(&name) {
        name.push('_');
    }
    name
}

/// Returns the model with one more label, for the states that satisfy the expression.
fn with_label(
    args: &ExploreArgs,
    input: &Input,
    label: &str,
    expression: &str,
) -> Result<Input, Error> {
    let wrong = |error: &prism_language::Error| {
        // The user does not know about this label.
        let said = match error.kind() {
            ErrorKind::TypeMismatch {
                what,
                wanted,
                found,
            } if what == "a label" => {
                format!("the expression must be of type {wanted}, not {found}")
            }
            _ => error.message(),
        };
        Error::Usage(format!("--find '{expression}': {said}"))
    };
    let parsed = prism_language::parse_expression(expression.as_bytes());
    parsed.map_err(|error| match label_at(&error, expression) {
        Some(name) => Error::Usage(format!(
            "--find '{expression}': labels cannot stand in an expression: see maxend bfs \
             --target {name}"
        )),
        None => wrong(&error),
    })?;
    let label = format!("label \"{label}\" = (");
    let text = input.followed_by("--find", &label, expression, ");");
    let constants = args.model.builder.constants();
    let constants: Vec<(&str, &str)> = constants
        .map(|constant| (constant.name.as_str(), constant.value.as_str()))
        .collect();
    let compiled = prism_language::parse(&text).and_then(|model| model.compile(&constants));
    let place = compiled
        .as_ref()
        .err()
        .and_then(prism_language::Error::position);
    match (compiled, place) {
        // Errors in the model itself are reported when it is read.
        (Err(error), Some(place)) if place.offset >= input.len() => Err(wrong(&error)),
        _ => Ok(text),
    }
}

/// Returns the name of the label in quotation marks at the place of an error.
fn label_at<'e>(error: &prism_language::Error, expression: &'e str) -> Option<&'e str> {
    let text = expression.get(error.position()?.offset..)?;
    let (name, _) = text.strip_prefix('"')?.split_once('"')?;
    Some(name)
}

/// Returns all labels except one.
fn without(labels: &Labels, name: Option<&str>) -> Labels {
    let others = labels.iter().filter(|&(other, _)| Some(other) != name);
    let others = others.map(|(name, states)| (name.to_owned(), states.to_vec()));
    Labels::new(Dialect::Prism, others)
}

/// Searches for everything that the command line names.
fn search<'a>(
    args: &'a ExploreArgs,
    model: &Model,
    label: Option<&str>,
    until: Option<Until<'_>>,
) -> Result<Vec<SearchResult<'a>>, Error> {
    let graph = &model.graph;
    let trace_to = |at: StateId| {
        let trace = Trace::to(model, at)?;
        Ok::<_, Error>(Witness { at, trace })
    };
    let mut all = Vec::new();
    for check in &args.check {
        let (what, found) = match check {
            Check::Deadlock => {
                let expanded = graph.num_states() - model.construction.unexpanded;
                let mut states = graph.states().take(expanded);
                let first = states.find(|&state| graph.is_deadlock(state));
                (SoughtKind::Deadlock, first.map(trace_to).transpose()?)
            }
            Check::Livelock => (SoughtKind::Livelock, livelock::find(model)?),
        };
        all.push(SearchResult { what, found });
    }
    if let Some(action) = &args.find_action {
        all.push(SearchResult {
            what: SoughtKind::Action(action),
            found: find_action(model, action)?,
        });
    }
    if let (Some(expression), Some(label)) = (&args.find, label) {
        let states = model
            .states
            .labels
            .as_ref()
            .and_then(|labels| labels.get(label));
        let first = match until {
            Some(_) => model.construction.goal,
            None => states
                .and_then(|states| states.first())
                .copied()
                .map(StateId),
        };
        all.push(SearchResult {
            what: SoughtKind::State(expression),
            found: first.map(trace_to).transpose()?,
        });
    }
    Ok(all)
}

/// Returns a shortest trace whose last transition has an action.
fn find_action(model: &Model, action: &str) -> Result<Option<Witness>, Error> {
    let graph = &model.graph;
    let Some(details) = &model.choices.details else {
        return Ok(None);
    };
    // The internal action of an LTS has two names.
    let has_two_names = model.model_type == ModelType::Lts && is_internal(action);
    let is_wanted = |name: &String| name == action || has_two_names && is_internal(name);
    let wanted: Vec<bool> = details.names.iter().map(is_wanted).collect();
    let mut numbers = (0_u32..).zip(&wanted).filter(|(_, is_wanted)| **is_wanted);
    let Some((number, _)) = numbers.next() else {
        tracing::warn!("the model has no action `{action}`");
        return Ok(None);
    };
    let mut actions = details.actions.iter();
    let choice = actions.position(|&own| wanted[own as usize]);
    let of_choices = choice.map(|choice| graph.branch_offsets()[choice] as usize);
    // Only in Markov chains do branches have actions, and there the action has one name.
    let of_branches = model.choices.branch_actions.first_with(number);
    let Some(branch) = of_choices.into_iter().chain(of_branches).min() else {
        return Ok(None);
    };
    let number = choice.map_or(number, |choice| details.actions[choice]);
    let before = |ends: &[u32], place: usize| ends.partition_point(|&end| end as usize <= place);
    let choice = before(&graph.branch_offsets()[1..], branch);
    let state = StateId::from_index(before(&graph.choice_offsets()[1..], choice));
    let mut trace = Trace::to(model, state)?;
    trace.push(Step {
        action: Some(number),
        target: graph.all_targets()[branch],
    });
    Ok(Some(Witness { at: state, trace }))
}
