//! The types of models of probabilistic model checkers: their names, the parts that models of each
//! type have, the required accuracy of probabilities, numbers in texts, and rewards. All readers
//! and writers of models share this crate. DRN files have other names for types, which the crate
//! `drn` defines.
//!
//! ```
//! use model_type::ModelType;
//!
//! let mdp: ModelType = "mdp".parse()?;
//! assert_eq!(mdp, ModelType::Mdp);
//! assert!(mdp.is_nondeterministic() && mdp.has_distributions());
//! assert_eq!((mdp.name(), mdp.acronym()), ("mdp", "MDP"));
//! # Ok::<(), model_type::UnknownType>(())
//! ```

#![forbid(unsafe_code)]

pub mod number;

use std::fmt;
use std::str::FromStr;

/// The largest difference between 1 and the sum of the probabilities of a choice. For rates, this
/// is the largest relative difference between the exit rate of a state and the sum of its rates.
/// The tolerance is necessary because PRISM and Storm write rounded numbers.
pub const SUM_TOLERANCE: f64 = 1e-6;

/// The type of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ModelType {
    /// Discrete-time Markov chain: each state has one distribution.
    Dtmc,
    /// Continuous-time Markov chain: each state has one set of rates.
    Ctmc,
    /// Markov decision process: each state has choices, each of which is a distribution.
    Mdp,
    /// Labelled transition system: each state has choices, each of which is one transition without
    /// a probability.
    Lts,
    /// Partially observable Markov decision process: an MDP whose states have observations.
    Pomdp,
    /// Turn-based stochastic game: an MDP in which each state belongs to a player.
    Smg,
    /// Markov automaton: some states have choices, each of which is a distribution, and others have
    /// rates.
    Ma,
    /// Interval Markov chain: a DTMC of whose probabilities only bounds are known.
    Idtmc,
    /// Interval Markov decision process: an MDP of whose probabilities only bounds are known.
    Imdp,
}

impl ModelType {
    /// All types.
    pub const ALL: [Self; 9] = [
        Self::Dtmc,
        Self::Ctmc,
        Self::Mdp,
        Self::Lts,
        Self::Pomdp,
        Self::Smg,
        Self::Ma,
        Self::Idtmc,
        Self::Imdp,
    ];

    /// Returns whether a state may have several choices.
    #[must_use]
    pub fn is_nondeterministic(self) -> bool {
        matches!(
            self,
            Self::Mdp | Self::Lts | Self::Pomdp | Self::Smg | Self::Ma | Self::Imdp
        )
    }

    /// Returns whether the values of the branches of each choice are probabilities, which sum to 1.
    #[must_use]
    pub fn has_distributions(self) -> bool {
        matches!(self, Self::Dtmc | Self::Mdp | Self::Pomdp | Self::Smg)
    }

    /// Returns whether the values of branches are intervals, which contain a distribution for each
    /// choice.
    #[must_use]
    pub fn has_intervals(self) -> bool {
        matches!(self, Self::Idtmc | Self::Imdp)
    }

    /// Returns whether states have observations.
    #[must_use]
    pub fn has_observations(self) -> bool {
        self == Self::Pomdp
    }

    /// Returns whether states belong to players.
    #[must_use]
    pub fn has_players(self) -> bool {
        self == Self::Smg
    }

    /// Returns the name in lower case, as in `--type mdp` and on the first line of Storm's files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Dtmc => "dtmc",
            Self::Ctmc => "ctmc",
            Self::Mdp => "mdp",
            Self::Lts => "lts",
            Self::Pomdp => "pomdp",
            Self::Smg => "smg",
            Self::Ma => "ma",
            Self::Idtmc => "idtmc",
            Self::Imdp => "imdp",
        }
    }

    /// Returns the name in capitals, as in `# Transitions (MDP)`.
    #[must_use]
    pub fn acronym(self) -> &'static str {
        match self {
            Self::Dtmc => "DTMC",
            Self::Ctmc => "CTMC",
            Self::Mdp => "MDP",
            Self::Lts => "LTS",
            Self::Pomdp => "POMDP",
            Self::Smg => "SMG",
            Self::Ma => "MA",
            Self::Idtmc => "IDTMC",
            Self::Imdp => "IMDP",
        }
    }
}

impl fmt::Display for ModelType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.acronym())
    }
}

/// A reward as it is written in a file: a decimal, or a fraction, which is not rounded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reward {
    /// A decimal, as the nearest double, which is finite.
    Decimal(f64),
    /// A numerator, and a denominator above 0, as of `1/3`.
    Fraction(i64, u64),
}

impl Reward {
    /// The reward 0.
    pub const ZERO: Self = Self::Decimal(0.0);

    /// Returns the nearest double or, for large fractions, one next to it.
    #[must_use]
    pub fn to_f64(self) -> f64 {
        match self {
            Self::Decimal(value) => value,
            Self::Fraction(over, under) => over as f64 / under as f64,
        }
    }
}

/// The text is not the name of a model type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not one of {}", ModelType::ALL.map(ModelType::name).join(", "))]
pub struct UnknownType {
    text: String,
}

impl FromStr for ModelType {
    type Err = UnknownType;

    /// Parses a name such as `mdp`, in any case.
    fn from_str(text: &str) -> Result<Self, UnknownType> {
        let is_named = |known: &Self| known.name().eq_ignore_ascii_case(text);
        Self::ALL
            .into_iter()
            .find(is_named)
            .ok_or_else(|| UnknownType {
                text: text.to_owned(),
            })
    }
}
