//! Step 3 of a batch (`docs/exploring.md`), first pass: counts, for each block of candidates, those
//! that are the first to lead to a new state, and the transitions that are kept. One workgroup per
//! block.
//!
//! flags: DROP
//! checks: debug
//!
//! With DROP, some transitions are marked to be dropped. Reads `found`, `slots`, `control` and,
//! with DROP, `labels`. Owns `block_sums`: for each block its new states and its transitions.
#import explore/lib/control
#import explore/lib/firsts
#import explore/lib/params
#import explore/lib/table
#import lib/grid

@group(0) @binding(0) var<storage, read> found: array<u32>;
@group(0) @binding(1) var<storage, read_write> slots: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> control: array<u32>;
@group(0) @binding(3) var<storage, read_write> block_sums: array<vec2<u32>>;
#ifdef DROP
@group(0) @binding(4) var<storage, read> labels: array<u32>;
#endif
@group(0) @binding(5) var<uniform> params: ExploreParams;

var<workgroup> new_states: atomic<u32>;
var<workgroup> transitions: atomic<u32>;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let n = control[CANDIDATES];
    let blocks = blocks_of(n);
    for (var block = grid_index(grid, 0u, 1u); block < blocks; block += grid_stride(grid, 1u)) {
        if local == 0u {
            atomicStore(&new_states, 0u);
            atomicStore(&transitions, 0u);
        }
        workgroupBarrier();
        let end = min((block + 1u) * BLOCK, n);
        var own_new = 0u;
        var own_kept = 0u;
        for (var place = block * BLOCK + local; place < end; place += SIZE) {
            if first_entry(place) != EMPTY {
                own_new++;
            }
#ifdef DROP
            if labels[place] >= DROPPED {
                continue;
            }
#endif
            own_kept++;
        }
        atomicAdd(&new_states, own_new);
        atomicAdd(&transitions, own_kept);
        workgroupBarrier();
        if local == 0u {
            block_sums[block] = vec2(atomicLoad(&new_states), atomicLoad(&transitions));
        }
        workgroupBarrier();
    }
}
