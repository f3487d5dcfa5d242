//! Walks the rows of all states that are bound. With LONG, it walks only the long rows among them,
//! which are cut into pieces.
//!
//! flags: LONG
//!
//! The kernel that imports this file binds `offsets`, and defines
//!
//!     look_at(i, groups)              what is done for a state; a long row is left out
//!     look_in(part, local, groups)    LONG: what is done for a part of a long row
#import lib/grid
#import fbt/lib/rows
#ifdef LONG
#import fbt/lib/pieces
#endif

fn walk_rows(rows: Rows, grid: Grid, local: u32) {
    let groups = grid.count.x;
#ifdef LONG
    let pieces = num_pieces(rows);
    for (var piece = grid_index(grid, 0u, 1u); piece < pieces; piece += grid_stride(grid, 1u)) {
        let first = part_of(rows, piece, false);
        if first.is_there {
            look_in(first, local, groups);
        }
        let last = part_of(rows, piece, true);
        if last.is_there {
            look_in(last, local, groups);
        }
    }
#else
    let first = rows.first_state + grid_index(grid, local, SIZE);
    for (var i = first; i < rows.end_state; i += grid_stride(grid, SIZE)) {
        look_at(i, groups);
    }
#endif
}
