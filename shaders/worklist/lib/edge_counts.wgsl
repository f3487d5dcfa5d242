//! Counts the edges that are touched, for profiles.
//!
//! flags: COUNTED
#ifdef COUNTED

/// For each part the edges that were touched: the low word, then the high one.
@group(0) @binding(18) var<storage, read_write> touched_edges: array<atomic<u32>>;

var<private> touched_by_one: u32;
var<workgroup> touched_by_all: atomic<u32>;

/// An invocation looks at so many edges.
fn touches(edges: u32) {
    touched_by_one += edges;
}

/// Adds up what a workgroup touched in this iteration. A barrier.
fn tell_touched(part: u32, local: u32) {
    if touched_by_one != 0u {
        atomicAdd(&touched_by_all, touched_by_one);
    }
    workgroupBarrier();
    if local != 0u {
        return;
    }
    let edges = atomicLoad(&touched_by_all);
    if edges > ~atomicAdd(&touched_edges[2u * part], edges) {
        atomicAdd(&touched_edges[2u * part + 1u], 1u);
    }
}
#else

fn touches(edges: u32) {}

fn tell_touched(part: u32, local: u32) {}
#endif
