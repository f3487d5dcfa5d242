//! The index of an invocation in its dispatch, and the number of invocations. "One invocation per
//! state" in the comment of a kernel means this loop, which visits each state once whatever the
//! grid is:
//!
//!     for (var i = grid_index(grid, local, SIZE); i < n; i += grid_stride(grid, SIZE))
//! More than 65,535 workgroups, the limit for one dimension, are arranged in two dimensions
//! (`gpu::Groups`).

/// The workgroups of the dispatch: a parameter of each entry point.
///
/// All members are uniform in a workgroup. The index of an invocation is not, and must not be
/// added, because WGSL takes a structure for uniform only if all of its members are.
struct Grid {
    /// The index of the workgroup.
    @builtin(workgroup_id) workgroup: vec3<u32>,
    /// The number of workgroups.
    @builtin(num_workgroups) count: vec3<u32>,
}

/// Returns the invocation's index among all invocations of the dispatch.
fn grid_index(grid: Grid, local: u32, size: u32) -> u32 {
    let at = grid.workgroup;
    return ((at.z * grid.count.y + at.y) * grid.count.x + at.x) * size + local;
}

/// Returns the number of invocations of the dispatch.
fn grid_stride(grid: Grid, size: u32) -> u32 {
    return grid.count.x * grid.count.y * grid.count.z * size;
}
