//! Graphs on a device, which can be searched as often as one likes.

use super::mec_steps::{Choices, MecState};
use super::rows::{Cut, DeviceRows};
use super::search::{self, Statistics, Told};
use super::steps::SearchState;
use super::{GpuOptions, mec};
use crate::{Error, Observer, Phase, Search};
use ::gpu::{Gpu, PassTime};
use mdp_graph::{MdpGraph, StateId};
use warp_segments::Layout;

/// A graph on a device, with what a search needs beside it.
#[derive(Debug)]
pub struct Loaded {
    pub(super) gpu: Gpu,
    pub(super) options: GpuOptions,
    pub(super) forward: DeviceRows,
    pub(super) backward: Option<DeviceRows>,
    /// The choices that entries belong to; none if they stand for edges.
    pub(super) choices: Option<Choices>,
    pub(super) state: SearchState,
    layout: Layout,
}

impl Loaded {
    pub(super) fn upload(gpu: &Gpu, layout: Layout, options: &GpuOptions) -> Result<Self, Error> {
        let limits = gpu.limits();
        let binding = limits.max_binding_bytes.min(limits.max_buffer_bytes);
        let shard = options
            .max_binding
            .map_or(binding, |bytes| bytes.min(binding))
            / 4;
        let cut = |segments| Cut::new(segments, shard, options.long_row);
        let along = cut(&layout.forward)?;
        let against = layout.backward.as_ref().map(cut).transpose()?;
        let progress = along.progress_words();
        let back_progress = against.as_ref().map_or(0, Cut::progress_words);
        // Before the transpose, without which one can do.
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
            options: options.clone(),
            forward,
            backward,
            choices: None,
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
        let (marks, told) = self.sccs_told(search, observer)?;
        Ok((marks, told.statistics))
    }

    /// The same, with all that the device did.
    pub(super) fn sccs_told(
        &self,
        search: Search,
        observer: &dyn Observer,
    ) -> Result<(Vec<u32>, Told), Error> {
        observer.phase(Phase::Decompose);
        let told = search::run(self, search, observer)?;
        observer.phase(Phase::Download);
        let regions = self.state.read_regions(&self.gpu)?;
        debug_assert!(self.is_restored()?, "pivot selection has changed the graph");
        Ok((self.in_old_order(&regions), told))
    }

    /// What is said of the states of the layout, said of those of the graph.
    fn in_old_order(&self, marks: &[u32]) -> Vec<u32> {
        let states = (0..marks.len()).map(StateId::from_index);
        states
            .map(|old| marks[self.layout.order.to_new(old).index()])
            .collect()
    }

    /// Searches with other knobs from now on: `cache_hops`, `hybrid`, `pivot` and `candidates`. The others
    /// have shaped what is loaded, and stay.
    pub fn set_knobs(&mut self, options: &GpuOptions) {
        self.options = GpuOptions {
            cache_hops: options.cache_hops,
            hybrid: options.hybrid,
            pivot: options.pivot,
            candidates: options.candidates,
            ..self.options.clone()
        };
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

/// A graph with its choices on a device.
#[derive(Debug)]
pub struct LoadedMdp {
    graph: Loaded,
    state: MecState,
}

impl LoadedMdp {
    pub(super) fn upload(
        gpu: &Gpu,
        graph: &MdpGraph,
        layout: Layout,
        options: &GpuOptions,
    ) -> Result<Self, Error> {
        let choices = Choices::upload(gpu, graph, &layout.order)?;
        let state = MecState::new(gpu, choices.clone())?;
        let mut graph = Loaded::upload(gpu, layout, options)?;
        graph.choices = Some(choices);
        Ok(Self { graph, state })
    }

    /// Searches for maximal end components, with the algorithm that `search` names for the SCCs in it.
    ///
    /// Returns for each state, by its number in the graph, a number that the states of its component share,
    /// or [`Components::NONE`](mdp_graph::Components::NONE) for a state that is in none.
    ///
    /// # Errors
    /// As [`Loaded::sccs`].
    pub fn mecs(
        &self,
        search: Search,
        observer: &dyn Observer,
    ) -> Result<(Vec<u32>, Statistics), Error> {
        let (marks, told) = self.mecs_told(search, observer)?;
        Ok((marks, told.statistics))
    }

    /// The same, with all that the device did.
    pub(super) fn mecs_told(
        &self,
        search: Search,
        observer: &dyn Observer,
    ) -> Result<(Vec<u32>, Told), Error> {
        let graph = &self.graph;
        observer.phase(Phase::Decompose);
        let told = mec::run(graph, &self.state, search, observer)?;
        observer.phase(Phase::Download);
        let marks = self.state.read_marks(&graph.gpu, &graph.state.results)?;
        debug_assert!(
            graph.is_restored()?,
            "pivot selection has changed the graph"
        );
        Ok((graph.in_old_order(&marks), told))
    }

    /// How long the kernels of a search for MECs take on the device, dispatches of one kernel and recording
    /// added up; nothing where the adapter has no clock. The search itself takes longer than otherwise.
    ///
    /// # Errors
    /// As [`Loaded::sccs`].
    pub fn profile(&self, search: Search) -> Result<Vec<PassTime>, Error> {
        mec::profile(&self.graph, &self.state, search)
    }

    /// As [`Loaded::set_knobs`].
    pub fn set_knobs(&mut self, options: &GpuOptions) {
        self.graph.set_knobs(options);
    }

    /// As [`Loaded::has_transpose`].
    pub fn has_transpose(&self) -> bool {
        self.graph.has_transpose()
    }

    /// As [`Loaded::num_shards`].
    pub fn num_shards(&self) -> usize {
        self.graph.num_shards()
    }

    /// As [`Loaded::is_restored`].
    ///
    /// # Errors
    /// As [`Loaded::is_restored`].
    pub fn is_restored(&self) -> Result<bool, Error> {
        self.graph.is_restored()
    }
}
