//! The record that each iteration of a loop passes to the next, as the host sees it.

use bytemuck::{Pod, Zeroable};

/// The record that a loop hands from iteration to iteration, as `shaders/lib/loop.wgsl` lays it
/// out.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct LoopRecord {
    /// The workgroups of the iteration, in x, y and z.
    pub groups: [u32; 3],
    /// The iteration's number, from 0, modulo 2^32.
    pub iteration: u32,
    /// What the kernels wrote.
    pub words: [u32; LoopRecord::WORDS],
}

impl LoopRecord {
    /// How many words of a record belong to the kernels.
    pub const WORDS: usize = 28;

    /// Whether an iteration with this record has no workgroups: the loop is over.
    #[must_use]
    pub fn is_last(&self) -> bool {
        self.groups.contains(&0)
    }
}
