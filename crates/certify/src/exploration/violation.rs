//! Why an exploration is not accepted.

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
    /// Another number of states is initial.
    #[error("E1: the first {} are said to be initial, but the system has {count}", counted_states(*.claimed))]
    NumInitial {
        /// How many were claimed.
        claimed: usize,
        /// The number of them.
        count: usize,
    },
    /// Another state is initial.
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
        /// How many were claimed.
        claimed: usize,
    },
    /// The system has fewer choices than were claimed.
    #[error("E2: state {state} has fewer choices than the {claimed} claimed")]
    FewerChoices {
        /// The state.
        state: StateId,
        /// How many were claimed.
        claimed: usize,
    },
    /// A choice has another action.
    #[error("E2: choice {choice} of state {state} has action {action}, not {claimed}")]
    Action {
        /// The state.
        state: StateId,
        /// The choice, counted from 0 in the state.
        choice: usize,
        /// The number of its action.
        action: u32,
        /// The number that was claimed.
        claimed: u32,
    },
    /// A choice leads elsewhere.
    #[error("E2: choice {choice} of state {state} does not lead to the states that were claimed")]
    Targets {
        /// The state.
        state: StateId,
        /// The choice, counted from 0 in the state.
        choice: usize,
    },
    /// Another number of states has no choice.
    #[error("E2: the states without a choice of their own are {count}, not {claimed}")]
    Deadlocks {
        /// How many were claimed.
        claimed: u64,
        /// The number of them.
        count: u64,
    },
    /// No edge leads to a state from one with a smaller number.
    #[error("E3: no edge leads to state {state} from a state with a smaller number")]
    Unreached {
        /// The state.
        state: StateId,
    },
    /// Two numbers are of the same state.
    #[error("E4: state {state} is the same as state {first}")]
    Twice {
        /// The state.
        state: StateId,
        /// One with a smaller number.
        first: StateId,
    },
    /// A state is found before one with a smaller number.
    #[error("E5: state {state} is found from state {from}, before state {smaller} is found")]
    OutOfOrder {
        /// The state.
        state: StateId,
        /// Where an edge to it begins.
        from: StateId,
        /// The one with a smaller number.
        smaller: StateId,
    },
}

impl ExplorationViolation {
    /// The obligation by its name in [`check_exploration`](crate::check_exploration); `"form"` if
    /// the claim is not of the form that any of them speaks about.
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

/// Why an exploration was not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExplorationError<E> {
    /// It violates this obligation.
    #[error(transparent)]
    Violation(#[from] ExplorationViolation),
    /// The system cannot say what the choices of a state are.
    #[error(transparent)]
    System(E),
    /// The observer ended the work.
    #[error("cancelled")]
    Cancelled,
}
