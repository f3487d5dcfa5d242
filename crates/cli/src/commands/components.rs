//! `maxend components`: says which component a state is in, or each state with a label, and why.

mod why;

use crate::args::{ComponentsArgs, ComponentsFormat};
use crate::commands::quotient::components;
use crate::error::Error;
use crate::files::Files;
use crate::load::{self, Extent, Origin, Request, Wanted};
use crate::model::Model;
use crate::model::annotations;
use crate::progress::Progress;
use crate::{interrupt, output};
use mdp_graph::{ChoiceTranspose, Components, MdpGraph, StateId, check_room};
use report::{Explained, Explanation};

pub(crate) fn run(args: &ComponentsArgs, progress: Progress) -> Result<(), Error> {
    let labels = Origin::named(args.labels.as_deref(), Origin::Beside);
    let valuations = Origin::Beside;
    let wanted = Wanted {
        labels,
        valuations,
        details: Extent::Actions,
        ..Wanted::graph()
    };
    let mut files = Files::of_model(&args.model, valuations, labels);
    files.write("the result", args.output.as_deref())?;
    let model = load::load_model(Request {
        deadlocks: args.deadlocks.into(),
        ..Request::new(&args.model, wanted, progress)
    })?;
    let file = &args.model.model;
    let (count, labels) = (model.graph.num_states(), model.states.labels.as_ref());
    let states = annotations::named("--of", &args.of, file, count, labels)?;
    let found = components(&model.graph, args.components.into(), progress)?;
    let explanations = explain(args, &model.graph, &found, &states)?;
    print(args, &model, &found, &states, &explanations)
}

/// Explains the first of the states.
fn explain(
    args: &ComponentsArgs,
    graph: &MdpGraph,
    found: &Components,
    states: &[StateId],
) -> Result<Vec<Explanation>, Error> {
    let states = &states[..states.len().min(args.limit)];
    // The longest of the following searches has these tables, with a number for each state or
    // choice.
    let tables = [
        16 * graph.num_states(),
        9 * graph.num_choices(),
        4 * graph.num_branches(),
    ];
    let room = check_room("explanations", &tables);
    room.map_err(|error| Error::wrong(error.to_string()))?;
    let is_lost = |state: &StateId| found.component(*state).is_none();
    let into = states
        .iter()
        .any(is_lost)
        .then(|| ChoiceTranspose::new(graph));
    let mut explanations = Vec::new();
    for &state in states {
        if interrupt::is_cancelled() {
            return Err(Error::Cancelled);
        }
        let leaving = match &into {
            Some(into) if is_lost(&state) => why::lost(graph, into, found, state),
            _ => why::leaving(graph, found, state),
        };
        explanations.push(Explanation {
            state,
            cycle: why::cycle(graph, found, state),
            leaving,
        });
    }
    Ok(explanations)
}

fn print(
    args: &ComponentsArgs,
    model: &Model,
    found: &Components,
    states: &[StateId],
    explanations: &[Explanation],
) -> Result<(), Error> {
    let details = model.choices.actions_as_report();
    let valuations = model.states.valuations.as_ref();
    let valuations = valuations.map(annotations::Valuations::as_report);
    let explained = Explained {
        graph: &model.graph,
        components: found,
        of: &args.of,
        states,
        explanations,
        details: details.as_ref(),
        valuations: valuations.as_ref(),
    };
    let file = args.model.model.display().to_string();
    let constants = model.file.report_constants();
    let heading = model.heading(&file, &constants);
    output::write(args.output.as_deref(), |out| match args.format {
        ComponentsFormat::Text => report::write_explained(out, &explained),
        ComponentsFormat::Json => report::write_explained_json(out, &explained, &heading),
    })
}

#[cfg(test)]
mod tests;
