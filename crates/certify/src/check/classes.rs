//! The range of places in the order for each class.

use super::column::{Column, Place, place};
use super::pieces::in_pieces;
use crate::Violation;
use mdp_graph::{BitSet, ComponentId, Components, StateId, Table};
use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// The places of the components of several states. No other state has a position between theirs.
pub(super) struct Classes {
    /// For each component of several states, the complement of the place of its first state. For
    /// components of one state, both tables are 0, and take no memory.
    first: Table<u64>,
    /// For each of these components, the position after that of its last state.
    end: Table<u32>,
    /// The positions from the first to the last of each of these components.
    taken: BitSet,
}

impl Classes {
    /// Checks that positions are at most the number of states, and that no two components share a
    /// position.
    pub(super) fn new(
        components: &Components,
        position: &(impl Column + ?Sized),
    ) -> Result<Self, Violation> {
        let states = components.num_states();
        let largest = in_pieces(states, |states| {
            states.map(|state| position.get(state)).max()
        });
        if largest.into_iter().max().flatten() > u32::try_from(states).ok() {
            return Err(no_such_position(position));
        }
        let mut classes = Self {
            first: Table::new(components.len()),
            end: Table::new(components.len()),
            taken: BitSet::new(states + 1),
        };
        classes.bound(components, position);
        let several = in_pieces(components.len(), |ids| {
            let several = ids.filter(|&id| classes.end[id] != 0);
            several.collect::<Vec<usize>>()
        });
        for id in several.into_iter().flatten() {
            if !classes.taken.insert_range(classes.positions(id)) {
                let among = classes.among(components, position);
                return Err(among.expect("two components share a position"));
            }
        }
        Ok(classes)
    }

    /// Finds the first and the last place of each component of several states.
    fn bound(&mut self, components: &Components, position: &(impl Column + ?Sized)) {
        let (first, end) = (self.first.as_atomics(), self.end.as_atomics());
        in_pieces(position.len(), |states| {
            let mut run = Run::new(None);
            for state in states {
                let id = StateId::from_index(state);
                let component = components.component(id);
                if component != run.component {
                    run.store(components, first, end);
                    run = Run::new(component);
                }
                let position = position.get(state);
                run.first = run.first.max(!place(position, id));
                run.end = run.end.max(position + 1);
            }
            run.store(components, first, end);
        });
    }

    /// Returns the positions from the first to the last of a component of several states.
    fn positions(&self, id: usize) -> Range<usize> {
        (!self.first[id] >> 32) as usize..self.end[id] as usize
    }

    /// Returns the range of places of the class of a state at `own`, or `None` if the position of
    /// the state is within the range of another component.
    #[inline]
    pub(super) fn of(
        &self,
        components: &Components,
        component: Option<ComponentId>,
        own: Place,
    ) -> Option<Range<Place>> {
        match component {
            Some(id) if components.size(id) > 1 => {
                let (first, end) = (self.first[id.index()], self.end[id.index()]);
                Some(!first..u64::from(end) << 32)
            }
            _ if self.taken.contains((own >> 32) as usize) => None,
            _ => Some(own..own + 1),
        }
    }

    /// Returns the violation of the smallest state whose position is within the range of another
    /// component, if there is one.
    #[cold]
    pub(super) fn among(
        &self,
        components: &Components,
        position: &(impl Column + ?Sized),
    ) -> Option<Violation> {
        // The number of components whose range includes a position is the sum of all changes up to
        // it.
        let mut changes = vec![0i32; self.taken.bound() + 1];
        let several = || (0..components.len()).filter(|&id| self.end[id] != 0);
        for range in several().map(|id| self.positions(id)) {
            changes[range.start] += 1;
            changes[range.end] -= 1;
        }
        let sums = changes.iter().scan(0, |sum, change| {
            *sum += change;
            Some(*sum)
        });
        let sums: Vec<i32> = sums.collect();
        let own = |state: usize| components.component(StateId::from_index(state));
        let is_among = |&state: &usize| {
            let is_alone = own(state).is_none_or(|id| components.size(id) == 1);
            sums[position.get(state) as usize] > i32::from(!is_alone)
        };
        let state = (0..position.len()).find(is_among)?;
        let mut others = several().filter(|&id| own(state) != Some(ComponentId::from_index(id)));
        let other = others.find(|&id| self.positions(id).contains(&(position.get(state) as usize)));
        let other = ComponentId::from_index(other?);
        Some(Violation::Scattered {
            kind: components.kind(),
            state: StateId::from_index(state),
            component: components.smallest(other),
        })
    }
}

#[cold]
fn no_such_position(position: &(impl Column + ?Sized)) -> Violation {
    let states = position.len();
    let mut wrong = (0..states).filter(|&state| position.get(state) as usize > states);
    let state = wrong.next().expect("a position is too large");
    Violation::PositionOutOfRange {
        state: StateId::from_index(state),
        position: position.get(state),
        states,
    }
}

/// A run of states with successive numbers in one component.
struct Run {
    component: Option<ComponentId>,
    first: u64,
    end: u32,
}

impl Run {
    fn new(component: Option<ComponentId>) -> Self {
        Self {
            component,
            first: 0,
            end: 0,
        }
    }

    /// Adds the run to the tables, if its component has several states.
    #[inline]
    fn store(&self, components: &Components, first: &[AtomicU64], end: &[AtomicU32]) {
        if let Some(id) = self.component
            && components.size(id) > 1
        {
            let (first, end) = (&first[id.index()], &end[id.index()]);
            // A read is faster than exclusive access to the cache line.
            if first.load(Relaxed) < self.first {
                first.fetch_max(self.first, Relaxed);
            }
            if end.load(Relaxed) < self.end {
                end.fetch_max(self.end, Relaxed);
            }
        }
    }
}
