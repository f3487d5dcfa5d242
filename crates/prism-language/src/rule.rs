//! [`Rule`]: a way to take a step.

use crate::composition::ActionId;

/// A way to take a step.
#[derive(Debug, Clone)]
pub(crate) enum Rule {
    /// One command of the group.
    Alone(u32),
    /// One command of each group, with this action.
    Together(Option<ActionId>, Vec<u32>),
    /// All Markovian commands of the group, as part of the one choice in which time passes.
    Markovian(u32),
}
