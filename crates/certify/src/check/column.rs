//! Numbers of states, and the places of states in the order of a certificate.

use mdp_graph::StateId;

/// A number for each state.
pub(crate) trait Column: Sync {
    fn len(&self) -> usize;

    /// Returns the number of a state, which is given by its index.
    fn get(&self, state: usize) -> u32;
}

/// A column of this many zeros, which takes no memory.
pub(crate) struct Zeros(pub(crate) usize);

impl Column for Zeros {
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

/// The place of a state in the order: its position and, in the low half, its number.
pub(super) type Place = u64;

#[inline]
pub(super) fn place(position: u32, state: StateId) -> Place {
    u64::from(position) << 32 | u64::from(state.0)
}
