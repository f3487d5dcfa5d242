//! Checks whether arrays form a graph, in pieces, on all threads of the current rayon pool.

use crate::{BuildError, Table};
use rayon::prelude::*;
use std::ops::BitOr;

/// The number of values that are checked before it is asked whether one is wrong. A loop without an
/// earlier exit is compiled to vector instructions.
const PIECE: usize = 1 << 16;

/// The numbers of offsets and targets: `u32` or `u64`. No other crate can implement this.
pub trait Number: Copy + Ord + BitOr<Output = Self> + Send + Sync + 'static {
    /// 0.
    const ZERO: Self;

    /// 1.
    const ONE: Self;

    /// The highest bit alone. In numbers below this the highest bit is 0, and so it is in their
    /// differences, unless these are negative.
    const HALF: Self;

    /// Returns the difference, modulo 2 to the number of bits.
    #[must_use]
    fn minus(self, other: Self) -> Self;

    /// Returns the same number, if it fits.
    fn from_usize(number: usize) -> Option<Self>;
}

macro_rules! number {
    ($number:ty) => {
        impl Number for $number {
            const ZERO: Self = 0;
            const ONE: Self = 1;
            const HALF: Self = 1 << (Self::BITS - 1);

            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }

            fn from_usize(number: usize) -> Option<Self> {
                Self::try_from(number).ok()
            }
        }
    };
}

number!(u32);
number!(u64);

/// Returns whether all pairs of neighbours are `right`.
pub(crate) fn all_pairs<N: Number>(offsets: &[N], right: impl Fn(N, N) -> bool + Sync) -> bool {
    pieces(offsets).all(|piece| {
        let pairs = piece.iter().zip(&piece[1..]);
        pairs.fold(true, |all, (&start, &end)| all & right(start, end))
    })
}

/// Returns the number of neighbours that are the same.
pub(crate) fn count_repeated(offsets: &[u32]) -> usize {
    let repeated = pieces(offsets).map(|piece| {
        let pairs = piece.iter().zip(&piece[1..]);
        pairs.fold(0, |count, (start, end)| count + u32::from(start == end))
    });
    repeated.map(|count| count as usize).sum()
}

/// Returns pieces of the offsets, of which there is at least one, such that each two neighbours are
/// in one piece.
fn pieces<N: Number>(offsets: &[N]) -> impl ParallelIterator<Item = &[N]> {
    let starts = (0..offsets.len() - 1).into_par_iter().step_by(PIECE);
    starts.map(|start| &offsets[start..offsets.len().min(start + PIECE + 1)])
}

/// Checks that offsets ascend from 0 to `end`.
pub(crate) fn check_offsets<N: Number>(
    what: &'static str,
    offsets: &[N],
    end: usize,
) -> Result<(), BuildError> {
    let right = offsets.first() == Some(&N::ZERO)
        && are_ascending(offsets)
        && offsets.last().copied() == N::from_usize(end);
    right.then_some(()).ok_or(BuildError::Offsets { what })
}

/// Returns the same numbers in 32 bits; those that do not fit become the greatest number, which is
/// that of no state, and no offset.
pub(crate) fn narrow(numbers: &[u64]) -> Table<u32> {
    let mut narrow = Table::any(numbers.len());
    narrow_to(&mut narrow, numbers);
    narrow
}

/// Does the same, and writes them to as many places.
pub(crate) fn narrow_to(narrow: &mut [u32], numbers: &[u64]) {
    let pieces = narrow.par_chunks_mut(PIECE).zip(numbers.par_chunks(PIECE));
    pieces.for_each(|(places, numbers)| {
        let mut bits = 0;
        for (place, &number) in places.iter_mut().zip(numbers) {
            bits |= number;
            *place = number as u32;
        }
        if bits > u32::MAX.into() {
            for (place, &number) in places.iter_mut().zip(numbers) {
                *place = u32::try_from(number).unwrap_or(u32::MAX);
            }
        }
    });
}

/// Returns whether offsets, of which there is at least one, ascend.
fn are_ascending<N: Number>(offsets: &[N]) -> bool {
    match (offsets.first(), offsets.last()) {
        // Collecting bits takes less time than as many comparisons.
        (Some(&first), Some(&last)) if first == N::ZERO && last < N::HALF => {
            pieces(offsets).all(|piece| {
                let pairs = piece.iter().zip(&piece[1..]);
                let bits = pairs.fold(N::ZERO, |bits, (&start, &end)| {
                    bits | end.minus(start) | end
                });
                bits < N::HALF
            })
        }
        _ => all_pairs(offsets, |start, end| start <= end),
    }
}

/// Returns whether all numbers are below a bound.
pub(crate) fn are_below<N: Number>(numbers: &[N], bound: usize) -> bool {
    match N::from_usize(bound) {
        Some(bound) if N::ZERO < bound && bound <= N::HALF => {
            let most = bound.minus(N::ONE);
            numbers.par_chunks(PIECE).all(|numbers| {
                let bits = numbers
                    .iter()
                    .fold(N::ZERO, |bits, &number| bits | number | most.minus(number));
                bits < N::HALF
            })
        }
        Some(bound) => numbers.par_chunks(PIECE).all(|numbers| {
            let largest = numbers.iter().max();
            largest.is_none_or(|&largest| largest < bound)
        }),
        None => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HALF: u32 = u32::HALF;

    /// Returns numbers close to 0, to `HALF` and to the largest one. The checks distinguish numbers
    /// between these bounds by single bits.
    fn number() -> impl Strategy<Value = u32> {
        prop_oneof![0..9u32, HALF - 3..HALF + 3, u32::MAX - 3..=u32::MAX]
    }

    proptest! {
        #[test]
        fn numbers_are_below_a_bound_if_each_is(
            numbers in prop::collection::vec(number(), 0..4),
            bound in number(),
        ) {
            let expected = numbers.iter().all(|&number| number < bound);
            prop_assert_eq!(are_below(&numbers, bound as usize), expected);
        }

        #[test]
        fn offsets_ascend_if_they_are_sorted(
            mut offsets in prop::collection::vec(number(), 1..5),
            sorts: bool,
        ) {
            if sorts {
                offsets.sort_unstable();
            }
            prop_assert_eq!(are_ascending(&offsets), offsets.is_sorted());
        }
    }
}
