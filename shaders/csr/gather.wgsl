//! Computes where the edges of each state begin, from where the edges of its choices begin (step
//! `gather` of `gpu/worklist/csr.rs`). One invocation per state.
//! Reads `choice_offsets`, `kept_offsets`. Owns `offsets`, which is as long as `choice_offsets`.
#import lib/grid

const SIZE = 256u;

@group(0) @binding(0) var<storage, read> choice_offsets: array<u32>;
@group(0) @binding(1) var<storage, read> kept_offsets: array<u32>;
@group(0) @binding(2) var<storage, read_write> offsets: array<u32>;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let n = arrayLength(&offsets);
    for (var i = grid_index(grid, local, SIZE); i < n; i += grid_stride(grid, SIZE)) {
        offsets[i] = kept_offsets[choice_offsets[i]];
    }
}
