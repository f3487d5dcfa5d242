//! Parents, once the distances are there (`shaders/bfs/parents.wgsl`).

use super::upload::DeviceGraph;
use crate::{BfsTree, Error};
use ::gpu::kernels::DealPiece;
use ::gpu::kernels::bfs::{Parents, SIZE};
use ::gpu::{Buffer, Groups, Recording};

/// Rows of more edges are cut into pieces, which different workgroups look at.
const LONG_ROW: u32 = 1 << 14;

impl DeviceGraph<'_> {
    /// The parent of each state, or [`BfsTree::NONE`], from the distances of all states.
    ///
    /// # Errors
    /// [`Error::Gpu`] if the device has no room or fails.
    pub fn parents(&self, distances: &Buffer<u32>) -> Result<Buffer<u32>, Error> {
        let parents = self.gpu.zeroed("parents", distances.len())?;
        let mut recording = Recording::new();
        recording.fill(&parents, BfsTree::NONE);
        let edges = u64::from(self.num_edges());
        let pieces = 2 * edges.div_ceil(LONG_ROW.into());
        let of_long_rows = edges > u64::from(LONG_ROW);
        // The long rows, if there may be any; and then all others.
        let dispatches = [
            (
                1,
                if of_long_rows {
                    pieces * u64::from(SIZE)
                } else {
                    0
                },
            ),
            (0, u64::from(self.num_states())),
        ];
        for (deals_long, invocations) in dispatches.into_iter().filter(|&(_, n)| n > 0) {
            let piece = DealPiece {
                end_row: self.num_states(),
                long_row: LONG_ROW,
                deals_long,
                ..DealPiece::default()
            };
            let pass = Parents {
                row_offsets: &self.forward.offsets,
                piece: &self.gpu.upload("a piece", &[piece])?,
                targets: &self.forward.ends,
                distances,
                parents: &parents,
            };
            recording.dispatch(&pass, Groups::Over(invocations));
        }
        self.gpu.run(&recording)?;
        Ok(parents)
    }
}
