//! Decides which programs cannot be encoded as words, and which functions become tables.

use std::fmt;

/// The reason why a program cannot be encoded as 32-bit words.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unsuited {
    /// States are too wide.
    States {
        /// The number of 32-bit words of a state.
        words: usize,
        /// The largest number that is supported.
        most: usize,
    },
    /// A variable has values beyond 2^29, or is unbounded and takes more than 16 bits.
    Variable {
        /// Its name.
        name: String,
        /// Whether its range is declared.
        is_bounded: bool,
    },
    /// The program has no command, and therefore nothing that a GPU could compute.
    NoCommands,
    /// The program has Markovian commands.
    Markovian,
    /// The program has intervals of probabilities.
    Intervals,
    /// Too many modules take part in a step.
    Parties {
        /// The number of modules.
        count: usize,
        /// The largest number that is supported.
        most: usize,
    },
    /// An expression needs floating-point numbers or 64-bit integers, and depends on too many bits
    /// of a state for a table.
    Expression {
        /// The line of the expression.
        line: u64,
        /// The number of bits.
        bits: u32,
    },
    /// A command has too many branches whose probabilities depend on the state.
    Branches {
        /// The line of the command.
        line: u64,
    },
    /// The array would be too large.
    TooLarge,
}

impl fmt::Display for Unsuited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::States { words, most } => {
                write!(
                    f,
                    "a state takes {} bits, a GPU takes up to {}",
                    32 * words,
                    32 * most
                )
            }
            Self::Variable {
                name,
                is_bounded: true,
            } => write!(
                f,
                "the values of `{name}` are not all between -2^29 and 2^29"
            ),
            Self::Variable { name, .. } => {
                write!(f, "the unbounded variable `{name}` takes more than 16 bits")
            }
            Self::NoCommands => f.write_str("a GPU cannot explore a model without commands"),
            Self::Markovian => f.write_str("a GPU cannot explore Markov automata"),
            Self::Intervals => f.write_str("a GPU cannot explore interval models"),
            Self::Parties { count, most } => {
                write!(f, "{count} modules take one step, a GPU takes up to {most}")
            }
            Self::Expression { line, bits } => write!(
                f,
                "what a command in line {line} computes depends on {bits} bits of the state, and \
                 is more than comparing, adding and multiplying integers of 32 bits"
            ),
            Self::Branches { line } => write!(
                f,
                "the command in line {line} has more than 30 probabilities that depend on the state"
            ),
            Self::TooLarge => f.write_str("the tables of its commands get too large"),
        }
    }
}

impl std::error::Error for Unsuited {}

/// The largest numbers of bits of a state on which tables may depend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableBits {
    /// For conditions that can also be encoded as instructions.
    pub conditions: u32,
    /// For values that can also be encoded as instructions.
    pub values: u32,
    /// For functions that cannot be encoded as instructions.
    pub most: u32,
}

impl Default for TableBits {
    fn default() -> Self {
        Self {
            conditions: 11,
            values: 8,
            most: 16,
        }
    }
}
