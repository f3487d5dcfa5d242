//! The dispatches of a kernel that deals the entries of rows to invocations one by one
//! (`shaders/csr/lib/deal.wgsl`).

use crate::groups::Groups;
use crate::kernels::{DealPiece, csr};
use std::ops::Range;

/// Returns the parameters of a kernel for rows whose entries are bound from `first_entry` on.
pub fn piece(rows: Range<u32>, first_entry: u64) -> DealPiece {
    DealPiece {
        first_row: rows.start,
        end_row: rows.end,
        first_entry: first_entry as u32,
        ..DealPiece::default()
    }
}

/// Returns the dispatches that deal with the rows of `all`, which have at most this many entries,
/// and their workgroups: one for rows of more than `long_row` entries, if there may be any, and
/// then one for all others.
pub fn dispatches(
    all: DealPiece,
    entries: u64,
    long_row: u32,
) -> impl Iterator<Item = (DealPiece, Groups)> {
    let all = DealPiece { long_row, ..all };
    let has_long = entries > u64::from(long_row);
    let long = has_long.then(|| {
        let deals_long = DealPiece {
            deals_long: 1,
            ..all
        };
        let parts = 2 * entries.div_ceil(u64::from(long_row));
        (deals_long, Groups::Over(parts * u64::from(csr::SIZE)))
    });
    let rows = u64::from(all.end_row - all.first_row);
    long.into_iter().chain([(all, Groups::Over(rows))])
}
