//! Distributes the entries of rows evenly over the invocations of a workgroup, regardless of the
//! lengths of the rows.
//!
//! A workgroup opens SIZE rows at a time. Their entries are contiguous, so the workgroup reads them
//! in order. All workgroups share the long rows in a separate dispatch (`gpu::row_entries`), which
//! cuts them into pieces of `long_row` contiguous entries. A piece has parts of at most two long
//! rows: that of its first entry and that of its last entry. Bisection finds these rows.
//!
//! The kernel that imports this file defines
//!
//!     visit(entry, row, opened)    what is done for an entry of `row`, the open row `opened`
#import lib/grid

const SIZE = 256u;

/// Which rows and edges a dispatch handles. Not in a uniform: lavapipe compiles a kernel again
/// for each set of parameters that branches depend on.
struct RowsPiece {
    first_row: u32,
    end_row: u32,
    /// The position of the first entry that is bound.
    first_entry: u32,
    /// The position of the first edge that is bound, to be written.
    first_edge: u32,
    /// The states that edges are laid out for.
    first_state: u32,
    end_state: u32,
    /// Rows of more entries are long.
    long_row: u32,
    /// 1: the long rows alone; 0: all others.
    long_rows: u32,
}

/// For each row where it begins, and where the last one ends.
@group(0) @binding(0) var<storage, read> row_offsets: array<u32>;
@group(0) @binding(1) var<storage, read> piece: RowsPiece;

var<workgroup> starts: array<u32, 257>;

/// The rows that a workgroup has opened: those from `base` on, with the entries from `begin` to
/// `end`.
struct Open {
    base: u32,
    begin: u32,
    end: u32,
}

fn takes_long_rows() -> bool {
    return piece.long_rows == 1u;
}

/// Returns the number of blocks to open: each has SIZE rows, or the first or last part of a piece.
fn num_blocks() -> u32 {
    if takes_long_rows() {
        let entries = row_offsets[piece.end_row] - row_offsets[piece.first_row];
        return 2u * (entries / piece.long_row + select(0u, 1u, entries % piece.long_row != 0u));
    }
    let rows = piece.end_row - piece.first_row;
    return rows / SIZE + select(0u, 1u, rows % SIZE != 0u);
}

/// Opens a block; all invocations call it together.
fn open_block(block: u32, local: u32) -> Open {
    // The rows that were open before are finished.
    workgroupBarrier();
    var open: Open;
    if takes_long_rows() {
        open = part_of(block / 2u, block % 2u == 1u);
        starts[local] = select(open.end, open.begin, local == 0u);
        if local == 0u {
            starts[SIZE] = open.end;
        }
    } else {
        let base = piece.first_row + block * SIZE;
        let end = base + min(SIZE, piece.end_row - base);
        starts[local] = row_offsets[min(base + local, end)];
        if local == 0u {
            starts[SIZE] = row_offsets[end];
        }
        open = Open(base, row_offsets[base], row_offsets[end]);
    }
    workgroupBarrier();
    return open;
}

/// Returns the part of a piece that belongs to the row of its first entry, or of its last entry. It
/// is empty if this row is not long; so is the last part if both entries are of one row.
fn part_of(number: u32, is_last: bool) -> Open {
    let first_entry = row_offsets[piece.first_row];
    let end_entry = row_offsets[piece.end_row];
    let first = first_entry + number * piece.long_row;
    let end = first + min(piece.long_row, end_entry - first);
    let row = row_at(select(first, end - 1u, is_last));
    let begins = row_offsets[row];
    let ends = row_offsets[row + 1u];
    if ends - begins <= piece.long_row || (is_last && begins <= first) {
        return Open(row, first, first);
    }
    return Open(row, max(begins, first), min(ends, end));
}

/// Returns the row in which an entry lies: the last one that begins no later.
fn row_at(position: u32) -> u32 {
    var low = piece.first_row;
    var high = piece.end_row;
    while high - low > 1u {
        let middle = low + (high - low) / 2u;
        if row_offsets[middle] <= position {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/// Returns the index of the open row that contains an entry.
fn row_of(entry: u32) -> u32 {
    var row = 0u;
    for (var half = SIZE / 2u; half > 0u; half /= 2u) {
        if starts[row + half] <= entry {
            row += half;
        }
    }
    return row;
}

/// Returns whether an open row is for another dispatch.
fn is_left_out(row: u32) -> bool {
    return !takes_long_rows() && starts[row + 1u] - starts[row] > piece.long_row;
}

/// Returns the last entry of a row that is for the same invocation as `entry`: each SIZE-th one is.
fn last_of(row: u32, entry: u32) -> u32 {
    return entry + (starts[row + 1u] - 1u - entry) / SIZE * SIZE;
}

/// Visits the entries of all rows.
fn visit_all(grid: Grid, local: u32) {
    let blocks = num_blocks();
    for (var block = grid_index(grid, 0u, 1u); block < blocks; block += grid_stride(grid, 1u)) {
        visit_open(open_block(block, local), local);
    }
}

/// Visits the entries of what is open.
fn visit_open(open: Open, local: u32) {
    for (var entry = open.begin + local; entry < open.end; entry += SIZE) {
        let opened = row_of(entry);
        if is_left_out(opened) {
            entry = last_of(opened, entry);
        } else {
            visit(entry, open.base + opened, opened);
        }
    }
}
