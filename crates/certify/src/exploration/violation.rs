//! The reasons for which an exploration is not accepted.

use crate::violation::counted_states;
use mdp_graph::StateId;

/// An obligation of an exploration that is not met.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExplorationViolation {
    /// There are more or fewer packed states than the graph has.
    #[error("there are {} packed, but the graph has {}", counted_states(*.states), counted_states(*.graph))]
    OtherStates {
        /// The number of states of the graph.
        graph: usize,
        /// The number of packed states.
        states: usize,
    },
    /// There are more or fewer actions than choices.
    #[error("there are {actions} actions for {choices} choices")]
    OtherActions {
        /// The number of choices of the graph.
        choices: usize,
        /// The number of actions.
        actions: usize,
    },
    /// The claimed number of initial states is wrong.
    #[error("E1: the first {} are said to be initial, but the system has {count}", counted_states(*.claimed))]
    NumInitial {
        /// The claimed number.
        claimed: usize,
        /// The number of initial states of the system.
        count: usize,
    },
    /// A claimed initial state is not the one of the system.
    #[error("E1: state {state} is not the initial state of the system in this place")]
    Initial {
        /// The state.
        state: StateId,
    },
    /// The system has a choice that was not claimed.
    #[error("E2: state {state} has more choices than the {claimed} claimed")]
    MoreChoices {
        /// The state.
        state: StateId,
        /// The claimed number of choices.
        claimed: usize,
    },
    /// The system has fewer choices than were claimed.
    #[error("E2: state {state} has fewer choices than the {claimed} claimed")]
    FewerChoices {
        /// The state.
        state: StateId,
        /// The claimed number of choices.
        claimed: usize,
    },
    /// A choice does not have the claimed action.
    #[error("E2: choice {choice} of state {state} has action {action}, not {claimed}")]
    Action {
        /// The state.
        state: StateId,
        /// The choice, counted from 0 in the state.
        choice: usize,
        /// The number of its action in the system.
        action: u32,
        /// The claimed number.
        claimed: u32,
    },
    /// A choice does not lead to the claimed states.
    #[error("E2: choice {choice} of state {state} does not lead to the states that were claimed")]
    Targets {
        /// The state.
        state: StateId,
        /// The choice, counted from 0 in the state.
        choice: usize,
    },
    /// The number of states without a choice is wrong.
    #[error("E2: the states without a choice of their own are {count}, not {claimed}")]
    Deadlocks {
        /// The claimed number.
        claimed: u64,
        /// The number of states without a choice in the system.
        count: u64,
    },
    /// No edge leads to a state from a state with a smaller number.
    #[error("E3: no edge leads to state {state} from a state with a smaller number")]
    Unreached {
        /// The state.
        state: StateId,
    },
    /// A state has two numbers.
    #[error("E4: state {state} is the same as state {first}")]
    Twice {
        /// The state.
        state: StateId,
        /// The smaller number of the same state.
        first: StateId,
    },
    /// A state is found before a state with a smaller number.
    #[error("E5: state {state} is found from state {from}, before state {smaller} is found")]
    OutOfOrder {
        /// The state.
        state: StateId,
        /// The source of an edge to the state.
        from: StateId,
        /// The state with the smaller number.
        smaller: StateId,
    },
}

impl ExplorationViolation {
    /// Returns the name of the obligation in [`check_exploration`](crate::check_exploration), or
    /// `"form"` if the claim does not have the form that the obligations assume.
    #[must_use]
    pub fn obligation(&self) -> &'static str {
        match self {
            Self::OtherStates { .. } | Self::OtherActions { .. } => "form",
            Self::NumInitial { .. } | Self::Initial { .. } => "E1",
            Self::MoreChoices { .. }
            | Self::FewerChoices { .. }
            | Self::Action { .. }
            | Self::Targets { .. }
            | Self::Deadlocks { .. } => "E2",
            Self::Unreached { .. } => "E3",
            Self::Twice { .. } => "E4",
            Self::OutOfOrder { .. } => "E5",
        }
    }
}

/// The reason for which an exploration was not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExplorationError<E> {
    /// The exploration violates this obligation.
    #[error(transparent)]
    Violation(#[from] ExplorationViolation),
    /// The system could not compute the choices of a state.
    #[error(transparent)]
    System(E),
    /// The observer cancelled the check.
    #[error("cancelled")]
    Cancelled,
}
