//! Puts a graph on a device as compressed sparse rows, where it can be searched as often as one likes.

use super::csr::{self, LONG_ROW, Rows};
use super::host_fallback::HostGraph;
use super::rows::DeviceRows;
use super::state::{self, Choices, MAX_STATES, SearchState};
use super::tuning::Tuning;
use crate::Error;
use crate::gpu::context::GpuContext;
use crate::gpu::options::GpuOptions;
use crate::gpu::requirements::{Target, can_search_inline, can_search_worklist};
use ::gpu::{Buffer, Gpu};
use mdp_graph::{Digraph, MdpGraph};

/// What a state's row takes in `shaders/csr/inline_adjacency.wgsl`.
const HEAD_BYTES: u64 = 32;

/// A graph on a device, with what a search needs beside it.
#[derive(Debug)]
pub struct WorklistGraph<'g> {
    pub(super) gpu: Gpu,
    /// Where what the device takes too long for is finished.
    pub(super) host: HostGraph<'g>,
    pub(super) forward: DeviceRows,
    pub(super) backward: DeviceRows,
    /// For each state its rows' positions and ends, and their first edges (`shaders/worklist/lib/inline_adjacency.wgsl`).
    pub(super) heads: Option<Buffer<[u32; 4]>>,
    /// If it is to be searched for maximal end components.
    pub(super) choices: Option<Choices>,
    pub(super) state: SearchState,
    pub(super) tuning: Tuning,
}

impl GpuContext {
    /// Uploads the edges of `graph`, forward and backward, to be searched by the fast engine. Of the options,
    /// it heeds `max_binding`.
    ///
    /// # Errors
    /// [`Error::Gpu`] if the device has no room for it or for its kernel, or a state more edges than a binding holds.
    pub fn load_worklist<'g>(
        &self,
        graph: &'g Digraph,
        options: &GpuOptions,
    ) -> Result<WorklistGraph<'g>, Error> {
        within(
            "the number of states",
            graph.num_states() as u64,
            MAX_STATES,
        )?;
        let limit = check(&self.gpu, Target::Sccs, options)?;
        let laid_out = Rows::of_edges(graph).lay_out(&self.gpu, limit, LONG_ROW)?;
        let host = HostGraph::Edges(graph);
        WorklistGraph::new(&self.gpu, host, [laid_out.forward, laid_out.backward], None)
    }
}

/// Checks that the device can run the kernels. Returns how many edges a shard may have.
fn check(gpu: &Gpu, target: Target, options: &GpuOptions) -> Result<u64, Error> {
    can_search_worklist(gpu.info(), target)?;
    let limits = gpu.limits();
    let binding = limits.max_binding_bytes.min(limits.max_buffer_bytes);
    let binding = options
        .max_binding
        .map_or(binding, |bytes| bytes.min(binding));
    Ok(binding / 4)
}

fn within(what: &str, needed: u64, available: u64) -> Result<(), Error> {
    if needed <= available {
        return Ok(());
    }
    let what = what.to_owned();
    Err(Error::Gpu(::gpu::Error::LimitExceeded {
        what,
        needed,
        available,
    }))
}

impl<'g> WorklistGraph<'g> {
    fn new(
        gpu: &Gpu,
        host: HostGraph<'g>,
        [forward, backward]: [DeviceRows; 2],
        choices: Option<Choices>,
    ) -> Result<Self, Error> {
        let tuning = Tuning::of(gpu.info());
        let heavy_rows = state::heavy_rows([&forward, &backward], &tuning);
        let states = forward.num_states();
        let mut graph = Self {
            gpu: gpu.clone(),
            host,
            state: SearchState::new(gpu, states, heavy_rows, choices.is_some())?,
            forward,
            backward,
            heads: None,
            choices,
            tuning,
        };
        graph.lay_out_heads()?;
        Ok(graph)
    }

    /// How many shards the edges of either direction are cut into.
    pub fn num_shards(&self) -> usize {
        self.forward.num_shards().max(self.backward.num_shards())
    }

    /// Shares out work in another way.
    ///
    /// # Errors
    /// [`Error::Gpu`] if the device has no room for it.
    pub fn tune(&mut self, tuning: &Tuning) -> Result<(), Error> {
        self.tuning = tuning.bounded();
        let rows = state::heavy_rows([&self.forward, &self.backward], &self.tuning);
        self.state.heavy = state::heavy_buffer(&self.gpu, rows)?;
        self.lay_out_heads()
    }

    /// Lays out the heads of rows if they pay, and there is room for them.
    fn lay_out_heads(&mut self) -> Result<(), Error> {
        self.heads = None;
        let limits = self.gpu.limits();
        let binding = limits.max_binding_bytes.min(limits.max_buffer_bytes);
        let target = match self.choices {
            Some(_) => Target::Mecs,
            None => Target::Sccs,
        };
        let pays = self.edges_a_state() < u64::from(self.tuning.heads);
        let fits = 2 * HEAD_BYTES * u64::from(self.state.states) <= binding
            && can_search_inline(self.gpu.info(), target);
        if !pays || !fits || self.num_shards() > 1 {
            return Ok(());
        }
        match csr::heads(&self.gpu, [&self.forward, &self.backward]) {
            Err(Error::Gpu(::gpu::Error::OutOfMemory { .. })) => Ok(()),
            Err(error) => Err(error),
            Ok(heads) => {
                self.heads = Some(heads);
                Ok(())
            }
        }
    }

    pub(super) fn edges_a_state(&self) -> u64 {
        self.forward.num_edges() / u64::from(self.state.states.max(1))
    }
}

/// A graph with its choices on a device, with what a search for maximal end components needs beside it.
#[derive(Debug)]
pub struct WorklistMdp<'g> {
    pub(super) graph: WorklistGraph<'g>,
}

impl GpuContext {
    /// Uploads the choices of `graph`, by states and by targets, to be searched by the fast engine. Of the
    /// options, it heeds `max_binding`.
    ///
    /// # Errors
    /// As [`load_worklist`](Self::load_worklist).
    pub fn load_worklist_mdp<'g>(
        &self,
        graph: &'g MdpGraph,
        options: &GpuOptions,
    ) -> Result<WorklistMdp<'g>, Error> {
        within(
            "the number of states",
            graph.num_states() as u64,
            MAX_STATES,
        )?;
        let (gpu, limit) = (&self.gpu, check(&self.gpu, Target::Mecs, options)?);
        let laid_out = Rows::of_branches(graph).lay_out(gpu, limit, LONG_ROW)?;
        let num_choices = graph.num_choices() as u64;
        let choices = laid_out
            .choices
            .map(|all| Choices::new(gpu, all, num_choices));
        let choices = choices.transpose()?;
        let host = HostGraph::Choices(graph);
        let graph = WorklistGraph::new(gpu, host, [laid_out.forward, laid_out.backward], choices)?;
        Ok(WorklistMdp { graph })
    }
}
