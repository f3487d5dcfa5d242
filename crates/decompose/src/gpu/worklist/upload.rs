//! Uploads a graph to a device as compressed sparse rows. It can then be searched any number of
//! times.

use super::csr::{self, LaidOut};
use super::host_fallback::{GraphPlace, HostGraph};
use super::input::Rows;
use super::rows::DeviceRows;
use super::state::{self, Choices, MAX_STATES, SearchState};
use super::tuning::Tuning;
use crate::Error;
use crate::cost::Problem;
use crate::gpu::context::GpuContext;
use crate::gpu::options::GpuOptions;
use crate::gpu::requirements::{can_search_inline, can_search_worklist};
use ::gpu::kernels::csr::INLINE_EDGES;
use ::gpu::{Buffer, Gpu};
use mdp_graph::{ComponentKind, Digraph, MdpGraph};

/// The bytes of an inline row: its position, its end, and its first edges.
const INLINE_ROW_BYTES: u64 = 4 * (2 + INLINE_EDGES as u64);

/// A graph on a device, with the other buffers that a search needs.
#[derive(Debug)]
pub struct WorklistGraph<'g> {
    pub(super) gpu: Gpu,
    /// The graph, for the host, which finishes what takes the device too long.
    pub(super) host: GraphPlace<'g>,
    /// The problem that the host would have to solve.
    pub(super) problem: Problem,
    pub(super) forward: DeviceRows,
    pub(super) backward: DeviceRows,
    /// With inline adjacency, the position, the end and the first edges of each row
    /// (`shaders/worklist/lib/inline_adjacency.wgsl`).
    pub(super) inline_rows: Option<Buffer<[u32; 4]>>,
    /// The choices, if maximal end components are to be found.
    pub(super) choices: Option<Choices>,
    pub(super) state: SearchState,
    pub(super) tuning: Tuning,
}

impl GpuContext {
    /// Uploads the edges of `graph`, forward and backward, to be searched by the worklist engine.
    /// Heeds `max_binding` and `laid_out_row` among the options.
    ///
    /// # Errors
    /// [`Error::Gpu`] if the device has no room for it or for its kernel, or a state has more edges
    /// than a binding holds.
    pub fn load_worklist<'g>(
        &self,
        graph: &'g Digraph,
        options: &GpuOptions,
    ) -> Result<WorklistGraph<'g>, Error> {
        check_states(graph.num_states())?;
        let limit = check(&self.gpu, ComponentKind::Scc, options)?;
        let laid_out = lay_out(&self.gpu, Rows::of_edges(graph), limit, options)?;
        let host = HostGraph::Edges(graph);
        let rows = [laid_out.forward, laid_out.backward];
        let (problem, host) = (host.problem(), GraphPlace::OnHost(host));
        WorklistGraph::new(&self.gpu, host, problem, rows, None)
    }
}

/// Checks that the device can run the kernels. Returns how many edges a shard may have.
pub(super) fn check(gpu: &Gpu, kind: ComponentKind, options: &GpuOptions) -> Result<u64, Error> {
    can_search_worklist(gpu.info(), kind)?;
    Ok(options.binding(gpu.limits()) / 4)
}

/// Lays out rows in shards of at most `limit` edges. Says what the least limit is if this one is
/// too small.
fn lay_out(gpu: &Gpu, rows: Rows<'_>, limit: u64, options: &GpuOptions) -> Result<LaidOut, Error> {
    let laid_out = rows.lay_out(gpu, limit, options.laid_out_row);
    laid_out.map_err(|error| match error {
        Error::Gpu(::gpu::Error::LimitExceeded { .. }) => {
            options.too_small(4 * rows.least_shard(), error)
        }
        error => error,
    })
}

/// Checks that states can be numbered.
pub(super) fn check_states(states: usize) -> Result<(), Error> {
    let (needed, available) = (states as u64, MAX_STATES);
    if needed <= available {
        return Ok(());
    }
    Err(Error::Gpu(::gpu::Error::LimitExceeded {
        what: "the number of states".to_owned(),
        needed,
        available,
    }))
}

impl<'g> WorklistGraph<'g> {
    pub(super) fn new(
        gpu: &Gpu,
        host: GraphPlace<'g>,
        problem: Problem,
        [forward, backward]: [DeviceRows; 2],
        choices: Option<Choices>,
    ) -> Result<Self, Error> {
        let tuning = Tuning::of(gpu.info());
        let hub_rows = state::hub_rows([&forward, &backward], &tuning);
        let states = forward.num_states();
        let mut graph = Self {
            gpu: gpu.clone(),
            host,
            problem,
            state: SearchState::new(gpu, states, hub_rows, choices.is_some())?,
            forward,
            backward,
            inline_rows: None,
            choices,
            tuning,
        };
        graph.lay_out_inline_rows()?;
        Ok(graph)
    }

    /// Returns the number of shards into which the edges of either direction are cut.
    pub fn num_shards(&self) -> usize {
        self.forward.num_shards().max(self.backward.num_shards())
    }

    /// Changes how work is distributed.
    ///
    /// # Errors
    /// [`Error::Gpu`] if the device has no room for it.
    pub fn tune(&mut self, tuning: &Tuning) -> Result<(), Error> {
        self.tuning = tuning.bounded();
        let rows = state::hub_rows([&self.forward, &self.backward], &self.tuning);
        self.state.hubs = state::hub_buffer(&self.gpu, rows)?;
        self.lay_out_inline_rows()
    }

    /// Lays out inline rows if they make searches faster, and if there is room for them.
    fn lay_out_inline_rows(&mut self) -> Result<(), Error> {
        self.inline_rows = None;
        let limits = self.gpu.limits();
        let binding = limits.max_binding_bytes.min(limits.max_buffer_bytes);
        let kind = match self.choices {
            Some(_) => ComponentKind::Mec,
            None => ComponentKind::Scc,
        };
        let pays = self.edges_a_state() < u64::from(self.tuning.inline_degree)
            && self.functional_rows().is_none();
        let fits = 2 * INLINE_ROW_BYTES * u64::from(self.state.states) <= binding
            && can_search_inline(self.gpu.info(), kind);
        if !pays || !fits || self.num_shards() > 1 {
            return Ok(());
        }
        match csr::inline_rows(&self.gpu, [&self.forward, &self.backward]) {
            Err(Error::Gpu(::gpu::Error::OutOfMemory { .. })) => Ok(()),
            Err(error) => Err(error),
            Ok(inline_rows) => {
                self.inline_rows = Some(inline_rows);
                Ok(())
            }
        }
    }

    pub(super) fn edges_a_state(&self) -> u64 {
        self.forward.num_edges() / u64::from(self.state.states.max(1))
    }
}

/// A graph with its choices on a device, with the other buffers that a search for maximal end
/// components needs.
#[derive(Debug)]
pub struct WorklistMdp<'g> {
    pub(super) graph: WorklistGraph<'g>,
}

impl GpuContext {
    /// Uploads the choices of `graph`, by states and by targets, to be searched by the worklist
    /// engine. Heeds `max_binding` and `laid_out_row` among the options.
    ///
    /// # Errors
    /// As [`load_worklist`](Self::load_worklist).
    pub fn load_worklist_mdp<'g>(
        &self,
        graph: &'g MdpGraph,
        options: &GpuOptions,
    ) -> Result<WorklistMdp<'g>, Error> {
        check_states(graph.num_states())?;
        let (gpu, limit) = (&self.gpu, check(&self.gpu, ComponentKind::Mec, options)?);
        let laid_out = lay_out(gpu, Rows::of_branches(graph), limit, options)?;
        let num_choices = graph.num_choices() as u64;
        let choices = laid_out
            .choices
            .map(|all| Choices::new(gpu, all, num_choices));
        let choices = choices.transpose()?;
        let host = HostGraph::Choices(graph);
        let rows = [laid_out.forward, laid_out.backward];
        let (problem, host) = (host.problem(), GraphPlace::OnHost(host));
        let graph = WorklistGraph::new(gpu, host, problem, rows, choices)?;
        Ok(WorklistMdp { graph })
    }
}
