//! Copies the edges to rows by their targets: the transpose of the graph (step `backward` of
//! `gpu/worklist/csr.rs`). One invocation per edge (`csr/lib/row_entries`).
//!
//! flags: CHOICES
//!
//! Rows are states or, with CHOICES, choices; their entries are the edges that `csr/pack` laid out.
//! Edges with the same target are in any order. Reads `row_offsets`, `edges`, `sources`. Shares, by
//! atomics, `next`: for each state the place of the next edge that enters it. Owns `back_edges` and
//! `back_edge_choices`: a place for each edge.
#import csr/lib/row_entries
#import csr/lib/sources
#import lib/grid

@group(0) @binding(2) var<storage, read> edges: array<u32>;
//@ tickets next: a state's counter begins at its row, which has a place for each edge into it
@group(0) @binding(3) var<storage, read_write> next: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> back_edges: array<u32>;
#ifdef CHOICES
@group(0) @binding(6) var<storage, read_write> back_edge_choices: array<u32>;
#endif

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    visit_all(grid, local);
}

/// Gives an edge a place among those that enter its target.
fn visit(entry: u32, row: u32, opened: u32) {
    let t = edges[entry - piece.first_entry];
    if t < piece.first_state || t >= piece.end_state {
        return;
    }
    let place = atomicAdd(&next[t], 1u) - piece.first_edge;
    back_edges[place] = source_of(row);
#ifdef CHOICES
    back_edge_choices[place] = row;
#endif
}
