//! Ends a round of the papers' MEC algorithm: components that lost nothing are maximal end
//! components and leave the search; the states of the others are a region of the next round (2014
//! paper, 2.3, steps 3 and 4; 2016 paper, section 6). One invocation per state.
//!
//! A component of one state is also one if the state still has a choice: all its live choices lead
//! to itself. A region that is left over because it has no candidate is no component, and is never
//! declared one.
//!
//! The papers lock `trans[pivot]` for that, which may lie in another shard or after the last edge.
//! Here it is a bit per state, by the name of the component.
//! Reads `lost`, `several`. Owns `results`, a word per state. Shares `mecs`, a bit per state, by
//! atomics.
#import lib/grid
#import fbt/lib/results

const SIZE = 256u;

struct SettleParams {
    states: u32,
}

@group(0) @binding(0) var<storage, read_write> results: array<u32>;
@group(0) @binding(1) var<storage, read> lost: array<u32>;
@group(0) @binding(2) var<storage, read> several: array<u32>;
@group(0) @binding(3) var<storage, read_write> mecs: array<atomic<u32>>;
@group(0) @binding(4) var<uniform> params: SettleParams;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    for (var i = grid_index(grid, local, SIZE); i < params.states; i += grid_stride(grid, SIZE)) {
        let own = results[i];
        if own == DEAD {
            continue;
        }
        let region = own & REGION;
        let bit = 1u << (region % 32u);
        let split = (lost[region / 32u] & several[region / 32u] & bit) != 0u;
        if is_active(own) || split {
            results[i] = region;
        } else if region == i {
            // RESULT UNUSED: the bit is only set, by the state that the component is named after.
            atomicOr(&mecs[region / 32u], bit);
        }
    }
}
