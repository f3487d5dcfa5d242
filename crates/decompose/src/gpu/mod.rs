//! Strongly connected components on a GPU, by the forward-backward search with trimming of A. Wijs,
//! J.-P. Katoen and D. Bošnački: *GPU-Based Graph Decomposition into Strongly Connected and Maximal End
//! Components* (CAV 2014) and *Efficient GPU Algorithms for Parallel Decomposition of Graphs* (FMSD 2016).
//!
//! | the papers | here |
//! | --- | --- |
//! | `FBT`, `BFBT` (2016, Algorithms 1 and 2) | `search.rs`, whose loops read like them |
//! | the kernels (Algorithms 3 to 6) | `shaders/scc/`, recorded by `steps.rs` |
//! | `offsets`, `trans`, segments (5.1) | [`mdp_graph::segments`], put on a device by `rows.rs` |
//! | `F_{i,j}`, `-nh`, warp-aggregation | [`GpuOptions`] |
//!
//! An [`Engine`] is an open device, a [`Loaded`] a graph on it. The states of a region that is searched
//! are found by levels; all regions are searched at once.

mod options;
mod rows;
mod search;
mod steps;
#[cfg(test)]
mod tests;

pub use options::{GpuOptions, Pivot};
pub use search::Statistics;

use crate::{Error, Observer, Phase, Search};
use ::gpu::{Gpu, Request};
use mdp_graph::segments::{Layout, Shape};
use mdp_graph::{Components, Digraph, MdpGraph, StateId};
use rows::DeviceRows;

/// An open device.
#[derive(Clone, Debug)]
pub struct Engine {
    gpu: Gpu,
}

impl Engine {
    /// Opens the adapter whose name contains `adapter`, or else the best that is not software.
    ///
    /// # Errors
    /// [`Error::Gpu`] if there is none.
    pub fn open(adapter: Option<&str>) -> Result<Self, Error> {
        Self::open_as_requested(&adapter.map_or_else(Request::hardware, Request::named))
    }

    /// Opens the adapter that `options` ask for.
    ///
    /// # Errors
    /// [`Error::Gpu`] if there is none.
    pub fn open_for(options: &GpuOptions) -> Result<Self, Error> {
        Self::open_as_requested(&Request {
            name: options.adapter.clone(),
            allow_software: options.software,
            ..Request::default()
        })
    }

    fn open_as_requested(request: &Request) -> Result<Self, Error> {
        Ok(Self {
            gpu: Gpu::open(request)?,
        })
    }

    /// What was opened, such as `NVIDIA H200 (discrete GPU, vulkan)`.
    pub fn name(&self) -> String {
        self.gpu.info().to_string()
    }

    /// Lays the edges of `graph` out for this device and uploads them. Without room for the transpose
    /// it goes on without, and says so in the log.
    ///
    /// # Errors
    /// [`Error::Layout`] if the graph is beyond the layout's limits, [`Error::Gpu`] if the device has
    /// no room for it.
    pub fn load(&self, graph: &Digraph, options: &GpuOptions) -> Result<Loaded, Error> {
        let (smallest, largest) = self.gpu.info().subgroup_sizes;
        let lanes = options.lanes.unwrap_or(largest.max(smallest).clamp(4, 128));
        let shape = Shape {
            lanes,
            interval: options.segment_interval,
        };
        let layout = Layout::of_edges(graph, shape, options.transpose)?;
        let binding = self
            .gpu
            .limits()
            .max_binding_bytes
            .min(self.gpu.limits().max_buffer_bytes);
        let shard = options
            .max_binding
            .map_or(binding, |bytes| bytes.min(binding))
            / 4;
        let forward = DeviceRows::upload(&self.gpu, "forward", &layout.forward, shard)?;
        let mut loaded = Loaded::new(self.gpu.clone(), layout, forward, options.clone())?;
        if let Some(segments) = &loaded.layout.backward {
            match DeviceRows::upload(&self.gpu, "backward", segments, shard) {
                Ok(rows) => loaded.backward = Some(rows),
                Err(Error::Gpu(error @ ::gpu::Error::OutOfMemory { .. })) => {
                    tracing::warn!("searching without the transpose: {error}");
                }
                Err(error) => return Err(error),
            }
        }
        Ok(loaded)
    }
}

/// A graph on a device, with what a search needs beside it.
#[derive(Debug)]
pub struct Loaded {
    gpu: Gpu,
    layout: Layout,
    options: GpuOptions,
    forward: DeviceRows,
    backward: Option<DeviceRows>,
    state: steps::SearchState,
}

impl Loaded {
    fn new(
        gpu: Gpu,
        layout: Layout,
        forward: DeviceRows,
        options: GpuOptions,
    ) -> Result<Self, Error> {
        let state = steps::SearchState::new(&gpu, layout.order.len() as u32)?;
        Ok(Self {
            gpu,
            layout,
            options,
            forward,
            backward: None,
            state,
        })
    }

    /// Searches with the algorithm that `search` names.
    ///
    /// Returns for each state, by its number in the graph, a number that the states of its component
    /// share.
    ///
    /// # Errors
    /// [`Error::Cancelled`]; [`Error::Gpu`] if the device fails; [`Error::Unsupported`] for a search of
    /// the CPU's.
    pub fn sccs(
        &self,
        search: Search,
        observer: &dyn Observer,
    ) -> Result<(Vec<u32>, Statistics), Error> {
        observer.phase(Phase::Decompose);
        let statistics = search::run(self, search, observer)?;
        observer.phase(Phase::Download);
        let regions = self.state.read_regions(&self.gpu)?;
        debug_assert!(self.is_restored()?, "pivot selection has changed the graph");
        let states = (0..regions.len()).map(StateId::from_index);
        let marks = states
            .map(|old| regions[self.layout.order.to_new(old).index()])
            .collect();
        Ok((marks, statistics))
    }

    /// Whether the transpose is on the device too.
    pub fn has_transpose(&self) -> bool {
        self.backward.is_some()
    }

    /// How many shards the edges of either direction are cut into.
    pub fn num_shards(&self) -> usize {
        self.forward
            .shards
            .len()
            .max(self.backward.as_ref().map_or(0, |rows| rows.shards.len()))
    }

    /// Whether everything that was uploaded is on the device still, bit for bit: a search locks entries,
    /// and has to put them back. Reads all of it back; for tests, and debug builds after every search.
    ///
    /// # Errors
    /// [`Error::Gpu`] if the device fails.
    pub fn is_restored(&self) -> Result<bool, Error> {
        let forward = self
            .forward
            .is_as_uploaded(&self.gpu, &self.layout.forward)?;
        match (&self.backward, &self.layout.backward) {
            (Some(rows), Some(segments)) => {
                Ok(forward && rows.is_as_uploaded(&self.gpu, segments)?)
            }
            _ => Ok(forward),
        }
    }
}

/// The strongly connected components of `graph`, on the adapter that the options name.
pub(crate) fn scc(
    graph: &MdpGraph,
    search: Search,
    options: &GpuOptions,
    observer: &dyn Observer,
) -> Result<Components, Error> {
    let loaded = open_and_load(graph, options, observer)?;
    let (marks, statistics) = loaded.sccs(search, observer)?;
    tracing::debug!(?statistics, "searched");
    Ok(Components::from_scc_marks(graph, marks))
}

/// Puts the edges of `graph` on the adapter that the options name.
fn open_and_load(
    graph: &MdpGraph,
    options: &GpuOptions,
    observer: &dyn Observer,
) -> Result<Loaded, Error> {
    observer.phase(Phase::Open);
    let engine = Engine::open_for(options)?;
    observer.device(&engine.name());
    observer.phase(Phase::Upload);
    engine.load(&Digraph::new(graph), options)
}
