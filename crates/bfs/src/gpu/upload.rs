//! [`DeviceEdges`]: the edges of a graph on a device, by their sources and, if the caller asks for
//! it, also by their targets.

use crate::Error;
use ::gpu::{Buffer, Gpu};
use mdp_graph::{MdpGraph, StateId, StateRows, transpose};
use rayon::prelude::*;

/// Edges as compressed sparse rows.
#[derive(Debug)]
pub(super) struct EdgeRows {
    /// `n + 1` offsets into `ends`.
    pub(super) offsets: Buffer<u32>,
    /// The other end of each edge.
    pub(super) ends: Buffer<u32>,
}

/// The edges of a graph on a device. Each branch of each choice is an edge.
///
/// Each array has to fit one binding of the device.
#[derive(Debug)]
pub struct DeviceEdges<'g> {
    pub(super) gpu: Gpu,
    pub(super) graph: &'g MdpGraph,
    /// `n + 1` offsets of the states into the edges.
    pub(super) rows: StateRows<'g>,
    pub(super) forward: EdgeRows,
    pub(super) backward: Option<EdgeRows>,
}

impl<'g> DeviceEdges<'g> {
    /// Uploads the edges of `graph`.
    ///
    /// # Errors
    /// [`Error::Gpu`] if the device lacks memory, or an array does not fit a binding.
    pub fn upload(gpu: &Gpu, graph: &'g MdpGraph) -> Result<Self, Error> {
        let rows = StateRows::new(graph);
        let forward = EdgeRows {
            offsets: gpu.upload("offsets", &rows)?,
            ends: gpu.upload("targets", StateId::as_numbers(graph.all_targets()))?,
        };
        Ok(Self {
            gpu: gpu.clone(),
            graph,
            rows,
            forward,
            backward: None,
        })
    }

    /// Builds the reverse graph on the host, and uploads it, too. Then searches go bottom up where
    /// that is faster. This is worthwhile if the graph is searched many times.
    ///
    /// # Errors
    /// As [`upload`](Self::upload).
    pub fn with_reverse(mut self) -> Result<Self, Error> {
        let targets = StateId::as_numbers(self.graph.all_targets());
        let (offsets, sources) = transpose(&self.rows[1..], targets, self.graph.num_states());
        self.backward = Some(EdgeRows {
            offsets: self.gpu.upload("reverse offsets", &offsets)?,
            ends: self.gpu.upload("sources", &sources)?,
        });
        Ok(self)
    }

    pub(super) fn num_states(&self) -> u32 {
        self.rows.len() as u32 - 1
    }

    pub(super) fn num_edges(&self) -> u32 {
        self.rows[self.rows.len() - 1]
    }

    /// Returns the maximum number of edges of a state.
    pub(super) fn longest_row(&self) -> u32 {
        let rows = self.rows.par_windows(2).with_min_len(1 << 14);
        rows.map(|row| row[1] - row[0]).max().unwrap_or(0)
    }

    /// Returns the number of rows of at most `piece` edges, if each longer row is cut into pieces.
    /// A state without edges has one row.
    pub(super) fn most_rows(&self, piece: u32) -> u64 {
        let rows = self.rows.par_windows(2).with_min_len(1 << 14);
        rows.map(|row| u64::from((row[1] - row[0]).div_ceil(piece).max(1)))
            .sum()
    }
}
