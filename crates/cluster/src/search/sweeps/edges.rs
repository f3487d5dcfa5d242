//! [`Edges`]: the edges that are used by a search with sweeps.

use mdp_graph::{ComponentKind, MdpGraph, SharedBits, StateId};

/// The edges between states that are not closed: for SCCs all edges, for MECs those of the choices
/// without a closed target.
pub(super) struct Edges<'a> {
    graph: &'a MdpGraph,
    closed: &'a SharedBits,
    /// Whether a choice with a closed target is ignored completely.
    by_choices: bool,
}

impl<'a> Edges<'a> {
    pub(super) fn new(graph: &'a MdpGraph, closed: &'a SharedBits, kind: ComponentKind) -> Self {
        Self {
            by_choices: kind == ComponentKind::Mec && !closed.is_empty(),
            graph,
            closed,
        }
    }

    /// Calls `visit` with each target of a state.
    #[inline]
    pub(super) fn each_target(&self, state: u32, mut visit: impl FnMut(u32)) {
        match self.by_choices {
            true => staying(self.graph, self.closed, state)
                .flatten()
                .for_each(|&target| visit(target)),
            false => self
                .all(state)
                .iter()
                .filter(|&&target| !self.closed.contains(target))
                .for_each(|&target| visit(target)),
        }
    }

    /// Returns whether a state has a target in a set, which must not contain closed states.
    #[inline]
    pub(super) fn lead_into(&self, state: u32, set: &SharedBits) -> bool {
        let is_in = |&target: &u32| set.contains(target);
        match self.by_choices {
            true => {
                staying(self.graph, self.closed, state).any(|targets| targets.iter().any(is_in))
            }
            false => self.all(state).iter().any(is_in),
        }
    }

    #[inline]
    fn all(&self, state: u32) -> &'a [u32] {
        StateId::as_numbers(self.graph.successors(StateId(state)))
    }
}

/// Returns the targets of each choice of a state that has no target in `closed`.
#[inline]
pub(super) fn staying<'a>(
    graph: &'a MdpGraph,
    closed: &'a SharedBits,
    state: u32,
) -> impl Iterator<Item = &'a [u32]> {
    let choices = graph.choices(StateId(state));
    let targets = choices.map(|choice| StateId::as_numbers(graph.targets(choice)));
    targets.filter(|targets| !targets.iter().any(|&target| closed.contains(target)))
}
