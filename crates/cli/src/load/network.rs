//! A network of processes in EXP, or a single process in an Aldebaran file: explores its states.

mod gpu_system;
mod paper;
mod read;

pub(crate) use paper::{PaperSearch, count_by_paper};

use super::certify_exploration::check_network;
use super::counted::Counted;
use super::exploring::{find_and_keep, find_states};
use super::goals::Goals;
use super::on_devices::{self, Fault};
use super::request::{Extent, Request};
use super::resident::{Loaded, Place, ResidentModel};
use super::source::Source;
use crate::error::Error;
use crate::error::diagnostic::Diagnostic;
use crate::input::Input;
use crate::model::annotations::{Processes, Valuations};
use crate::model::choices::{ChoiceFacts, Details};
use crate::model::states::StateFacts;
use crate::model::{Construction, FileFacts, Model, Times};
use explore::{Exploration, Options, System as _};
use lts_network::Network;
use mdp_graph::StateId;
use prism_explicit::{Dialect, Labels, ModelType};
use read::{read, read_automaton, read_either};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Reads `input` as a network, and explores its states.
pub(super) fn load(input: &Input, request: Request<'_>) -> Result<Model, Error> {
    let (network, read_time) = read(input, request)?;
    explored(input, &network, "EXP", read_time, request)
}

/// Does the same as [`load`], but a device that explores the network keeps the graph if there is
/// room.
pub(super) fn load_resident(input: &Input, request: Request<'_>) -> Result<Option<Loaded>, Error> {
    let (network, read_time) = read(input, request)?;
    let start = Instant::now();
    tracing::debug!("exploring {}", input.name);
    let explore =
        |options: &Options<'_>| on_devices::explore_resident(&network, request.explore_on, options);
    let found = find_states(request, Extent::Nothing, explore);
    match found.map_err(|fault| network_error(input, &network, fault, request))? {
        Place::OnHost(found) => {
            let times = Times::of(read_time, start.elapsed());
            let model = model(input, &network, found, "EXP", times, request);
            Ok(Some(Loaded::on_host(model)))
        }
        Place::OnDevice(gpu, found) => {
            let file = FileFacts::of(input, "EXP");
            let times = Times::of(read_time, start.elapsed());
            let model = ResidentModel::new(&gpu, found, ModelType::Lts, file, times);
            Ok(Some(Loaded::OnDevice(Box::new(model))))
        }
    }
}

/// Reads `input` as an Aldebaran file, and explores its reachable states.
pub(crate) fn load_automaton(input: &Input, request: Request<'_>) -> Result<Model, Error> {
    let start = Instant::now();
    let network = read_automaton(input, request)?;
    explored(input, &network, "Aldebaran", start.elapsed(), request)
}

/// Reads `input` as a network or as an Aldebaran file, and counts its states.
pub(super) fn count(input: &Input, source: Source, request: Request<'_>) -> Result<Counted, Error> {
    let start = Instant::now();
    let network = read_either(input, source, request)?;
    let read_time = start.elapsed();
    tracing::debug!("exploring {}", input.name);
    let count = |options: &Options<'_>| on_devices::count(&network, request.explore_on, options);
    let found = find_states(request, Extent::Nothing, count);
    // A network has no branches of probability 0.
    let (counts, _) = found.map_err(|fault| network_error(input, &network, fault, request))?;
    Ok(Counted {
        counts,
        model_type: ModelType::Lts,
        constants: Vec::new(),
        times: Times::of(read_time, start.elapsed().saturating_sub(read_time)),
    })
}

fn explored(
    input: &Input,
    network: &Arc<Network>,
    format: &'static str,
    read_time: Duration,
    request: Request<'_>,
) -> Result<Model, Error> {
    let start = Instant::now();
    tracing::debug!("exploring {}", input.name);
    let goals = request.until.map(|until| Goals::of_network(until, network));
    let goals = goals.map(Arc::new);
    let explore = |options: &Options<'_>| {
        on_devices::explore(network, request.explore_on, options, goals.as_ref())
    };
    let found = find_and_keep(request, explore);
    let found = found.map_err(|fault| network_error(input, network, fault, request))?;
    let times = Times::of(read_time, start.elapsed());
    let check = || check_network(network, &found, request.deadlocks, request.progress);
    let check_time = request.certify.then(check).transpose()?;
    let mut model = model(input, network, found, format, times, request);
    model.times.check = check_time;
    Ok(model)
}

/// Returns the model of the states that were found.
fn model(
    input: &Input,
    network: &Network,
    found: Exploration,
    format: &'static str,
    times: Times,
    request: Request<'_>,
) -> Model {
    let construction = Construction::explored(&found);
    let labels = request
        .wanted
        .labels
        .reads_model_file()
        .then(|| labels(network, &found));
    let details = found.actions.map(|actions| Details {
        values: found.probabilities.unwrap_or_default(),
        names: std::iter::once(String::new())
            .chain(network.labels().iter().cloned())
            .collect(),
        actions,
    });
    let valuations = request
        .wanted
        .valuations
        .reads_model_file()
        .then(|| Valuations::Processes(Processes::new(network, found.states)));
    Model {
        construction,
        states: StateFacts {
            valuations,
            labels,
            initial: (0..found.num_initial as u32).collect(),
            ..StateFacts::default()
        },
        choices: ChoiceFacts::of(details),
        file: FileFacts::of(input, format),
        times,
        ..Model::bare(found.graph, ModelType::Lts)
    }
}

/// Returns the labels that every model in PRISM has.
fn labels(network: &Network, found: &Exploration) -> Labels {
    let mut scratch = network.scratch();
    let mut is_deadlock = |&state: &StateId| {
        matches!(found.graph.successors(state), [] | [_])
            && network.is_deadlock(&mut scratch, found.states.get(state))
    };
    let deadlocks = match found.deadlocks {
        0 => Vec::new(),
        _ => found
            .graph
            .states()
            .filter(|state| is_deadlock(state))
            .map(|state| state.0)
            .collect(),
    };
    let initial = (0..found.num_initial as u32).collect();
    let labels = [("init", initial), ("deadlock", deadlocks)];
    Labels::new(
        Dialect::Prism,
        labels.map(|(name, states)| (name.to_owned(), states)),
    )
}

/// Returns the error for a network that could not be explored.
fn network_error(
    input: &Input,
    network: &Network,
    fault: Fault<Network>,
    request: Request<'_>,
) -> Error {
    let max_memory = request.args.builder.max_memory;
    fault.into_error(|error| {
        let diagnostic = Diagnostic::network_exploration(input, network, error, max_memory);
        diagnostic.map_or(Error::Cancelled, Error::from)
    })
}
