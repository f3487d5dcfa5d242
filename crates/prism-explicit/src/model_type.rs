//! The types of models and the dialects of files, as users write them.

use std::fmt;
use std::str::FromStr;

/// The type of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ModelType {
    /// Discrete-time Markov chain: one distribution a state.
    Dtmc,
    /// Continuous-time Markov chain: one set of rates a state.
    Ctmc,
    /// Markov decision process: choices, each a distribution.
    Mdp,
    /// Labelled transition system: choices, each one transition without a probability.
    Lts,
}

impl ModelType {
    /// Whether a state may have several choices.
    #[must_use]
    pub fn is_nondeterministic(self) -> bool {
        matches!(self, Self::Mdp | Self::Lts)
    }

    /// The name in lower case, as in `--type mdp` and on the first line of Storm's files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Dtmc => "dtmc",
            Self::Ctmc => "ctmc",
            Self::Mdp => "mdp",
            Self::Lts => "lts",
        }
    }

    /// The name in capitals, as in `# Transitions (MDP)`.
    #[must_use]
    pub fn acronym(self) -> &'static str {
        match self {
            Self::Dtmc => "DTMC",
            Self::Ctmc => "CTMC",
            Self::Mdp => "MDP",
            Self::Lts => "LTS",
        }
    }
}

impl fmt::Display for ModelType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.acronym())
    }
}

/// The text names no model type or dialect.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not one of {known}")]
pub struct UnknownName {
    text: String,
    known: &'static str,
}

impl FromStr for ModelType {
    type Err = UnknownName;

    /// Reads `dtmc`, `ctmc`, `mdp` or `lts`, in small letters or capitals.
    fn from_str(text: &str) -> Result<Self, UnknownName> {
        [Self::Dtmc, Self::Ctmc, Self::Mdp, Self::Lts]
            .into_iter()
            .find(|known| known.name().eq_ignore_ascii_case(text))
            .ok_or_else(|| UnknownName {
                text: text.to_owned(),
                known: "dtmc, ctmc, mdp, lts",
            })
    }
}

/// Whose format a file follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// PRISM: `.tra` files have a header of counts; `.lab` files declare `0="init"`.
    Prism,
    /// Storm: `.tra` files have the model type as their first word and no counts; `.lab` files
    /// declare names between `#DECLARATION` and `#END`.
    Storm,
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Prism => "prism",
            Self::Storm => "storm",
        })
    }
}

impl FromStr for Dialect {
    type Err = UnknownName;

    /// Reads `prism` or `storm`, in small letters or capitals.
    fn from_str(text: &str) -> Result<Self, UnknownName> {
        match () {
            () if text.eq_ignore_ascii_case("prism") => Ok(Self::Prism),
            () if text.eq_ignore_ascii_case("storm") => Ok(Self::Storm),
            () => Err(UnknownName {
                text: text.to_owned(),
                known: "prism, storm",
            }),
        }
    }
}
