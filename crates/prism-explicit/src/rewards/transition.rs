//! [`RewardedTransition`]: a transition in a rewards file.

/// A transition that has a reward.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RewardedTransition {
    /// The state of the transition.
    pub state: u32,
    /// The index of the choice among those of its state, from 0. It is 0 in a Markov chain.
    pub choice: u32,
    /// The target of the transition.
    pub target: u32,
}
