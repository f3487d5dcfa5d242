//! The record that each iteration of a loop passes to the next, as the host sees it.

use bytemuck::{Pod, Zeroable};

/// The record that each iteration of a loop passes to the next, with the layout of
/// `shaders/lib/loop.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct LoopRecord {
    /// The number of workgroups of the iteration, in x, y and z.
    pub groups: [u32; 3],
    /// The number of the iteration, from 0, modulo 2^32.
    pub iteration: u32,
    /// The words that the kernels wrote.
    pub words: [u32; LoopRecord::WORDS],
}

impl LoopRecord {
    /// The number of words of a record that belong to the kernels.
    pub const WORDS: usize = 28;

    /// Returns whether an iteration with this record has no workgroups, so that the loop is over.
    #[must_use]
    pub fn is_last(&self) -> bool {
        self.groups.contains(&0)
    }
}
