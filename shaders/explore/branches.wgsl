//! Step 4 of a batch (`docs/exploring.md`): writes the numbers of the branches' targets, and marks
//! the first branch of each choice. One invocation per candidate.
//!
//! checks: debug
//!
//! Reads `found`, `slots`, `control`, `labels`, `ranks`. Owns `targets` after those of earlier
//! batches. Shares, by atomics, `tallies`.
#import explore/lib/control
#import explore/lib/found
#import explore/lib/params
#import explore/lib/table
#import lib/grid

@group(0) @binding(0) var<storage, read> found: array<u32>;
@group(0) @binding(1) var<storage, read_write> slots: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> control: array<u32>;
@group(0) @binding(3) var<storage, read_write> targets: array<u32>;
@group(0) @binding(4) var<storage, read> labels: array<u32>;
//@ distinct ranks below control[2] where labels < 0x80000000: a kept transition has its own rank
@group(0) @binding(5) var<storage, read> ranks: array<u32>;
@group(0) @binding(6) var<storage, read_write> tallies: array<atomic<u32>>;
@group(0) @binding(7) var<uniform> params: ExploreParams;

var<workgroup> choices: atomic<u32>;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    if local == 0u {
        atomicStore(&choices, 0u);
    }
    workgroupBarrier();
    let n = control[CANDIDATES];
    var begun = 0u;
    for (var i = grid_index(grid, local, SIZE); i < n; i += grid_stride(grid, SIZE)) {
        let label = labels[i];
        if label >= DROPPED {
            continue;
        }
        var target_word = number_of(found[i]);
        if label == 0u {
            target_word |= BEGINS;
            begun++;
        }
        targets[control[ROW_BEGIN] + ranks[i]] = target_word;
    }
    // RESULT UNUSED: the sum is read after the barrier.
    atomicAdd(&choices, begun);
    workgroupBarrier();
    if local == 0u {
        let all = atomicLoad(&choices);
        if all > 0u {
            // RESULT UNUSED: the sum is looked at by the host.
            atomicAdd(&tallies[CHOICES], all);
        }
    }
}
