//! Reads a model: the graph, and the other contents of the file. Each kind of file has a module
//! here. All of them make the same [`Model`], so no command needs to know the kind of file.

mod archive;
pub(crate) mod archive_parts;
mod automaton;
mod build_error;
mod certify_exploration;
mod choice_chunk;
mod combined;
mod counted;
mod dimacs;
mod drn;
pub(crate) mod explicit;
mod exploration_race;
mod exploring;
mod goals;
mod guess;
pub(crate) mod network;
mod on_devices;
mod program;
mod request;
mod resident;
pub(crate) mod reward_files;
pub(crate) mod size_hint;
mod slice;
mod source;
#[cfg(test)]
mod tests;

pub(crate) use archive::open;
pub(crate) use build_error::build_error;
pub(crate) use counted::Counted;
pub(crate) use program::{PrismSystem, StatesOf, given_constants, program_error, system_of};
pub(crate) use request::{
    DeadlockWarning, ExploreOn, Extent, Opener, Origin, Request, Sizes, Structures, Until, Wanted,
};
pub(crate) use resident::{Loaded, ResidentModel};
pub(crate) use slice::{Slice, slice};
pub(crate) use source::Source;

use crate::error::Error;
use crate::input::Input;
use crate::model::Model;
use crate::model::annotations::{self, Valuations};
use mdp_graph::Deadlocks;
use report::counted;
use size_hint::SizeHint;

/// Reads a model.
pub(crate) fn load_model(request: Request<'_>) -> Result<Model, Error> {
    let input = archive_parts::model_input(request.args)?;
    let source = Source::of(&request.args.model, &input);
    load_input(input, source, request)
}

/// Reads a model. If a device explores its states, and only the graph is needed, the graph stays on
/// the device if there is room.
pub(crate) fn load_resident(request: Request<'_>) -> Result<Loaded, Error> {
    let input = archive_parts::model_input(request.args)?;
    let source = Source::of(&request.args.model, &input);
    let load = match source {
        Source::Program | Source::Jani => program::load_resident,
        Source::Network => network::load_resident,
        _ => return load_input(input, source, request).map(Loaded::on_host),
    };
    if let ExploreOn::Cpu = request.explore_on {
        return load_input(input, source, request).map(Loaded::on_host);
    }
    source.check_usage(request.args)?;
    let Some(loaded) = load(&input, request)? else {
        return load_input(input, source, request).map(Loaded::on_host);
    };
    if let Loaded::OnHost(model) = &loaded {
        warn_of_dropped(model.construction.dropped_branches);
    }
    request.warn_of_deadlocks(loaded.deadlocks());
    Ok(loaded)
}

/// Counts the states of a model that a device explores, if nothing else is needed to do so.
/// Otherwise, the model has to be read.
pub(crate) fn count_states(
    input: &Input,
    source: Source,
    request: Request<'_>,
) -> Result<Option<Counted>, Error> {
    if let ExploreOn::Cpu = request.explore_on {
        return Ok(None);
    }
    match source {
        Source::Program | Source::Jani => {
            let Some((counted, dropped)) = program::count(input, request)? else {
                return Ok(None);
            };
            warn_of_dropped(dropped);
            Ok(Some(counted))
        }
        Source::Network | Source::Automaton => network::count(input, source, request).map(Some),
        _ => Ok(None),
    }
}

/// Reads a model from an input of a known kind.
pub(crate) fn load_input(
    input: Input,
    source: Source,
    request: Request<'_>,
) -> Result<Model, Error> {
    source.check_usage(request.args)?;
    // An archive can be opened at once, and then its size is known more precisely.
    if !source.is_explored() && source != Source::Archive {
        (request.size_hint)(SizeHint::TextBytes(input.len()));
    }
    let mut model = read_as(input, source, request)?;
    if let (Some(observations), Some(details)) =
        (&model.states.observations, &model.choices.details)
    {
        let name = request.args.model.display().to_string();
        observations.check_actions(&name, &model.graph, details)?;
    }
    warn_of_dropped(model.construction.dropped_branches);
    request.warn_of_deadlocks(model.construction.deadlocks);
    read_annotations(&mut model, source, request)?;
    Ok(model)
}

/// Reads the model in an input, which is dropped when it is no longer needed.
fn read_as(input: Input, source: Source, request: Request<'_>) -> Result<Model, Error> {
    match source {
        Source::Explicit => explicit::load(&input, &input, request),
        Source::Combined => combined::load(&input, request),
        Source::Program | Source::Jani => program::load(&input, request),
        Source::Archive => archive::load(input, request),
        Source::Graph => dimacs::load(&input, request),
        Source::Automaton => automaton::load(&input, request),
        Source::Network => network::load(&input, request),
        Source::Drn => drn::load(&input, request),
    }
}

/// Reads values, labels and rewards from separate files, for formats that have such files.
fn read_annotations(model: &mut Model, source: Source, of: Request<'_>) -> Result<(), Error> {
    let num_states = model.graph.num_states() as u32;
    let file = |from, ending| match from {
        Origin::File(path) => Some(path.to_owned()),
        Origin::Beside if source == Source::Explicit => {
            crate::input::beside(&of.args.model, ending)
        }
        _ => None,
    };
    if !of.wanted.sizes.include(model.graph.num_states()) {
        model.states.valuations = None;
    } else if let Some(path) = file(of.wanted.valuations, "sta") {
        model.states.valuations = Some(Valuations::Table(annotations::states(&path, num_states)?));
    }
    if of.wanted.rewards.are_wanted() && source == Source::Explicit {
        model.rewards = reward_files::load(model, &of.args.model)?;
    }
    if let Some(path) = file(of.wanted.labels, "lab") {
        model.states.labels = Some(annotations::labels(&path, num_states)?);
    }
    Ok(())
}

pub(crate) fn warn_of_dropped(branches: u64) {
    if branches > 0 {
        let count = counted(branches, "branch", "branches");
        tracing::warn!("{count} of probability 0 dropped");
    }
}

impl Request<'_> {
    fn warn_of_deadlocks(&self, deadlocks: u64) {
        match self.deadlock_warning {
            DeadlockWarning::WithOption => warn_of_deadlocks(deadlocks, self.deadlocks),
            DeadlockWarning::Plain if self.deadlocks == Deadlocks::SelfLoop && deadlocks > 0 => {
                tracing::warn!("{}", loops_added(deadlocks));
            }
            DeadlockWarning::Plain | DeadlockWarning::Later => {}
        }
    }
}

/// Warns of states without a choice, for a command with the option `--deadlocks`.
pub(crate) fn warn_of_deadlocks(deadlocks: u64, policy: Deadlocks) {
    if deadlocks > 0 && policy == Deadlocks::SelfLoop {
        tracing::warn!("{} (see --deadlocks)", loops_added(deadlocks));
    }
}

fn loops_added(deadlocks: u64) -> String {
    let count = counted(deadlocks, "state", "states");
    format!("{count} without a choice given a self-loop")
}
