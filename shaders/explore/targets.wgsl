//! Step 4 of a batch (`docs/exploring.md`): writes the transitions, that is, the numbers of their
//! targets, all of which are known now. One invocation per candidate.
//!
//! flags: LABELLED, DROP
//! checks: debug
//!
//! With LABELLED it also writes their actions; with DROP some transitions are dropped. Reads
//! `found`, `slots`, `control` and, with LABELLED or DROP, `labels`, with DROP `ranks`. Owns
//! `targets` and `actions` after those of earlier batches.
#import explore/lib/control
#import explore/lib/found
#import explore/lib/params
#import explore/lib/table
#import lib/grid

@group(0) @binding(0) var<storage, read> found: array<u32>;
@group(0) @binding(1) var<storage, read_write> slots: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> control: array<u32>;
@group(0) @binding(3) var<storage, read_write> targets: array<u32>;
#ifdef LABELLED
@group(0) @binding(4) var<storage, read> labels: array<u32>;
@group(0) @binding(5) var<storage, read_write> actions: array<u32>;
#else
#ifdef DROP
@group(0) @binding(4) var<storage, read> labels: array<u32>;
#endif
#endif
#ifdef DROP
//@ distinct ranks below control[2] where labels < 0x80000000: a kept transition has its own rank
@group(0) @binding(6) var<storage, read> ranks: array<u32>;
#endif
@group(0) @binding(7) var<uniform> params: ExploreParams;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let n = control[CANDIDATES];
    for (var i = grid_index(grid, local, SIZE); i < n; i += grid_stride(grid, SIZE)) {
        var at = i;
#ifdef DROP
        if labels[i] >= DROPPED {
            continue;
        }
        at = ranks[i];
#endif
        at += control[ROW_BEGIN];
        targets[at] = number_of(found[i]);
#ifdef LABELLED
        actions[at] = labels[i];
#endif
    }
}
