//! Prefix sums of values on a device.

use crate::buffer::Buffer;
use crate::error::Result;
use crate::gpu::Gpu;
use crate::groups::Groups;
use crate::kernels::csr::{BLOCK, Carry, SIZE, Sum};
use crate::recording::Recording;

/// Records the computation of prefix sums: each value becomes the sum of those before it.
///
/// # Errors
///
/// As [`Gpu::zeroed`], for the sums of blocks.
pub fn prefix_sums(gpu: &Gpu, recording: &mut Recording, values: &Buffer<u32>) -> Result<()> {
    let blocks = values.len().div_ceil(BLOCK.into());
    let sums = gpu.zeroed("sums of blocks", blocks)?;
    let pass = Sum {
        values,
        sums: &sums,
    };
    recording.dispatch(&pass, Groups::Over(blocks * u64::from(SIZE)));
    if blocks > 1 {
        prefix_sums(gpu, recording, &sums)?;
        let pass = Carry {
            values,
            sums: &sums,
        };
        recording.dispatch(&pass, Groups::Over(values.len()));
    }
    Ok(())
}
