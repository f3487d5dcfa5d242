//! Deals the entries of rows to the invocations of a workgroup one by one, whatever rows they are in.
//!
//! A workgroup opens SIZE rows at a time. Their entries lie together, so that it reads them in order, and a row of
//! very many entries is shared by all of its invocations.
#import lib/grid

const SIZE = 256u;

/// Which rows and edges a dispatch deals with. Not in a uniform: lavapipe compiles a kernel again for each set of
/// parameters that branches depend on.
struct DealPiece {
    first_row: u32,
    end_row: u32,
    /// The position of the first entry that is bound.
    first_entry: u32,
    /// The position of the first edge that is bound, to be written.
    first_edge: u32,
    /// The states that edges are laid out for.
    first_state: u32,
    end_state: u32,
}

/// For each row where it begins, and where the last one ends.
@group(0) @binding(0) var<storage, read> row_offsets: array<u32>;
@group(0) @binding(1) var<storage, read> piece: DealPiece;

var<workgroup> starts: array<u32, 257>;

/// Opens the rows from `base` on; all invocations call it together. Returns where their entries begin and end.
fn open_rows(base: u32, local: u32) -> vec2<u32> {
    // Those that were open before are done with.
    workgroupBarrier();
    let end = min(base + SIZE, piece.end_row);
    starts[local] = row_offsets[min(base + local, end)];
    if local == 0u {
        starts[SIZE] = row_offsets[end];
    }
    workgroupBarrier();
    return vec2(starts[0], starts[SIZE]);
}

/// Which of the open rows an entry is in.
fn row_of(entry: u32) -> u32 {
    var row = 0u;
    for (var half = SIZE / 2u; half > 0u; half /= 2u) {
        if starts[row + half] <= entry {
            row += half;
        }
    }
    return row;
}
