//! A program in PRISM's language or in JANI: explores its states, and evaluates their data.

mod chain_actions;
mod compile;
mod gpu_system;
mod intervals;
mod labels;
mod markovian;
mod observations;
mod players;
mod reachable;
mod rewards;
mod states;
mod system;

use super::certify_exploration::check_program;
use super::counted::Counted;
use super::exploring::{find_and_keep, find_states};
use super::goals::Goals;
use super::on_devices::{self, Fault};
use super::request::{Extent, Request, Sizes};
use super::resident::{Loaded, Place, ResidentModel};
use crate::error::Error;
use crate::error::diagnostic::Diagnostic;
use crate::input::Input;
use crate::interrupt;
use crate::model::annotations::{Packed, Valuations};
use crate::model::branch_actions::BranchActions;
use crate::model::choices::{ChoiceFacts, Details};
use crate::model::rewards::Rewards;
use crate::model::states::StateFacts;
use crate::model::{Construction, FileFacts, Model, Times};
pub(crate) use compile::given_constants;
use compile::{Language, compile};
use explore::Exploration;
use mdp_graph::OutOfMemory;
use prism_explicit::ModelType;
use prism_language::{Program, RewardStructure, Widths};
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
    let check = || check_program(&read.system.0, &found, request.deadlocks, request.progress);
    let check_time = request.certify.then(check).transpose()?;
    let found = Found::new(input, &read.system.0, found)?;
    let states = &found.exploration.states;
    if let Some(goals) = goals.as_ref().filter(|_| !is_plain(read.model_type)) {
        goals.look_at_all(&found.exploration);
    }
    let packed = |state| states.get(state).to_vec();
    let goal = goals.map(|goals| evaluated(input, goals.labelled(packed)));
    let goal = goal.transpose()?.flatten();
    let mut model = model(input, &read, found, time, request)?;
    model.times.check = check_time;
    model.construction.goal = goal;
    Ok(model)
}

/// Does the same as [`load`], but a device that explores the program keeps the graph if there is
/// room. Returns `None` if more than the graph is needed.
pub(super) fn load_resident(input: &Input, request: Request<'_>) -> Result<Option<Loaded>, Error> {
    let explored = explored_if_plain(input, request, |read, options| {
        on_devices::explore_resident(&read.system, request.explore_on, options)
    })?;
    let Explored { read, found, time } = explored;
    match found {
        None => Ok(None),
        Some(Place::OnHost(found)) => {
            let found = Found::new(input, &read.system.0, found)?;
            let model = model(input, &read, found, time, request)?;
            Ok(Some(Loaded::on_host(model)))
        }
        Some(Place::OnDevice(gpu, found)) => {
            let file = FileFacts {
                constants: given_constants(&read.system.0, request),
                ..FileFacts::of(input, read.language.name())
            };
            let times = Times::of(read.time, time);
            let model = ResidentModel::new(&gpu, found, read.model_type, file, times);
            Ok(Some(Loaded::OnDevice(Box::new(model))))
        }
    }
}

/// Reads `input` as a model, and counts its states. Returns `None` if more than the number is
/// needed. Also returns the number of branches of probability 0 that were dropped.
pub(super) fn count(input: &Input, request: Request<'_>) -> Result<Option<(Counted, u64)>, Error> {
    let Explored { read, found, time } = explored_if_plain(input, request, |read, options| {
        on_devices::count(&read.system, request.explore_on, options)
    })?;
    let counted = |(counts, dropped)| {
        let counted = Counted {
            counts,
            model_type: read.model_type,
            constants: given_constants(&read.system.0, request),
            times: Times::of(read.time, time),
        };
        (counted, dropped)
    };
    Ok(found.map(counted))
}

/// Reads a program and finds its states by calling `explore`, unless more than the graph is needed.
fn explored_if_plain<T>(
    input: &Input,
    request: Request<'_>,
    explore: impl Fn(&Read, &explore::Options<'_>) -> Result<T, Fault<PrismSystem>>,
) -> Result<Explored<Option<T>>, Error> {
    explored(input, request, |read| {
        if !is_plain(read.model_type) {
            return Ok(None);
        }
        tracing::debug!("exploring {}", input.name);
        find_states(request, Extent::Nothing, |options| explore(read, options)).map(Some)
    })
}

/// A program, the result of its exploration, and the time that this took.
struct Explored<T> {
    read: Read,
    found: T,
    time: Duration,
}

/// Reads a program and calls `explore`. If a value of an unbounded variable does not fit, repeats
/// both with more bits for this variable.
fn explored<T>(
    input: &Input,
    request: Request<'_>,
    explore: impl Fn(&Read) -> Result<T, Fault<PrismSystem>>,
) -> Result<Explored<T>, Error> {
    let (start, mut widths) = (Instant::now(), Widths::default());
    loop {
        let read = read(input, request, &mut widths)?;
        match explore(&read) {
            Ok(found) => {
                let time = start.elapsed().saturating_sub(read.time);
                return Ok(Explored { read, found, time });
            }
            Err(Fault::Exploration(explore::Error::System(error)))
                if widths.widen(error.kind()) =>
            {
                tracing::debug!("{}; more bits, and once more", error.kind());
            }
            Err(fault) => {
                let max_memory = request.args.builder.max_memory;
                return Err(
                    fault.into_error(|error| program_error(input, &read.system, error, max_memory))
                );
            }
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

/// Returns whether the graph of a model of this type is all that has to be evaluated.
fn is_plain(of: ModelType) -> bool {
    !(of.has_observations() || of.has_players() || of.has_intervals())
}

fn read(input: &Input, request: Request<'_>, widths: &mut Widths) -> Result<Read, Error> {
    let start = Instant::now();
    // Nothing needs to be cleaned up here, so Ctrl-C may end the program at once.
    let system = interrupt::while_blocked(|| compile(input, request, widths))?;
    Ok(Read {
        language: Language::of(input, request),
        model_type: system.0.model_type(),
        system: Arc::new(system),
        time: start.elapsed(),
    })
}

/// Returns the program in `input` as a system, whose states are explored elsewhere. Returns `None`
/// if more than the targets of choices is needed.
pub(crate) fn system_of(
    input: &Input,
    request: Request<'_>,
) -> Result<Option<(Arc<PrismSystem>, ModelType)>, Error> {
    let Read {
        system, model_type, ..
    } = read(input, request, &mut Widths::default())?;
    // A value that does not fit would require all workers to start again.
    let is_bounded = system
        .0
        .variables()
        .iter()
        .all(prism_language::Variable::is_bounded);
    // Observations of states have to be compared, and bounds of intervals decide which edges there
    // are.
    let is_plain = is_bounded && !model_type.has_observations() && !model_type.has_intervals();
    Ok(is_plain.then_some((system, model_type)))
}

/// The states that were found, without those of an interval model that nature cannot reach.
struct Found {
    exploration: Exploration,
    /// The lower bound of each branch of an interval model.
    lower_bounds: Option<Vec<f64>>,
}

impl Found {
    fn new(input: &Input, program: &Program, exploration: Exploration) -> Result<Self, Error> {
        if !program.model_type().has_intervals() {
            return Ok(Self {
                exploration,
                lower_bounds: None,
            });
        }
        let lower = in_room(input, intervals::room(&exploration), || {
            intervals::evaluate(program, &exploration)
        })?;
        let (exploration, lower) = intervals::possible(exploration, &lower)?;
        Ok(Self {
            exploration,
            lower_bounds: Some(lower),
        })
    }
}

/// Returns the model of the states that were found in the given time.
fn model(
    input: &Input,
    read: &Read,
    found: Found,
    build_time: Duration,
    request: Request<'_>,
) -> Result<Model, Error> {
    let program = &read.system.0;
    let Found {
        exploration: found,
        lower_bounds,
    } = found;
    let data = evaluate_states(input, program, &found, request)?;
    let branch_actions =
        match request.wanted.branch_actions && chain_actions::actions_may_differ(program) {
            true => in_room(input, chain_actions::room(&found), || {
                chain_actions::evaluate(program, &found)
            })?,
            false => BranchActions::default(),
        };
    let mut construction = Construction::explored(&found);
    if request.until.is_some() {
        // The number is unknown if an exploration may have ended early, because the end depends on
        // more than the model.
        construction.dropped_branches = 0;
    }
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
        construction,
        states: StateFacts {
            valuations,
            initial: (0..found.num_initial as u32).collect(),
            ..data.states
        },
        choices: ChoiceFacts {
            details,
            lower_bounds,
            branch_actions,
            ..ChoiceFacts::default()
        },
        rewards: data.rewards,
        file: FileFacts {
            constants: given_constants(program, request),
            lost: data.lost,
            ..FileFacts::of(input, read.language.name())
        },
        times: Times::of(read.time, build_time),
        ..Model::bare(found.graph, read.model_type)
    })
}

/// The data of a program's states in addition to the graph.
struct StateData {
    /// All but the values of the variables, and the initial states.
    states: StateFacts,
    rewards: Vec<Rewards>,
    /// Messages about data that are left out.
    lost: Vec<String>,
}

/// Evaluates the wanted data in all states, and the data that are always checked.
fn evaluate_states(
    input: &Input,
    program: &Program,
    found: &Exploration,
    request: Request<'_>,
) -> Result<StateData, Error> {
    let labels = match request.wanted.labels.reads_model_file() {
        true => Some(in_room(input, labels::room(found), || {
            labels::evaluate(program, found)
        })?),
        false => None,
    };
    let observations = match program.model_type().has_observations() {
        true => Some(in_room(input, observations::room(found), || {
            observations::evaluate(program, found)
        })?),
        false => None,
    };
    let players = match program.model_type().has_players() {
        true => Some(in_room(input, players::room(found), || {
            players::evaluate(program, found)
        })?),
        false => None,
    };
    let is_timed = program.model_type() == ModelType::Ma;
    let markovian = is_timed.then(|| markovian::states(program, found));
    let structures = request.wanted.rewards;
    let (rewards, mut lost) = match structures.are_wanted() {
        true => in_room(input, rewards::room(program, found), || {
            rewards::evaluate(program, found, structures)
        })?,
        false => (Vec::new(), Vec::new()),
    };
    if request.wanted.details == Extent::Everything {
        lost.extend(observations::lost(program));
        if chain_actions::actions_may_differ(program)
            && chain_actions::actions_differ(program, found)
        {
            lost.push("the actions of states whose commands have different actions".to_owned());
        }
    }
    Ok(StateData {
        states: StateFacts {
            labels,
            observations,
            players,
            markovian,
            ..StateFacts::default()
        },
        rewards,
        lost,
    })
}

/// Evaluates data of the states if there is `room` for them. Otherwise the model is refused,
/// although it can be explored.
fn in_room<T>(
    input: &Input,
    room: Result<(), OutOfMemory>,
    evaluate: impl FnOnce() -> Result<T, prism_language::Error>,
) -> Result<T, Error> {
    room?;
    evaluated(input, evaluate())
}

/// Returns the result of an evaluation, or an error if the user has asked to stop, because then the
/// result is incomplete.
fn evaluated<T>(input: &Input, result: Result<T, prism_language::Error>) -> Result<T, Error> {
    if interrupt::is_cancelled() {
        return Err(Error::Cancelled);
    }
    Ok(result.map_err(|error| Diagnostic::in_text(input, &error))?)
}

/// Explores the states, and keeps the wanted details. Also returns the goals.
fn find(
    input: &Input,
    system: &Arc<PrismSystem>,
    mut request: Request<'_>,
) -> Result<(Exploration, Option<Arc<Goals>>), Fault<PrismSystem>> {
    let is_observed = system.0.model_type().has_observations();
    let wanted = &mut request.wanted;
    if is_observed {
        // Actions are needed whatever the size, because states with the same observation must have
        // the same ones. So one exploration is enough.
        wanted.sizes = Sizes::All;
    }
    if system.0.model_type().has_intervals() {
        // The edges of an interval model depend on the bounds.
        (wanted.details, wanted.sizes) = (Extent::Everything, Sizes::All);
    }
    // Rewards of choices depend on their actions.
    let has_choice_rewards = || system.0.rewards().iter().any(RewardStructure::has_actions);
    if wanted.details == Extent::Nothing
        && (is_observed || wanted.rewards.are_wanted() && has_choice_rewards())
    {
        wanted.details = Extent::Actions;
    }
    tracing::debug!("exploring {}", input.name);
    let goals = (request.until).map(|until| Arc::new(Goals::of_program(until, system)));
    // If more than the graph is evaluated, all states are needed.
    let ends_early = is_plain(system.0.model_type());
    let goal = goals.as_ref().filter(|_| ends_early);
    let explore = |options: &explore::Options<'_>| {
        on_devices::explore(system, request.explore_on, options, goal)
    };
    let found = find_and_keep(request, explore)?;
    Ok((found, goals))
}

/// Returns the error for a program that could not be explored on the CPU. `max_memory` is the limit
/// of the command line.
pub(crate) fn program_error(
    input: &Input,
    system: &PrismSystem,
    error: &explore::Error<prism_language::Error>,
    max_memory: Option<u64>,
) -> Error {
    use explore::Error as E;
    let diagnostic = Diagnostic::exploration(input, &system.0, error, max_memory);
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
