//! The errors and warnings of compiling a behaviour.

use crate::layout::MAX_WORDS;
use lts_formats::{Matching, Position, ProcessFile, gate};
use mdp_graph::{counted, grouped};
use std::fmt;

/// The reason why a behaviour cannot be compiled. `E` is the error of reading a process.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError<E> {
    /// A process could not be read.
    #[error("{error}")]
    Process {
        /// The file of the process.
        file: ProcessFile,
        /// The reason.
        error: E,
    },
    /// A process has probabilities.
    #[error("`{}` has probabilities, which a process of a network cannot have", file.path)]
    Probabilistic {
        /// The file of the process.
        file: ProcessFile,
    },
    /// There are too many rules.
    #[error("the network has more than {} rules", grouped(*.limit as u64))]
    TooManyRules {
        /// The limit.
        limit: usize,
    },
    /// The rules need more memory than is allowed.
    #[error(
        "the network has {} or more: they and the transitions that take part in them need more \
         than {} of memory",
        counted(*.rules as u64, "rule", "rules"), counted(*.limit, "byte", "bytes")
    )]
    TooMuchMemory {
        /// The number of rules that were counted.
        rules: usize,
        /// The limit, in bytes.
        limit: u64,
    },
    /// The transitions of the processes take part in too many rules.
    #[error(
        "{} of the processes take part in rules more than {} times, all together",
        counted(*.transitions as u64, "transition", "transitions"), grouped(*.limit as u64)
    )]
    TooManyParticipations {
        /// The number of transitions.
        transitions: usize,
        /// The limit.
        limit: usize,
    },
    /// The states of the processes do not fit into a state of the network.
    #[error(
        "a state of the network takes {words} words of 32 bits: at most {MAX_WORDS} are supported"
    )]
    TooWide {
        /// The number of words that are needed.
        words: usize,
    },
}

/// An observation that is not an error, but may not be intended.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Remark {
    /// A vector never applies, because a behaviour has no transition with the label that the vector
    /// requires.
    NeverApplies {
        /// The position of the vector.
        position: Position,
        /// The number of the behaviour, from 1.
        branch: usize,
        /// The label that it does not have.
        label: String,
    },
    /// Transitions of a behaviour never happen, because none of the vectors around it has their
    /// label.
    NeverHappens {
        /// The position of the first of the vectors.
        position: Position,
        /// The number of the behaviour, from 1.
        branch: usize,
        /// The label.
        label: String,
    },
    /// Transitions never happen, because another behaviour that must take part has no transition
    /// with this label.
    NeverSynchronises {
        /// The number of the other behaviour, from 1.
        branch: usize,
        /// The label.
        label: String,
    },
    /// An operator names a label that no behaviour has.
    NobodyHas {
        /// The label.
        label: String,
        /// What the operator does with the label.
        purpose: Purpose,
        /// The part of labels that the operator compares.
        matching: Matching,
    },
}

/// What an operator does with the labels that it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Purpose {
    /// `par`.
    Synchronise,
    /// `hide`.
    Hide,
    /// `hide all but`.
    Keep,
    /// `rename`.
    Rename,
}

impl Purpose {
    /// Returns the name of the operator, and that of the one that compares whole labels.
    fn operators(self) -> (&'static str, &'static str) {
        match self {
            Self::Synchronise => ("par", "label par"),
            Self::Hide | Self::Keep => ("hide", "total hide"),
            Self::Rename => ("rename", "total rename"),
        }
    }
}

impl fmt::Display for Purpose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Synchronise => "to synchronise on",
            Self::Hide => "to hide",
            Self::Keep => "to keep visible",
            Self::Rename => "to rename",
        })
    }
}

impl Remark {
    /// Returns the position of the cause in the text, if it is known.
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
            Self::NobodyHas {
                label,
                purpose,
                matching,
            } => {
                write!(f, "no behaviour has a transition `{label}` {purpose}")?;
                if *matching == Matching::Total || gate(label) == label {
                    return Ok(());
                }
                let (of_gates, of_labels) = purpose.operators();
                write!(
                    f,
                    ": `{of_gates}` compares gates, which end before a blank, `!`, `?` or `(`, and \
                     `{of_labels}` compares whole labels"
                )
            }
        }
    }
}
