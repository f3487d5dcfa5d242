//! Where an invocation stands in its dispatch, and how far it strides.
//!
//! A dispatch over more than 65,535 workgroups is folded into two dimensions; kernels that walk
//!
//!     let stride = grid_stride(count, SIZE);
//!     for (var i = grid_index(workgroup, count, local, SIZE); i < n; i += stride)
//!
//! are right for any number of workgroups in any shape.

/// The invocation's index among all invocations of the dispatch.
fn grid_index(workgroup: vec3<u32>, count: vec3<u32>, local: u32, size: u32) -> u32 {
    return ((workgroup.z * count.y + workgroup.y) * count.x + workgroup.x) * size + local;
}

/// The number of invocations of the dispatch.
fn grid_stride(count: vec3<u32>, size: u32) -> u32 {
    return count.x * count.y * count.z * size;
}
