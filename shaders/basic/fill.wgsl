//! Sets every word of `target_words` to a value: the step `gpu::Recording::fill`. One invocation
//! per word.
//! Owns `target_words`: each word is written by one invocation.
#import lib/grid

const SIZE = 256u;

struct FillParams {
    value: u32,
}

@group(0) @binding(0) var<storage, read_write> target_words: array<u32>;
@group(0) @binding(1) var<uniform> params: FillParams;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let n = arrayLength(&target_words);
    for (var i = grid_index(grid, local, SIZE); i < n; i += grid_stride(grid, SIZE)) {
        target_words[i] = params.value;
    }
}
