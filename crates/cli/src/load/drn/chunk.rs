//! The data kept from a chunk of the text: choices for the graph, labels, rewards, values of
//! variables, and the states of a Markov automaton in which time passes.

use super::super::choice_chunk::ChoiceChunk;
use super::rewards::ChunkRewards;
use super::valuations::Columns;
use crate::model::observations::Observations;
use drn::{Choice, ChunkInfo, Header, Reward, State, Visitor};
use mdp_graph::{MdpGraph, OutOfMemory, StateId, check_room};
use prism_explicit::{Dialect, Labels};
use std::collections::HashMap;

/// The data to be kept in addition to the graph.
#[derive(Clone, Copy)]
pub(super) struct Wants {
    /// Actions and probabilities.
    pub(super) details: bool,
    pub(super) labels: bool,
    pub(super) rewards: bool,
    pub(super) valuations: bool,
}

/// A chunk of the text.
pub(super) struct Chunk {
    choices: ChoiceChunk,
    wants: Wants,
    kept: Kept,
    is_automaton: bool,
    /// The exit rate of the current state, until its first choice.
    exit_rate: Option<f64>,
    /// The Markovian choice of the current state, until it is known whether another choice follows.
    markovian: Option<Held>,
    /// Whether memory ran out, so that what is kept is incomplete.
    lacks_memory: bool,
}

/// A choice of a state.
struct Held {
    state: u32,
    action: Option<String>,
    rewards: Vec<Reward>,
    targets: Vec<u32>,
    rates: Vec<f64>,
}

/// The data of a chunk that are kept in addition to the graph.
#[derive(Default)]
pub(super) struct Kept {
    labels: StateLabels,
    observations: Vec<u32>,
    /// For each state of a Markov automaton: whether time passes, and whether it has choices.
    markovian: Vec<(bool, bool)>,
    /// The number of Markovian choices that were dropped, because time cannot pass in states with
    /// other choices.
    pub(super) too_late: u64,
    pub(super) rewards: ChunkRewards,
    pub(super) valuations: Columns,
}

impl Chunk {
    pub(super) fn new(header: &Header, chunk: ChunkInfo, wants: Wants) -> Self {
        /// Most branches need at least this many bytes, so that most of the reserved memory is
        /// used.
        const BRANCH: usize = 12;
        let reward_models = match wants.rewards {
            true => header.reward_models.len(),
            false => 0,
        };
        Self {
            choices: match header.has_intervals {
                true => ChoiceChunk::of_intervals(chunk.bytes / BRANCH),
                false => ChoiceChunk::new(chunk.bytes / BRANCH, wants.details),
            },
            wants,
            kept: Kept {
                rewards: ChunkRewards::new(reward_models),
                ..Kept::default()
            },
            is_automaton: header.model_type == drn::ModelType::MarkovAutomaton,
            exit_rate: None,
            markovian: None,
            lacks_memory: false,
        }
    }

    /// Returns the choices, and what is kept in addition.
    ///
    /// # Errors
    /// If there was not enough memory.
    pub(super) fn split(mut self) -> Result<(ChoiceChunk, Kept), OutOfMemory> {
        self.let_time_pass();
        match self.lacks_memory {
            false => Ok((self.choices, self.kept)),
            true => Err(OutOfMemory {
                bytes: 2 * self.kept.bytes() as u64,
                what: JOINED,
            }),
        }
    }

    /// Keeps the Markovian choice of the current state, whose lines have ended, if it is the only
    /// choice.
    fn let_time_pass(&mut self) {
        let Some(held) = self.markovian.take() else {
            return;
        };
        let action = held.action.as_deref();
        self.choices
            .choice_of_any(held.state, action, &held.targets, &held.rates);
        let kept = self.kept.rewards.choice(held.state, &held.rewards);
        self.lacks_memory |= kept.is_err();
        if let Some((passes, _)) = self.kept.markovian.last_mut() {
            *passes = true;
        }
    }

    /// Records that a state of a Markov automaton has a choice. Returns whether to keep it now. The
    /// first choice of a state with an exit rate is Markovian, and is held back until another
    /// choice follows.
    fn is_immediate(&mut self, choice: &Choice<'_>) -> bool {
        let Some((_, has_choices)) = self.kept.markovian.last_mut() else {
            return true;
        };
        *has_choices = true;
        match self.exit_rate.take().filter(|&rate| rate > 0.0) {
            Some(rate) => {
                self.markovian = Some(Held {
                    state: choice.state,
                    action: choice.action.map(str::to_owned),
                    rewards: choice.rewards.to_vec(),
                    targets: choice.targets.to_vec(),
                    rates: choice.values.iter().map(|value| value * rate).collect(),
                });
                false
            }
            None => {
                self.kept.too_late += u64::from(self.markovian.take().is_some());
                true
            }
        }
    }
}

impl Kept {
    /// Keeps what is wanted of a state. Returns whether there is enough memory.
    fn state(&mut self, state: &State<'_>, wants: Wants) -> bool {
        if wants.labels && self.labels.add(state.number, state.labels).is_err() {
            return false;
        }
        if wants.valuations && self.valuations.push(state.valuation).is_err() {
            return false;
        }
        let has_room = self.observations.try_reserve(1).is_ok();
        if has_room {
            self.observations.extend(state.observation);
        }
        has_room && self.rewards.state(state.rewards).is_ok()
    }

    /// Returns about as many bytes as this takes.
    fn bytes(&self) -> usize {
        self.labels.bytes()
            + size_of_val(self.observations.as_slice())
            + size_of_val(self.markovian.as_slice())
            + self.rewards.bytes()
            + self.valuations.bytes()
    }
}

/// Checks whether there is room to join what was kept from all chunks. Lists that grow may have
/// room for twice as many elements as they hold.
pub(super) fn check_join(all: &[Kept]) -> Result<(), OutOfMemory> {
    let bytes: usize = all.iter().map(Kept::bytes).sum();
    check_room(JOINED, &[2 * bytes])
}

/// What this module keeps, in errors.
const JOINED: &str = "labels, rewards and the values of variables";

impl Visitor for Chunk {
    fn state(&mut self, state: State<'_>) {
        self.let_time_pass();
        if self.is_automaton {
            self.exit_rate = state.exit_rate;
            let has_room = self.kept.markovian.try_reserve(1).is_ok();
            self.lacks_memory |= !has_room;
        }
        if self.lacks_memory {
            return;
        }
        if self.is_automaton {
            self.kept.markovian.push((false, false));
        }
        self.lacks_memory |= !self.kept.state(&state, self.wants);
    }

    #[inline]
    fn choice(&mut self, choice: Choice<'_>) {
        if self.lacks_memory {
            return;
        }
        if self.is_automaton && !self.is_immediate(&choice) {
            return;
        }
        let Choice {
            state,
            action,
            targets,
            values,
            lower,
            ..
        } = choice;
        match lower {
            [] => self.choices.choice_of_any(state, action, targets, values),
            lower => {
                let bounds = [lower, values];
                self.choices
                    .choice_of_intervals(state, action, targets, bounds);
            }
        }
        let kept = self.kept.rewards.choice(state, choice.rewards);
        self.lacks_memory |= kept.is_err();
    }
}

/// The states of each label, in ascending order.
#[derive(Default)]
struct StateLabels {
    numbers: HashMap<String, usize>,
    names: Vec<String>,
    states: Vec<Vec<u32>>,
}

impl StateLabels {
    fn add(&mut self, state: u32, labels: &[&str]) -> Result<(), OutOfMemory> {
        for &label in labels {
            let number = self.number(label)?;
            self.extend(number, &[state])?;
        }
        Ok(())
    }

    /// Adds states that have the label of this number.
    fn extend(&mut self, number: usize, states: &[u32]) -> Result<(), OutOfMemory> {
        let all = &mut self.states[number];
        match all.try_reserve(states.len()) {
            Ok(()) => all.extend(states),
            Err(_) => return Err(self.missing()),
        }
        Ok(())
    }

    fn missing(&self) -> OutOfMemory {
        OutOfMemory {
            bytes: 2 * self.bytes() as u64,
            what: JOINED,
        }
    }

    fn number(&mut self, label: &str) -> Result<usize, OutOfMemory> {
        if let Some(&number) = self.numbers.get(label) {
            return Ok(number);
        }
        let number = self.names.len();
        if number.is_multiple_of(1024) {
            check_room(JOINED, &[])?;
        }
        let room = self.numbers.try_reserve(1).is_ok()
            && self.names.try_reserve(1).is_ok()
            && self.states.try_reserve(1).is_ok();
        if !room {
            return Err(self.missing());
        }
        self.numbers.insert(label.to_owned(), number);
        self.names.push(label.to_owned());
        self.states.push(Vec::new());
        Ok(number)
    }

    /// Returns about as many bytes as the labels take: a vector has room for four numbers at least.
    fn bytes(&self) -> usize {
        let names = self.names.iter().map(|name| 2 * (name.len() + 32) + 48);
        let states = self
            .states
            .iter()
            .map(|states| 4 * states.len().max(4) + 40);
        names.sum::<usize>() + states.sum::<usize>()
    }
}

/// Returns the labels of all states: `init`, then the `unused` ones that no state has, and then the
/// others in the order of their first occurrences.
pub(super) fn labels(unused: &[String], kept: &[Kept]) -> Result<Labels, OutOfMemory> {
    let mut all = StateLabels::default();
    all.number("init")?;
    for label in unused {
        all.number(label)?;
    }
    for chunk in kept {
        let labels = &chunk.labels;
        for (name, states) in labels.names.iter().zip(&labels.states) {
            let number = all.number(name)?;
            all.extend(number, states)?;
        }
    }
    let named = all.names.into_iter().zip(all.states);
    // A model need not name initial states.
    let named = named.filter(|(name, states)| name != "init" || !states.is_empty());
    Ok(Labels::new(Dialect::Prism, named))
}

/// Returns whether time passes in each state of a Markov automaton. In a deadlock that was given a
/// self-loop, it does.
pub(super) fn markovian(kept: &[Kept], graph: &MdpGraph) -> Vec<bool> {
    let all = kept.iter().flat_map(|chunk| &chunk.markovian);
    let passes = |(state, &(passes, has_choices)): (StateId, &(bool, bool))| {
        passes || !has_choices && !graph.is_deadlock(state)
    };
    graph.states().zip(all).map(passes).collect()
}

/// Returns the observations of all states. The file does not contain the values of observables.
pub(super) fn observations(kept: &[Kept]) -> Observations {
    let all = kept.iter().map(|chunk| &chunk.observations[..]);
    let of_states: Vec<u32> = all.collect::<Vec<_>>().concat();
    let largest = of_states.iter().max();
    Observations {
        count: largest.map_or(0, |&largest| u64::from(largest) + 1),
        of_states,
        values: None,
    }
}
