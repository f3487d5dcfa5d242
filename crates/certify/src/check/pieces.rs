//! Divides work on all states among threads, in pieces.

use rayon::prelude::*;
use std::ops::Range;

/// The number of items from which on another thread saves time.
pub(super) const PIECE: usize = 1 << 14;

/// Returns the results of `visit` for the pieces of `0..count`, in order. Uses all threads if there
/// are several pieces.
pub(super) fn in_pieces<T: Send>(count: usize, visit: impl Fn(Range<usize>) -> T + Sync) -> Vec<T> {
    if count <= PIECE {
        return vec![visit(0..count)];
    }
    let starts = (0..count).into_par_iter().step_by(PIECE);
    let pieces = starts.map(|start| start..count.min(start + PIECE));
    pieces.map(&visit).collect()
}
