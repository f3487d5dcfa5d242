//! [`Answer`]: the components that were found, and their output.

use super::statistics;
use crate::args::{DecomposeArgs, DecomposeSearch, Format, name_of};
use crate::device::observer::{RunObserver, Span};
use crate::error::Error;
use crate::export::{self, ComponentsToWrite};
use crate::model::Model;
use crate::model::annotations;
use crate::output::{self, Outputs};
use decompose::Work;
use mdp_graph::{Components, MdpGraph};
use prism_explicit::ModelType;
use report::{
    ChoiceDetails, Constant, DeadlockStates, Decomposition, GraphOrigin, Heading, Phase, Run,
    Statistics,
};
use std::io::{self, Write};
use std::sync::Arc;

/// The components, and how they were found.
pub(super) struct Answer {
    pub(super) components: Components,
    /// All strongly connected components, if `components` are the bottom ones and are to be
    /// certified.
    pub(super) sccs: Option<Components>,
    pub(super) device: String,
    /// The graph of which components retain choices, if it is not the graph of the model.
    pub(super) retaining: Option<Arc<MdpGraph>>,
    /// The phases of the decomposition, in order.
    pub(super) spans: Vec<Span>,
    /// The work that the device reported, if reports were requested.
    pub(super) work: Option<Work>,
}

/// Returns the device that decomposed a graph with this many states, and the CPU if it completed
/// the work.
pub(super) fn device_of(observer: &RunObserver, states: u64) -> String {
    let device = observer.device_name();
    match observer.host_states() {
        0 => device,
        rest => {
            let share = 100.0 * rest as f64 / states as f64;
            format!("{device}, then cpu for {share:.1} % of the states")
        }
    }
}

/// Returns the search that runs: FBT if an option of the papers' engine is given and `--search`
/// does not choose another, and otherwise the value of `--search`.
pub(super) fn search_of(args: &DecomposeArgs) -> DecomposeSearch {
    match args.search {
        DecomposeSearch::Auto if args.gpu.selects_papers() => DecomposeSearch::Fbt,
        search => search,
    }
}

/// The arguments of a run by their names.
pub(super) struct Names {
    model: String,
    deadlock_policy: String,
    search: String,
    interval_edges: String,
}

impl Names {
    /// Returns the edges that have to stay in a component, if the type of the model has this
    /// option.
    fn interval_edges(&self, model: &Model) -> Option<&str> {
        let has_intervals = model.model_type.has_intervals();
        has_intervals.then_some(&self.interval_edges)
    }

    pub(super) fn of(args: &DecomposeArgs) -> Self {
        Self {
            model: args.model.model.display().to_string(),
            deadlock_policy: name_of(&args.deadlocks),
            search: name_of(&search_of(args)),
            interval_edges: name_of(&args.interval_edges),
        }
    }

    /// Returns the heading of a report, for a model of this type with these constants.
    pub(super) fn heading<'a>(
        &'a self,
        model_type: ModelType,
        constants: &'a [Constant<'a>],
    ) -> Heading<'a> {
        Heading {
            version: env!("CARGO_PKG_VERSION"),
            model: &self.model,
            model_type: model_type.name(),
            constants,
        }
    }

    /// Returns the facts about the run that found the answer.
    pub(super) fn run<'a>(
        &'a self,
        args: &DecomposeArgs,
        heading: Heading<'a>,
        answer: &'a Answer,
        phases: &'a [Phase<'a>],
    ) -> Run<'a> {
        Run {
            heading,
            device: &answer.device,
            search: &self.search,
            certified: args.certify,
            phases,
        }
    }

    /// Returns the origin of a graph whose model had this many deadlocks, and is neither partially
    /// observable, nor a game, nor an interval model.
    pub(super) fn origin(&self, deadlocks: u64) -> GraphOrigin<'_> {
        GraphOrigin {
            deadlocks: DeadlockStates {
                count: deadlocks,
                policy: &self.deadlock_policy,
            },
            observations: None,
            players: None,
            coalition: &[],
            interval_edges: None,
        }
    }
}

/// Returns the actions and probabilities of choices for a report.
fn choice_details(model: &Model) -> Option<ChoiceDetails<'_>> {
    model.choices.details.as_ref().map(|details| ChoiceDetails {
        names: &details.names,
        actions: &details.actions,
        values: match model.model_type {
            // An LTS has no probabilities; its reader sets them to 1.
            ModelType::Lts => &[],
            _ => &details.values,
        },
        lower: model.choices.lower_bounds.as_deref().unwrap_or_default(),
    })
}

/// Prints the answer. Returns the number of bytes, if it is known.
pub(super) fn print(
    args: &DecomposeArgs,
    model: &Model,
    answer: &Answer,
    phases: &[Phase<'_>],
    outputs: &mut Outputs,
) -> Result<Option<u64>, Error> {
    let out = output::or_standard(args.output.as_deref());
    let names = Names::of(args);
    let constants = model.file.report_constants();
    let heading = names.heading(model.model_type, &constants);
    let run = names.run(args, heading, answer, phases);
    let valuations = model.states.valuations.as_ref();
    let valuations = valuations.map(annotations::Valuations::as_report);
    let initial = match statistics::are_wanted(args, model.graph.num_branches()) {
        true => Some(statistics::initial_states(args, model)?),
        false => None,
    };
    let initial = initial.as_ref().map(statistics::InitialStates::as_report);
    let statistics =
        initial.map(|initial| Statistics::new(&model.graph, &answer.components, initial));
    let details = choice_details(model);
    let decomposition = Decomposition {
        graph: &model.graph,
        retaining: answer.retaining.as_deref(),
        components: &answer.components,
        origin: GraphOrigin {
            observations: model.states.observations.as_ref().map(|seen| seen.count),
            players: model
                .states
                .players
                .as_ref()
                .map(|players| &players.names[..]),
            coalition: &args.coalition,
            interval_edges: names.interval_edges(model),
            ..names.origin(model.construction.deadlocks)
        },
        valuations: valuations.as_ref(),
        labels: &annotations::as_report(model.states.labels.as_ref()),
        details: details.as_ref(),
        statistics: statistics.as_ref(),
        choices: args.choices,
    };
    let Some(write) = text_of(args.format) else {
        let found = ComponentsToWrite {
            components: &answer.components,
            graph: answer.retaining.as_ref().unwrap_or(&model.graph),
            choices: args.choices,
        };
        export::write_umb(model, found, outputs, out)?;
        return Ok(None);
    };
    check_room(args.format, &answer.components)?;
    let written = outputs.write_counted(out, |out| write(out, &decomposition, &run))?;
    Ok(Some(written))
}

/// Returns the function that writes a format, if the format is text.
fn text_of(format: Format) -> Option<WriteText> {
    Some(match format {
        Format::Umb => return None,
        Format::Summary => |out, of, run| report::write_summary(out, &of.into(), run),
        Format::Labels => |out, of, _| report::write_labels(out, of.components),
        Format::Prism => |out, of, _| report::write_prism(out, of),
        Format::Json => report::write_json,
        Format::Dot => |out, of, _| report::write_dot(out, of),
    })
}

/// Checks that there is memory to group states by component, for formats that list the states.
fn check_room(format: Format, components: &Components) -> Result<(), Error> {
    let (states, count) = (components.num_states(), components.len());
    match format {
        Format::Summary | Format::Labels | Format::Umb => {}
        Format::Prism | Format::Json | Format::Dot => {
            let tables = [4 * states, 4 * (count + 1), 4 * (count + 1)];
            mdp_graph::check_room("the members of the components", &tables)?;
        }
    }
    Ok(())
}

/// A function that writes a decomposition as text.
type WriteText = fn(&mut dyn Write, &Decomposition<'_>, &Run<'_>) -> io::Result<()>;
