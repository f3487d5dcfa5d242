//! The types of models of probabilistic model checkers: their names, the parts that models of each
//! type have, and how exact probabilities must be. All readers and writers of models share this
//! crate; in DRN files types have other names, which the crate `drn` knows.
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

use std::fmt;
use std::str::FromStr;

/// How far the probabilities of a choice may be from 1 in sum. The same share of an exit rate is
/// how far the rates of a state may be from it. PRISM and Storm write fewer digits than a number
/// has.
pub const SUM_TOLERANCE: f64 = 1e-6;

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
    /// Partially observable Markov decision process: an MDP whose states show observations.
    Pomdp,
    /// Stochastic game, turn by turn: an MDP each state of which belongs to a player.
    Smg,
    /// Markov automaton: states with choices, each a distribution, and states with rates.
    Ma,
    /// Interval Markov chain: a DTMC of which bounds of the probabilities are known.
    Idtmc,
    /// Interval Markov decision process: an MDP of which bounds of the probabilities are known.
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

    /// Whether a state may have several choices.
    #[must_use]
    pub fn is_nondeterministic(self) -> bool {
        matches!(
            self,
            Self::Mdp | Self::Lts | Self::Pomdp | Self::Smg | Self::Ma | Self::Imdp
        )
    }

    /// Whether the values of each choice's branches are probabilities, which sum to 1.
    #[must_use]
    pub fn has_distributions(self) -> bool {
        matches!(self, Self::Dtmc | Self::Mdp | Self::Pomdp | Self::Smg)
    }

    /// Whether the values of branches are intervals, which hold a distribution for each choice.
    #[must_use]
    pub fn has_intervals(self) -> bool {
        matches!(self, Self::Idtmc | Self::Imdp)
    }

    /// Whether states show observations.
    #[must_use]
    pub fn has_observations(self) -> bool {
        self == Self::Pomdp
    }

    /// Whether states belong to players.
    #[must_use]
    pub fn has_players(self) -> bool {
        self == Self::Smg
    }

    /// The name in lower case, as in `--type mdp` and on the first line of Storm's files.
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

    /// The name in capitals, as in `# Transitions (MDP)`.
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

/// The text names no type of models.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not one of {}", ModelType::ALL.map(ModelType::name).join(", "))]
pub struct UnknownType {
    text: String,
}

impl FromStr for ModelType {
    type Err = UnknownType;

    /// Reads a name such as `mdp`, in small letters or capitals.
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
