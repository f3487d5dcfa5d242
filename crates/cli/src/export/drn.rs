//! Storm's text format: states, labels, rewards, choices and the values of variables in one file.

use super::{blocks, names};
use crate::error::Error;
use crate::model::Model;
use crate::model::choices::Details;
use crate::model::observations::Observations;
use crate::model::rewards::{Amounts, Rewards};
use crate::output::Outputs;
use crate::progress::{Progress, Unit};
use drn::{
    Choice, DrnWriter, Header, Reward, State, is_action, is_label, is_reward_model, is_variable,
    push_assignment,
};
use mdp_graph::StateId;
use prism_explicit::{Labels, ModelType};
use report::{Value, counted};
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Writes a model that was read with all of its data. A state without a choice gets a self-loop.
pub(super) fn write(
    model: &Model,
    outputs: &mut Outputs,
    out: &Path,
    progress: Progress,
) -> Result<(), Error> {
    let Some(details) = &model.choices.details else {
        return Ok(());
    };
    let model_type = model_type(model.model_type)?;
    check_rewards(model)?;
    let deadlocks = warn(model);
    let graph = &model.graph;
    let mut initial = model.initial_states();
    // A model without states has no initial one.
    initial.retain(|&state| (state as usize) < graph.num_states());
    let labels = Labelling::of(model, &initial);
    let rewards = names::with_names_that_fit(&model.rewards, is_reward_model);
    let header = Header {
        model_type,
        is_rational: false,
        has_intervals: model.choices.lower_bounds.is_some(),
        reward_models: rewards.iter().map(|rewards| name(rewards)).collect(),
        unused_labels: labels.unused.clone(),
        num_states: graph.num_states() as u32,
        num_choices: Some(graph.num_choices() as u64 + deadlocks),
    };
    let source = Source {
        model,
        details,
        actions: names::writable(details, "words", is_action),
        rewards,
        variables: model
            .states
            .valuations
            .as_ref()
            .map_or_else(Vec::new, |valuations| {
                names::variables_that_fit(valuations, is_variable)
            }),
        labels,
    };
    let (total, written) = (graph.num_branches() as u64, AtomicU64::new(0));
    progress.track("writing", Unit::Branches, total, &written, || {
        outputs.write(out, |out| source.write(out, &header, &written))
    })
}

/// Returns the type of the model in DRN, which does not have games.
fn model_type(of: ModelType) -> Result<drn::ModelType, Error> {
    match of {
        ModelType::Dtmc | ModelType::Idtmc => Ok(drn::ModelType::Dtmc),
        ModelType::Ctmc => Ok(drn::ModelType::Ctmc),
        ModelType::Mdp | ModelType::Lts | ModelType::Imdp => Ok(drn::ModelType::Mdp),
        ModelType::Pomdp => Ok(drn::ModelType::Pomdp),
        ModelType::Ma => Ok(drn::ModelType::MarkovAutomaton),
        ModelType::Smg => {
            let message = "a DRN file cannot hold the players of a game: write UMB";
            Err(Error::wrong(message.to_owned()))
        }
    }
}

/// Refuses rewards of the branches of an interval model that have no average.
fn check_rewards(model: &Model) -> Result<(), Error> {
    if model.choices.lower_bounds.is_none() {
        return Ok(());
    }
    let graph = &model.graph;
    let choices = || graph.branch_offsets().windows(2);
    for rewards in &model.rewards {
        let Some(amounts) = &rewards.branches else {
            continue;
        };
        let differ = |range: &[u32]| {
            let own = &amounts.values()[range[0] as usize..range[1] as usize];
            own.iter().any(|amount| *amount != own[0])
        };
        if choices().any(differ) {
            let message = format!(
                "the rewards {:?} of an interval model differ between the branches of a choice, \
                 which a DRN file cannot hold: write UMB",
                name(rewards)
            );
            return Err(Error::wrong(message));
        }
    }
    Ok(())
}

fn name(rewards: &Rewards) -> String {
    rewards.name.clone().unwrap_or_default()
}

/// Warns of data that the format cannot express. Returns the number of deadlocks.
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
    if model.states.observations.as_ref().is_some_and(has_values) {
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
    /// The labels that no state has.
    unused: Vec<String>,
    /// The index of the first label of each state in `labels`.
    offsets: Vec<usize>,
    /// The labels of all states, by number.
    labels: Vec<u32>,
}

impl<'m> Labelling<'m> {
    fn of(model: &'m Model, initial: &'m [u32]) -> Self {
        let others = model.states.labels.iter().flat_map(Labels::iter);
        let others = others.filter(|&(name, _)| name != "init");
        let fitting = others.filter(|&(name, _)| {
            let fits = is_label(name);
            if !fits {
                tracing::warn!("left out: label {name:?}, which a DRN file cannot hold");
            }
            fits
        });
        let (unused, fitting): (Vec<_>, Vec<_>) =
            fitting.partition(|(_, states)| states.is_empty());
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
            unused: unused.iter().map(|(name, _)| (*name).to_owned()).collect(),
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

/// The data that are written.
struct Source<'m> {
    model: &'m Model,
    details: &'m Details,
    /// The names of actions, without those that cannot be written.
    actions: Vec<&'m str>,
    /// The reward structures, without those that cannot be written.
    rewards: Vec<&'m Rewards>,
    /// The numbers of the variables, without those that cannot be written.
    variables: Vec<usize>,
    labels: Labelling<'m>,
}

impl Source<'_> {
    fn write(
        &self,
        out: &mut (dyn Write + Send),
        header: &Header,
        written: &AtomicU64,
    ) -> io::Result<()> {
        let graph = &self.model.graph;
        let mut writer = DrnWriter::new(out, header)?;
        let make = |states: Range<u32>| {
            let mut block = DrnWriter::block(header, states.start);
            for state in states.clone().map(StateId) {
                self.state(&mut block, state)?;
            }
            Ok((states.end, block))
        };
        blocks::in_order(&blocks::by_branches(graph), make, |made: io::Result<_>| {
            let (end, block) = made?;
            written.store(blocks::branches_before(graph, end), Ordering::Relaxed);
            writer.append(&block)
        })?;
        writer.finish().map(drop)
    }

    fn state(&self, writer: &mut DrnWriter<Vec<u8>>, state: StateId) -> io::Result<()> {
        let graph = &self.model.graph;
        let is_deadlock = graph.is_deadlock(state);
        let exit_rate = self.exit_rate(state);
        let rewards = self.rewards(|rewards| at(&rewards.states, state.index()));
        let labels: Vec<&str> = self.labels.of_state(state).collect();
        let valuation = self.valuation(state);
        let observations = self.model.states.observations.as_ref();
        writer.state(&State {
            number: state.0,
            exit_rate,
            observation: observations.map(|seen| seen.of_states[state.index()]),
            rewards: &rewards,
            labels: &labels,
            valuation: valuation.as_deref(),
        })?;
        for (index, choice) in (0..).zip(graph.choice_range(state)) {
            let branches = self.branches(choice);
            let lower = self.model.choices.lower_bounds.as_deref();
            let mut values = self.details.values[branches.clone()].to_vec();
            let total = exit_rate.filter(|&rate| rate > 0.0).unwrap_or(1.0);
            let earned = |rewards: &Rewards| self.earned(rewards, choice);
            let rewards = self.rewards(earned);
            if self.model.states.markovian.is_some() {
                // In a Markov automaton, the values of every state are probabilities.
                for value in &mut values {
                    *value = umb::probability(*value, total);
                }
            }
            let action = self.actions[self.details.actions[choice] as usize];
            writer.choice(&Choice {
                state: state.0,
                index,
                action: Some(action).filter(|action| !action.is_empty()),
                rewards: &rewards,
                targets: StateId::as_numbers(&graph.all_targets()[branches.clone()]),
                values: &values,
                lower: lower.map_or(&[], |lower| &lower[branches]),
            })?;
        }
        match is_deadlock {
            true => self.self_loop(writer, state.0),
            false => Ok(()),
        }
    }

    fn branches(&self, choice: usize) -> Range<usize> {
        let offsets = &self.model.graph.branch_offsets()[choice..];
        offsets[0] as usize..offsets[1] as usize
    }

    /// Returns the sum of the rates of a state, if the model has rates. It is 0 if no time passes
    /// in the state, and 1 in a deadlock, which gets a self-loop.
    fn exit_rate(&self, state: StateId) -> Option<f64> {
        let graph = &self.model.graph;
        let passes = match (&self.model.states.markovian, self.model.model_type) {
            (Some(all), _) => all[state.index()],
            (None, ModelType::Ctmc) => true,
            _ => return None,
        };
        Some(match passes || graph.is_deadlock(state) {
            true if graph.is_deadlock(state) => 1.0,
            true => self.details.values[graph.branch_range(state)].iter().sum(),
            false => 0.0,
        })
    }

    /// Returns the reward of a choice: its own reward plus the average over its branches.
    fn earned(&self, rewards: &Rewards, choice: usize) -> Reward {
        let Some(amounts) = &rewards.branches else {
            return at(&rewards.choices, choice);
        };
        let branches = self.branches(choice);
        let of_choice = at(&rewards.choices, choice).to_f64();
        let own = &amounts.values()[branches.clone()];
        let exact = |branch| (amounts.values()[branch], amounts.fraction(branch));
        let is_same = |branch| exact(branch) == exact(branches.start);
        // In an interval model, all branches of a choice have the same reward: `check_rewards`.
        if of_choice == 0.0 && branches.clone().all(is_same) {
            return at(&rewards.branches, branches.start);
        }
        let values = self.details.values[branches].iter().copied();
        let earned = values.zip(own.iter().copied());
        let earned: Vec<_> = earned.filter(|&(weight, _)| weight > 0.0).collect();
        Reward::Decimal(of_choice + prism_language::average(&earned))
    }

    /// Returns the rewards of a state or choice, one for each reward model.
    fn rewards(&self, earned: impl Fn(&Rewards) -> Reward) -> Vec<Reward> {
        self.rewards.iter().map(|rewards| earned(rewards)).collect()
    }

    fn self_loop(&self, writer: &mut DrnWriter<Vec<u8>>, state: u32) -> io::Result<()> {
        writer.choice(&Choice {
            state,
            index: 0,
            action: None,
            rewards: &self.rewards(|_| Reward::ZERO),
            targets: &[state],
            values: &[1.0],
            lower: &[],
        })
    }

    fn valuation(&self, state: StateId) -> Option<String> {
        let valuations = self.model.states.valuations.as_ref()?;
        let mut text = String::new();
        for &variable in &self.variables {
            let name = &valuations.names()[variable];
            let value = match valuations.typed_value(state, variable) {
                Value::Bool(value) => drn::Value::Bool(value),
                Value::Int(value) => drn::Value::Int(value),
            };
            push_assignment(&mut text, name, value);
        }
        Some(text)
    }
}

/// Returns amount `i`, without rounding if its numbers fit.
fn at(amounts: &Option<Amounts>, i: usize) -> Reward {
    let Some(amounts) = amounts else {
        return Reward::ZERO;
    };
    let fraction = amounts.fraction(i).and_then(|fraction| {
        let over = i64::try_from(fraction.numerator()).ok()?;
        Some(Reward::Fraction(over, fraction.denominator()))
    });
    fraction.unwrap_or(Reward::Decimal(amounts.values()[i]))
}
