//! Checks whether arrays form a graph, in pieces, on all threads of the current rayon pool.

use crate::{BuildError, StateId};
use rayon::prelude::*;

/// How many values are looked at before it is asked whether one is wrong: what has no way out is a
/// loop of vectors.
const PIECE: usize = 1 << 16;

/// Whether each two neighbours are `right`.
pub(crate) fn all_pairs(offsets: &[u32], right: impl Fn(u32, u32) -> bool + Sync) -> bool {
    pieces(offsets).all(|piece| {
        let pairs = piece.iter().zip(&piece[1..]);
        pairs.fold(true, |all, (&start, &end)| all & right(start, end))
    })
}

/// How many neighbours are the same.
pub(crate) fn count_repeated(offsets: &[u32]) -> usize {
    let repeated = pieces(offsets).map(|piece| {
        let pairs = piece.iter().zip(&piece[1..]);
        pairs.fold(0, |count, (start, end)| count + u32::from(start == end))
    });
    repeated.map(|count| count as usize).sum()
}

/// Pieces of the offsets, of which there are some, such that each two neighbours are in one.
fn pieces(offsets: &[u32]) -> impl ParallelIterator<Item = &[u32]> {
    let starts = (0..offsets.len() - 1).into_par_iter().step_by(PIECE);
    starts.map(|start| &offsets[start..offsets.len().min(start + PIECE + 1)])
}

/// Whether offsets ascend from 0 to `end`.
pub(crate) fn check_offsets(
    what: &'static str,
    offsets: &[u32],
    end: usize,
) -> Result<(), BuildError> {
    let right = offsets.first() == Some(&0)
        && all_pairs(offsets, |start, end| start <= end)
        && offsets.last().is_some_and(|&last| last as usize == end);
    right.then_some(()).ok_or(BuildError::Offsets { what })
}

/// Whether all targets are among so many states.
pub(crate) fn in_range(targets: &[StateId], states: usize) -> bool {
    targets.par_chunks(PIECE).all(|targets| {
        let largest = targets
            .iter()
            .fold(0, |largest, target| largest.max(target.0));
        (largest as usize) < states
    })
}
