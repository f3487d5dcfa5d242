//! Starts both searches of every region at its pivot (2016 paper, Algorithm 2, lines 4 and 5), when
//! all states know their pivot (`select_pivots`). One invocation per state.
//!
//! flags: JOIN
//!
//! JOIN: a state that was not handled is in a region without a candidate. The region is locked
//! until the searches of this decomposition are over (`mec_unlock`).
//!
//! Owns `results`, a word per invocation. Shares `frontiers` by atomics.
#import fbt/lib/bits
#import lib/grid
#import fbt/lib/results

struct StartParams {
    states: u32,
    /// The number of words of one direction in `frontiers`.
    words: u32,
    /// 2 if the backward search has a frontier, else 1.
    directions: u32,
}

@group(0) @binding(0) var<storage, read_write> results: array<u32>;
@group(0) @binding(1) var<storage, read_write> frontiers: array<atomic<u32>>;
@group(0) @binding(2) var<uniform> params: StartParams;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    for (var i = grid_index(grid, local, SIZE); i < params.states; i += grid_stride(grid, SIZE)) {
        let result = results[i];
        if (result & (LOCK | DONE)) != (LOCK | DONE) {
#ifdef JOIN
            if is_active(result) {
                results[i] = LOCK | result;
            }
#endif
            continue;
        }
        if (result & REGION) != i {
            results[i] = result & REGION;
            continue;
        }
        results[i] = DONE | i;
        for (var direction = 0u; direction < params.directions; direction += 1u) {
            // RESULT UNUSED: the bit is only set, by its state's invocation.
            atomicOr(&frontiers[direction * params.words + word_of(i)], bit_of(i));
        }
    }
}
