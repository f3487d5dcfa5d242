//! Which entries of a row are edges of the live graph: with CHOICES, those of choices that were not
//! removed (`mec_leaving`, `mec_attract`); without, all.
//!
//! flags: CHOICES
//!
//! Removed choices never change a row: each is a bit. A kernel checks this bit last, when all other
//! conditions for the edge hold.
#import fbt/lib/rows
#ifdef CHOICES
#import fbt/lib/choices

/// A bit for each choice.
@group(0) @binding(11) var<storage, read> removed: array<u32>;

/// Returns whether a choice of `source` is in the live graph.
fn is_live(source: u32, group: u32) -> bool {
    let choice = choice_offsets[source] + group;
    return ((removed[choice / 32u] >> (choice % 32u)) & 1u) == 0u;
}
#else

fn state_of(rows: Rows, entry: u32) -> u32 {
    return entry;
}

fn group_of(rows: Rows, entry: u32, position: u32) -> u32 {
    return 0u;
}

fn is_live(source: u32, group: u32) -> bool {
    return true;
}
#endif
