//! Long rows in kernels that walk the rows of all states. They are cut into pieces, which all
//! workgroups share.
//!
//! A piece is `long_row` contiguous entries. So it has parts of at most two long rows:
//! that of its first entry, and that of its last entry. Bisection finds these rows.
//! Kernels with the flag LONG handle only long rows. Kernels without it skip the entries
//! of long rows.
#import fbt/lib/rows

/// Returns the number of pieces of the bound entries.
fn num_pieces(rows: Rows) -> u32 {
    let entries = offsets[rows.end_state] - rows.first_entry;
    return entries / rows.long_row + select(0u, 1u, entries % rows.long_row != 0u);
}

/// A state with a long row, and the part of that which lies in a piece.
struct Part {
    is_there: bool,
    state: u32,
    begin: u32,
    end: u32,
}

/// Returns the first long row with a part of a piece, or the last one.
fn part_of(rows: Rows, piece: u32, is_last: bool) -> Part {
    let entries = offsets[rows.end_state] - rows.first_entry;
    let first = piece * rows.long_row;
    let end = first + min(rows.long_row, entries - first);
    let state = row_at(rows, select(first, end - 1u, is_last));
    let begins = offsets[state] - rows.first_entry;
    let ends = offsets[state + 1u] - rows.first_entry;
    // If one row has all of the piece, that is its first part.
    let is_there = is_long(rows, state, begins, ends) && !(is_last && begins <= first);
    return Part(is_there, state, max(begins, first), min(ends, end));
}

/// Returns the state in whose row an entry lies; of an entry in a segment, the first state, whose
/// row is not long. Only rows of their own are searched: where those in segments begin does not
/// ascend from segment to segment.
fn row_at(rows: Rows, position: u32) -> u32 {
    var low = clamp(rows.interleaved, rows.first_state, rows.end_state);
    if low == rows.end_state || position < offsets[low] - rows.first_entry {
        return rows.first_state;
    }
    var high = rows.end_state;
    while high - low > 1u {
        let middle = low + (high - low) / 2u;
        if offsets[middle] - rows.first_entry <= position {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}
