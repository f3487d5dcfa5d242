//! [`Classes`]: the states of a graph that become one state of its quotient.

use crate::{ComponentId, Components, Members, OutOfMemory, StateId, check_room};

/// The classes of a partition: components, and single states that are in none, in the order of
/// their smallest states.
pub(super) struct Classes<'c> {
    components: &'c Components,
    members: Members,
    /// The smallest state of each class.
    first: Vec<StateId>,
    /// For each state its class.
    of: Vec<StateId>,
}

impl<'c> Classes<'c> {
    pub(super) fn new(components: &'c Components) -> Result<Self, OutOfMemory> {
        let states = components.num_states();
        check_room(
            "the states of the quotient",
            &[12 * states, 8 * components.len()],
        )?;
        let mut first = Vec::new();
        let mut of: Vec<StateId> = Vec::with_capacity(states);
        for state in (0..states).map(StateId::from_index) {
            of.push(match components.smallest_of(state) {
                // It comes before the state, and so has its class already.
                Some(smallest) if smallest != state => of[smallest.index()],
                _ => {
                    first.push(state);
                    StateId::from_index(first.len() - 1)
                }
            });
        }
        first.shrink_to_fit();
        Ok(Self {
            members: components.members(),
            components,
            first,
            of,
        })
    }

    pub(super) fn len(&self) -> usize {
        self.first.len()
    }

    /// Returns the class of a state.
    #[inline]
    pub(super) fn of(&self, state: StateId) -> StateId {
        self.of[state.index()]
    }

    pub(super) fn into_classes_of_states(self) -> Vec<StateId> {
        self.of
    }

    /// Returns the component that a class is, unless it is a state that is in none.
    pub(super) fn component(&self, class: StateId) -> Option<ComponentId> {
        self.components.component(self.first[class.index()])
    }

    /// Returns the states of a class, ascending.
    pub(super) fn states(&self, class: StateId) -> &[StateId] {
        match self.component(class) {
            Some(component) => self.members.states(component),
            None => std::slice::from_ref(&self.first[class.index()]),
        }
    }
}
