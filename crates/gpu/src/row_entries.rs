//! The dispatches of a kernel that distributes the entries of rows evenly over invocations
//! (`shaders/csr/lib/row_entries.wgsl`).

use crate::groups::Groups;
use crate::kernels::{RowsPiece, csr};
use std::ops::Range;

/// Returns the parameters of a kernel for rows whose entries are bound from `first_entry` on.
pub fn piece(rows: Range<u32>, first_entry: u64) -> RowsPiece {
    RowsPiece {
        first_row: rows.start,
        end_row: rows.end,
        first_entry: first_entry as u32,
        ..RowsPiece::default()
    }
}

/// Returns the dispatches for the rows of `all`, which have at most this many entries,
/// and their workgroups: one for rows of more than `long_row` entries, if there may be any, and
/// then one for all others.
pub fn dispatches(
    all: RowsPiece,
    entries: u64,
    long_row: u32,
) -> impl Iterator<Item = (RowsPiece, Groups)> {
    let all = RowsPiece { long_row, ..all };
    let has_long = entries > u64::from(long_row);
    let long = has_long.then(|| {
        let long_rows = RowsPiece {
            long_rows: 1,
            ..all
        };
        let parts = 2 * entries.div_ceil(u64::from(long_row));
        (long_rows, Groups::Over(parts * u64::from(csr::SIZE)))
    });
    let rows = u64::from(all.end_row - all.first_row);
    long.into_iter().chain([(all, Groups::Over(rows))])
}
