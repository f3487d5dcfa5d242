//! In a graph with choices, an entry of a row is a state and its *group*: the number, among the
//! choices of the source, of the choice to which the edge belongs (2014 paper, 3.3; 2016 paper,
//! 5.1).
//! The group lies above the state in the same word. If the two do not fit 31 bits, groups are in a
//! separate array, at the positions of their entries; otherwise `groups` is bound to `entries`.

#import fbt/lib/rows

/// n + 1 numbers: group g of state i is choice choice_offsets[i] + g.
@group(0) @binding(10) var<storage, read> choice_offsets: array<u32>;
@group(0) @binding(12) var<storage, read> groups: array<u32>;

fn state_of(rows: Rows, entry: u32) -> u32 {
    return entry & ((1u << rows.state_bits) - 1u);
}

/// Returns the group of the entry at `position`.
fn group_of(rows: Rows, entry: u32, position: u32) -> u32 {
    if rows.groups_apart == 1u {
        return groups[position];
    }
    return entry >> rows.state_bits;
}
