//! Edges as the algorithms read them. The target is next to the weight, so one memory access reads
//! both.

/// An edge within a component.
pub(crate) trait Arc: Copy + Send + Sync {
    /// Its target, counted within the component.
    fn target(self) -> usize;
    /// Its weight.
    fn weight(self) -> i64;
    /// Its time.
    fn time(self) -> i64;
}

/// An edge that takes one unit of time, with a small weight that is not negative: 8 bytes.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "gpu", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[repr(C)]
pub(crate) struct Narrow {
    pub(crate) target: u32,
    pub(crate) weight: u32,
}

impl Arc for Narrow {
    #[inline]
    fn target(self) -> usize {
        self.target as usize
    }

    #[inline]
    fn weight(self) -> i64 {
        i64::from(self.weight)
    }

    #[inline]
    fn time(self) -> i64 {
        1
    }
}

/// Any other edge: 16 bytes.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "gpu", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[repr(C)]
pub(crate) struct Wide {
    pub(crate) target: u32,
    pub(crate) time: u32,
    pub(crate) weight: i64,
}

impl Arc for Wide {
    #[inline]
    fn target(self) -> usize {
        self.target as usize
    }

    #[inline]
    fn weight(self) -> i64 {
        self.weight
    }

    #[inline]
    fn time(self) -> i64 {
        i64::from(self.time)
    }
}
