//! What becomes of states without a choice.

use clap::ValueEnum;
use mdp_graph::Deadlocks;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DeadlockPolicy {
    /// It gets a self-loop, as in PRISM and Storm, and so is a maximal end component
    SelfLoop,
    /// It stays as it is, and so is in no end component
    Keep,
    /// The model is refused
    Error,
}

impl From<DeadlockPolicy> for Deadlocks {
    fn from(value: DeadlockPolicy) -> Self {
        match value {
            DeadlockPolicy::SelfLoop => Self::SelfLoop,
            DeadlockPolicy::Keep => Self::Keep,
            DeadlockPolicy::Error => Self::Refuse,
        }
    }
}
