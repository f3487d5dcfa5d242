//! The options of a search on a GPU. Those of the papers' engine reproduce every column of the
//! papers' tables.

use crate::Error;
use ::gpu::{Limits, Request};

/// Which GPU is to search, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GpuOptions {
    /// The adapter to open.
    pub request: Request,
    /// Bind at most this many bytes of edges at once; by default, as many as the adapter allows.
    pub max_binding: Option<u64>,
    /// When the worklist engine lays out a graph, rows of more edges are distributed over several
    /// workgroups.
    pub laid_out_row: u32,
    /// The options of the papers' engine. If they are set, this engine also runs for
    /// [`ComponentSearch::Auto`](crate::ComponentSearch::Auto), whatever their values. Other
    /// searches by this engine use the default options if these are not set.
    pub papers: Option<FbtOptions>,
}

/// The options of the papers' engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FbtOptions {
    /// j of `F_{i,j}`: states with at most this many edges are stored in interleaved segments.
    pub segment_interval: u32,
    /// i of `F_{i,j}`: how many levels a workgroup explores out of its own memory in each dispatch.
    pub cache_hops: u32,
    /// Search forward and backward in the same dispatches, until one of the two has ended. Without
    /// it (`-nh`) the backward search follows the forward one.
    pub hybrid: bool,
    /// Keep the transposed graph too, if it fits, for the backward searches.
    pub transpose: bool,
    /// How pivots are selected.
    pub pivot: Pivot,
    /// Which states may become pivots, in a search for MECs.
    pub candidates: Candidates,
    /// Rows of more edges are shared by many invocations, so that no dispatch takes long, whatever
    /// the graph.
    pub long_row: u32,
    /// W, the states of a segment; the adapter's subgroup size, if not set.
    pub lanes: Option<u32>,
}

/// How the pivots of regions are selected (2016, section 5.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pivot {
    /// All states of a region compete.
    Plain,
    /// One invocation of each subgroup competes for each region.
    #[default]
    Aggregated,
}

/// Which states may become the pivots of regions in a search for MECs (2016, section 5.3,
/// optimisation 2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Candidates {
    /// All states of a region.
    #[default]
    All,
    /// After the first round, the states that lost a choice in the last one (the set J). Regions
    /// without one wait for the next round.
    Join,
}

impl Default for FbtOptions {
    /// `F_{3,7}` with aggregation. The papers' best configuration has no cache; on today's GPUs a
    /// level costs more than the memory that a workgroup keeps to itself.
    fn default() -> Self {
        Self {
            segment_interval: 7,
            cache_hops: 3,
            hybrid: true,
            transpose: true,
            pivot: Pivot::default(),
            candidates: Candidates::default(),
            long_row: 1024,
            lanes: None,
        }
    }
}

impl Default for GpuOptions {
    /// The best hardware adapter, and the worklist engine.
    fn default() -> Self {
        Self {
            request: Request::default(),
            max_binding: None,
            laid_out_row: 1 << 14,
            papers: None,
        }
    }
}

impl From<Request> for GpuOptions {
    /// Returns the default options, for this adapter.
    fn from(request: Request) -> Self {
        Self {
            request,
            ..Self::default()
        }
    }
}

impl From<FbtOptions> for GpuOptions {
    /// Returns the default options, with the papers' engine.
    fn from(papers: FbtOptions) -> Self {
        Self {
            papers: Some(papers),
            ..Self::default()
        }
    }
}

impl GpuOptions {
    /// Returns the options of the search that needs least memory: by the papers' engine, without
    /// the transpose. Returns `None` if these options already ask for it.
    #[must_use]
    pub fn without_transpose(&self) -> Option<Self> {
        let papers = self.papers.unwrap_or_default();
        papers.transpose.then(|| Self {
            papers: Some(FbtOptions {
                transpose: false,
                ..papers
            }),
            ..self.clone()
        })
    }

    /// Returns the bytes that a binding may have on a device with these limits.
    pub(super) fn binding(&self, limits: &Limits) -> u64 {
        let binding = limits.max_binding_bytes.min(limits.max_buffer_bytes);
        self.max_binding.map_or(binding, |bytes| bytes.min(binding))
    }

    /// Returns the error for a graph of which a binding has to hold at least so many bytes, if that
    /// is more than these options allow; otherwise `error`.
    pub(super) fn too_small(&self, least: u64, error: Error) -> Error {
        match self.max_binding {
            Some(given) if given < least => Error::BindingTooSmall { given, least },
            _ => error,
        }
    }
}
