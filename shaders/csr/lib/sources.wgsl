//! Whose a row is: its own, if rows are states; with CHOICES, where rows are choices, that of the
//! choice's state.
//!
//! flags: CHOICES
#ifdef CHOICES
@group(0) @binding(5) var<storage, read> sources: array<u32>;
#endif

fn source_of(row: u32) -> u32 {
#ifdef CHOICES
    return sources[row];
#else
    return row;
#endif
}
