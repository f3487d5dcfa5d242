//! [`FbtGraph`]: a graph on a device in warp-interleaved segments, which can be searched any number
//! of times.

use super::rows::{Cut, DeviceRows};
use super::state::{Choices, MecState, SearchState};
use crate::Error;
use crate::gpu::graph_location::HostGraph;
use crate::gpu::options::{FbtOptions, GpuOptions};
use crate::gpu::requirements::can_search;
use ::gpu::Gpu;
use mdp_graph::StateId;
use warp_segments::{Directions, Layout, LayoutError, Segments, Shape};

/// Returns the fewest bytes that a binding of edges may have.
fn least_binding(layout: &Layout) -> u64 {
    let backward = layout.backward.as_ref();
    let backward = backward.map_or(0, Segments::least_shard);
    4 * layout.forward.least_shard().max(backward)
}

/// A graph on a device, with the other buffers that a search needs.
#[derive(Debug)]
pub struct FbtGraph {
    pub(super) gpu: Gpu,
    pub(super) options: FbtOptions,
    pub(super) forward: DeviceRows,
    pub(super) backward: Option<DeviceRows>,
    /// The choices that entries belong to; none if they stand for edges.
    pub(super) choices: Option<Choices>,
    pub(super) state: SearchState,
    /// The further buffers of a search for maximal end components, if these are to be found.
    pub(super) mecs: Option<MecState>,
    layout: Layout,
}

impl FbtGraph {
    /// Lays out `graph` for this device and uploads it: edges to be searched for strongly connected
    /// components, or choices for maximal end components. If there is no room for the transpose, it
    /// does without, and logs that. Heeds `max_binding` and `papers` among the options.
    ///
    /// # Errors
    /// [`Error::Layout`] if the graph exceeds the limits of the layout, [`Error::Gpu`] if the
    /// device has no room for it or cannot run the search's kernels ([`can_search`]).
    pub fn load(gpu: &Gpu, graph: HostGraph<'_>, options: &GpuOptions) -> Result<Self, Error> {
        let papers = options.papers.unwrap_or_default();
        can_search(gpu.info(), graph.kind(), &papers)?;
        let shape = shape(gpu, &papers);
        let directions = match papers.transpose {
            true => Directions::Both,
            false => Directions::Forward,
        };
        match graph {
            HostGraph::Edges(graph) => {
                let layout = Layout::of_edges(graph, shape, directions)?;
                Self::upload(gpu, layout, options)
            }
            HostGraph::Choices(graph) => {
                let layout = Layout::of_choices(graph, shape, directions)?;
                let choices = Choices::upload(gpu, graph, &layout.order)?;
                let mecs = MecState::new(gpu, choices.clone())?;
                Ok(Self {
                    choices: Some(choices),
                    mecs: Some(mecs),
                    ..Self::upload(gpu, layout, options)?
                })
            }
        }
    }

    fn upload(gpu: &Gpu, layout: Layout, options: &GpuOptions) -> Result<Self, Error> {
        let shard = options.binding(gpu.limits()) / 4;
        let papers = options.papers.unwrap_or_default();
        let cut = |segments| {
            let cut = Cut::new(segments, shard, papers.long_row);
            cut.map_err(|error| match error {
                Error::Layout(LayoutError::ShardTooSmall { .. }) => {
                    options.too_small(least_binding(&layout), error)
                }
                error => error,
            })
        };
        let along = cut(&layout.forward)?;
        let against = layout.backward.as_ref().map(cut).transpose()?;
        let progress = along.progress_words();
        let back_progress = against.as_ref().map_or(0, Cut::progress_words);
        // These are allocated before the transpose, because a search can do without the transpose.
        let state = SearchState::new(gpu, layout.order.len() as u32, progress + back_progress)?;
        let at = state.progress_at();
        let forward = DeviceRows::upload(gpu, "forward", &layout.forward, &along, at)?;
        let backward = match layout.backward.as_ref().zip(against.as_ref()) {
            Some((segments, cut)) => {
                DeviceRows::upload(gpu, "backward", segments, cut, at + progress).map(Some)
            }
            None => Ok(None),
        };
        let backward = backward.or_else(|error| match error {
            Error::Gpu(error @ ::gpu::Error::OutOfMemory { .. }) => {
                tracing::warn!("searching without the transpose: {error}");
                Ok(None)
            }
            error => Err(error),
        })?;
        Ok(Self {
            gpu: gpu.clone(),
            layout,
            options: papers,
            forward,
            backward,
            choices: None,
            state,
            mecs: None,
        })
    }

    /// Converts marks of the states of the layout to marks of the states of the graph.
    pub(super) fn in_old_order(&self, marks: &[u32]) -> Vec<u32> {
        let states = (0..marks.len()).map(StateId::from_index);
        states
            .map(|old| marks[self.layout.order.to_new(old).index()])
            .collect()
    }

    /// Sets the options `cache_hops`, `hybrid`, `pivot` and `candidates` for later searches. The
    /// other options decided how the graph was laid out, and cannot change.
    pub fn set_search_options(&mut self, options: &FbtOptions) {
        self.options = FbtOptions {
            cache_hops: options.cache_hops,
            hybrid: options.hybrid,
            pivot: options.pivot,
            candidates: options.candidates,
            ..self.options
        };
    }

    /// Returns whether the transpose is on the device too.
    pub fn has_transpose(&self) -> bool {
        self.backward.is_some()
    }

    /// Returns the number of shards into which the edges of either direction are cut.
    pub fn num_shards(&self) -> usize {
        self.forward
            .shards
            .len()
            .max(self.backward.as_ref().map_or(0, |rows| rows.shards.len()))
    }

    /// Returns whether the device still has everything that was uploaded, bit for bit. A search
    /// locks entries, and has to restore them. All of it is read back, so this is only for tests,
    /// and for debug builds, which do it after every search.
    ///
    /// # Errors
    /// [`Error::Gpu`] if the device fails.
    #[doc(hidden)]
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

/// Returns the way in which rows are interleaved for a device.
fn shape(gpu: &Gpu, options: &FbtOptions) -> Shape {
    let (smallest, largest) = gpu.info().subgroup_sizes;
    Shape {
        lanes: options.lanes.unwrap_or(largest.max(smallest).clamp(4, 128)),
        // What lies in segments is for one invocation.
        interval: options.segment_interval.min(options.long_row),
    }
}
