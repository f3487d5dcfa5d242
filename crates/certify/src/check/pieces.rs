//! Work on all states, shared out among threads in pieces.

use rayon::prelude::*;
use std::ops::Range;

/// So much is worth a thread's while.
pub(super) const PIECE: usize = 1 << 14;

/// What `visit` finds in the pieces of `0..count`, in order; on all threads if there are several.
pub(super) fn in_pieces<T: Send>(count: usize, visit: impl Fn(Range<usize>) -> T + Sync) -> Vec<T> {
    if count <= PIECE {
        return vec![visit(0..count)];
    }
    let starts = (0..count).into_par_iter().step_by(PIECE);
    let pieces = starts.map(|start| start..count.min(start + PIECE));
    pieces.map(&visit).collect()
}
