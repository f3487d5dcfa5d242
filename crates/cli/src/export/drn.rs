//! Storm's text format: states, labels, rewards, choices and the values of variables in one file.

use super::names;
use crate::error::Error;
use crate::load::{Details, Model};
use crate::observations::Observations;
use crate::output;
use crate::progress::{Progress, Unit};
use crate::rewards::{Amounts, Rewards};
use drn::{Amount, Choice, DrnWriter, Header, State, is_action, is_label, push_assignment};
use mdp_graph::StateId;
use prism_explicit::{Labels, ModelType};
use report::{Value, counted};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Writes a model, of which everything was wanted. A state without a choice gets a self-loop.
pub(super) fn write(model: &Model, out: &Path, progress: Progress) -> Result<(), Error> {
    let Some(details) = &model.details else {
        return Ok(());
    };
    let model_type = model_type(model.model_type)?;
    let deadlocks = warn(model);
    let graph = &model.graph;
    let header = Header {
        model_type,
        is_rational: false,
        reward_models: model.rewards.iter().map(name).collect(),
        num_states: graph.num_states() as u32,
        num_choices: Some(graph.num_choices() as u64 + deadlocks),
    };
    let mut initial = model.initial_states();
    // A model without states has no initial one.
    initial.retain(|&state| (state as usize) < graph.num_states());
    let source = Source {
        model,
        details,
        actions: names::writable(details, "words", is_action),
        labels: Labelling::of(model, &initial),
    };
    let (total, written) = (graph.num_branches() as u64, AtomicU64::new(0));
    progress.track("writing", Unit::Branches, total, &written, || {
        output::write(Some(out), |out| source.write(out, &header, &written))
    })
}

/// What a model is in DRN, which does not say whose turn it is in a game.
fn model_type(of: ModelType) -> Result<drn::ModelType, Error> {
    match of {
        ModelType::Dtmc => Ok(drn::ModelType::Dtmc),
        ModelType::Ctmc => Ok(drn::ModelType::Ctmc),
        ModelType::Mdp | ModelType::Lts => Ok(drn::ModelType::Mdp),
        ModelType::Pomdp => Ok(drn::ModelType::Pomdp),
        ModelType::Ma => {
            let message = "Markov automata are not written to DRN files: write UMB";
            Err(Error::wrong(message.to_owned()))
        }
        ModelType::Idtmc | ModelType::Imdp => {
            let message = "an interval model cannot be written to a DRN file";
            Err(Error::wrong(message.to_owned()))
        }
        ModelType::Smg => {
            let message = "a DRN file cannot hold the players of a game: write UMB";
            Err(Error::wrong(message.to_owned()))
        }
    }
}

fn name(rewards: &Rewards) -> String {
    rewards.name.clone().unwrap_or_default()
}

/// Says what becomes of what the format cannot hold; gives the number of deadlocks.
fn warn(model: &Model) -> u64 {
    if model.model_type == ModelType::Lts {
        tracing::warn!("an LTS is written as an MDP whose choices have probability 1");
    }
    if model
        .rewards
        .iter()
        .any(|rewards| rewards.branches.is_some())
    {
        tracing::warn!("rewards of branches are written as what their choices earn on average");
    }
    let has_values = |seen: &Observations| seen.values.is_some();
    if model.observations.as_ref().is_some_and(has_values) {
        tracing::warn!("left out: the values of observables, which a DRN file cannot hold");
    }
    let graph = &model.graph;
    let deadlocks = graph.states().filter(|&state| graph.is_deadlock(state));
    let deadlocks = deadlocks.count() as u64;
    if deadlocks > 0 {
        let count = counted(deadlocks, "state", "states");
        tracing::warn!("{count} without a choice written with a self-loop, for Storm");
    }
    deadlocks
}

/// The labels of each state.
struct Labelling<'m> {
    names: Vec<&'m str>,
    /// Where the labels of each state begin among those of all.
    offsets: Vec<usize>,
    /// Labels, by number.
    labels: Vec<u32>,
}

impl<'m> Labelling<'m> {
    fn of(model: &'m Model, initial: &'m [u32]) -> Self {
        let others = model.labels.iter().flat_map(Labels::iter);
        let others = others.filter(|&(name, _)| name != "init");
        let fitting = others.filter(|&(name, states)| {
            let fits = is_label(name);
            if !fits || states.is_empty() && name != "deadlock" {
                let why = if fits {
                    "which no state has"
                } else {
                    "which a DRN file cannot hold"
                };
                tracing::warn!("left out: label {name:?}, {why}");
            }
            fits
        });
        let all: Vec<(&str, &[u32])> = [("init", initial)].into_iter().chain(fitting).collect();
        let mut offsets = vec![0; model.graph.num_states() + 1];
        let states = || all.iter().flat_map(|(_, states)| states.iter());
        states().for_each(|&state| offsets[state as usize + 1] += 1);
        for state in 1..offsets.len() {
            offsets[state] += offsets[state - 1];
        }
        let mut labels = vec![0; states().count()];
        let mut next = offsets.clone();
        for (number, (_, states)) in (0..).zip(&all) {
            for &state in *states {
                labels[next[state as usize]] = number;
                next[state as usize] += 1;
            }
        }
        Self {
            names: all.into_iter().map(|(name, _)| name).collect(),
            offsets,
            labels,
        }
    }

    fn of_state(&self, state: StateId) -> impl Iterator<Item = &'m str> {
        let range = self.offsets[state.index()]..self.offsets[state.index() + 1];
        self.labels[range]
            .iter()
            .map(|&label| self.names[label as usize])
    }
}

/// What is written.
struct Source<'m> {
    model: &'m Model,
    details: &'m Details,
    /// The names of actions that can be written.
    actions: Vec<&'m str>,
    labels: Labelling<'m>,
}

impl Source<'_> {
    fn write(&self, out: &mut dyn Write, header: &Header, written: &AtomicU64) -> io::Result<()> {
        let graph = &self.model.graph;
        let mut writer = DrnWriter::new(out, header)?;
        for state in graph.states() {
            self.state(&mut writer, state)?;
            written.store(graph.branch_range(state).end as u64, Ordering::Relaxed);
        }
        writer.finish().map(drop)
    }

    fn state(&self, writer: &mut DrnWriter<&mut dyn Write>, state: StateId) -> io::Result<()> {
        let graph = &self.model.graph;
        let has_rates = self.model.model_type == ModelType::Ctmc;
        let values = &self.details.values[graph.branch_range(state)];
        let is_deadlock = graph.is_deadlock(state);
        let exit_rate = if is_deadlock {
            1.0
        } else {
            values.iter().sum()
        };
        let rewards = self.rewards(|rewards| at(&rewards.states, state.index()));
        let labels: Vec<&str> = self.labels.of_state(state).collect();
        let valuation = self.valuation(state);
        let observations = self.model.observations.as_ref();
        writer.state(&State {
            number: state.0,
            exit_rate: has_rates.then_some(exit_rate),
            observation: observations.map(|seen| seen.of_states[state.index()]),
            rewards: &rewards,
            labels: &labels,
            valuation: valuation.as_deref(),
        })?;
        for (index, choice) in (0..).zip(graph.choice_range(state)) {
            let branches = graph.branch_offsets()[choice] as usize
                ..graph.branch_offsets()[choice + 1] as usize;
            let values = &self.details.values[branches.clone()];
            let earned = |rewards: &Rewards| match &rewards.branches {
                None => at(&rewards.choices, choice),
                Some(amounts) => {
                    let own = &amounts.values()[branches.clone()];
                    let average = own.iter().zip(values).map(|(amount, value)| amount * value);
                    let total: f64 = if has_rates { exit_rate } else { 1.0 };
                    let of_choice = at(&rewards.choices, choice).to_f64();
                    Amount::Decimal(of_choice + average.sum::<f64>() / total)
                }
            };
            let action = self.actions[self.details.actions[choice] as usize];
            writer.choice(&Choice {
                state: state.0,
                index,
                action: Some(action).filter(|action| !action.is_empty()),
                rewards: &self.rewards(earned),
                targets: StateId::as_numbers(&graph.all_targets()[branches.clone()]),
                values,
            })?;
        }
        match is_deadlock {
            true => self.self_loop(writer, state.0),
            false => Ok(()),
        }
    }

    /// What each reward model earns somewhere.
    fn rewards(&self, earned: impl Fn(&Rewards) -> Amount) -> Vec<Amount> {
        self.model.rewards.iter().map(earned).collect()
    }

    fn self_loop(&self, writer: &mut DrnWriter<&mut dyn Write>, state: u32) -> io::Result<()> {
        writer.choice(&Choice {
            state,
            index: 0,
            action: None,
            rewards: &self.rewards(|_| Amount::ZERO),
            targets: &[state],
            values: &[1.0],
        })
    }

    fn valuation(&self, state: StateId) -> Option<String> {
        let valuations = self.model.valuations.as_ref()?;
        let mut text = String::new();
        for (name, value) in valuations.names().iter().zip(valuations.row(state)) {
            let value = match value {
                Value::Bool(value) => drn::Value::Bool(value),
                Value::Int(value) => drn::Value::Int(value),
            };
            push_assignment(&mut text, name, value);
        }
        Some(text)
    }
}

/// Amount `i`, exactly if its numbers fit.
fn at(amounts: &Option<Amounts>, i: usize) -> Amount {
    let Some(amounts) = amounts else {
        return Amount::ZERO;
    };
    let fraction = amounts.fraction(i).and_then(|fraction| {
        let over = i64::try_from(fraction.numerator()).ok()?;
        Some(Amount::Fraction(over, fraction.denominator()))
    });
    fraction.unwrap_or(Amount::Decimal(amounts.values()[i]))
}
