//! The errors and warnings of compiling a behaviour.

use crate::layout::MAX_WORDS;
use lts_formats::{Position, ProcessFile};
use std::fmt;

/// Why a behaviour cannot be compiled; `E` is why a process could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError<E> {
    /// A process could not be read.
    #[error("{error}")]
    Process {
        /// The file that was named.
        file: ProcessFile,
        /// Why not.
        error: E,
    },
    /// A process has probabilities.
    #[error("`{}` has probabilities, which a process of a network cannot have", file.path)]
    Probabilistic {
        /// The file that was named.
        file: ProcessFile,
    },
    /// There are too many rules.
    #[error("the network has more than {limit} rules")]
    TooManyRules {
        /// The limit.
        limit: usize,
    },
    /// The states of the processes do not fit a vector.
    #[error(
        "a state of the network takes {words} words of 32 bits: at most {MAX_WORDS} are supported"
    )]
    TooWide {
        /// The number of words that are needed.
        words: usize,
    },
}

/// Something that is no error, but may not be meant.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remark {
    /// A vector never applies: a behaviour has no transition with the label that the vector asks of
    /// it.
    NeverApplies {
        /// Where the vector stands.
        position: Position,
        /// The number of the behaviour, from 1 on.
        branch: usize,
        /// The label that it does not have.
        label: String,
    },
    /// Transitions of a behaviour never happen, as their label is in none of the vectors around it.
    NeverHappens {
        /// Where the first of the vectors stands.
        position: Position,
        /// The number of the behaviour, from 1 on.
        branch: usize,
        /// The label.
        label: String,
    },
    /// Transitions never happen, as another behaviour that must take part has none with this label.
    NeverSynchronises {
        /// The number of the behaviour without one, from 1 on.
        branch: usize,
        /// The label.
        label: String,
    },
    /// Behaviours synchronise on a label that none of them has.
    NobodyHas {
        /// The label.
        label: String,
    },
}

impl Remark {
    /// Where in the text the reason stands, if it is known.
    #[must_use]
    pub fn position(&self) -> Option<Position> {
        match self {
            Self::NeverApplies { position, .. } | Self::NeverHappens { position, .. } => {
                Some(*position)
            }
            Self::NeverSynchronises { .. } | Self::NobodyHas { .. } => None,
        }
    }
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NeverApplies { branch, label, .. } => write!(
                f,
                "the vector never applies: behaviour {branch} has no transition `{label}`"
            ),
            Self::NeverHappens { branch, label, .. } => write!(
                f,
                "transition `{label}` of behaviour {branch} never happens: no vector has it there"
            ),
            Self::NeverSynchronises { branch, label } => write!(
                f,
                "transition `{label}` never happens: behaviour {branch} has none to synchronise with"
            ),
            Self::NobodyHas { label } => {
                write!(
                    f,
                    "no behaviour has a transition `{label}` to synchronise on"
                )
            }
        }
    }
}
