//! The number of workgroups of a dispatch.

use crate::adapter::Limits;

/// The maximum number of workgroups in one dimension that every adapter supports: 65,535.
pub const MAX_WORKGROUPS: u32 = Limits::WEBGPU.max_workgroups;

/// The number of workgroups of a dispatch.
#[derive(Clone, Copy, Debug)]
pub enum Groups {
    /// This many in x, y and z.
    Fixed([u32; 3]),
    /// Enough workgroups for one invocation per item. More than 65,535 workgroups are arranged in
    /// two dimensions, and up to one row of them has no items. Kernels find their position with
    /// `shaders/lib/grid.wgsl`, and check it.
    Over(u64),
}

impl Groups {
    /// Returns the number of workgroups in x, y and z, with `size` invocations each.
    pub(crate) fn of(self, size: u32) -> [u32; 3] {
        match self {
            Self::Fixed(groups) => groups,
            Self::Over(items) => {
                let groups = items.div_ceil(u64::from(size));
                let rows = groups.div_ceil(u64::from(MAX_WORKGROUPS));
                let columns = groups.div_ceil(rows.max(1));
                [columns as u32, rows as u32, 1]
            }
        }
    }
}
