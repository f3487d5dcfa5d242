//! Rewards files (`.srew`, `.trew`): the rewards of states and transitions, in PRISM's format.
//!
//! ```text
//! # Reward structure "steps"        # Reward structure "steps"
//! # State rewards                   # Transition rewards
//! 4 2                               4 5 2                  (4 3 for a Markov chain's three)
//! 0 1                               0 0 1 0.5              (0 1 0.5)
//! 3 2.5                             0 0 2 0.5              (0 2 0.5)
//! ```

mod chunk;
mod read;
#[cfg(test)]
mod tests;
mod transition;
mod write;

pub use read::{Refused, read_state_rewards, read_transition_rewards};
pub use transition::RewardedTransition;
pub use write::{
    RewardsBlock, is_reward_structure, write_state_rewards, write_state_rewards_heading,
    write_transition_rewards, write_transition_rewards_heading,
};
