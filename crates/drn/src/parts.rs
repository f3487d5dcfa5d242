//! The parts of a file: the header, states, choices and their numbers.

use model_type::Reward;
use std::fmt;

/// The type of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ModelType {
    /// A discrete-time Markov chain: each state has at most one choice.
    Dtmc,
    /// A continuous-time Markov chain: each state has at most one choice, whose values are rates.
    Ctmc,
    /// A Markov decision process.
    Mdp,
    /// A Markov automaton. If the exit rate of a state is above 0, its first choice is Markovian;
    /// the values of this choice are probabilities, too.
    MarkovAutomaton,
    /// A partially observable Markov decision process: every state has an observation.
    Pomdp,
}

impl ModelType {
    /// All types.
    pub const ALL: [Self; 5] = [
        Self::Dtmc,
        Self::Ctmc,
        Self::Mdp,
        Self::MarkovAutomaton,
        Self::Pomdp,
    ];

    /// Returns the name in the line `@type:`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Dtmc => "DTMC",
            Self::Ctmc => "CTMC",
            Self::Mdp => "MDP",
            Self::MarkovAutomaton => "Markov Automaton",
            Self::Pomdp => "POMDP",
        }
    }

    /// Returns whether a state may have several choices.
    #[must_use]
    pub fn is_nondeterministic(self) -> bool {
        !matches!(self, Self::Dtmc | Self::Ctmc)
    }

    /// Returns whether every state has an exit rate.
    #[must_use]
    pub fn has_exit_rates(self) -> bool {
        matches!(self, Self::Ctmc | Self::MarkovAutomaton)
    }

    /// Returns whether probabilities may be intervals.
    #[must_use]
    pub fn may_have_intervals(self) -> bool {
        matches!(self, Self::Dtmc | Self::Mdp)
    }

    /// Returns whether every state has an observation.
    #[must_use]
    pub fn has_observations(self) -> bool {
        self == Self::Pomdp
    }
}

impl fmt::Display for ModelType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The beginning of the comment that lists the labels that no state has.
pub(crate) const UNUSED_LABELS: &str = "// labels of no state:";

/// The header of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// The type of the model.
    pub model_type: ModelType,
    /// Whether the values are exact (`@value_type: rational`). Fractions are accepted in either
    /// case.
    pub is_rational: bool,
    /// Whether the values are intervals of probabilities (`@value_type: double-interval`), which is
    /// possible in DTMCs and MDPs.
    pub has_intervals: bool,
    /// The names of the reward models. The name may be empty.
    pub reward_models: Vec<String>,
    /// The labels that no state has. They are listed in a comment, which Storm ignores.
    pub unused_labels: Vec<String>,
    /// The number of states.
    pub num_states: u32,
    /// The number of choices, if the file has it. Storm counts a state without choices as one
    /// choice.
    pub num_choices: Option<u64>,
}

/// Prints the shortest text that is read as this reward.
pub(crate) struct ShortestReward(pub(crate) Reward);

impl fmt::Display for ShortestReward {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Reward::Decimal(value) => Shortest(value).fmt(f),
            Reward::Fraction(over, under) => write!(f, "{over}/{under}"),
        }
    }
}

/// Prints a number as the shortest decimal that is read as it, with an exponent if it is far from
/// 1.
pub(crate) struct Shortest(pub(crate) f64);

impl fmt::Display for Shortest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.0;
        match value == 0.0 || (1e-5..1e16).contains(&value.abs()) {
            true => write!(f, "{value}"),
            false => write!(f, "{value:e}"),
        }
    }
}

/// A state without its choices.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct State<'a> {
    /// The number of the state.
    pub number: u32,
    /// The exit rate, in a CTMC or a Markov automaton.
    pub exit_rate: Option<f64>,
    /// The observation, in a POMDP.
    pub observation: Option<u32>,
    /// The rewards of the state, one for each reward model in the same order; empty if the file has
    /// none.
    pub rewards: &'a [Reward],
    /// The labels.
    pub labels: &'a [&'a str],
    /// The text between `//[` and `]` on the line after the state, which
    /// [`assignments`](crate::assignments) parses.
    pub valuation: Option<&'a str>,
}

/// A choice of a state.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Choice<'a> {
    /// The state.
    pub state: u32,
    /// The index of the choice among those of its state, from 0.
    pub index: u32,
    /// The name of the action; `None` if the file has the index of the choice instead.
    pub action: Option<&'a str>,
    /// The rewards of the choice, one for each reward model in the same order; empty if the file
    /// has none.
    pub rewards: &'a [Reward],
    /// The targets, in the order of the file. As in Storm, the values of equal targets are added.
    pub targets: &'a [u32],
    /// The probability of each target or, in a CTMC, the rate; above 0. If values are intervals,
    /// the upper bound.
    pub values: &'a [f64],
    /// The lower bounds, if values are intervals; otherwise empty.
    pub lower: &'a [f64],
}
