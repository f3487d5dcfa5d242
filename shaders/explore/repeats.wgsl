//! For networks, before step 3 of a batch (`docs/exploring.md`): marks the transitions with the
//! same label and target as an earlier one of the same state, to be dropped. Equal targets have the
//! same word in `found`. One invocation per state.
//!
//! checks: debug
//!
//! Reads `network`, `control`, `offsets`, `sums`, `found`. Owns `labels`, in which it sets DROPPED.
//! Shares `tallies`, by atomic operations.
#import explore/lib/control
#import explore/lib/params
#import lib/grid

@group(0) @binding(0) var<storage, read> network: array<u32>;
@group(0) @binding(1) var<storage, read> control: array<u32>;
@group(0) @binding(2) var<storage, read> offsets: array<u32>;
@group(0) @binding(3) var<storage, read> sums: array<u32>;
@group(0) @binding(4) var<storage, read> found: array<u32>;
//@ disjoint labels: one invocation reads and writes those of a state
@group(0) @binding(5) var<storage, read_write> labels: array<u32>;
@group(0) @binding(6) var<storage, read_write> tallies: array<atomic<u32>>;
@group(0) @binding(7) var<uniform> params: ExploreParams;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let n = control[END] - control[START];
    for (var i = grid_index(grid, local, SIZE); i < n; i += grid_stride(grid, SIZE)) {
        let begin = sums[i / SIZE] + (offsets[i] & ~DEADLOCK);
        var end = control[CANDIDATES];
        if i + 1u < n {
            end = sums[(i + 1u) / SIZE] + (offsets[i + 1u] & ~DEADLOCK);
        }
        for (var place = begin; place < end; place++) {
            if !may_repeat(labels[place]) {
                continue;
            }
            if end - begin > params.most_compared {
                // RESULT UNUSED: the maximum of all is looked at by a later dispatch.
                atomicMax(&tallies[LONGEST], end - begin);
                break;
            }
            mark(begin, place);
        }
    }
}

/// Returns whether two transitions of a state with this action may have one target.
fn may_repeat(action: u32) -> bool {
    if action == 0u {
        return false;
    }
    let label = action - 1u;
    return ((network[params.repeats + label / 32u] >> (label % 32u)) & 1u) != 0u;
}

/// Marks a transition if one from `begin` on is the same.
fn mark(begin: u32, place: u32) {
    let label = labels[place];
    for (var other = begin; other < place; other++) {
        if labels[other] == label && found[other] == found[place] {
            labels[place] = label | DROPPED;
            return;
        }
    }
}
