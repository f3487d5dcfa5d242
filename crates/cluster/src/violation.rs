//! [`Violation`]: which obligation an answer or its certificate does not meet, and where.

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
            | Self::NoLaterTarget { state, .. } => state,
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
