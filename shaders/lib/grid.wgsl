//! The index of an invocation in its dispatch, and the stride of the grid.
//!
//! A dispatch over more than 65,535 workgroups is folded into two dimensions; kernels that walk
//!
//!     for (var i = grid_index(grid, local, SIZE); i < n; i += grid_stride(grid, SIZE))
//!
//! are right for any number of workgroups in any shape.

/// The workgroups of the dispatch, as an entry point is told of them.
///
/// All of it is uniform in a workgroup. The index of an invocation is not, and must not be added:
/// WGSL takes a structure for uniform only if all of its members are.
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
