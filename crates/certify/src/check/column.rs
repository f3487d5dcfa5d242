//! Numbers of states, and the places of states in the order of a certificate.

use mdp_graph::StateId;

/// A number for each state.
pub(crate) trait Column: Sync {
    fn len(&self) -> usize;

    /// That of a state, given as a subscript.
    fn get(&self, state: usize) -> u32;
}

/// This many times 0: in no memory, where looking up is all that takes time.
pub(crate) struct Same(pub(crate) usize);

impl Column for Same {
    fn len(&self) -> usize {
        self.0
    }

    #[inline]
    fn get(&self, _: usize) -> u32 {
        0
    }
}

impl<T: Copy + Into<u32> + Sync> Column for [T] {
    fn len(&self) -> usize {
        self.len()
    }

    #[inline]
    fn get(&self, state: usize) -> u32 {
        self[state].into()
    }
}

/// Where a state stands in the order: its position, then its number.
pub(super) type Place = u64;

#[inline]
pub(super) fn place(position: u32, state: StateId) -> Place {
    u64::from(position) << 32 | u64::from(state.0)
}
