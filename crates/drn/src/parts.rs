//! The parts of a file: the header, states, choices and their numbers.

use std::fmt;

/// The type of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ModelType {
    /// A discrete-time Markov chain: one choice a state.
    Dtmc,
    /// A continuous-time Markov chain: one choice a state, whose values are rates.
    Ctmc,
    /// A Markov decision process.
    Mdp,
    /// A Markov automaton. Of a state whose exit rate is above 0, the first choice is Markovian;
    /// its values are probabilities all the same.
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

    /// The name in the line `@type:`.
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

    /// Whether a state may have several choices.
    #[must_use]
    pub fn is_nondeterministic(self) -> bool {
        !matches!(self, Self::Dtmc | Self::Ctmc)
    }

    /// Whether every state has an exit rate.
    #[must_use]
    pub fn has_exit_rates(self) -> bool {
        matches!(self, Self::Ctmc | Self::MarkovAutomaton)
    }

    /// Whether probabilities may be intervals.
    #[must_use]
    pub fn may_have_intervals(self) -> bool {
        matches!(self, Self::Dtmc | Self::Mdp)
    }

    /// Whether every state has an observation.
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

/// How the comment begins that lists the labels that no state has.
pub(crate) const UNUSED_LABELS: &str = "// labels of no state:";

/// What stands before the states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// The type of the model.
    pub model_type: ModelType,
    /// Whether the values are exact (`@value_type: rational`). Fractions are read in either case.
    pub is_rational: bool,
    /// Whether the values are intervals of probabilities (`@value_type: double-interval`); those of
    /// DTMCs and MDPs can be.
    pub has_intervals: bool,
    /// The names of the reward models; that of the one without a name is empty.
    pub reward_models: Vec<String>,
    /// The labels that no state has. A comment names them, which Storm skips.
    pub unused_labels: Vec<String>,
    /// The number of states.
    pub num_states: u32,
    /// The number of choices, if the file says it. Storm counts one for a state without a choice.
    pub num_choices: Option<u64>,
}

/// A reward: a decimal, or a fraction that stays one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Amount {
    /// A finite number.
    Decimal(f64),
    /// A numerator and a denominator above 0.
    Fraction(i64, u64),
}

impl Amount {
    /// Nothing is earned.
    pub const ZERO: Self = Self::Decimal(0.0);

    /// The number, rounded to a double.
    #[must_use]
    pub fn to_f64(self) -> f64 {
        match self {
            Self::Decimal(value) => value,
            Self::Fraction(over, under) => over as f64 / under as f64,
        }
    }
}

/// The shortest text that reads as this amount.
impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Decimal(value) => Shortest(value).fmt(f),
            Self::Fraction(over, under) => write!(f, "{over}/{under}"),
        }
    }
}

/// A number as the shortest decimal that reads as it, with an exponent if it is far from 1.
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

/// A state, without its choices.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct State<'a> {
    /// The number of the state.
    pub number: u32,
    /// The exit rate, in a CTMC or a Markov automaton.
    pub exit_rate: Option<f64>,
    /// The observation, in a POMDP.
    pub observation: Option<u32>,
    /// What the state earns, side by side with the reward models; empty if the file does not say.
    pub rewards: &'a [Amount],
    /// The labels.
    pub labels: &'a [&'a str],
    /// The text between `//[` and `]` on the line after the state, which
    /// [`assignments`](crate::assignments) takes apart.
    pub valuation: Option<&'a str>,
}

/// A choice of a state.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Choice<'a> {
    /// The state.
    pub state: u32,
    /// The number of the choice among those of its state, from 0.
    pub index: u32,
    /// The name of the action. An action whose name is the number of the choice has none.
    pub action: Option<&'a str>,
    /// What the choice earns, side by side with the reward models; empty if the file does not say.
    pub rewards: &'a [Amount],
    /// The targets, in the order of the file. As in Storm, the values of equal ones add up.
    pub targets: &'a [u32],
    /// The probability of each target or, in a CTMC, the rate; above 0. Of intervals, the upper
    /// bound.
    pub values: &'a [f64],
    /// Of intervals, the lower bounds; else empty.
    pub lower: &'a [f64],
}
