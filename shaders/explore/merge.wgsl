//! For programs, before step 3 of a batch (`docs/exploring.md`): marks the branches whose target an
//! earlier branch of the choice has (equal words in `found`). One invocation per candidate.
//!
//! checks: debug
//!
//! Reads `control`, `found`. Owns `labels`, which say how many branches of its choice come before
//! each, and in which it sets DROPPED. Shares, by atomics, `tallies`.
#import explore/lib/control
#import explore/lib/params
#import lib/grid

@group(0) @binding(0) var<storage, read> control: array<u32>;
@group(0) @binding(1) var<storage, read> found: array<u32>;
@group(0) @binding(2) var<storage, read_write> labels: array<u32>;
@group(0) @binding(3) var<storage, read_write> tallies: array<atomic<u32>>;
@group(0) @binding(4) var<uniform> params: ExploreParams;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let n = control[CANDIDATES];
    for (var i = grid_index(grid, local, SIZE); i < n; i += grid_stride(grid, SIZE)) {
        let before = labels[i];
        if before >= params.most_compared {
            // RESULT UNUSED: the maximum of all is looked at by a later dispatch.
            atomicMax(&tallies[LONGEST], before + 1u);
        } else if is_found_before(i, before) {
            labels[i] = before | DROPPED;
        }
    }
}

/// Returns whether one of this many previous candidates leads to the same state.
fn is_found_before(place: u32, before: u32) -> bool {
    for (var other = place - min(before, place); other < place; other++) {
        if found[other] == found[place] {
            return true;
        }
    }
    return false;
}
