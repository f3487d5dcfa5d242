//! The Unified Markov Binary format: a model, with or without its components.

use super::rewards::warn_of_fractions;
use crate::error::Error;
use crate::load;
use crate::model::Model;
use crate::model::annotations::{self, Valuations};
use crate::model::choices::Details;
use crate::model::rewards::{Amounts, Rewards};
use crate::output::Outputs;
use mdp_graph::{BitSet, ComponentKind, Components, MdpGraph, StateId};
use prism_explicit::{Labels, ModelType, States};
use std::borrow::Cow;
use std::path::Path;
use umb::{Bits, Compression, Entity, Indices, Numbers, UmbWriter, Values};

/// The group of this program's annotations.
pub(crate) const COMPONENTS: &str = "components";
/// The group of atomic propositions.
pub(crate) const PROPOSITIONS: &str = "aps";
/// The group of rewards.
pub(crate) const REWARDS: &str = "rewards";

/// Components that are written with their model.
#[derive(Clone, Copy)]
pub(crate) struct ComponentsToWrite<'a> {
    pub(crate) components: &'a Components,
    /// The graph of which the components retain choices.
    pub(crate) graph: &'a MdpGraph,
    /// Whether to write the choices that each maximal end component retains.
    pub(crate) choices: bool,
}

/// Writes a model that was read with all of its data. If it was read from an archive, copies
/// everything in the archive, unless deadlocks were given self-loops.
pub(crate) fn write(
    model: &Model,
    found: Option<ComponentsToWrite<'_>>,
    outputs: &mut Outputs,
    out: &Path,
) -> Result<(), Error> {
    let numbers = found.map(|found| numbers(found.components));
    if let Some(archive) = model.copied_archive() {
        let archive = load::open(archive, false)?;
        let mut writer = UmbWriter::copy_of(&archive);
        annotate(&mut writer, found, numbers.as_deref()).map_err(|error| wrong(&error))?;
        return finish(&mut writer, outputs, out);
    }
    if model.choices.details.is_some() {
        model.file.warn_of_losses();
        model.warn_of_initial();
    }
    let Some(arrays) = ModelArrays::of(model) else {
        return Ok(());
    };
    let mut writer = arrays.writer()?;
    annotate(&mut writer, found, numbers.as_deref()).map_err(|error| wrong(&error))?;
    finish(&mut writer, outputs, out)
}

fn wrong(error: &umb::Error) -> Error {
    Error::wrong(format!("the model cannot be written as UMB: {error}"))
}

fn finish(writer: &mut UmbWriter<'_>, outputs: &mut Outputs, out: &Path) -> Result<(), Error> {
    writer.tool("maxend", env!("CARGO_PKG_VERSION"));
    // The name of the file decides whether the whole archive is compressed, as for all output
    // files.
    outputs.write(out, |out| writer.write(out, Compression::None))
}

/// Returns the number of each state's component, counted from 1 in the order of their smallest
/// states; 0 for states in none.
fn numbers(components: &Components) -> Vec<u64> {
    let states = (0..components.num_states()).map(StateId::from_index);
    let number = |state| {
        components
            .component(state)
            .map_or(0, |id| u64::from(id.0) + 1)
    };
    states.map(number).collect()
}

/// Returns the name of a kind of components, and the proposition of the states that are in one,
/// unless all states are.
pub(crate) fn kind_names(kind: ComponentKind) -> (&'static str, Option<&'static str>) {
    match kind {
        ComponentKind::Mec => ("mec", Some("in_mec")),
        ComponentKind::Bscc => ("bscc", Some("in_bscc")),
        ComponentKind::Scc => ("scc", None),
    }
}

/// Adds the components to the model.
fn annotate<'a>(
    writer: &mut UmbWriter<'a>,
    found: Option<ComponentsToWrite<'_>>,
    numbers: Option<&'a [u64]>,
) -> Result<(), umb::Error> {
    let (Some(found), Some(numbers)) = (found, numbers) else {
        return Ok(());
    };
    let (name, proposition) = kind_names(found.components.kind());
    let values = Values::Uints(Cow::Borrowed(numbers));
    writer.annotate(COMPONENTS, name, Entity::States, values)?;
    if let Some(proposition) = proposition {
        let in_some = Bits::from_fn(numbers.len() as u64, |state| numbers[state as usize] > 0);
        let values = Values::Bools(in_some);
        writer.annotate(PROPOSITIONS, proposition, Entity::States, values)?;
    }
    if found.choices {
        let values = Values::Bools(retained(found.graph, found.components));
        writer.annotate(COMPONENTS, "retained", Entity::Choices, values)?;
    }
    Ok(())
}

/// Returns the choices that maximal end components retain.
fn retained(graph: &MdpGraph, components: &Components) -> Bits<'static> {
    let mut retained = BitSet::new(graph.num_choices());
    for state in graph.states() {
        for choice in components.retained_choices(graph, state) {
            retained.insert(choice.index());
        }
    }
    Bits::from_fn(graph.num_choices() as u64, |choice| {
        retained.contains(choice as usize)
    })
}

/// The data of a model, with the arrays that the format needs and the model does not have.
pub(crate) struct ModelArrays<'a> {
    model: &'a Model,
    details: &'a Details,
    initial: Vec<u64>,
    probabilities: Cow<'a, [f64]>,
    /// The exit rate of each state, in a CTMC or a Markov automaton.
    exit_rates: Option<Vec<f64>>,
    /// The states in which time passes, in a Markov automaton.
    markovian: Option<Vec<u64>>,
}

impl<'a> ModelArrays<'a> {
    /// Returns the arrays, or `None` for a model without details.
    pub(crate) fn of(model: &'a Model) -> Option<Self> {
        let details = model.choices.details.as_ref()?;
        let (probabilities, exit_rates) = match model.model_type {
            ModelType::Ctmc | ModelType::Ma => {
                let is_timed = |state: StateId| {
                    model
                        .states
                        .markovian
                        .as_ref()
                        .is_none_or(|all| all[state.index()])
                };
                let (probabilities, exit_rates) =
                    normalise(&model.graph, &details.values, is_timed);
                (probabilities.into(), Some(exit_rates))
            }
            _ => (details.values.as_slice().into(), None),
        };
        let initial = model.states.named_initial().unwrap_or(&[0]);
        Some(Self {
            model,
            details,
            initial: initial.iter().copied().map(u64::from).collect(),
            probabilities,
            exit_rates,
            markovian: model.states.markovian.as_ref().map(|all| {
                let states = (0..).zip(all).filter(|(_, is_timed)| **is_timed);
                states.map(|(state, _)| state).collect()
            }),
        })
    }

    /// Returns a writer of the archive.
    pub(crate) fn writer(&self) -> Result<UmbWriter<'_>, Error> {
        self.begin().map_err(|error| wrong(&error))
    }

    fn begin(&self) -> Result<UmbWriter<'_>, umb::Error> {
        let (model, details) = (self.model, self.details);
        let players = model.states.players.as_ref();
        // The format does not have games with one player.
        let players = players.filter(|players| players.names.len() > 1);
        let model_type = match (model.model_type, players) {
            (ModelType::Smg, None) => ModelType::Mdp,
            (model_type, _) => model_type,
        };
        if model_type != model.model_type {
            tracing::warn!("a game of one player is written as an MDP");
        }
        let graph = &model.graph;
        let mut writer = UmbWriter::new(&umb::Model {
            initial_states: &self.initial,
            choice_offsets: Indices::U32(graph.choice_offsets()),
            branch_offsets: Indices::U32(graph.branch_offsets()),
            targets: Indices::U32(StateId::as_numbers(graph.all_targets())),
            probabilities: (model_type != ModelType::Lts).then_some(&self.probabilities),
            lower_bounds: model.choices.lower_bounds.as_deref(),
            exit_rates: self.exit_rates.as_deref(),
            markovian_states: self.markovian.as_deref(),
            players: players.map(|all| (&all.names[..], &all.of_states[..])),
            observations: model
                .states
                .observations
                .as_ref()
                .map(|seen| (seen.count, Indices::U32(&seen.of_states))),
            ..umb::Model::new(model_type)
        })?;
        if details.names.len() > 1 {
            writer.choice_actions(&details.names, &details.actions)?;
        }
        if let Some(labels) = &model.states.labels {
            add_labels(&mut writer, labels)?;
        }
        warn_of_fractions(&model.rewards);
        for rewards in &model.rewards {
            add_rewards(&mut writer, rewards)?;
        }
        if let Some(values) = model
            .states
            .observations
            .as_ref()
            .and_then(|seen| seen.values.as_ref())
        {
            add_observables(&mut writer, values)?;
        }
        if let Some(valuations) = &model.states.valuations {
            add_valuations(&mut writer, valuations)?;
        }
        Ok(writer)
    }
}

/// Returns the probabilities, and the exit rates by which they must be multiplied to get the rates
/// of states.
fn normalise(
    graph: &MdpGraph,
    rates: &[f64],
    is_timed: impl Fn(StateId) -> bool,
) -> (Vec<f64>, Vec<f64>) {
    let mut probabilities = rates.to_vec();
    let exit_rate = |state| {
        if !is_timed(state) {
            return 0.0;
        }
        let own = &mut probabilities[graph.branch_range(state)];
        let exit_rate = umb::exit_rate(own);
        own.iter_mut()
            .for_each(|rate| *rate = umb::probability(*rate, exit_rate));
        exit_rate
    };
    let exit_rates = graph.states().map(exit_rate).collect();
    (probabilities, exit_rates)
}

/// Adds labels as atomic propositions, except for the initial states, for which the format has a
/// separate array.
fn add_labels<'a>(writer: &mut UmbWriter<'a>, labels: &'a Labels) -> Result<(), umb::Error> {
    for (name, states) in labels.iter().filter(|&(name, _)| name != "init") {
        writer.annotate_members(PROPOSITIONS, name, Entity::States, states)?;
    }
    Ok(())
}

/// Adds a reward structure as an annotation of states, choices and branches.
fn add_rewards<'a>(writer: &mut UmbWriter<'a>, rewards: &'a Rewards) -> Result<(), umb::Error> {
    let all = [
        (Entity::States, &rewards.states),
        (Entity::Choices, &rewards.choices),
        (Entity::Branches, &rewards.branches),
    ];
    let values = |amounts: &'a Amounts| Numbers::Doubles(Cow::Borrowed(&amounts.values));
    let present = all.into_iter().filter_map(|(of, amounts)| {
        let amounts = amounts.as_ref()?;
        Some((of, Values::Numbers(values(amounts))))
    });
    let name = rewards.name.as_deref().unwrap_or_default();
    writer.annotate_all(REWARDS, name, present.collect())?;
    Ok(())
}

fn add_observables<'a>(writer: &mut UmbWriter<'a>, values: &'a States) -> Result<(), umb::Error> {
    let columns = values.columns();
    let domains = columns.iter().map(annotations::domain);
    let observables: Vec<_> = values.variables().iter().zip(domains).collect();
    writer.observation_valuations(&observables, |observation, i| {
        annotations::number(&columns[i], observation as usize)
    })?;
    Ok(())
}

fn add_valuations<'a>(
    writer: &mut UmbWriter<'a>,
    valuations: &'a Valuations,
) -> Result<(), umb::Error> {
    let domains = (0..valuations.names().len()).map(|i| valuations.domain(i));
    let variables: Vec<_> = valuations.names().iter().zip(domains).collect();
    let unique = !matches!(valuations, Valuations::Table(_));
    writer.state_valuations(&variables, unique, |state, i| {
        valuations.value(StateId(state as u32), i)
    })?;
    Ok(())
}
