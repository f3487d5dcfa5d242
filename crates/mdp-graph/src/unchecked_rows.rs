//! [`UncheckedRows`]: compressed sparse rows of a caller, with indices of 32 or 64 bits that may be
//! out of range. Checking all indices takes a noticeable part of the time of a search, and so does
//! converting indices of 64 bits to 32 bits. A search that reads each index anyway can check it at
//! the same time, and needs neither pass.

use crate::build_error::check_count;
use crate::checks::{Number, are_below, check_offsets, narrow};
use crate::{Array, BuildError, Lender, Rows, StateId};
use std::fmt;

/// A type of indices: `u32` or `u64`. No other crate can implement this.
pub trait Index: Number + fmt::Debug {
    /// Returns the index as one of a slice.
    fn as_usize(self) -> usize;

    /// Returns whether numbers are below a bound.
    fn are_below(numbers: &[Self], bound: usize) -> bool {
        are_below(numbers, bound)
    }

    /// Returns the same rows with indices of 32 bits. Wrong ones stay wrong.
    #[doc(hidden)]
    fn narrow(rows: &UncheckedRows<Self>) -> UncheckedRows<u32>;
}

/// A directed graph: the edges of state `s` lead to the targets from `offsets()[s]` to
/// `offsets()[s + 1] - 1`. These have not been checked, and may be out of range. Clones share the
/// arrays.
#[derive(Clone, Debug)]
pub struct UncheckedRows<I: Index> {
    offsets: Array<I>,
    targets: Array<I>,
}

impl<I: Index> UncheckedRows<I> {
    /// Makes rows from their two arrays.
    ///
    /// # Errors
    /// [`BuildError::Offsets`] if the offsets do not ascend from 0 to the number of targets, and
    /// [`BuildError::TooMany`] if there are more states or edges than
    /// [`MAX_COUNT`](crate::MAX_COUNT).
    pub fn new(offsets: Array<I>, targets: Array<I>) -> Result<Self, BuildError> {
        let states = offsets.len().saturating_sub(1);
        check_count("states", states as u64)?;
        check_count("branches", targets.len() as u64)?;
        check_offsets("branch", &offsets, targets.len())?;
        Ok(Self { offsets, targets })
    }

    /// Returns the number of states.
    pub fn num_states(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Returns the targets of the edges of a state, unchecked.
    pub fn targets_of(&self, state: usize) -> &[I] {
        &self.targets[self.offsets[state].as_usize()..self.offsets[state + 1].as_usize()]
    }

    /// Returns the `n + 1` offsets into [`targets`](Self::targets), which ascend.
    pub fn offsets(&self) -> &[I] {
        &self.offsets
    }

    /// Returns the targets of all edges, unchecked.
    pub fn targets(&self) -> &[I] {
        &self.targets
    }

    /// Returns the same graph, if all targets are states. Indices of 32 bits are not copied.
    ///
    /// # Errors
    /// [`BuildError::TargetOutOfRange`] as it says.
    pub fn check(&self) -> Result<Rows, BuildError> {
        let UncheckedRows { offsets, targets } = I::narrow(self);
        Rows::new(offsets, Array::lent(States(targets)))
    }
}

impl Index for u32 {
    #[inline(always)]
    fn as_usize(self) -> usize {
        self as usize
    }

    fn narrow(rows: &UncheckedRows<Self>) -> UncheckedRows<u32> {
        rows.clone()
    }
}

impl Index for u64 {
    #[inline(always)]
    fn as_usize(self) -> usize {
        usize::try_from(self).unwrap_or(usize::MAX)
    }

    fn narrow(rows: &UncheckedRows<Self>) -> UncheckedRows<u32> {
        UncheckedRows {
            offsets: Array::lent(narrow(&rows.offsets)),
            targets: Array::lent(narrow(&rows.targets)),
        }
    }
}

/// Numbers that are read as those of states.
pub(crate) struct States(pub(crate) Array<u32>);

impl Lender<StateId> for States {
    fn values(&self) -> &[StateId] {
        StateId::cast_slice(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns numbers at the bounds of 32 bits and of 64 bits.
    fn number() -> impl Strategy<Value = u64> {
        let around = |bound: u64| bound.saturating_sub(2)..=bound.saturating_add(2);
        let bounds = [1 << 31, 1 << 32, (1 << 32) + 2, 1 << 63, u64::MAX].map(around);
        let [a, b, c, d, e] = bounds;
        prop_oneof![8 => 0..5u64, 1 => a, 1 => b, 1 => c, 1 => d, 1 => e]
    }

    proptest! {
        #[test]
        fn wide_rows_are_right_if_each_number_is(
            mut offsets in prop::collection::vec(number(), 0..6),
            targets in prop::collection::vec(number(), 0..5),
            sorts: bool,
        ) {
            if sorts {
                offsets.sort_unstable();
                if let [first, .., last] = &mut offsets[..] {
                    (*first, *last) = (0, targets.len() as u64);
                }
            }
            let rows = UncheckedRows::new(offsets.clone().into(), targets.clone().into());
            let right = offsets.first() == Some(&0)
                && offsets.is_sorted()
                && offsets.last() == Some(&(targets.len() as u64));
            prop_assert_eq!(rows.is_ok(), right);
            let Ok(rows) = rows else {
                return Ok(());
            };
            let states = rows.num_states() as u64;
            let right = targets.iter().all(|&target| target < states);
            let checked = rows.check();
            prop_assert_eq!(checked.is_ok(), right);
            prop_assert_eq!(u64::are_below(&targets, states as usize), right);
            if let Ok(checked) = checked {
                let same = |a: &[u32], b: &[u64]| a.iter().map(|&a| u64::from(a)).eq(b.to_vec());
                prop_assert!(same(checked.offsets(), &offsets));
                prop_assert!(same(StateId::as_numbers(checked.targets()), &targets));
            }
        }

        #[test]
        fn narrow_rows_are_right_if_rows_are(
            offsets in prop::collection::vec(0..4u32, 1..4),
            targets in prop::collection::vec(0..5u32, 0..4),
        ) {
            let strict = || {
                let targets = StateId::cast_slice(&targets).to_vec();
                Rows::new(offsets.clone().into(), targets.into())
            };
            let unchecked = UncheckedRows::new(offsets.clone().into(), targets.clone().into());
            prop_assert_eq!(unchecked.and_then(|rows| rows.check()), strict());
        }
    }
}
