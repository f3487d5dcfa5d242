//! [`Entity`]: the things that a model consists of.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A kind of elements of a model, to which annotations and valuations belong.
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
