//! Breadth-first search with an invocation for each edge, which it relaxes (J. Smits, 2020,
//! sections 4.2 to 4.5).
//!
//! checks: debug
//!
//! Reads `sources` and `targets`, the two ends of each edge. Shares, by atomics, `costs` and
//! `flags`.
#import bfs/lib/relax

@group(0) @binding(0) var<storage, read> sources: array<u32>;
@group(0) @binding(1) var<storage, read> targets: array<u32>;

@compute @workgroup_size(SIZE)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let stride = grid_stride(count, SIZE);
    let first = grid_index(workgroup, count, local, SIZE);
    for (var edge = first; edge < params.edges; edge += stride) {
        let source = sources[edge];
        clear_flag(source);
        if is_active(source) {
            relax(atomicLoad(&costs[source]), targets[edge], count.x);
        }
    }
}
