//! Finds the state of each choice, and the number of choices of each state. Here, rows are states,
//! and their entries choices (`gpu/worklist/csr.rs`). One invocation per choice.
//! Reads `row_offsets`. Owns `sources` and `counts`.
#import csr/lib/row_entries
#import lib/grid

//@ disjoint sources: the rows of states ascend, so each choice belongs to one of them
@group(0) @binding(2) var<storage, read_write> sources: array<u32>;
@group(0) @binding(3) var<storage, read_write> counts: array<u32>;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let blocks = num_blocks();
    for (var block = grid_index(grid, 0u, 1u); block < blocks; block += grid_stride(grid, 1u)) {
        let open = open_block(block, local);
        visit_open(open, local);
        if !takes_long_rows() && open.base + local < piece.end_row {
            counts[open.base + local] = starts[local + 1u] - starts[local];
        }
    }
}

fn visit(choice: u32, state: u32, opened: u32) {
    sources[choice] = state;
}
