//! What the tests have in common: random models, oracles, and answers as lists of marks.

#![allow(dead_code, unused_imports, reason = "not every test uses all of it")]

#[path = "../../../../decompose/tests/common/mod.rs"]
mod models;

pub(crate) use models::{Model, graph, mec_oracle, model, scc_oracle};

use decompose::{Options, mec, scc};
use mdp_graph::{ComponentKind, Components, MdpGraph, StateId};

pub(crate) const KINDS: [ComponentKind; 2] = [ComponentKind::Scc, ComponentKind::Mec];

/// For each state the number of its component, or [`Components::NONE`].
pub(crate) type Marks = Vec<u32>;

/// Returns the answer with these marks.
pub(crate) fn components(kind: ComponentKind, graph: &MdpGraph, marks: &Marks) -> Components {
    match kind {
        ComponentKind::Scc => Components::from_scc_marks(graph, marks.clone()),
        ComponentKind::Mec => Components::from_mec_marks(marks.clone()),
        ComponentKind::Bscc => Components::from_scc_marks(graph, marks.clone()).only_bottom(graph),
    }
}

/// Returns marks for the labels that oracles return.
pub(crate) fn marks(labels: impl IntoIterator<Item = Option<u32>>) -> Marks {
    let mark = |label: Option<u32>| label.unwrap_or(Components::NONE);
    labels.into_iter().map(mark).collect()
}

/// Returns the marks of an answer: the smallest state of each state's component.
pub(crate) fn marks_of(answer: &Components) -> Marks {
    let states = (0..answer.num_states()).map(StateId::from_index);
    marks(states.map(|state| answer.smallest_of(state).map(|label| label.0)))
}

/// Returns the right answer, found by the decompositions, which are compared with oracles on small
/// models.
pub(crate) fn decomposed(kind: ComponentKind, graph: &MdpGraph) -> Components {
    let options = Options::default();
    let found = match kind {
        ComponentKind::Mec => mec(graph, &options),
        ComponentKind::Scc | ComponentKind::Bscc => scc(graph, &options),
    };
    let found = found.expect("the CPU answers");
    match kind {
        ComponentKind::Bscc => found.only_bottom(graph),
        _ => found,
    }
}
