//! Finds the parent of each state in a breadth-first search, once the distances are known: the
//! smallest of the states from which an edge leads to it and whose distance is less by one. One
//! invocation per edge (`csr/lib/row_entries`; rows are states, and their entries edges).
//!
//! Reads `row_offsets`, `targets` and `distances`. Shares, by atomics, `parents`, which only fall.
#import csr/lib/row_entries
#import lib/grid

const NO_DISTANCE = 0xffffffffu;

@group(0) @binding(2) var<storage, read> targets: array<u32>;
@group(0) @binding(3) var<storage, read> distances: array<u32>;
@group(0) @binding(4) var<storage, read_write> parents: array<atomic<u32>>;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    visit_all(grid, local);
}

/// Takes the source of an edge for the parent of its target, if it is one and less than others.
fn visit(entry: u32, source: u32, opened: u32) {
    let distance = distances[source];
    let end = targets[entry - piece.first_entry];
    let is_parent = distance != NO_DISTANCE && distances[end] == distance + 1u;
    if is_parent && atomicLoad(&parents[end]) > source {
        atomicMin(&parents[end], source);
    }
}
