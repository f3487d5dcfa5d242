//! Strongly connected and maximal end components on a GPU, by the forward-backward search with trimming of
//! A. Wijs, J.-P. Katoen and D. Bošnački: *GPU-Based Graph Decomposition into Strongly Connected and Maximal End
//! Components* (CAV 2014) and *Efficient GPU Algorithms for Parallel Decomposition of Graphs* (FMSD 2016).
//!
//! | the papers | here |
//! | --- | --- |
//! | `FBT`, `BFBT` (2016, Algorithms 1 and 2) | `search.rs`, whose loops read like them |
//! | the kernels (Algorithms 3 to 6) | `shaders/scc/`, recorded by `steps.rs` |
//! | MEC decomposition (2.3, 2.4, 6) | `mec.rs`, the loop of rounds; choices are removed too |
//! | the sets U, attractors (Algorithm 7) | `shaders/mec/`, recorded by `mec_steps.rs` |
//! | `offsets`, `trans`, segments (5.1) | [`warp_segments`], put on a device by `rows.rs` |
//! | `F_{i,j}`, `-nh`, warp-aggregation, sets J | [`GpuOptions`] |
//!
//! An [`Engine`] is an open device, a [`Loaded`] a graph on it, a [`LoadedMdp`] one with its choices. The states of a region that is searched
//! are found by levels; all regions are searched at once.
//!
//! What [`Search::Auto`] takes is another engine, in [`fast`]. An [`Opening`] opens a device while there is no graph yet.

pub mod fast;
mod loaded;
mod mec;
mod mec_steps;
mod needs;
mod opening;
mod options;
mod rows;
mod search;
mod steps;
#[cfg(test)]
mod tests;
mod work;

pub use ::gpu::PassTime;
pub use loaded::{Loaded, LoadedMdp};
pub use needs::{Target, can_search};
pub use opening::Opening;
pub use options::{Candidates, GpuOptions, Pivot};
pub use search::Statistics;

use crate::{Error, Observer, Phase, Search};
use ::gpu::{Gpu, Request};
use mdp_graph::{Components, Digraph, MdpGraph};
use needs::can_search_fast;
use warp_segments::{Layout, Shape};

/// The bytes of a number that goes over the bus.
const WORD: u64 = 4;

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
        Self::open_on(&adapter.map_or_else(Request::hardware, Request::named))
    }

    /// Opens the adapter that `options` ask for.
    ///
    /// # Errors
    /// [`Error::Gpu`] if there is none.
    pub fn open_for(options: &GpuOptions) -> Result<Self, Error> {
        Self::open_on(&Request {
            name: options.adapter.clone(),
            allow_software: options.software,
            ..Request::default()
        })
    }

    /// Opens the adapter that serves `request` best.
    ///
    /// # Errors
    /// [`Error::Gpu`] if there is none.
    pub fn open_on(request: &Request) -> Result<Self, Error> {
        Ok(Self {
            gpu: Gpu::open(request)?,
        })
    }

    /// Uses a device that is open, or what acts as one.
    pub fn on(gpu: Gpu) -> Self {
        Self { gpu }
    }

    /// What was opened, such as `NVIDIA H200 (discrete GPU, vulkan)`.
    pub fn name(&self) -> String {
        self.gpu.info().to_string()
    }

    /// Lays the edges of `graph` out for this device and uploads them, to be searched for SCCs. Without room
    /// for the transpose it goes on without, and says so in the log.
    ///
    /// # Errors
    /// [`Error::Layout`] if the graph is beyond the layout's limits, [`Error::Gpu`] if the device has
    /// no room for it or cannot run the search's kernels ([`can_search`]).
    pub fn load(&self, graph: &Digraph, options: &GpuOptions) -> Result<Loaded, Error> {
        can_search(self.gpu.info(), Target::Sccs, options)?;
        let layout = Layout::of_edges(graph, self.shape(options), options.transpose)?;
        Loaded::upload(&self.gpu, layout, options)
    }

    /// Lays the choices of `graph` out for this device and uploads them, to be searched for MECs; as
    /// [`load`](Self::load).
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn load_mdp(&self, graph: &MdpGraph, options: &GpuOptions) -> Result<LoadedMdp, Error> {
        can_search(self.gpu.info(), Target::Mecs, options)?;
        let layout = Layout::of_choices(graph, self.shape(options), options.transpose)?;
        LoadedMdp::upload(&self.gpu, graph, layout, options)
    }

    /// Loses the device, as if its driver had reset it: everything that is asked of it fails from then on, also what is
    /// under way. For those who want to see what becomes of that.
    pub fn lose(&self) {
        self.gpu.lose();
    }

    fn shape(&self, options: &GpuOptions) -> Shape {
        let (smallest, largest) = self.gpu.info().subgroup_sizes;
        Shape {
            lanes: options.lanes.unwrap_or(largest.max(smallest).clamp(4, 128)),
            // What lies in segments is for one invocation.
            interval: options.segment_interval.min(options.long_row),
        }
    }
}

impl Engine {
    /// The strongly connected components of `graph`: [`crate::scc`] on this device, whatever adapter the options name.
    ///
    /// # Errors
    /// As [`crate::scc`].
    pub fn scc(
        &self,
        graph: &MdpGraph,
        search: Search,
        options: &GpuOptions,
        observer: &dyn Observer,
    ) -> Result<Components, Error> {
        observer.device(&self.name());
        observer.phase(Phase::Upload);
        let digraph = Digraph::new(graph);
        let fast = self.fast(Target::Sccs, search, options, || {
            self.load_fast(&digraph, options)
        })?;
        let (marks, done) = if let Some(loaded) = fast {
            let words = digraph.offsets().len() + digraph.num_edges();
            observer.moves(WORD * words as u64);
            let (marks, profile) = loaded.sccs(observer)?;
            observer.moves(WORD * marks.len() as u64);
            (marks, work::of_fast_engine(&profile))
        } else {
            let (marks, told) = self.load(&digraph, options)?.sccs_told(search, observer)?;
            (marks, work::of_papers_engine(&told))
        };
        let components = Components::from_scc_marks(graph, marks);
        let size = [digraph.num_states(), digraph.num_edges()];
        work::tell(observer, &self.gpu, done, size)?;
        Ok(components)
    }

    /// The maximal end components of `graph`: [`crate::mec`] on this device, whatever adapter the options name.
    ///
    /// # Errors
    /// As [`crate::mec`].
    pub fn mec(
        &self,
        graph: &MdpGraph,
        search: Search,
        options: &GpuOptions,
        observer: &dyn Observer,
    ) -> Result<Components, Error> {
        observer.device(&self.name());
        observer.phase(Phase::Upload);
        let fast = self.fast(Target::Mecs, search, options, || {
            self.load_fast_mdp(graph, options)
        })?;
        let (marks, done) = if let Some(loaded) = fast {
            let offsets = graph.choice_offsets().len() + graph.branch_offsets().len();
            observer.moves(WORD * (offsets + graph.num_branches()) as u64);
            let (marks, profile) = loaded.mecs(observer)?;
            observer.moves(WORD * marks.len() as u64);
            (marks, work::of_fast_engine(&profile))
        } else {
            let (marks, told) = self.load_mdp(graph, options)?.mecs_told(search, observer)?;
            (marks, work::of_papers_engine(&told))
        };
        let components = Components::from_mec_marks(marks);
        let size = [graph.num_states(), graph.num_branches()];
        work::tell(observer, &self.gpu, done, size)?;
        Ok(components)
    }

    /// The graph as the fast engine has it, if that is to search and can.
    fn fast<T>(
        &self,
        target: Target,
        search: Search,
        options: &GpuOptions,
        load: impl FnOnce() -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        if search != Search::Auto || options.are_of_the_papers() {
            return Ok(None);
        }
        match can_search_fast(self.gpu.info(), target).and_then(|()| load()) {
            Ok(loaded) => Ok(Some(loaded)),
            Err(error) => without_fast_engine(error).map(|()| None),
        }
    }
}

/// Goes on with the papers' engine, which needs less, if the fast one has no room or too many buffers; and says so.
fn without_fast_engine(error: Error) -> Result<(), Error> {
    match error {
        Error::Gpu(
            error @ (::gpu::Error::OutOfMemory { .. } | ::gpu::Error::LimitExceeded { .. }),
        ) => {
            tracing::warn!("searching without the fast engine: {error}");
            Ok(())
        }
        error => Err(error),
    }
}

/// The strongly connected components of `graph`, on the adapter that the options name.
pub(crate) fn scc(
    graph: &MdpGraph,
    search: Search,
    options: &GpuOptions,
    observer: &dyn Observer,
) -> Result<Components, Error> {
    observer.phase(Phase::Open);
    Engine::open_for(options)?.scc(graph, search, options, observer)
}

/// The maximal end components of `graph`, on the adapter that the options name.
pub(crate) fn mec(
    graph: &MdpGraph,
    search: Search,
    options: &GpuOptions,
    observer: &dyn Observer,
) -> Result<Components, Error> {
    observer.phase(Phase::Open);
    Engine::open_for(options)?.mec(graph, search, options, observer)
}
