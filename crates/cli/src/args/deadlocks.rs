//! What becomes of states without a choice.

use clap::ValueEnum;
use mdp_graph::Deadlocks;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DeadlockPolicy {
    /// Add a self-loop, as PRISM and Storm do, which makes the state a maximal end component
    SelfLoop,
    /// Keep the state as it is, in no end component
    Keep,
    /// Refuse the model
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
