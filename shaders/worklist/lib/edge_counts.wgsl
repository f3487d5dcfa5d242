//! Counts the edges that are visited, for profiles.
//!
//! flags: COUNTED
#ifdef COUNTED

/// For each phase the edges that were visited: the low word, then the high one.
@group(0) @binding(18) var<storage, read_write> visited_edges: array<atomic<u32>>;

var<private> visited_by_invocation: u32;
var<workgroup> visited_by_workgroup: atomic<u32>;

/// Counts edges that an invocation visits.
fn count_visits(edges: u32) {
    visited_by_invocation += edges;
}

/// Adds up the edges that a workgroup visited in this iteration. A barrier.
fn report_visits(phase: u32, local: u32) {
    if visited_by_invocation != 0u {
        atomicAdd(&visited_by_workgroup, visited_by_invocation);
    }
    workgroupBarrier();
    if local != 0u {
        return;
    }
    let edges = atomicLoad(&visited_by_workgroup);
    if edges > ~atomicAdd(&visited_edges[2u * phase], edges) {
        atomicAdd(&visited_edges[2u * phase + 1u], 1u);
    }
}
#else

fn count_visits(edges: u32) {}

fn report_visits(phase: u32, local: u32) {}
#endif
