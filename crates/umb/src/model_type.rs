//! The types of models, as the index describes them, and the things that a model consists of. Knows
//! the index, not the arrays.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind};
use crate::index::{INDEX, Kind, Time, TransitionSystem};

/// The type of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ModelType {
    /// Discrete-time Markov chain: one distribution a state.
    Dtmc,
    /// Continuous-time Markov chain: one distribution and an exit rate a state.
    Ctmc,
    /// Markov decision process: choices, each a distribution.
    Mdp,
    /// Labelled transition system: choices without probabilities.
    Lts,
}

impl ModelType {
    /// The type of the model that the index describes.
    pub(crate) fn of(system: &TransitionSystem) -> Result<Self, Error> {
        let probabilities = system.branch_probability_type.map(|values| values.kind);
        let has_intervals = probabilities.is_some_and(Kind::is_interval);
        if !has_intervals && system.num_observations == 0 {
            match (system.time, system.num_players) {
                (Time::Discrete, 0) if probabilities.is_some() => return Ok(Self::Dtmc),
                (Time::Discrete, 1) if probabilities.is_some() => return Ok(Self::Mdp),
                (Time::Discrete, 1) => return Ok(Self::Lts),
                (Time::Stochastic, 0) => return Ok(Self::Ctmc),
                _ => {}
            }
        }
        let name = foreign_name(system, has_intervals);
        Err(Error::in_entry(INDEX, ErrorKind::ModelType { name }))
    }

    /// Whether a state may have several choices.
    #[must_use]
    pub fn is_nondeterministic(self) -> bool {
        matches!(self, Self::Mdp | Self::Lts)
    }
}

impl fmt::Display for ModelType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Dtmc => "DTMC",
            Self::Ctmc => "CTMC",
            Self::Mdp => "MDP",
            Self::Lts => "LTS",
        })
    }
}

/// The usual name of a type that is not read.
fn foreign_name(system: &TransitionSystem, has_intervals: bool) -> String {
    let has_probabilities = system.branch_probability_type.is_some();
    let base = match (system.time, system.num_players) {
        (Time::Discrete, 0) if has_probabilities => "DTMC",
        (Time::Discrete, 0) => "DTMC without probabilities",
        (Time::Discrete, 1) if has_probabilities => "MDP",
        (Time::Discrete, 1) => "LTS",
        (Time::Discrete, _) if has_probabilities => "TSG (stochastic game)",
        (Time::Discrete, _) => "TG (game)",
        (Time::Stochastic, 0) => "CTMC",
        (Time::Stochastic, 1) => "CTMDP",
        (Time::Stochastic, _) => "continuous-time game",
        (Time::UrgentStochastic, 1) => "MA (Markov automaton)",
        (Time::UrgentStochastic, _) => "Markov automaton without or with several players",
    };
    let interval = if has_intervals { "I" } else { "" };
    let observed = if system.num_observations > 0 {
        "PO"
    } else {
        ""
    };
    format!("{interval}{observed}{base}")
}

/// What a model consists of, and what annotations and valuations belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Entity {
    /// States.
    States,
    /// Choices of all states.
    Choices,
    /// Branches of all choices.
    Branches,
    /// Observations of a partially observable model.
    Observations,
    /// Players of a game.
    Players,
}

impl fmt::Display for Entity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::States => "states",
            Self::Choices => "choices",
            Self::Branches => "branches",
            Self::Observations => "observations",
            Self::Players => "players",
        })
    }
}
