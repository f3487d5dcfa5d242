//! Finds the parents from the distances (`shaders/bfs/parents.wgsl`).

use super::upload::DeviceEdges;
use crate::{BfsTree, Error};
use ::gpu::kernels::bfs::Parents;
use ::gpu::row_entries::{dispatches, piece};
use ::gpu::{Buffer, Recording};

/// Rows of more edges than this are cut into pieces, which different workgroups handle.
const LONG_ROW: u32 = 1 << 14;

impl DeviceEdges<'_> {
    /// Returns the parent of each state, or [`BfsTree::NONE`], from the distances of all states.
    ///
    /// # Errors
    /// [`Error::Gpu`] if the device lacks memory or fails.
    pub fn parents(&self, distances: &Buffer<u32>) -> Result<Buffer<u32>, Error> {
        let parents = self.gpu.zeroed("parents", distances.len())?;
        let mut recording = Recording::new();
        recording.fill(&parents, BfsTree::NONE);
        let edges = u64::from(self.num_edges());
        let all = piece(0..self.num_states(), 0);
        for (piece, groups) in dispatches(all, edges, LONG_ROW) {
            let pass = Parents {
                row_offsets: &self.forward.offsets,
                piece: &self.gpu.upload("a piece", &[piece])?,
                targets: &self.forward.ends,
                distances,
                parents: &parents,
            };
            recording.dispatch(&pass, groups);
        }
        self.gpu.run(&recording)?;
        Ok(parents)
    }
}
