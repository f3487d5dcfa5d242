//! Typed indices: an index of one kind cannot be used where another is meant.

use bytemuck::{Pod, Zeroable};
use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Pod, Zeroable)]
        #[repr(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// Returns the index as a subscript.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// Returns the index at subscript `i`. Counts are limited to `u32` when a graph is
            /// built, so a subscript into one of its arrays always fits.
            #[inline]
            pub fn from_index(i: usize) -> Self {
                debug_assert!(u32::try_from(i).is_ok());
                Self(i as u32)
            }

            /// Reads plain numbers as indices, without copying.
            #[inline]
            pub fn cast_slice(numbers: &[u32]) -> &[Self] {
                bytemuck::cast_slice(numbers)
            }

            /// Reads indices as plain numbers, without copying.
            #[inline]
            pub fn as_numbers(ids: &[Self]) -> &[u32] {
                bytemuck::cast_slice(ids)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

id!(
    /// A state, `0..n`.
    StateId
);
id!(
    /// A choice, `0..c`, numbered over the whole model: the choices of state 0, then of state 1, …
    ChoiceId
);
id!(
    /// A branch, `0..m`: one target of one choice, numbered over the whole model.
    BranchId
);
id!(
    /// A component, numbered in the order of smallest states.
    ComponentId
);
