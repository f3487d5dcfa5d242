//! [`ModelType`]: the types of models.

use std::fmt;

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
