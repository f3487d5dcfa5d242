//! Reads a model in PRISM's language: compiles it, and explores its states.

mod intervals;
mod labels;
mod markovian;
mod observations;
mod on_gpu;
mod parts;
mod players;
mod rewards;
mod states;
mod system;

use super::checked::check_program;
use super::exploring::{find_and_keep, find_states};
use super::goals::Goals;
use super::part::Details;
use super::request::{Extent, Request};
use super::resident::{Loaded, Place, ResidentModel};
use super::source::Source;
use crate::error::Error;
use crate::error::diagnostic::Diagnostic;
use crate::input::Input;
use crate::interrupt;
use crate::model::Model;
use crate::model::annotations::{Packed, Valuations};
use crate::model::branch_actions::BranchActions;
use crate::model::observations::Observations;
use crate::model::players::Players;
use crate::model::rewards::Rewards;
use explore::Exploration;
use gpu_explore::Counts;
use mdp_graph::OutOfMemory;
use on_gpu::Fault;
use prism_explicit::{Labels, ModelType};
use prism_language::{Program, RewardStructure, Value, Widths};
pub(crate) use states::StatesOf;
use std::sync::Arc;
use std::time::{Duration, Instant};
pub(crate) use system::PrismSystem;

/// Reads `input` as a model, and explores its states.
pub(super) fn load(input: &Input, request: Request<'_>) -> Result<Model, Error> {
    let explored = explored(input, request, |read| find(input, &read.system, request))?;
    let Explored {
        read,
        found: (found, goals),
        time,
    } = explored;
    let packed = |state| found.states.get(state).to_vec();
    let labelled = goals.map(|goals| evaluated(input, goals.labelled(packed)));
    let labelled = labelled.transpose()?.flatten();
    let check = || check_program(&read.system.0, &found, request.deadlocks, request.progress);
    let check_time = request.certify.then(check).transpose()?;
    Ok(Model {
        check_time,
        labelled,
        ..model(input, &read, found, time, request)?
    })
}

/// The same, but for that a device that explores it keeps the graph if there is room; `None` if
/// more of the model has to be looked at.
pub(super) fn load_resident(input: &Input, request: Request<'_>) -> Result<Option<Loaded>, Error> {
    let explored = explored(input, request, |read| {
        if !is_plain(read.model_type) {
            return Ok(None);
        }
        tracing::debug!("exploring {}", input.name);
        let explore = |options: &explore::Options<'_>| {
            on_gpu::explore_resident(&read.system, request.explore_on, options)
        };
        find_states(request, Extent::Nothing, explore).map(Some)
    })?;
    let Explored { read, found, time } = explored;
    match found {
        None => Ok(None),
        Some(Place::OnHost(found)) => {
            let model = model(input, &read, found, time, request)?;
            Ok(Some(Loaded::on_host(model)))
        }
        Some(Place::OnDevice(gpu, found)) => Ok(Some(Loaded::OnDevice(Box::new(ResidentModel {
            constants: given_constants(&read.system.0, request),
            read_bytes: input.len() as u64,
            read_time: read.time,
            build_time: time,
            ..ResidentModel::new(&gpu, found, read.model_type, read.language.name())
        })))),
    }
}

/// Reads `input` as a model, and counts its states; `None` if more of it has to be looked at. Also
/// returns how many branches of probability 0 were dropped.
pub(super) fn count(input: &Input, request: Request<'_>) -> Result<Option<(Counts, u64)>, Error> {
    let explored = explored(input, request, |read| {
        if !is_plain(read.model_type) {
            return Ok(None);
        }
        tracing::debug!("exploring {}", input.name);
        let count = |options: &explore::Options<'_>| {
            on_gpu::count(&read.system, request.explore_on, options)
        };
        find_states(request, Extent::Nothing, count).map(Some)
    })?;
    Ok(explored.found)
}

/// A program, what was found of its states, and how long that took.
struct Explored<T> {
    read: Read,
    found: T,
    time: Duration,
}

/// Reads a program and calls `explore`; again with more bits for an unbounded variable as often as
/// it meets a value for which there is no room.
fn explored<T>(
    input: &Input,
    request: Request<'_>,
    explore: impl Fn(&Read) -> Result<T, Fault>,
) -> Result<Explored<T>, Error> {
    let (start, mut widths) = (Instant::now(), Widths::default());
    loop {
        let read = read(input, request, &mut widths)?;
        match explore(&read) {
            Ok(found) => {
                let time = start.elapsed().saturating_sub(read.time);
                return Ok(Explored { read, found, time });
            }
            Err(Fault::Program(explore::Error::System(error))) if widths.widen(error.kind()) => {
                tracing::debug!("{}; more bits, and once more", error.kind());
            }
            Err(fault) => return Err(fault_of(input, &read.system, fault)),
        }
    }
}

/// A program that was read.
struct Read {
    language: Language,
    system: Arc<PrismSystem>,
    model_type: ModelType,
    time: Duration,
}

/// Whether nothing but the graph of such a model has to be looked at.
fn is_plain(of: ModelType) -> bool {
    !(of.has_observations() || of.has_players() || of.has_intervals())
}

fn read(input: &Input, request: Request<'_>, widths: &mut Widths) -> Result<Read, Error> {
    let start = Instant::now();
    // There is nothing to clean up here, so that Ctrl-C may end the program at once.
    let system = interrupt::while_blocked(|| compile(input, request, widths))?;
    Ok(Read {
        language: Language::of(input, request),
        model_type: system.0.model_type(),
        system: Arc::new(system),
        time: start.elapsed(),
    })
}

/// The program in `input` as a system whose states are found elsewhere. `None` if more of them has
/// to be looked at than where they lead.
pub(crate) fn system_of(
    input: &Input,
    request: Request<'_>,
) -> Result<Option<(Arc<PrismSystem>, ModelType)>, Error> {
    let Read {
        system, model_type, ..
    } = read(input, request, &mut Widths::default())?;
    // Where there is no room for a value, all would have to begin again.
    let is_bounded = system
        .0
        .variables()
        .iter()
        .all(prism_language::Variable::is_bounded);
    // Observations are compared with others, and bounds decide what an edge is.
    let is_plain = is_bounded && !model_type.has_observations() && !model_type.has_intervals();
    Ok(is_plain.then_some((system, model_type)))
}

/// The model of the states that were found, in so long a time.
fn model(
    input: &Input,
    read: &Read,
    found: Exploration,
    build_time: Duration,
    request: Request<'_>,
) -> Result<Model, Error> {
    let program = &read.system.0;
    let said = said_of_states(input, program, &found, request)?;
    let (found, lower_bounds) = match said.lower_bounds {
        Some(lower) => intervals::possible(found, &lower)?,
        None => (found, None),
    };
    let branch_actions = match request.wanted.branch_actions && parts::actions_may_differ(program) {
        true => {
            has_room(parts::room(&found))?;
            evaluated(input, parts::evaluate(program, &found))?
        }
        false => BranchActions::default(),
    };
    let values = found.probabilities.unwrap_or_default();
    let details = found.actions.map(|actions| Details {
        values,
        names: states::action_names(program),
        actions,
    });
    let has_variables = !program.variables().is_empty();
    let valuations = match request.wanted.valuations.reads_model_file() && has_variables {
        true => Some(Valuations::Packed(Packed::new(program, found.states))),
        false => None,
    };
    Ok(Model {
        deadlocks: found.deadlocks,
        unexpanded: found.graph.num_states() - found.expanded,
        // Where an exploration ends depends on more than the model.
        dropped_branches: match request.until {
            Some(_) => 0,
            None => found.dropped_branches,
        },
        valuations,
        labels: said.labels,
        observations: said.observations,
        players: said.players,
        lower_bounds,
        markovian: said.markovian,
        initial: (0..found.num_initial as u32).collect(),
        constants: given_constants(program, request),
        details,
        branch_actions,
        rewards: said.rewards,
        lost: said.lost,
        is_explored: true,
        read_bytes: input.len() as u64,
        read_time: read.time,
        build_time,
        ..Model::bare(found.graph, read.model_type, read.language.name())
    })
}

/// What a program says of its states, beside where they lead.
struct Said {
    labels: Option<Labels>,
    observations: Option<Observations>,
    players: Option<Players>,
    lower_bounds: Option<Vec<f64>>,
    markovian: Option<Vec<bool>>,
    rewards: Vec<Rewards>,
    /// What is left out.
    lost: Vec<String>,
}

/// Evaluates what is wanted in all states, and what is checked in any case.
fn said_of_states(
    input: &Input,
    program: &Program,
    found: &Exploration,
    request: Request<'_>,
) -> Result<Said, Error> {
    let labels = match request.wanted.labels.reads_model_file() {
        true => {
            has_room(labels::room(found))?;
            Some(evaluated(input, labels::evaluate(program, found))?)
        }
        false => None,
    };
    let observations = match program.model_type().has_observations() {
        true => {
            has_room(observations::room(found))?;
            Some(evaluated(input, observations::evaluate(program, found))?)
        }
        false => None,
    };
    let players = match program.model_type().has_players() {
        true => {
            has_room(players::room(found))?;
            Some(evaluated(input, players::evaluate(program, found))?)
        }
        false => None,
    };
    let lower_bounds = match program.model_type().has_intervals() {
        true => {
            has_room(intervals::room(found))?;
            Some(evaluated(input, intervals::evaluate(program, found))?)
        }
        false => None,
    };
    let is_timed = program.model_type() == ModelType::Ma;
    let markovian = is_timed.then(|| markovian::states(program, found));
    let (rewards, mut lost) = match request.wanted.rewards {
        true => {
            has_room(rewards::room(program, found))?;
            evaluated(input, rewards::evaluate(program, found, request.structures))?
        }
        false => (Vec::new(), Vec::new()),
    };
    if request.wanted.details == Extent::Everything {
        lost.extend(observations::lost(program));
        if parts::actions_may_differ(program) && parts::actions_differ(program, found) {
            lost.push("the actions of states whose commands have different actions".to_owned());
        }
    }
    Ok(Said {
        labels,
        observations,
        players,
        lower_bounds,
        markovian,
        rewards,
        lost,
    })
}

/// What was evaluated in all states, unless the user asked to stop meanwhile: then it is wrong.
fn evaluated<T>(input: &Input, result: Result<T, prism_language::Error>) -> Result<T, Error> {
    if interrupt::is_cancelled() {
        return Err(Error::Cancelled);
    }
    Ok(result.map_err(|error| Diagnostic::in_text(input, &error))?)
}

/// Refuses a model for which memory runs out although it could be explored.
fn has_room(room: Result<(), OutOfMemory>) -> Result<(), Error> {
    room.map_err(|error| Error::wrong(error.to_string()))
}

/// The language that a program was compiled from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    Prism,
    Jani,
}

impl Language {
    fn of(input: &Input, request: Request<'_>) -> Self {
        match Source::of(&request.args.model, input) {
            Source::Jani => Self::Jani,
            _ => Self::Prism,
        }
    }

    /// What models in it are called.
    fn name(self) -> &'static str {
        match self {
            Self::Prism => "PRISM language",
            Self::Jani => "JANI",
        }
    }
}

/// Parses the text, and compiles it with the constants of the command line.
fn compile(input: &Input, request: Request<'_>, widths: &mut Widths) -> Result<PrismSystem, Error> {
    let constants = request.args.builder.constants();
    let constants: Vec<(&str, &str)> = constants
        .map(|constant| (constant.name.as_str(), constant.value.as_str()))
        .collect();
    let compiled = match Language::of(input, request) {
        Language::Prism => {
            let model = prism_language::parse(input);
            let compiled = model.and_then(|model| model.compile_with(&constants, widths));
            compiled.map_err(|error| refused_text(input, &error, error.kind()))
        }
        Language::Jani => {
            let model = jani::parse(input);
            let compiled = model.and_then(|model| model.compile_with(&constants, widths));
            compiled.map_err(|error| match error.kind() {
                jani::ErrorKind::Program(kind) => refused_text(input, &error, kind),
                _ => Diagnostic::in_text(input, &error).into(),
            })
        }
    };
    compiled.map(PrismSystem)
}

/// Why a text is no program.
fn refused_text<K: std::fmt::Display>(
    input: &Input,
    error: &parse_error::Error<K>,
    kind: &prism_language::ErrorKind,
) -> Error {
    let diagnostic = Diagnostic::in_text(input, error);
    match kind {
        prism_language::ErrorKind::ConstantMissing { name } => {
            diagnostic.note(format!("`--const {name}=VALUE` gives it one"))
        }
        _ => diagnostic,
    }
    .into()
}

/// The constants to which the command line gives values, in the order of the text.
pub(crate) fn given_constants(program: &Program, request: Request<'_>) -> Vec<(String, Value)> {
    let given = || request.args.builder.constants();
    let is_given = |name: &str| given().any(|constant| constant.name == name);
    let all = program.constants().iter();
    all.filter(|(name, _)| is_given(name)).cloned().collect()
}

/// Explores the states, and keeps the details that are wanted. Also returns the goals.
fn find(
    input: &Input,
    system: &Arc<PrismSystem>,
    mut request: Request<'_>,
) -> Result<(Exploration, Option<Arc<Goals>>), Fault> {
    // What choices earn depends on their actions, and those of states with the same observation are
    // compared.
    let has_actions = |structure: &RewardStructure| structure.has_actions();
    let is_observed = system.0.model_type().has_observations();
    let wanted = &mut request.wanted;
    // Small models are explored twice if only their details are wanted.
    wanted.only_of_few &= !is_observed;
    if system.0.model_type().has_intervals() {
        // Its edges depend on their bounds.
        (wanted.details, wanted.only_of_few) = (Extent::Everything, false);
    }
    if wanted.details == Extent::Nothing
        && (is_observed || wanted.rewards && system.0.rewards().iter().any(has_actions))
    {
        wanted.details = Extent::Actions;
    }
    tracing::debug!("exploring {}", input.name);
    let goals = (request.until).map(|until| Arc::new(Goals::of_program(until, system)));
    // Where more than the graph is looked at, all states are needed.
    let ends_early = is_plain(system.0.model_type());
    let goal = goals.as_ref().filter(|_| ends_early);
    let explore =
        |options: &explore::Options<'_>| on_gpu::explore(system, request.explore_on, options, goal);
    let found = find_and_keep(request, explore)?;
    if let Some(goals) = goals.as_ref().filter(|_| !ends_early) {
        goals.look_at_all(&found);
    }
    Ok((found, goals))
}

/// Why a program was not explored, on whatever device.
fn fault_of(input: &Input, system: &PrismSystem, fault: Fault) -> Error {
    match fault {
        Fault::Program(error) => refused_program(input, system, &error),
        Fault::Device(error) => error,
    }
}

/// Why a program was not explored.
pub(crate) fn refused_program(
    input: &Input,
    system: &PrismSystem,
    error: &explore::Error<prism_language::Error>,
) -> Error {
    use explore::Error as E;
    let diagnostic = Diagnostic::exploration(input, &system.0, error);
    let mut variables = system.0.variables().iter();
    let unbounded = variables.find(|variable| !variable.is_bounded());
    let named = diagnostic.map(|diagnostic| match (error, unbounded) {
        (E::Deadlock { first, state, .. }, _) => {
            diagnostic.note(format!("state {first} is {}", system.0.show(state)))
        }
        (
            E::TooManyStates { .. } | E::MemoryLimit { .. } | E::OutOfMemory { .. } | E::Graph(_),
            Some(variable),
        ) => diagnostic.note(format!(
            "`{}` is unbounded, so that there may be infinitely many states",
            variable.name()
        )),
        _ => diagnostic,
    });
    named.map_or(Error::Cancelled, Error::from)
}
