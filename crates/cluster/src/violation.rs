//! [`Violation`]: the obligation that an answer or its certificate violates, and the place.

use mdp_graph::ComponentKind;

/// An obligation of a [`Certificate`](crate::Certificate) that is not met. States have their
/// numbers in the whole model; choices are counted from 0 in their state's order.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Violation {
    /// The answer or the certificate does not speak of this worker's states.
    #[error(
        "the answer or the certificate does not have a number for each state of worker {worker}"
    )]
    OtherStates {
        /// The worker.
        worker: usize,
    },
    /// A choice has no target, so that it would be retained for no reason.
    #[error("state {state}, choice {choice} has no target")]
    EmptyChoice {
        /// The state.
        state: u64,
        /// Which of its choices.
        choice: usize,
    },
    /// A strongly connected component is missing.
    #[error("state {state} is in no strongly connected component, but every state is in one")]
    NoComponent {
        /// The state.
        state: u64,
    },
    /// A component is not called after its smallest state.
    #[error(
        "{}: state {state} is said to be in the component of state {component}, which is not the \
         smallest state of it",
        by_kind(*kind, "S0", "M1")
    )]
    NotRoot {
        /// What the components are.
        kind: ComponentKind,
        /// The state.
        state: u64,
        /// What its component is called.
        component: u64,
    },
    /// The states of a component have different ranks.
    #[error(
        "{}: state {state} has another rank than state {component}, whose component it is in",
        by_kind(*kind, "S0", "M1")
    )]
    Scattered {
        /// What the components are.
        kind: ComponentKind,
        /// The state.
        state: u64,
        /// The root of its component.
        component: u64,
    },
    /// No state of a component leads to one of its states with a larger number.
    #[error(
        "{}: state {state}, in the component of state {component}, is reached by no {} from a \
         state of it with a smaller number",
        by_kind(*kind, "S1", "M3"), edge(*kind)
    )]
    Unreached {
        /// What the components are.
        kind: ComponentKind,
        /// The state.
        state: u64,
        /// The root of its component.
        component: u64,
    },
    /// A state leads to no state of its component with a smaller number.
    #[error(
        "{}: state {state}, in the component of state {component}, has no {} to a state of it with \
         a smaller number",
        by_kind(*kind, "S2", "M3"), edge(*kind)
    )]
    NoReturn {
        /// What the components are.
        kind: ComponentKind,
        /// The state.
        state: u64,
        /// The root of its component.
        component: u64,
    },
    /// An edge leaves its component, but not for one of a smaller rank.
    #[error(
        "S3: state {state}, choice {choice} leads to state {target}, outside its component but not \
         of a smaller rank"
    )]
    Backwards {
        /// The state.
        state: u64,
        /// Which of its choices.
        choice: usize,
        /// Where it leads.
        target: u64,
    },
    /// A state of a maximal end component has no choice that stays in it.
    #[error(
        "M2: state {state}, in the component of state {component}, has no choice that stays there"
    )]
    NoRetainedChoice {
        /// The state.
        state: u64,
        /// The root of its component.
        component: u64,
    },
    /// A state that is in no maximal end component is one.
    #[error("M4: state {state} is in no component, but choice {choice} leads back to it alone")]
    Stays {
        /// The state.
        state: u64,
        /// Which of its choices.
        choice: usize,
    },
    /// A choice leaves its class, but has no target of a smaller rank.
    #[error(
        "O1: state {state}, choice {choice} leads to state {target}, outside its component, but to \
         no component or state of a smaller rank"
    )]
    NoLaterTarget {
        /// The state.
        state: u64,
        /// Which of its choices.
        choice: usize,
        /// Its first target outside.
        target: u64,
    },
    /// Another state is initial.
    #[error("E1: state {state} is not the initial state of the system in this place")]
    Initial {
        /// The state.
        state: u64,
    },
    /// The system has more or fewer choices.
    #[error("E2: state {state} has other choices than the system says")]
    OtherChoices {
        /// The state.
        state: u64,
    },
    /// A choice leads elsewhere.
    #[error("E2: state {state}, choice {choice} leads to other states than the system says")]
    OtherTargets {
        /// The state.
        state: u64,
        /// Which of its choices.
        choice: usize,
    },
    /// More or fewer states have no choice.
    #[error("E2: from state {state} on, another number of states has no choice")]
    OtherDeadlocks {
        /// The first state of the worker.
        state: u64,
    },
    /// Nothing leads to a state from one with a smaller number.
    #[error("E3: no edge leads to state {state} from one with a smaller number")]
    Unfound {
        /// The state.
        state: u64,
    },
    /// A state has two numbers.
    #[error("E4: state {state} is the same as state {first}")]
    Repeated {
        /// The state.
        state: u64,
        /// The smaller number.
        first: u64,
    },
    /// The numbers are not those of a sequential search.
    #[error("E5: state {state} leads to a state before one with a smaller number was found")]
    OutOfOrder {
        /// The state.
        state: u64,
    },
}

impl Violation {
    /// The state, or the first one that it speaks of.
    #[must_use]
    pub fn state(&self) -> u64 {
        match *self {
            Self::OtherStates { .. } => 0,
            Self::EmptyChoice { state, .. }
            | Self::NoComponent { state }
            | Self::NotRoot { state, .. }
            | Self::Scattered { state, .. }
            | Self::Unreached { state, .. }
            | Self::NoReturn { state, .. }
            | Self::Backwards { state, .. }
            | Self::NoRetainedChoice { state, .. }
            | Self::Stays { state, .. }
            | Self::NoLaterTarget { state, .. }
            | Self::Initial { state }
            | Self::OtherChoices { state }
            | Self::OtherTargets { state, .. }
            | Self::OtherDeadlocks { state }
            | Self::Unfound { state }
            | Self::Repeated { state, .. }
            | Self::OutOfOrder { state } => state,
        }
    }
}

fn by_kind(kind: ComponentKind, scc: &'static str, mec: &'static str) -> &'static str {
    match kind {
        ComponentKind::Scc | ComponentKind::Bscc => scc,
        ComponentKind::Mec => mec,
    }
}

fn edge(kind: ComponentKind) -> &'static str {
    by_kind(kind, "edge", "choice that stays in it")
}
