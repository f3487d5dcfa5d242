//! [`Violation`]: the obligation that an answer or its certificate violates, and the place.

use mdp_graph::ComponentKind;

/// An obligation of a [`Certificate`](crate::Certificate) that is violated. States have their
/// numbers in the whole model; choices are numbered from 0 within their state.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Violation {
    /// The answer or the certificate does not have a number for each state of this worker.
    #[error(
        "the answer or the certificate does not have a number for each state of worker {worker}"
    )]
    OtherStates {
        /// The worker.
        worker: usize,
    },
    /// A choice has no target, so it would be retained without a reason.
    #[error("state {state}, choice {choice} has no target")]
    EmptyChoice {
        /// The state.
        state: u64,
        /// The index of its choice.
        choice: usize,
    },
    /// A state is in no strongly connected component.
    #[error("state {state} is in no strongly connected component, but every state is in one")]
    NoComponent {
        /// The state.
        state: u64,
    },
    /// The label of a component is not its smallest state.
    #[error(
        "{}: state {state} is said to be in the component of state {component}, which is not the \
         smallest state of it",
        by_kind(*kind, "S0", "M1")
    )]
    NotRoot {
        /// The kind of the components.
        kind: ComponentKind,
        /// The state.
        state: u64,
        /// The label of its component.
        component: u64,
    },
    /// The states of a component have different ranks.
    #[error(
        "{}: state {state} has another rank than state {component}, whose component it is in",
        by_kind(*kind, "S0", "M1")
    )]
    Scattered {
        /// The kind of the components.
        kind: ComponentKind,
        /// The state.
        state: u64,
        /// The root of its component.
        component: u64,
    },
    /// A state is not the target of an edge from a state of its component with a smaller number.
    #[error(
        "{}: state {state}, in the component of state {component}, is reached by no {} from a \
         state of it with a smaller number",
        by_kind(*kind, "S1", "M3"), edge(*kind)
    )]
    Unreached {
        /// The kind of the components.
        kind: ComponentKind,
        /// The state.
        state: u64,
        /// The root of its component.
        component: u64,
    },
    /// A state has no edge to a state of its component with a smaller number.
    #[error(
        "{}: state {state}, in the component of state {component}, has no {} to a state of it with \
         a smaller number",
        by_kind(*kind, "S2", "M3"), edge(*kind)
    )]
    NoReturn {
        /// The kind of the components.
        kind: ComponentKind,
        /// The state.
        state: u64,
        /// The root of its component.
        component: u64,
    },
    /// An edge leaves its component, but its target does not have a smaller rank.
    #[error(
        "S3: state {state}, choice {choice} leads to state {target}, outside its component but not \
         of a smaller rank"
    )]
    Backwards {
        /// The state.
        state: u64,
        /// The index of its choice.
        choice: usize,
        /// The target of the edge.
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
    /// A state that is in no maximal end component is a maximal end component by itself.
    #[error("M4: state {state} is in no component, but choice {choice} leads back to it alone")]
    Stays {
        /// The state.
        state: u64,
        /// The index of its choice.
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
        /// The index of its choice.
        choice: usize,
        /// Its first target outside.
        target: u64,
    },
    /// The initial states are not those of the system.
    #[error("E1: state {state} is not the initial state of the system in this place")]
    Initial {
        /// The state.
        state: u64,
    },
    /// The state has more or fewer choices than in the system.
    #[error("E2: state {state} has other choices than the system says")]
    OtherChoices {
        /// The state.
        state: u64,
    },
    /// The targets of a choice are not those in the system.
    #[error("E2: state {state}, choice {choice} leads to other states than the system says")]
    OtherTargets {
        /// The state.
        state: u64,
        /// The index of its choice.
        choice: usize,
    },
    /// The number of states without a choice is not that of the worker's part.
    #[error("E2: from state {state} on, another number of states has no choice")]
    OtherDeadlocks {
        /// The first state of the worker.
        state: u64,
    },
    /// No state with a smaller number leads to this state.
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
    /// Returns the state that the violation refers to, or the first of several.
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
