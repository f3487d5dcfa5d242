//! Lays edges out by their targets.
//!
//! flags: CHOICES
//!
//! Rows are states or, with CHOICES, choices; their entries are the edges that `pack.wgsl` laid
//! out. Within a target they come in any order.
//!
//! Reads `row_offsets`, `edges`, `sources`. Shares, by atomics, `next`: for each state the place of
//! the next edge that enters it. Owns `back_edges` and `back_edge_choices`: a place for each edge.
#import csr/lib/deal
#import csr/lib/sources
#import lib/grid

@group(0) @binding(2) var<storage, read> edges: array<u32>;
@group(0) @binding(3) var<storage, read_write> next: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> back_edges: array<u32>;
#ifdef CHOICES
@group(0) @binding(6) var<storage, read_write> back_edge_choices: array<u32>;
#endif

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let blocks = num_blocks();
    for (var block = grid_index(grid, 0u, 1u); block < blocks; block += grid_stride(grid, 1u)) {
        let open = open_block(block, local);
        for (var entry = open.begin + local; entry < open.end; entry += SIZE) {
            let opened = row_of(entry);
            if is_left_out(opened) {
                entry = last_of(opened, entry);
                continue;
            }
            let row = open.base + opened;
            let t = edges[entry - piece.first_entry];
            if t < piece.first_state || t >= piece.end_state {
                continue;
            }
            let place = atomicAdd(&next[t], 1u) - piece.first_edge;
            back_edges[place] = source_of(row);
#ifdef CHOICES
            back_edge_choices[place] = row;
#endif
        }
    }
}
