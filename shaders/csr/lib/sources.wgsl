//! The state to which a row belongs: the row itself, if rows are states; with CHOICES, where rows
//! are choices, the state of the choice.
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
