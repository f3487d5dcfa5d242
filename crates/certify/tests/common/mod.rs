//! What the tests share: random models, oracles, and answers as lists of marks.

#[allow(dead_code, reason = "not every test uses every oracle")]
#[path = "../../../decompose/tests/common/mod.rs"]
mod models;

#[allow(unused_imports, reason = "not every test uses every oracle")]
pub(crate) use models::{Model, graph, mec_oracle, model, scc_oracle};

use mdp_graph::{ComponentKind, Components, MdpGraph, StateId};

/// For each state a number of its component, or [`Components::NONE`].
pub(crate) type Marks = Vec<u32>;

/// The answer that these marks give.
#[allow(dead_code, reason = "not every test uses it")]
pub(crate) fn components(kind: ComponentKind, graph: &MdpGraph, marks: &Marks) -> Components {
    match kind {
        ComponentKind::Scc => Components::from_scc_marks(graph, marks.clone()),
        ComponentKind::Mec => Components::from_mec_marks(marks.clone()),
    }
}

/// The marks of labels, as the oracles and the decompositions give them.
#[allow(dead_code, reason = "not every test uses it")]
pub(crate) fn marks(labels: impl IntoIterator<Item = Option<u32>>) -> Marks {
    let mark = |label: Option<u32>| label.unwrap_or(Components::NONE);
    labels.into_iter().map(mark).collect()
}

/// The labels of an answer.
#[allow(dead_code, reason = "not every test uses it")]
pub(crate) fn labels(components: &Components) -> Vec<Option<u32>> {
    let states = (0..components.num_states()).map(StateId::from_index);
    states
        .map(|state| components.label(state).map(|label| label.0))
        .collect()
}
