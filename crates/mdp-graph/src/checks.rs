//! Checks whether arrays form a graph, in pieces, on all threads of the current rayon pool.

use crate::{BuildError, StateId, Table};
use rayon::prelude::*;

/// The number of values that are checked before it is asked whether one is wrong. A loop without an
/// earlier exit is compiled to vector instructions.
const PIECE: usize = 1 << 16;

/// The highest bit of numbers below this is 0, and so is that of their differences, unless these
/// are negative.
const HALF: u32 = 1 << 31;

/// The same for numbers of 64 bits.
const WIDE_HALF: u64 = 1 << 63;

/// Returns whether all pairs of neighbours are `right`.
pub(crate) fn all_pairs(offsets: &[u32], right: impl Fn(u32, u32) -> bool + Sync) -> bool {
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
fn pieces(offsets: &[u32]) -> impl ParallelIterator<Item = &[u32]> {
    let starts = (0..offsets.len() - 1).into_par_iter().step_by(PIECE);
    starts.map(|start| &offsets[start..offsets.len().min(start + PIECE + 1)])
}

/// Checks that offsets ascend from 0 to `end`.
pub(crate) fn check_offsets(
    what: &'static str,
    offsets: &[u32],
    end: usize,
) -> Result<(), BuildError> {
    let right = offsets.first() == Some(&0)
        && are_ascending(offsets)
        && offsets.last().is_some_and(|&last| last as usize == end);
    right.then_some(()).ok_or(BuildError::Offsets { what })
}

/// As [`check_offsets`], for offsets of 64 bits.
pub(crate) fn check_wide_offsets(
    what: &'static str,
    offsets: &[u64],
    end: usize,
) -> Result<(), BuildError> {
    let starts = (0..offsets.len()).into_par_iter().step_by(PIECE);
    let pieces = starts.map(|start| &offsets[start..offsets.len().min(start + PIECE + 1)]);
    let ascend = pieces.into_par_iter().all(|piece| {
        let pairs = piece.iter().zip(&piece[1..]);
        let bits = pairs.fold(0, |bits, (&start, &end)| {
            bits | end.wrapping_sub(start) | end
        });
        bits < WIDE_HALF
    });
    let right = offsets.first() == Some(&0)
        && ascend
        && offsets.last().is_some_and(|&last| last == end as u64);
    right.then_some(()).ok_or(BuildError::Offsets { what })
}

/// As [`in_range`], for numbers of 64 bits.
pub(crate) fn wide_in_range(targets: &[u64], states: usize) -> bool {
    let Some(last) = (states as u64).checked_sub(1) else {
        return targets.is_empty();
    };
    targets.par_chunks(PIECE).all(|targets| {
        let bits = targets
            .iter()
            .fold(0, |bits, &target| bits | target | last.wrapping_sub(target));
        bits < WIDE_HALF
    })
}

/// Returns the same numbers in 32 bits; those that do not fit become the greatest number, which is
/// that of no state, and no offset.
pub(crate) fn narrow(numbers: &[u64]) -> Table<u32> {
    let mut narrow = Table::any(numbers.len());
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
    narrow
}

/// Returns whether offsets, of which there is at least one, ascend.
fn are_ascending(offsets: &[u32]) -> bool {
    match (offsets.first(), offsets.last()) {
        // Collecting bits takes less time than as many comparisons.
        (Some(0), Some(..HALF)) => pieces(offsets).all(|piece| {
            let pairs = piece.iter().zip(&piece[1..]);
            let bits = pairs.fold(0, |bits, (&start, &end)| {
                bits | end.wrapping_sub(start) | end
            });
            bits < HALF
        }),
        _ => all_pairs(offsets, |start, end| start <= end),
    }
}

/// Returns whether all targets are among this many states.
pub(crate) fn in_range(targets: &[StateId], states: usize) -> bool {
    let targets = StateId::as_numbers(targets);
    match u32::try_from(states) {
        Ok(states @ 1..=HALF) => targets.par_chunks(PIECE).all(|targets| {
            let bits = targets.iter().fold(0, |bits, &target| {
                bits | target | (states - 1).wrapping_sub(target)
            });
            bits < HALF
        }),
        _ => targets.par_chunks(PIECE).all(|targets| {
            let all = targets.iter().max();
            all.is_none_or(|&largest| (largest as usize) < states)
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns numbers close to 0, to `HALF` and to the largest one. The checks distinguish numbers
    /// between these bounds by single bits.
    fn number() -> impl Strategy<Value = u32> {
        prop_oneof![0..9u32, HALF - 3..HALF + 3, u32::MAX - 3..=u32::MAX]
    }

    proptest! {
        #[test]
        fn numbers_are_in_range_if_each_is(
            numbers in prop::collection::vec(number(), 0..4),
            states in number(),
        ) {
            let targets: Vec<_> = numbers.iter().copied().map(StateId).collect();
            let expected = numbers.iter().all(|&number| number < states);
            prop_assert_eq!(in_range(&targets, states as usize), expected);
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
