//! Finds the states with an edge to themselves: those whose row is shorter without self-loops
//! (`kept_offsets`) than with them. One invocation per 32 states.
//! Reads `row_offsets` and `kept_offsets`. Owns `loops`: a word for 32 states, from the lowest bit.
#import lib/grid

const SIZE = 256u;

@group(0) @binding(0) var<storage, read> row_offsets: array<u32>;
@group(0) @binding(1) var<storage, read> kept_offsets: array<u32>;
@group(0) @binding(2) var<storage, read_write> loops: array<u32>;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let states = arrayLength(&row_offsets) - 1u;
    let words = (states + 31u) / 32u;
    for (var word = grid_index(grid, local, SIZE); word < words; word += grid_stride(grid, SIZE)) {
        var bits = 0u;
        let count = min(32u, states - 32u * word);
        for (var i = 0u; i < count; i++) {
            let state = 32u * word + i;
            let all = row_offsets[state + 1u] - row_offsets[state];
            let kept = kept_offsets[state + 1u] - kept_offsets[state];
            bits |= u32(kept < all) << i;
        }
        loops[word] = bits;
    }
}
