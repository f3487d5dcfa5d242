//! The number of workgroups that a dispatch has.

/// The most workgroups that every adapter runs in one dimension.
pub const MAX_WORKGROUPS: u32 = 65_535;

/// The number of workgroups that a dispatch has.
#[derive(Clone, Copy, Debug)]
pub enum Groups {
    /// This many in x, y and z.
    Fixed([u32; 3]),
    /// Enough for one invocation an item. More than 65,535 workgroups are folded into two
    /// dimensions, with up to one row of them too many: kernels find their place by
    /// `shaders/lib/grid.wgsl`, and check it.
    Over(u64),
}

impl Groups {
    /// The workgroups in x, y and z, with `size` invocations each.
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
