//! [`Components`]: the strongly connected or maximal end components of a graph.
//!
//! Components are numbered by their smallest states, so that equal answers are equal values,
//! whatever computed them.

use crate::first_states::{components_with, first_states};
use crate::numbering::{self, NONE};
use crate::sizes::Sizes;
use crate::{BitSet, ChoiceId, ComponentId, MdpGraph, Partition, StateId, Table};
use std::sync::OnceLock;

/// The kind of components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComponentKind {
    /// Strongly connected components: every state is in one.
    Scc,
    /// Maximal end components: a state may be in none.
    Mec,
    /// Bottom strongly connected components, which no edge leaves: a state may be in none.
    Bscc,
}

/// The components whose sizes are from one power of two to below the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeClass {
    /// The least size, a power of two.
    pub from: u32,
    /// The greatest size, `2 * from - 1`.
    pub to: u32,
    /// The number of components that have such a size; at least one.
    pub components: u64,
    /// The number of states that these have together.
    pub states: u64,
}

/// A set of disjoint components, in the order of their smallest states.
///
/// A graph may have as many components as states. So tables of smallest states and of sizes are
/// made when they are needed first, in O(n) time.
#[derive(Clone, Debug)]
pub struct Components {
    kind: ComponentKind,
    /// For each state its component, or [`NONE`].
    component: Table<u32>,
    sizes: Sizes,
    trivial: BitSet,
    /// For each component its smallest state.
    smallest: OnceLock<Table<u32>>,
}

impl PartialEq for Components {
    fn eq(&self, other: &Self) -> bool {
        // The components of states determine smallest states and sizes.
        self.kind == other.kind
            && self.trivial == other.trivial
            && self.component == other.component
    }
}

impl Eq for Components {}

impl Components {
    /// The mark, in the arrays given to the constructors, of a state that is in no component.
    pub const NONE: u32 = NONE;

    /// Returns strongly connected components: two states are in the same one if `marks` gives them
    /// the same number, which may be any number below `u32::MAX`.
    pub fn from_scc_marks(graph: &MdpGraph, marks: impl Into<Partition>) -> Self {
        Self::from_scc_marks_and_loops(marks, |state| graph.has_self_loop(state))
    }

    /// As [`from_scc_marks`](Self::from_scc_marks), for a graph of which only the self-loops are
    /// known: `has_self_loop` says which states have one.
    pub fn from_scc_marks_and_loops(
        marks: impl Into<Partition>,
        has_self_loop: impl Fn(StateId) -> bool + Sync,
    ) -> Self {
        Self::of_cycles(ComponentKind::Scc, marks.into(), has_self_loop)
    }

    /// Returns maximal end components. [`Components::NONE`] marks a state that is in none.
    pub fn from_mec_marks(marks: impl Into<Partition>) -> Self {
        Self::from_marks(ComponentKind::Mec, marks.into(), |_, sizes| sizes.ones())
    }

    /// Returns strongly connected components, of which one of one state is trivial if this state
    /// has no self-loop.
    pub(crate) fn of_cycles(
        kind: ComponentKind,
        marks: Partition,
        has_self_loop: impl Fn(StateId) -> bool + Sync,
    ) -> Self {
        Self::from_marks(kind, marks, |component, sizes| {
            if sizes.num_ones() == 0 {
                return BitSet::new(sizes.len());
            }
            let is_trivial =
                |i: usize, state: u32| sizes.is_one(i) && !has_self_loop(StateId(state));
            components_with(component, sizes.len(), is_trivial)
        })
    }

    /// `trivial`: returns the trivial components, given the component of each state.
    fn from_marks(
        kind: ComponentKind,
        partition: Partition,
        trivial: impl FnOnce(&[u32], &Sizes) -> BitSet,
    ) -> Self {
        let Partition { mut marks, known } = partition;
        let sizes = Sizes::new(numbering::number_and_find_several(&mut marks, known));
        Self {
            kind,
            trivial: trivial(&marks, &sizes),
            component: marks,
            sizes,
            smallest: OnceLock::new(),
        }
    }

    /// Returns the kind of components.
    pub fn kind(&self) -> ComponentKind {
        self.kind
    }

    /// Returns the number of components.
    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    /// Returns whether there is no component.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of states of the graph.
    pub fn num_states(&self) -> usize {
        self.component.len()
    }

    /// Returns all components, in the order of their smallest states.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = ComponentId> + use<> {
        (0..self.len()).map(ComponentId::from_index)
    }

    /// Returns the component of `state`, if it is in one.
    #[inline]
    pub fn component(&self, state: StateId) -> Option<ComponentId> {
        let number = self.component[state.index()];
        (number != NONE).then_some(ComponentId(number))
    }

    /// Returns the number of the component of each state, or [`NONE`](Self::NONE).
    pub fn numbers(&self) -> &[u32] {
        &self.component
    }

    /// Returns the [`numbers`](Self::numbers), and discards everything else.
    #[must_use]
    pub fn into_numbers(self) -> Table<u32> {
        self.component
    }

    /// Returns the smallest state of the component of `state`, if it is in one. It names the
    /// component.
    #[inline]
    pub fn smallest_of(&self, state: StateId) -> Option<StateId> {
        self.component(state).map(|id| self.smallest(id))
    }

    /// Returns the smallest state of a component.
    pub fn smallest(&self, id: ComponentId) -> StateId {
        let table = || first_states(&self.component, self.len());
        StateId(self.smallest.get_or_init(table)[id.index()])
    }

    /// Returns the number of states of a component.
    pub fn size(&self, id: ComponentId) -> u32 {
        self.sizes.get(&self.component, id.index())
    }

    /// Returns whether a component is trivial: one state, and for strongly connected components,
    /// bottom ones or all, one without a self-loop.
    pub fn is_trivial(&self, id: ComponentId) -> bool {
        self.trivial.contains(id.index())
    }

    /// Returns the number of trivial components.
    pub fn num_trivial(&self) -> usize {
        self.trivial.count()
    }

    /// Returns the number of states of the smallest component.
    pub fn smallest_size(&self) -> Option<u32> {
        match self.sizes.num_ones() {
            0 => self.sizes.of_several(&self.component).iter().copied().min(),
            _ => Some(1),
        }
    }

    /// Returns the number of states of the largest component.
    pub fn largest_size(&self) -> Option<u32> {
        let one = (self.sizes.num_ones() > 0).then_some(1);
        let of_several = self.sizes.of_several(&self.component).iter().copied();
        of_several.max().or(one)
    }

    /// Returns the number of components in each class of sizes, smallest sizes first. Classes
    /// without components are left out.
    pub fn size_classes(&self) -> Vec<SizeClass> {
        let mut counts = [(0u64, 0u64); 32];
        counts[0] = (self.sizes.num_ones() as u64, self.sizes.num_ones() as u64);
        for &size in self.sizes.of_several(&self.component) {
            let (components, states) = &mut counts[size.ilog2() as usize];
            *components += 1;
            *states += u64::from(size);
        }
        let classes = (0..)
            .zip(counts)
            .map(|(power, (components, states))| SizeClass {
                from: 1 << power,
                to: u32::MAX >> (31 - power),
                components,
                states,
            });
        classes.filter(|class| class.components > 0).collect()
    }

    /// Returns the number of states that are in a component.
    pub fn num_member_states(&self) -> usize {
        let of_several = self.sizes.of_several(&self.component).iter();
        self.sizes.num_ones() + of_several.map(|&size| size as usize).sum::<usize>()
    }

    /// Returns the choices of `state` that never leave its component: the ones that a maximal end
    /// component retains. None for a state that is in no component.
    pub fn retained_choices<'a>(
        &'a self,
        graph: &'a MdpGraph,
        state: StateId,
    ) -> impl Iterator<Item = ChoiceId> + 'a {
        let own = self.component(state);
        let stays = move |&choice: &ChoiceId| {
            let targets = graph.targets(choice);
            own.is_some() && targets.iter().all(|&target| self.component(target) == own)
        };
        graph.choices(state).filter(stays)
    }

    /// Returns the states grouped by component.
    pub fn members(&self) -> Members {
        let mut offsets = Vec::with_capacity(self.len() + 1);
        let mut end = 0;
        offsets.push(0);
        offsets.extend(self.ids().map(|id| {
            end += self.size(id);
            end
        }));
        let mut next = offsets.clone();
        let mut states = vec![StateId(0); end as usize];
        for (state, &number) in self
            .component
            .iter()
            .enumerate()
            .filter(|(_, n)| **n != NONE)
        {
            let next = &mut next[number as usize];
            states[*next as usize] = StateId::from_index(state);
            *next += 1;
        }
        Members { offsets, states }
    }
}

/// The states of every component, ascending, in one array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Members {
    offsets: Vec<u32>,
    states: Vec<StateId>,
}

impl Members {
    /// Returns the states of a component, ascending.
    pub fn states(&self, id: ComponentId) -> &[StateId] {
        let i = id.index();
        &self.states[self.offsets[i] as usize..self.offsets[i + 1] as usize]
    }
}
