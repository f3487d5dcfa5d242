//! Notifies the neighbours of states along their rows. `tells` has a bit for each state whose
//! neighbours are to be notified.
//!
//! flags: LONG
//!
//! LONG: a workgroup walks a long row together (`fbt/lib/long_rows.wgsl`). Without it, no row is
//! long.
//!
//! The kernel that imports this file binds `offsets`, `entries` and `tells`, and defines
//!
//!     tell_entry(entry, position, groups)    what is done for an entry of a row
//!     wait(kept, groups)                     LONG: leaves a state for the next iteration
#ifdef LONG
#import fbt/lib/long_rows
#endif
#import fbt/lib/rows

/// Walks the row of state `i`; LONG: or keeps the state if the row is long.
fn tell_row(rows: Rows, i: u32, groups: u32) {
    let step = row_step(rows, i);
    let begin = offsets[i] - rows.first_entry;
    let end = offsets[row_end(rows, i)] - rows.first_entry;
#ifdef LONG
    if is_long(rows, i, begin, end) {
        if !keep_long(i) {
            wait(i, groups);
        }
        return;
    }
#endif
    for (var j = begin; j < end; j += step) {
        let entry = entries[j];
        if entry == EMPTY {
            break;
        }
        tell_entry(entry, j, groups);
    }
}
#ifdef LONG

/// Walks the row of a state that was kept, from where the last iteration has stopped, and at most
/// `budget` entries of it. Returns what is left of the budget.
fn tell_long_row(rows: Rows, i: u32, budget: u32, groups: u32, local: u32) -> u32 {
    let begin = offsets[i] - rows.first_entry;
    let length = offsets[i + 1u] - rows.first_entry - begin;
    let progress = progress_of(rows, begin);
    let slice = slice_of(atomicLoad(&tells[progress]), length, budget, local);
    for (var j = begin + slice.x + local; j < begin + slice.y; j += SIZE) {
        if entries[j] != EMPTY {
            tell_entry(entries[j], j, groups);
        }
    }
    if local == 0u {
        atomicStore(&tells[progress], select(slice.y, 0u, slice.y == length));
        if slice.y < length {
            wait(i, groups);
        }
    }
    return budget - (slice.y - slice.x);
}
#endif
