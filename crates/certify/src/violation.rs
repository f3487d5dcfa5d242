//! [`Violation`]: the obligation that an answer or its certificate does not meet, and the place
//! where it fails.

use mdp_graph::{ComponentKind, StateId, counted};

/// An obligation that is not met. The message names states and choices. Choices are counted from 0,
/// in the order of their state.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Violation {
    /// The answer is about another graph.
    #[error("the answer is about {}, but the model has {}", counted_states(*.answer), counted_states(*.graph))]
    OtherGraph {
        /// The number of states of the graph.
        graph: usize,
        /// The number of states of the answer.
        answer: usize,
    },
    /// A choice has no target. Such a choice has no meaning for engines and obligations.
    #[error("state {state}, choice {choice} has no target")]
    EmptyChoice {
        /// The state.
        state: StateId,
        /// The index of the choice in its state.
        choice: usize,
    },
    /// A state is in no strongly connected component.
    #[error("state {state} is in no strongly connected component, but every state is in one")]
    NoComponent {
        /// The state.
        state: StateId,
    },
    /// The certificate has arrays of the wrong length.
    #[error(
        "the certificate's array \"{array}\" has length {found}, but the model has {}",
        counted_states(*.states)
    )]
    WrongLength {
        /// `"position"` or `"back"`.
        array: &'static str,
        /// Its length.
        found: usize,
        /// The number of states.
        states: usize,
    },
    /// The certificate has a position that is larger than the number of states.
    #[error(
        "the certificate puts state {state} at position {position}, but the model has {}",
        counted_states(*.states)
    )]
    PositionOutOfRange {
        /// The state.
        state: StateId,
        /// Its position.
        position: u32,
        /// The number of states.
        states: usize,
    },
    /// Another state has a position between those of a component.
    #[error(
        "{}: in the certificate's order, state {state} stands among those of another component, \
         that of state {component}",
        together(*kind)
    )]
    Scattered {
        /// The kind of the components.
        kind: ComponentKind,
        /// The state.
        state: StateId,
        /// The smallest state of the other component.
        component: StateId,
    },
    /// No earlier state of its component leads to a state.
    #[error(
        "{}: state {state}, in the component of state {component}, is reached by no {} from a \
         state of it that is earlier in the order",
        forward(*kind), edge(*kind)
    )]
    Unreached {
        /// The kind of the components.
        kind: ComponentKind,
        /// The state.
        state: StateId,
        /// The smallest state of its component.
        component: StateId,
    },
    /// A state does not get back to the first state of its component.
    #[error(
        "{}: state {state}, in the component of state {component}, has no {} on a way back to \
         the first of it in the order",
        backward(*kind), edge(*kind)
    )]
    NoReturn {
        /// The kind of the components.
        kind: ComponentKind,
        /// The state.
        state: StateId,
        /// The smallest state of its component.
        component: StateId,
    },
    /// An edge leads to an earlier strongly connected component.
    #[error(
        "S3: state {state}, choice {choice} leads to state {target}, outside its component but not \
         in a later one"
    )]
    Backwards {
        /// The state.
        state: StateId,
        /// The index of the choice in its state.
        choice: usize,
        /// The target of the edge.
        target: StateId,
    },
    /// A choice leaves its class, but leads to no later class.
    #[error(
        "O1: state {state}, choice {choice} leads to state {target}, outside its component, but \
         to no component or state that is later in the order"
    )]
    NoLaterTarget {
        /// The state.
        state: StateId,
        /// The index of the choice in its state.
        choice: usize,
        /// The first target outside of the class.
        target: StateId,
    },
    /// A state of a maximal end component has no choice that stays in it.
    #[error(
        "M2: state {state}, in the component of state {component}, has no choice that stays there"
    )]
    NoRetainedChoice {
        /// The state.
        state: StateId,
        /// The smallest state of its component.
        component: StateId,
    },
    /// A state that is in no maximal end component is one by itself.
    #[error("M4: state {state} is in no component, but choice {choice} leads back to it alone")]
    Stays {
        /// The state.
        state: StateId,
        /// The index of the choice in its state.
        choice: usize,
    },
    /// No certificate exists: two states of one component do not reach each other.
    #[error(
        "{}: states {state} and {other} are in one component, but no path along {} leads from one to \
         the other and back",
        connected(*kind), by_kind(*kind, "edges", "choices that stay in it")
    )]
    NotConnected {
        /// The kind of the components.
        kind: ComponentKind,
        /// The smaller state.
        state: StateId,
        /// The larger state.
        other: StateId,
    },
    /// No certificate exists: two states reach each other, but are in two components.
    #[error("S3: states {state} and {other} reach each other, but are in different components")]
    Separated {
        /// The smaller state.
        state: StateId,
        /// The larger state.
        other: StateId,
    },
    /// No certificate exists: several classes together contain an end component.
    #[error(
        "O1: state {state}, choice {choice} leads to state {target}, outside its component, and on \
         to an end component that is not inside any component of the answer"
    )]
    Inseparable {
        /// The state.
        state: StateId,
        /// The index of the choice in its state.
        choice: usize,
        /// The first target outside of the class.
        target: StateId,
    },
    /// A bottom component is not a whole strongly connected component.
    #[error(
        "B1: state {state} is said to be in the bottom component of state {component}, which is not \
         its strongly connected component"
    )]
    OtherBottom {
        /// The state.
        state: StateId,
        /// The smallest state of the bottom component.
        component: StateId,
    },
    /// An edge leaves a bottom component.
    #[error(
        "B2: state {state}, in the component of state {component}, has an edge to state {target}, \
         outside it"
    )]
    LeavesBottom {
        /// The state.
        state: StateId,
        /// The smallest state of its component.
        component: StateId,
        /// The target of the edge.
        target: StateId,
    },
    /// A component that no edge leaves is missing.
    #[error(
        "B3: state {state} is in no bottom component, but no edge leaves its strongly connected \
         component, that of state {component}"
    )]
    MissingBottom {
        /// The state.
        state: StateId,
        /// The smallest state of its strongly connected component.
        component: StateId,
    },
}

impl Violation {
    /// Returns the name of the obligation in [`Certificate`](crate::Certificate), or `"form"` if
    /// the answer or the certificate does not have the form that the obligations assume.
    pub fn obligation(&self) -> &'static str {
        match self {
            Self::OtherGraph { .. }
            | Self::EmptyChoice { .. }
            | Self::NoComponent { .. }
            | Self::WrongLength { .. }
            | Self::PositionOutOfRange { .. } => "form",
            Self::Scattered { kind, .. } => together(*kind),
            Self::Unreached { kind, .. } => forward(*kind),
            Self::NoReturn { kind, .. } => backward(*kind),
            Self::NotConnected { kind, .. } => connected(*kind),
            Self::Backwards { .. } | Self::Separated { .. } => "S3",
            Self::OtherBottom { .. } => "B1",
            Self::LeavesBottom { .. } => "B2",
            Self::MissingBottom { .. } => "B3",
            Self::NoRetainedChoice { .. } => "M2",
            Self::Stays { .. } => "M4",
            Self::NoLaterTarget { .. } | Self::Inseparable { .. } => "O1",
        }
    }
}

fn by_kind(kind: ComponentKind, scc: &'static str, mec: &'static str) -> &'static str {
    match kind {
        ComponentKind::Scc | ComponentKind::Bscc => scc,
        ComponentKind::Mec => mec,
    }
}

pub(crate) fn counted_states(count: usize) -> String {
    counted(count as u64, "state", "states")
}

fn together(kind: ComponentKind) -> &'static str {
    by_kind(kind, "S0", "M1")
}

fn forward(kind: ComponentKind) -> &'static str {
    by_kind(kind, "S1", "M3")
}

fn backward(kind: ComponentKind) -> &'static str {
    by_kind(kind, "S2", "M3")
}

fn connected(kind: ComponentKind) -> &'static str {
    by_kind(kind, "S1, S2", "M3")
}

fn edge(kind: ComponentKind) -> &'static str {
    by_kind(kind, "edge", "choice that stays in it")
}
