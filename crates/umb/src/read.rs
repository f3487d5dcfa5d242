//! A model in an archive: its structure, which is checked and kept, and access to everything else.

use std::borrow::Cow;
use std::ops::Range;

use crate::annotations::{AnnotationInfo, Annotations};
use crate::archive::Archive;
use crate::bits::Bits;
use crate::check;
use crate::described;
use crate::entity::Entity;
use crate::error::{Error, ErrorKind};
use crate::format::INDEX;
use crate::index::{self, Index, TransitionSystem};
use crate::numbers::{self, Intervals, Numbers};
use crate::offsets::Offsets;
use crate::strings::Actions;
use crate::valuations::Valuations;
use crate::value_type::{Kind, ValueType};
use crate::values::Values;
use model_type::ModelType;

pub(crate) const CHOICES: &str = "state-to-choices.bin";
pub(crate) const BRANCHES: &str = "choice-to-branches.bin";
pub(crate) const TARGETS: &str = "branch-to-target.bin";
pub(crate) const PROBABILITIES: &str = "branch-to-probability.bin";
pub(crate) const INITIAL: &str = "state-is-initial.bin";
pub(crate) const OBSERVATIONS: &str = "observations/states/values.bin";
pub(crate) const PLAYERS: &str = "state-to-player.bin";
pub(crate) const MARKOVIAN: &str = "state-is-markovian.bin";
pub(crate) const EXIT_RATES: &str = "state-to-exit-rate.bin";

/// The largest number of branches in an archive without their targets. By the format, the targets
/// may be absent and are then all state 0. The size of the archive then does not bound their
/// number.
pub const MAX_UNBACKED: u64 = 1 << 20;

/// The largest number of players of a game that may lack names. Names are optional, and a player
/// may own no state, so the size of the archive does not bound the number of players.
pub const MAX_UNNAMED_PLAYERS: u32 = 1024;

/// The options of reading an archive. Change those that differ from the default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadOptions {
    /// Whether the probabilities of each choice of a DTMC or MDP must sum to 1, up to
    /// [`SUM_TOLERANCE`](crate::SUM_TOLERANCE). Default: true.
    pub check_sums: bool,
    /// The largest number of bytes of memory that the index may take, beside the archive. An index
    /// that could take more is refused before memory is allocated for it. Default: 64 GiB.
    pub max_memory: u64,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            check_sums: true,
            max_memory: 64 << 30,
        }
    }
}

/// A model in an archive.
///
/// States, choices and branches are numbered from 0, each over the whole model. Arrays that can be
/// used in place are not copied.
#[derive(Debug, Clone)]
pub struct Umb<'a> {
    archive: Archive<'a>,
    index: Index,
    model_type: ModelType,
    choice_offsets: Offsets<'a>,
    branch_offsets: Offsets<'a>,
    targets: Cow<'a, [u64]>,
    probabilities: Option<Numbers<'a>>,
    lower_bounds: Option<Vec<f64>>,
    num_zeros: u64,
    initial_states: Bits<'a>,
}

impl<'a> Umb<'a> {
    /// Reads an archive that is not compressed.
    ///
    /// # Errors
    /// If the archive is damaged, the type of the model is not supported, or the model is not
    /// valid. The documentation of the crate lists what is checked.
    pub fn read(archive: &'a [u8], options: &ReadOptions) -> Result<Self, Error> {
        let archive = Archive::read(archive)?;
        let index = Index::read(&archive, options.max_memory)?;
        let system = &index.transition_system;
        let model_type = described::model_type(system)?;
        check_players(system)?;
        if system.num_states == 0 {
            return Err(Error::in_entry(INDEX, ErrorKind::NoStates));
        }
        let states = (system.num_states, Entity::States);
        let choices = (system.num_choices, Entity::Choices);
        let branches = (system.num_branches, Entity::Branches);
        let targets = read_targets(&archive, system)?;
        let branch_offsets = Offsets::read(&archive, BRANCHES, choices, branches)?;
        let choice_offsets = Offsets::read(&archive, CHOICES, states, choices)?;
        check::shape(
            model_type,
            &choice_offsets,
            &branch_offsets,
            [CHOICES, BRANCHES],
        )?;
        let initial_states = read_initial_states(&archive, system)?;
        let (choices, branches) = (&choice_offsets, &branch_offsets);
        let (mut probabilities, mut lower_bounds, mut num_zeros) = (None, None, 0);
        if model_type.has_intervals() {
            let Intervals { mut lower, upper } = read_intervals(&archive, system)?;
            check::intervals(PROBABILITIES, &lower, &upper)?;
            for (lower, upper) in lower.iter_mut().zip(&upper) {
                *lower = lower.min(*upper);
            }
            let bounds = [&lower[..], &upper];
            check::enclosures(PROBABILITIES, choices, branches, bounds, options.check_sums)?;
            num_zeros = check::count_zeros(&upper);
            probabilities = Some(Numbers::Doubles(upper.into()));
            lower_bounds = Some(lower);
        } else if let Some(read) = read_probabilities(&archive, system)? {
            let sums = options.check_sums && model_type.has_distributions();
            num_zeros = check::probabilities(PROBABILITIES, choices, branches, &read, sums)?;
            probabilities = Some(read);
        }
        Ok(Self {
            archive,
            index,
            model_type,
            choice_offsets,
            branch_offsets,
            targets,
            probabilities,
            lower_bounds,
            num_zeros,
            initial_states,
        })
    }

    /// Returns the index: the description of the model, of the file, and of its annotations and
    /// variables.
    #[must_use]
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// Returns the type of the model.
    #[must_use]
    pub fn model_type(&self) -> ModelType {
        self.model_type
    }

    /// Returns the number of states.
    #[must_use]
    pub fn num_states(&self) -> u64 {
        self.index.transition_system.num_states
    }

    /// Returns the number of choices of all states.
    #[must_use]
    pub fn num_choices(&self) -> u64 {
        self.index.transition_system.num_choices
    }

    /// Returns the number of branches of all choices.
    #[must_use]
    pub fn num_branches(&self) -> u64 {
        self.index.transition_system.num_branches
    }

    /// Returns the initial states.
    #[must_use]
    pub fn initial_states(&self) -> &Bits<'a> {
        &self.initial_states
    }

    /// Returns the choices of each state.
    #[must_use]
    pub fn choice_offsets(&self) -> &Offsets<'a> {
        &self.choice_offsets
    }

    /// Returns the branches of each choice, at least one.
    #[must_use]
    pub fn branch_offsets(&self) -> &Offsets<'a> {
        &self.branch_offsets
    }

    /// Returns the target of each branch, a state. A choice may have several branches with the same
    /// target.
    #[must_use]
    pub fn targets(&self) -> &[u64] {
        &self.targets
    }

    /// Returns the probability of each branch: finite, at least 0, and above 0 for at least one
    /// branch of each choice. `None` in a labelled transition system. In an interval model, these
    /// are the upper bounds.
    #[must_use]
    pub fn probabilities(&self) -> Option<&Numbers<'a>> {
        self.probabilities.as_ref()
    }

    /// Returns the lower bound of the probability of each branch, in an interval model: at least 0,
    /// and not above the upper bound, but for rounding.
    #[must_use]
    pub fn lower_bounds(&self) -> Option<&[f64]> {
        self.lower_bounds.as_deref()
    }

    /// Returns the number of branches with probability 0, which in an interval model is the upper
    /// bound.
    #[must_use]
    pub fn num_zeros(&self) -> u64 {
        self.num_zeros
    }

    /// Returns the choices of a state, in order; `state` must be below
    /// [`num_states`](Self::num_states).
    ///
    /// # Panics
    ///
    /// May panic if `state` is out of range.
    pub fn choices_of(&self, state: u64) -> impl Iterator<Item = Choice<'_>> {
        let range = self.choice_offsets.range(state);
        let first = range.start;
        range.map(move |number| Choice {
            umb: self,
            state,
            index: number - first,
            number,
        })
    }

    /// Returns all choices, state by state.
    pub fn choices(&self) -> impl Iterator<Item = Choice<'_>> {
        (0..self.num_states()).flat_map(|state| self.choices_of(state))
    }

    /// Returns the exit rate of each state of a CTMC or Markov automaton; `None` if the archive has
    /// none.
    ///
    /// # Errors
    ///
    /// If the entry has the wrong size or type, or a rate is negative, infinite or not a number.
    pub fn exit_rates(&self) -> Result<Option<Numbers<'a>>, Error> {
        let system = &self.index.transition_system;
        let Some(value_type) = system.exit_rate_type else {
            return Ok(None);
        };
        let bytes = self
            .archive
            .require(EXIT_RATES, "the index gives a type of exit rates")?;
        let rates = Numbers::read(
            EXIT_RATES,
            bytes,
            self.num_states(),
            value_type,
            "exit rates",
        )?;
        check::rates(EXIT_RATES, &rates)?;
        Ok(Some(rates))
    }

    /// Returns the observation of each state of a POMDP, a number of 32 bits below
    /// [`num_observations`](TransitionSystem::num_observations); `None` for models of other types.
    ///
    /// # Errors
    ///
    /// If the entry has the wrong size, an observation is out of range, something else than states
    /// has observations, or observations are drawn at random.
    pub fn observations(&self) -> Result<Option<Cow<'a, [u64]>>, Error> {
        if !self.model_type.has_observations() {
            return Ok(None);
        }
        let system = &self.index.transition_system;
        let of_states = system.observations_apply_to == Some(Entity::States);
        if !of_states || system.observation_probability_type.is_some() {
            return Err(Error::in_entry(INDEX, ErrorKind::Observations));
        }
        let needed_for = "the index counts observations of states";
        let bytes = self.archive.require(OBSERVATIONS, needed_for)?;
        let values = numbers::read::<u64>(OBSERVATIONS, bytes, self.num_states(), "states")?;
        check::below(
            OBSERVATIONS,
            &values,
            system.num_observations.min(1 << 32),
            "an observation",
        )?;
        Ok(Some(values))
    }

    /// Returns the player of each state of a game, a number below
    /// [`num_players`](TransitionSystem::num_players); `None` for models of other types. By the
    /// format, all states belong to the first player if the archive does not contain players.
    ///
    /// # Errors
    ///
    /// If the entry has the wrong size, or a player is out of range.
    pub fn players(&self) -> Result<Option<Cow<'a, [u32]>>, Error> {
        if !self.model_type.has_players() {
            return Ok(None);
        }
        let players = match self.archive.get(PLAYERS) {
            Some(bytes) => numbers::read::<u32>(PLAYERS, bytes, self.num_states(), "states")?,
            // There are offsets or branches for all states, so this takes no more memory than they
            // do.
            None => vec![0; self.num_states() as usize].into(),
        };
        let count = self.index.transition_system.num_players.into();
        check::below(PLAYERS, &players, count, "a player")?;
        Ok(Some(players))
    }

    /// Returns the states of a Markov automaton in which time passes; `None` for models of other
    /// types. By the format, there are none if the archive does not contain them, and each has at
    /// most one choice.
    ///
    /// # Errors
    ///
    /// If the entry has the wrong size, or a Markovian state has several choices.
    pub fn markovian_states(&self) -> Result<Option<Bits<'a>>, Error> {
        if self.model_type != ModelType::Ma {
            return Ok(None);
        }
        let states = match self.archive.get(MARKOVIAN) {
            Some(bytes) => Bits::read(MARKOVIAN, bytes, self.num_states(), "states")?,
            None => Bits::none(self.num_states()),
        };
        check::markovian(MARKOVIAN, self.choice_offsets(), states.iter())?;
        Ok(Some(states))
    }

    /// Returns the actions of choices; `None` if they have none.
    ///
    /// # Errors
    ///
    /// If an entry has the wrong size, an action is out of range, or a name is not UTF-8.
    pub fn choice_actions(&self) -> Result<Option<Actions<'a>>, Error> {
        let count = self.index.transition_system.num_choice_actions;
        Actions::read(&self.archive, Entity::Choices, self.num_choices(), count)
    }

    /// Returns the actions of branches; `None` if they have none.
    ///
    /// # Errors
    ///
    /// As [`choice_actions`](Self::choice_actions).
    pub fn branch_actions(&self) -> Result<Option<Actions<'a>>, Error> {
        let count = self.index.transition_system.num_branch_actions;
        Actions::read(&self.archive, Entity::Branches, self.num_branches(), count)
    }

    /// Returns the annotations of a group, with their identifiers, in the order of the index.
    pub fn annotations<'s>(
        &'s self,
        group: &str,
    ) -> impl Iterator<Item = (&'s str, &'s AnnotationInfo)> + use<'s, 'a> {
        let of_group = self.index.annotations.get(group);
        of_group.into_iter().flat_map(Annotations::in_file_order)
    }

    /// Returns the values of an annotation in the group `aps`, `rewards` or another one, by its
    /// alias or else its identifier. `None` if there is no such annotation, or if it does not apply
    /// to `of`. [`annotations`](Self::annotations) lists them.
    ///
    /// # Errors
    ///
    /// If an entry has the wrong size, or the type of the values is not supported.
    pub fn annotation(
        &self,
        group: &str,
        name: &str,
        of: Entity,
    ) -> Result<Option<Values<'a>>, Error> {
        let Some(annotations) = self.index.annotations.get(group) else {
            return Ok(None);
        };
        let Some((id, info)) = annotations.named(name) else {
            return Ok(None);
        };
        if !info.applies_to.contains(&of) {
            return Ok(None);
        }
        let folder = format!("annotations/{group}/{id}/{of}");
        Values::read(&self.archive, &folder, info, (of, self.count(of))).map(Some)
    }

    /// Returns the values of variables in states, choices or branches; `None` if the archive has
    /// none.
    ///
    /// # Errors
    ///
    /// If an entry has the wrong size, or the type or size of a variable is not supported.
    pub fn valuations(&self, of: Entity) -> Result<Option<Valuations<'a>>, Error> {
        let Some(info) = self.index.valuations.get(&of) else {
            return Ok(None);
        };
        Valuations::read(&self.archive, info, (of, self.count(of))).map(Some)
    }

    /// Returns the paths and contents of the files of the archive, in order.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = (&str, &'a [u8])> {
        self.archive.iter()
    }

    /// Returns the paths and contents of the files of the archive, in order. Paths that are in the
    /// archive are not copied.
    pub(crate) fn files(&self) -> impl ExactSizeIterator<Item = (Cow<'a, str>, &'a [u8])> {
        self.archive.files()
    }

    /// Returns the text of the index, with the parts that this crate does not know.
    pub(crate) fn index_text(&self) -> Result<&'a str, Error> {
        index::text(&self.archive)
    }

    fn count(&self, of: Entity) -> u64 {
        let system = &self.index.transition_system;
        match of {
            Entity::States => system.num_states,
            Entity::Choices => system.num_choices,
            Entity::Branches => system.num_branches,
            Entity::Observations => system.num_observations,
            Entity::Players => u64::from(system.num_players),
        }
    }
}

/// One choice of a state.
#[derive(Debug, Clone, Copy)]
pub struct Choice<'u> {
    umb: &'u Umb<'u>,
    state: u64,
    index: u64,
    number: u64,
}

impl<'u> Choice<'u> {
    /// Returns the state of the choice.
    #[must_use]
    pub fn state(self) -> u64 {
        self.state
    }

    /// Returns the index of the choice among those of its state, from 0.
    #[must_use]
    pub fn index(self) -> u64 {
        self.index
    }

    /// Returns the number of the choice among those of all states.
    #[must_use]
    pub fn number(self) -> u64 {
        self.number
    }

    /// Returns the numbers of the branches of the choice.
    #[must_use]
    pub fn branches(self) -> Range<usize> {
        let range = self.umb.branch_offsets.range(self.number);
        range.start as usize..range.end as usize
    }

    /// Returns the targets of the branches, including branches with probability 0.
    #[must_use]
    pub fn targets(self) -> &'u [u64] {
        &self.umb.targets[self.branches()]
    }

    /// Returns the targets of the branches whose probability is not 0, at least one.
    pub fn likely_targets(self) -> impl Iterator<Item = u64> {
        let probabilities = self.umb.probabilities.as_ref();
        self.branches()
            .filter(move |&branch| probabilities.is_none_or(|numbers| !numbers.is_zero(branch)))
            .map(move |branch| self.umb.targets[branch])
    }
}

/// Checks that the index names the players, or that they are few.
fn check_players(system: &TransitionSystem) -> Result<(), Error> {
    let (claimed, named) = (system.num_players, system.player_names.len());
    if claimed > MAX_UNNAMED_PLAYERS && named < claimed as usize {
        let kind = ErrorKind::UnnamedPlayers {
            claimed,
            named: named as u64,
            limit: MAX_UNNAMED_PLAYERS,
        };
        return Err(Error::in_entry(INDEX, kind));
    }
    Ok(())
}

fn read_targets<'a>(
    archive: &Archive<'a>,
    system: &TransitionSystem,
) -> Result<Cow<'a, [u64]>, Error> {
    let (states, branches) = (system.num_states, system.num_branches);
    let targets = match archive.get(TARGETS) {
        Some(bytes) => numbers::read::<u64>(TARGETS, bytes, branches, "branches")?,
        None if branches <= MAX_UNBACKED => vec![0; branches as usize].into(),
        None => {
            let kind = ErrorKind::Unbacked {
                claimed: branches,
                limit: MAX_UNBACKED,
            };
            return Err(Error::in_entry(INDEX, kind));
        }
    };
    check::below(TARGETS, &targets, states, "a state")?;
    Ok(targets)
}

fn read_initial_states<'a>(
    archive: &Archive<'a>,
    system: &TransitionSystem,
) -> Result<Bits<'a>, Error> {
    let bits = match archive.get(INITIAL) {
        Some(bytes) => Bits::read(INITIAL, bytes, system.num_states, "states")?,
        None => Bits::none(system.num_states),
    };
    let (found, expected) = (bits.count(), system.num_initial_states);
    if found != expected {
        let kind = ErrorKind::InitialStates { found, expected };
        return Err(Error::in_entry(INITIAL, kind));
    }
    Ok(bits)
}

fn read_probabilities<'a>(
    archive: &Archive<'a>,
    system: &TransitionSystem,
) -> Result<Option<Numbers<'a>>, Error> {
    let Some(value_type) = system.branch_probability_type else {
        return Ok(None);
    };
    let bytes = probability_bytes(archive, system)?;
    let (count, what) = (system.num_branches, "branch probabilities");
    Numbers::read(PROBABILITIES, bytes, count, value_type, what).map(Some)
}

/// Reads the probabilities of an interval model, whose type is one of intervals.
fn read_intervals(archive: &Archive<'_>, system: &TransitionSystem) -> Result<Intervals, Error> {
    let kind = ValueType::of(Kind::DoubleInterval);
    let value_type = system.branch_probability_type.unwrap_or(kind);
    let bytes = probability_bytes(archive, system)?;
    let (count, what) = (system.num_branches, "branch probabilities");
    Intervals::read(PROBABILITIES, bytes, count, value_type, what)
}

fn probability_bytes<'a>(
    archive: &Archive<'a>,
    system: &TransitionSystem,
) -> Result<&'a [u8], Error> {
    let needed_for = "the index gives a type of branch probabilities";
    match archive.get(PROBABILITIES) {
        None if system.num_branches == 0 => Ok(&[]),
        _ => archive.require(PROBABILITIES, needed_for),
    }
}
