//! From a file to its model: the graph, and what the file says besides. Each kind of file has a module
//! here that makes the same [`Model`] of it; no command needs to know which it was.

mod archive;
mod automaton;
pub(crate) mod beside;
mod dimacs;
pub(crate) mod explicit;
mod exploring;
pub(crate) mod network;
mod part;
mod program;
mod source;

pub(crate) use archive::open;
pub(crate) use part::Details;
pub(crate) use source::Source;

use crate::ahead::Ahead;
use crate::annotations::{self, Valuations};
use crate::args::ModelArgs;
use crate::diagnostic::Diagnostic;
use crate::error::Error;
use crate::input::Input;
use crate::progress::Progress;
use crate::rewards::Rewards;
use mdp_graph::{BuildError, Deadlocks, MdpGraph, StateId};
use prism_explicit::{Labels, ModelType};
use prism_language::Value;
use report::counted;
use std::path::Path;
use std::time::Duration;

/// A model's graph, and what its file says besides.
pub(crate) struct Model {
    pub(crate) graph: MdpGraph,
    pub(crate) model_type: ModelType,
    /// The format of the file, for people.
    pub(crate) format: &'static str,
    /// How many states had no choice, whatever became of them.
    pub(crate) deadlocks: u64,
    /// How many branches had probability 0, and were dropped.
    pub(crate) dropped_branches: u64,
    /// The values of the variables in each state, if they are wanted and known.
    pub(crate) valuations: Option<Valuations>,
    /// The labels, if they are wanted and known.
    pub(crate) labels: Option<Labels>,
    /// The states that the model itself calls initial, by other means than a label; ascending.
    pub(crate) initial: Vec<u32>,
    /// The constants that the command line gave values for, with these values.
    pub(crate) constants: Vec<(String, Value)>,
    /// What the graph leaves out, if it is wanted.
    pub(crate) details: Option<Details>,
    /// What is earned, if it is wanted.
    pub(crate) rewards: Vec<Rewards>,
    /// The file itself, if it is an archive and all of it is wanted.
    pub(crate) archive: Option<Input>,
    /// What the file holds besides, which no other format is given.
    pub(crate) lost: Vec<String>,
    /// Whether its states were found by exploring.
    pub(crate) is_explored: bool,
    /// The bytes of the file; of an archive of gzip's, of the text in it.
    pub(crate) read_bytes: u64,
    /// The time to read and check the file.
    pub(crate) read_time: Duration,
    /// The time to build the graph.
    pub(crate) build_time: Duration,
}

impl Model {
    /// Whether it had deadlocks, and they were given self-loops.
    pub(crate) fn is_mended(&self) -> bool {
        let graph = &self.graph;
        self.deadlocks > 0 && !graph.states().any(|state| graph.is_deadlock(state))
    }
}

/// What is wanted of a model besides its graph.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted<'a> {
    pub(crate) valuations: Origin<'a>,
    pub(crate) labels: Origin<'a>,
    pub(crate) details: Extent,
    pub(crate) rewards: bool,
    /// Whether values and details are wanted only of models of few states, such as can be drawn.
    pub(crate) only_of_few: bool,
}

/// How much is wanted of what a graph leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    Nothing,
    /// The names of the actions; what else comes with them does no harm.
    Actions,
    /// Actions and probabilities.
    Everything,
}

/// The most states of which there are few.
pub(crate) const FEW_STATES: usize = report::CONDENSE_OVER;

impl<'a> Wanted<'a> {
    /// Everything, with labels and values from these files if they are named.
    pub(crate) fn everything(states: Option<&'a Path>, labels: Option<&'a Path>) -> Self {
        Self {
            valuations: Origin::named(states, Origin::Beside),
            labels: Origin::named(labels, Origin::Beside),
            details: Extent::Everything,
            rewards: true,
            only_of_few: false,
        }
    }
}

/// Where values or labels of states are taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin<'a> {
    /// They are not wanted.
    Nowhere,
    /// From the model's file if it can hold them, or else from the one beside it.
    Beside,
    /// From this file.
    File(&'a Path),
}

impl<'a> Origin<'a> {
    /// The file that was named, if there was one.
    pub(crate) fn named(file: Option<&'a Path>, otherwise: Self) -> Self {
        file.map_or(otherwise, Self::File)
    }

    fn model(self) -> bool {
        self == Self::Beside
    }
}

/// How a model is to be read, and who is told meanwhile.
#[derive(Clone, Copy)]
pub(crate) struct Request<'a> {
    pub(crate) args: &'a ModelArgs,
    pub(crate) wanted: Wanted<'a>,
    pub(crate) deadlocks: Deadlocks,
    pub(crate) progress: Progress,
    /// Who wants to know early how large the model is.
    pub(crate) ahead: Option<&'a Ahead>,
}

/// Reads a model.
pub(crate) fn model(request: Request<'_>) -> Result<Model, Error> {
    let input = Input::of_model(request.args)?;
    let source = Source::of(&request.args.model, &input);
    from(input, source, request)
}

/// Reads a model from an input of a known kind.
pub(crate) fn from(input: Input, source: Source, request: Request<'_>) -> Result<Model, Error> {
    source.check_usage(request.args)?;
    if let Some(ahead) = request.ahead.filter(|_| !source.is_explored()) {
        ahead.expect_bytes(input.len());
    }
    let mut model = read(input, source, request)?;
    warn_of_dropped(model.dropped_branches);
    warn_of_deadlocks(model.deadlocks, request.deadlocks);
    read_annotations(&mut model, source, request)?;
    Ok(model)
}

/// The model in an input, which is not held any longer than it is needed.
fn read(input: Input, source: Source, request: Request<'_>) -> Result<Model, Error> {
    match source {
        Source::Explicit => explicit::load(&input, request),
        Source::Program => program::load(&input, request),
        Source::Archive => archive::load(input, request),
        Source::Graph => dimacs::load(&input, request),
        Source::Automaton => automaton::load(&input, request),
        Source::Network => network::load(&input, request),
    }
}

/// Reads values, labels and rewards from files of their own, where they are to be found in such.
fn read_annotations(model: &mut Model, source: Source, of: Request<'_>) -> Result<(), Error> {
    let num_states = model.graph.num_states() as u32;
    let too_many = of.wanted.only_of_few && model.graph.num_states() > FEW_STATES;
    let file = |from, ending| match from {
        Origin::File(path) => Some(path.to_owned()),
        Origin::Beside if source == Source::Explicit => {
            crate::input::beside(&of.args.model, ending)
        }
        _ => None,
    };
    if too_many {
        model.valuations = None;
    } else if let Some(path) = file(of.wanted.valuations, "sta") {
        model.valuations = Some(Valuations::Table(annotations::states(&path, num_states)?));
    }
    if of.wanted.rewards && source == Source::Explicit {
        model.rewards = beside::load(model, &of.args.model)?;
    }
    if let Some(path) = file(of.wanted.labels, "lab") {
        model.labels = Some(annotations::labels(&path, num_states)?);
    }
    Ok(())
}

/// Why a graph could not be built. A state that is to blame is named by the values of its variables
/// too, where `values` finds any.
pub(crate) fn refused(
    input: &Input,
    error: &BuildError,
    values: impl FnOnce() -> Option<Valuations>,
) -> Error {
    let diagnostic = Diagnostic::new(format!("{}: {error}", input.name));
    let first = match error {
        BuildError::Deadlock { first, .. } => *first,
        _ => return diagnostic.into(),
    };
    match values() {
        Some(values) => diagnostic.note(shown(first, &values)).into(),
        None => diagnostic.into(),
    }
}

/// A state by the values of its variables: `state 5 is (x=1, done=true)`.
pub(crate) fn shown(state: StateId, values: &Valuations) -> String {
    let pairs = values.names().iter().zip(values.row(state));
    let pairs: Vec<String> = pairs
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    format!("state {state} is ({})", pairs.join(", "))
}

pub(crate) fn warn_of_dropped(branches: u64) {
    if branches > 0 {
        let count = counted(branches, "branch", "branches");
        tracing::warn!("{count} of probability 0 dropped");
    }
}

pub(crate) fn warn_of_deadlocks(deadlocks: u64, policy: Deadlocks) {
    if deadlocks > 0 && policy == Deadlocks::SelfLoop {
        let count = counted(deadlocks, "state", "states");
        tracing::warn!("{count} without a choice given a self-loop (see --deadlocks)");
    }
}
