//! Certificates for MECs: a search along the retained choices alone shows that each component is
//! connected by them, and an attractor orders the components and the other states.

use super::attractor;
use super::search::{self, Groups, Rows};
use crate::{Certificate, Violation};
use mdp_graph::{
    BitSet, ChoiceId, ComponentId, ComponentKind, Components, MdpGraph, StateId, Table,
};

pub(super) fn produce(graph: &MdpGraph, components: &Components) -> Result<Certificate, Violation> {
    let answer = Answer { graph, components };
    let retained = Retained::new(answer)?;
    let blocks = Blocks::new(answer, &retained)?;
    let closed = retained.into_closed();
    attractor::order(answer, &blocks, &closed)
}

/// A model, and what are said to be its MECs.
#[derive(Clone, Copy)]
pub(super) struct Answer<'a> {
    pub(super) graph: &'a MdpGraph,
    pub(super) components: &'a Components,
}

impl Answer<'_> {
    /// Whether all targets of a choice of `state` are in the class of `state`.
    #[inline]
    pub(super) fn retains(self, state: StateId, choice: ChoiceId) -> bool {
        let mut targets = self.graph.targets(choice).iter();
        match self.components.component(state) {
            None => targets.all(|&target| target == state),
            own => targets.all(|&target| self.components.component(target) == own),
        }
    }
}

/// The edges of retained choices.
struct Retained {
    offsets: Table<u32>,
    /// As long as all branches, which may be more.
    targets: Table<u32>,
    /// The components that no choice leaves.
    closed: BitSet,
}

impl Retained {
    /// Finds out whether M2 and M4 hold, too.
    fn new(answer: Answer<'_>) -> Result<Self, Violation> {
        let Answer { graph, components } = answer;
        let mut offset_table = Table::new(graph.num_states() + 1);
        let mut target_table = Table::new(graph.num_branches());
        let (offsets, targets): (&mut [u32], &mut [u32]) = (&mut offset_table, &mut target_table);
        let mut end = 0;
        let mut left = BitSet::new(components.len());
        for state in graph.states() {
            let component = components.component(state);
            let mut retains = false;
            for (i, choice) in graph.choices(state).enumerate() {
                let stays = answer.retains(state, choice);
                match component {
                    Some(_) if stays => {
                        retains = true;
                        let edges = StateId::as_numbers(graph.targets(choice));
                        targets[end..end + edges.len()].copy_from_slice(edges);
                        end += edges.len();
                    }
                    Some(id) => {
                        left.insert(id.index());
                    }
                    None if stays => return Err(Violation::Stays { state, choice: i }),
                    None => {}
                }
            }
            if let Some(id) = component.filter(|_| !retains) {
                let component = components.smallest(id);
                return Err(Violation::NoRetainedChoice { state, component });
            }
            offsets[state.index() + 1] = end as u32;
        }
        let mut closed = BitSet::new(components.len());
        for id in components.ids().filter(|id| !left.contains(id.index())) {
            closed.insert(id.index());
        }
        Ok(Self {
            offsets: offset_table,
            targets: target_table,
            closed,
        })
    }

    /// Gives the memory of the edges back.
    fn into_closed(self) -> BitSet {
        self.closed
    }
}

/// The states of each component in an order for the certificate.
pub(super) struct Blocks {
    groups: Groups,
    /// For each component where it begins.
    first: Vec<u32>,
}

/// A component as a certificate needs it.
pub(super) struct Block<'a> {
    pub(super) states: &'a [StateId],
    /// For each of them another one that it gets back to, by its place in [`Blocks`].
    back: &'a [u32],
    first: u32,
}

impl Block<'_> {
    /// The positions to which the states get back, if the first is at `first`.
    #[inline]
    pub(super) fn back(&self, first: u32) -> impl Iterator<Item = u32> + '_ {
        self.back.iter().map(move |back| back - self.first + first)
    }
}

impl Blocks {
    /// Finds out whether M3 holds, too.
    fn new(answer: Answer<'_>, retained: &Retained) -> Result<Self, Violation> {
        let Answer { graph, components } = answer;
        let mut first = vec![0; components.len()];
        let rows = Rows {
            offsets: &retained.offsets,
            targets: &retained.targets,
        };
        let is_member = |state: &StateId| components.component(*state).is_some();
        let members = super::from_last(graph).filter(is_member);
        let groups = search::groups(
            rows,
            members,
            components.num_member_states(),
            |at, group| {
                // Retained choices lead to no other component: all of the group is in this one.
                if let Some(id) = components.component(group[0]) {
                    if group.len() < components.size(id) as usize {
                        return Err(super::not_connected(ComponentKind::Mec, components, group));
                    }
                    first[id.index()] = at as u32;
                }
                Ok(())
            },
        )?;
        Ok(Self { groups, first })
    }

    #[inline]
    pub(super) fn get(&self, id: ComponentId, size: u32) -> Block<'_> {
        let first = self.first[id.index()];
        let range = first as usize..(first + size) as usize;
        Block {
            states: &self.groups.order[range.clone()],
            back: &self.groups.back[range],
            first,
        }
    }
}
