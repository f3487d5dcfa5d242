//! The edges that stay in a component: of a maximal end component, those of the choices that it
//! retains.

use mdp_graph::{BitSet, ChoiceId, ComponentKind, Components, MdpGraph, StateId};
use std::iter::once;

/// The components of a graph, and the edges within them.
pub(super) struct Within<'a> {
    graph: &'a MdpGraph,
    components: &'a Components,
    /// The choices that end components retain, once they are known for all states.
    retained: Option<BitSet>,
}

impl<'a> Within<'a> {
    pub(super) fn new(graph: &'a MdpGraph, components: &'a Components) -> Self {
        Self {
            graph,
            components,
            retained: None,
        }
    }

    /// Looks at each choice once. From now on, nothing looks at all targets of a choice just to
    /// find out whether one of them is outside.
    pub(super) fn look_at_choices(&mut self) {
        if self.components.kind() != ComponentKind::Mec || self.retained.is_some() {
            return;
        }
        let mut retained = BitSet::new(self.graph.num_choices());
        for state in self.graph.states() {
            for choice in self.components.retained_choices(self.graph, state) {
                retained.insert(choice.index());
            }
        }
        self.retained = Some(retained);
    }

    /// Whether a strategy that stays in the component of `from` can use one of its choices.
    fn can_use(&self, from: StateId, choice: ChoiceId) -> bool {
        match (&self.retained, self.components.kind()) {
            (Some(retained), _) => retained.contains(choice.index()),
            (None, ComponentKind::Mec) => {
                let mut targets = self.graph.targets(choice).iter();
                targets.all(|&target| self.is_same(from, target))
            }
            (None, _) => true,
        }
    }

    /// Whether two states are in the same component.
    fn is_same(&self, one: StateId, other: StateId) -> bool {
        let own = self.components.component(one);
        own.is_some() && self.components.component(other) == own
    }

    /// Whether the edge of a choice of `from` to `target` stays in the component.
    pub(super) fn has(&self, from: StateId, choice: ChoiceId, target: StateId) -> bool {
        self.is_same(from, target) && self.can_use(from, choice)
    }

    /// Returns the edges from a state that stay in its component. In addition, there is a `None`
    /// for each choice and for each edge that leaves, so that who counts the items knows the work.
    pub(super) fn edges(
        &self,
        from: StateId,
    ) -> impl Iterator<Item = Option<(ChoiceId, StateId)>> + '_ {
        self.graph.choices(from).flat_map(move |choice| {
            let targets = match self.can_use(from, choice) {
                true => self.graph.targets(choice),
                false => &[],
            };
            let edges = targets.iter().map(move |&target| {
                let stays = self.is_same(from, target);
                stays.then_some((choice, target))
            });
            once(None).chain(edges)
        })
    }
}
