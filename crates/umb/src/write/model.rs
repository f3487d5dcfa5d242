//! A model that is given to the writer as arrays. It is checked as if it had been read, and divided
//! into the files of an archive.

use crate::bits::Bits;
use crate::check;
use crate::entity::Entity;
use crate::error::{Error, ErrorKind};
use crate::format::FORMAT_VERSION;
use crate::index::{Index, Time, TransitionSystem};
use crate::numbers::Numbers;
use crate::read::{
    BRANCHES, CHOICES, EXIT_RATES, INITIAL, MARKOVIAN, OBSERVATIONS, PLAYERS, PROBABILITIES,
    TARGETS,
};
use crate::rows::Rows;
use crate::value_type::{Kind, ValueType};
use crate::write::indices::Indices;
use crate::write::payload::Payload;
use model_type::ModelType;

/// A model as arrays.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Model<'a> {
    /// Its type.
    pub model_type: ModelType,
    /// The initial states, in any order.
    pub initial_states: &'a [u64],
    /// State `s` has the choices from `choice_offsets[s]` to `choice_offsets[s + 1] - 1`. The
    /// length is the number of states plus 1.
    pub choice_offsets: Indices<'a>,
    /// Choice `c` has the branches from `branch_offsets[c]` to `branch_offsets[c + 1] - 1`. The
    /// length is the number of choices plus 1.
    pub branch_offsets: Indices<'a>,
    /// The target of each branch.
    pub targets: Indices<'a>,
    /// The probability of each branch. Required for all types but labelled transition systems.
    pub probabilities: Option<&'a [f64]>,
    /// The lower bound of the probability of each branch; `probabilities` are then the upper
    /// bounds. Required for interval models.
    pub lower_bounds: Option<&'a [f64]>,
    /// The exit rate of each state. Only CTMCs and Markov automata have them.
    pub exit_rates: Option<&'a [f64]>,
    /// The number of observations, and the observation of each state. Required for POMDPs.
    pub observations: Option<(u64, Indices<'a>)>,
    /// The names of the players, and the player of each state. Required for games.
    pub players: Option<(&'a [String], &'a [u32])>,
    /// The states in which time passes, in any order. Required for Markov automata.
    pub markovian_states: Option<&'a [u64]>,
}

impl Model<'_> {
    /// Returns a model without states, whose fields are to be set.
    #[must_use]
    pub fn new(model_type: ModelType) -> Self {
        Self {
            model_type,
            initial_states: &[],
            choice_offsets: Indices::U32(&[0]),
            branch_offsets: Indices::U32(&[0]),
            targets: Indices::U32(&[]),
            probabilities: None,
            lower_bounds: None,
            exit_rates: None,
            observations: None,
            players: None,
            markovian_states: None,
        }
    }
}

impl<'a> Model<'a> {
    /// Checks the model and returns its index.
    pub(super) fn index(&self) -> Result<Index, Error> {
        self.check_structure()?;
        self.check_values()?;
        Ok(Index::of(TransitionSystem {
            num_observations: self.observations.map_or(0, |(count, _)| count),
            observations_apply_to: self.observations.map(|_| Entity::States),
            ..transition_system(
                self.model_type,
                [
                    self.choice_offsets.count(),
                    self.initial_bits().count(),
                    self.branch_offsets.count(),
                    self.targets.len(),
                ],
                self.exit_rates.is_some(),
                self.players.map(|(names, _)| names),
            )
        }))
    }

    fn check_structure(&self) -> Result<(), Error> {
        let num_states = self.choice_offsets.count();
        if num_states == 0 {
            return Err(Error::new(ErrorKind::NoStates));
        }
        self.targets.check_below(TARGETS, num_states, "a state")?;
        let num_branches = self.targets.len();
        self.branch_offsets
            .check_offsets(BRANCHES, num_branches, "branches")?;
        let num_choices = self.branch_offsets.count();
        self.choice_offsets
            .check_offsets(CHOICES, num_choices, "choices")?;
        let entries = [CHOICES, BRANCHES];
        check::shape(
            self.model_type,
            &self.choice_offsets,
            &self.branch_offsets,
            entries,
        )?;
        check::below(INITIAL, self.initial_states, num_states, "a state")?;
        self.check_observations(num_states)?;
        self.check_players(num_states)?;
        match (self.model_type == ModelType::Ma, self.markovian_states) {
            (true, Some(states)) => {
                check::below(MARKOVIAN, states, num_states, "a state")?;
                check::markovian(MARKOVIAN, &self.choice_offsets, states.iter().copied())
            }
            (false, None) => Ok(()),
            _ => Err(Error::in_entry(MARKOVIAN, ErrorKind::Markovian)),
        }
    }

    /// Checks that a game has several players and one for each state, and that another model has
    /// none.
    fn check_players(&self, num_states: u64) -> Result<(), Error> {
        match (self.model_type.has_players(), self.players) {
            (true, Some((names @ [_, _, ..], of_states)))
                if of_states.len() as u64 == num_states =>
            {
                check::below(PLAYERS, of_states, names.len() as u64, "a player")
            }
            (false, None) => Ok(()),
            _ => Err(Error::in_entry(PLAYERS, ErrorKind::Players)),
        }
    }

    /// Checks that a POMDP has an observation for each state, and that another model has none.
    fn check_observations(&self, num_states: u64) -> Result<(), Error> {
        match (self.model_type.has_observations(), self.observations) {
            (true, Some((count, of_states))) if of_states.len() == num_states => {
                of_states.check_below(OBSERVATIONS, count, "an observation")
            }
            (false, None) => Ok(()),
            _ => Err(Error::in_entry(OBSERVATIONS, ErrorKind::Observations)),
        }
    }

    fn check_values(&self) -> Result<(), Error> {
        let count = self.targets.len();
        let (choices, branches) = (&self.choice_offsets, &self.branch_offsets);
        if self.lower_bounds.is_some() != self.model_type.has_intervals() {
            return Err(Error::in_entry(PROBABILITIES, ErrorKind::Intervals));
        }
        if let Some(lower) = self.lower_bounds {
            let [lower, upper] = [Some(lower), self.probabilities]
                .map(|bounds| array(PROBABILITIES, bounds, count, "branches"));
            let bounds = [lower?, upper?];
            check::intervals(PROBABILITIES, bounds[0], bounds[1])?;
            check::enclosures(PROBABILITIES, choices, branches, bounds, true)?;
        } else if self.model_type != ModelType::Lts {
            let probabilities = doubles(PROBABILITIES, self.probabilities, count, "branches")?;
            let sums = self.model_type.has_distributions();
            check::probabilities(PROBABILITIES, choices, branches, &probabilities, sums)?;
        }
        if self.exit_rates.is_some() {
            let count = self.choice_offsets.count();
            let rates = doubles(EXIT_RATES, self.exit_rates, count, "states")?;
            check::rates(EXIT_RATES, &rates)?;
        }
        Ok(())
    }

    /// Returns the files of the model, which must have been checked.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&'static str, Payload<'a>)> {
        let initial = Payload::U64(self.initial_bits().into_words());
        let probabilities = match (self.lower_bounds, self.probabilities) {
            _ if self.model_type == ModelType::Lts => None,
            (Some(lower), Some(upper)) => Some(Payload::intervals(lower, upper)),
            (_, probabilities) => probabilities.map(Payload::from),
        };
        let markovian = self.markovian_states.map(|states| {
            let bits = Bits::from_members(self.choice_offsets.count(), states);
            Payload::U64(bits.into_words())
        });
        let entries = [
            (CHOICES, Some(self.choice_offsets.into())),
            (INITIAL, Some(initial)),
            (EXIT_RATES, self.exit_rates.map(Payload::from)),
            (BRANCHES, Some(self.branch_offsets.into())),
            (TARGETS, Some(self.targets.into())),
            (PROBABILITIES, probabilities),
            (MARKOVIAN, markovian),
            (PLAYERS, self.players.map(|(_, all)| Payload::U32(all))),
            (OBSERVATIONS, self.observations.map(|(_, all)| all.into())),
        ];
        entries
            .into_iter()
            .filter_map(|(path, payload)| Some((path, payload?)))
    }

    fn initial_bits(&self) -> Bits<'static> {
        Bits::from_members(self.choice_offsets.count(), self.initial_states)
    }
}

/// Returns the description of a model in the index: its type, its numbers of states, initial
/// states, choices and branches, whether it has exit rates, and its players.
pub(super) fn transition_system(
    model_type: ModelType,
    [num_states, num_initial_states, num_choices, num_branches]: [u64; 4],
    has_exit_rates: bool,
    players: Option<&[String]>,
) -> TransitionSystem {
    let double = Some(ValueType::of(Kind::Double));
    let probability = match model_type.has_intervals() {
        true => Some(ValueType::of(Kind::DoubleInterval)),
        false => double,
    };
    TransitionSystem {
        time: match model_type {
            ModelType::Ctmc => Time::Stochastic,
            ModelType::Ma => Time::UrgentStochastic,
            _ => Time::Discrete,
        },
        num_players: match players {
            Some(names) => names.len() as u32,
            None => model_type.is_nondeterministic().into(),
        },
        num_states,
        num_initial_states,
        num_choices,
        num_choice_actions: 0,
        num_branches,
        num_branch_actions: 0,
        num_observations: 0,
        observations_apply_to: None,
        branch_probability_type: probability.filter(|_| model_type != ModelType::Lts),
        exit_rate_type: double.filter(|_| has_exit_rates),
        observation_probability_type: None,
        player_names: players.unwrap_or_default().to_vec(),
    }
}

impl Index {
    /// Returns the index of a model without annotations and variables.
    pub(super) fn of(transition_system: TransitionSystem) -> Self {
        Self {
            format_version: FORMAT_VERSION,
            format_revision: 0,
            model_data: None,
            file_data: None,
            transition_system,
            annotations: Default::default(),
            valuations: Default::default(),
        }
    }
}

fn doubles<'a>(
    entry: &str,
    values: Option<&'a [f64]>,
    count: u64,
    what: &'static str,
) -> Result<Numbers<'a>, Error> {
    array(entry, values, count, what).map(|values| Numbers::Doubles(values.into()))
}

fn array<'a>(
    entry: &str,
    values: Option<&'a [f64]>,
    count: u64,
    what: &'static str,
) -> Result<&'a [f64], Error> {
    let Some(values) = values else {
        let needed_for = "models of this type have such values";
        return Err(Error::in_entry(
            entry,
            ErrorKind::MissingEntry { needed_for },
        ));
    };
    if values.len() as u64 == count {
        return Ok(values);
    }
    let kind = ErrorKind::EntrySize {
        found: values.len() as u64 * 8,
        expected: u128::from(count) * 8,
        count,
        what,
    };
    Err(Error::in_entry(entry, kind))
}
