//! [`WorklistGraph`]: a graph on a device as compressed sparse rows, which can be searched any
//! number of times.

use super::csr::{self, LaidOut};
use super::input::Rows;
use super::resident;
use super::rows::DeviceRows;
use super::state::{self, Choices, MAX_STATES, SearchState};
use super::tuning::Tuning;
use crate::Error;
use crate::cost::Problem;
use crate::gpu::graph_location::GraphLocation;
use crate::gpu::options::GpuOptions;
use crate::gpu::requirements::{can_search_inline, can_search_worklist};
use ::gpu::kernels::csr::INLINE_EDGES;
use ::gpu::{Buffer, Gpu};
use mdp_graph::ComponentKind;

/// The bytes of an inline row: its position, its end, and its first edges.
const INLINE_ROW_BYTES: u64 = 4 * (2 + INLINE_EDGES as u64);

/// A graph on a device, with the other buffers that a search needs.
#[derive(Debug)]
pub struct WorklistGraph<'g> {
    pub(super) gpu: Gpu,
    /// The graph, for the host, which finishes what takes the device too long.
    pub(super) host: GraphLocation<'g>,
    /// The problem that the host would have to solve.
    pub(super) problem: Problem,
    pub(super) forward: DeviceRows,
    pub(super) backward: DeviceRows,
    /// With inline adjacency, the position, the end and the first edges of each row
    /// (`shaders/worklist/lib/inline_adjacency.wgsl`).
    pub(super) inline_rows: Option<Buffer<[u32; 4]>>,
    /// The choices, if maximal end components are to be found.
    pub(super) choices: Option<Choices>,
    /// The states that have a self-loop, one bit each, from the lowest bit of each word. The host
    /// does not know them if the graph was on the device, and needs them for strongly connected
    /// components.
    loops: Option<Buffer<u32>>,
    pub(super) state: SearchState,
    pub(super) tuning: Tuning,
}

/// The search that a graph is laid out for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LaidOutFor {
    /// Every search.
    Any,
    /// The first search. If it only tries whether the graph is one component, it needs no choices.
    First,
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
fn check_states(states: usize) -> Result<(), Error> {
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
    /// Lays out `graph` on `gpu`, forward and backward: edges to be searched for strongly connected
    /// components, or choices for maximal end components. A graph in the memory of the host is
    /// uploaded first. Heeds `max_binding` and `laid_out_row` among the options.
    ///
    /// # Errors
    /// [`Error::Gpu`] if the device has no room for it or for its kernel, or a state has more edges
    /// than a binding holds.
    pub fn load(
        gpu: &Gpu,
        graph: impl Into<GraphLocation<'g>>,
        options: &GpuOptions,
    ) -> Result<Self, Error> {
        let tuning = Tuning::of(gpu.info());
        Self::load_for(LaidOutFor::Any, gpu, graph.into(), options, tuning)
    }

    /// Lays out `graph` as [`load`](Self::load) does, for this search, with this tuning.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub(super) fn load_for(
        search: LaidOutFor,
        gpu: &Gpu,
        graph: GraphLocation<'g>,
        options: &GpuOptions,
        tuning: Tuning,
    ) -> Result<Self, Error> {
        can_search_worklist(gpu.info(), graph.kind())?;
        check_states(graph.num_states())?;
        // The number of edges that a shard may have.
        let limit = options.binding(gpu.limits()) / 4;
        let (laid_out, loops, problem) = match graph {
            GraphLocation::OnHost(host) => {
                let laid_out = lay_out(gpu, Rows::of(host), limit, options)?;
                (laid_out, None, host.problem())
            }
            GraphLocation::OnDevice(resident, _) => {
                let (laid_out, loops) = match graph.kind() {
                    ComponentKind::Mec => {
                        let first = (search == LaidOutFor::First).then_some(&tuning);
                        let laid_out = resident::choices(gpu, resident, limit, options, first)?;
                        (laid_out, None)
                    }
                    ComponentKind::Scc | ComponentKind::Bscc => {
                        let (laid_out, loops) = resident::edges(gpu, resident, limit, options)?;
                        (laid_out, Some(loops))
                    }
                };
                let problem = resident::problem(gpu, graph.kind(), &laid_out.forward)?;
                (laid_out, loops, problem)
            }
        };
        let num_choices = graph.num_choices() as u64;
        let choices = laid_out
            .choices
            .map(|all| Choices::new(gpu, all, num_choices));
        let choices = choices.transpose()?;
        let (forward, backward) = (laid_out.forward, laid_out.backward);
        let hub_rows = state::hub_rows([&forward, &backward], &tuning);
        let states = forward.num_states();
        let mut loaded = Self {
            gpu: gpu.clone(),
            host: graph,
            problem,
            state: SearchState::new(gpu, states, hub_rows, choices.is_some())?,
            forward,
            backward,
            inline_rows: None,
            choices,
            loops,
            tuning,
        };
        loaded.lay_out_inline_rows()?;
        Ok(loaded)
    }

    /// Returns the states that have a self-loop: one bit for each state, from the lowest bit of
    /// each word. Returns `None` for maximal end components, and if the graph is in the memory of
    /// the host.
    ///
    /// # Errors
    /// [`Error::Gpu`] if the device fails.
    pub fn self_loops(&self) -> Result<Option<Vec<u32>>, Error> {
        let loops = self.loops.as_ref().map(|loops| self.gpu.read(loops));
        Ok(loops.transpose()?)
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
        let kind = self.host.kind();
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
