//! The search by relaxation, with up to three arrays of flags (`shaders/bfs/lib/relax.wgsl`).

use super::run::{self, Statistics};
use super::sources::{distinct, mark};
use super::upload::DeviceEdges;
use crate::{BfsTree, Error, Flags, Observer};
use ::gpu::kernels::bfs::{Edge, TurnFlags, Vertex};
use ::gpu::kernels::{RelaxParams, TurnParams};
use ::gpu::{Buffer, Recording, Repeat};
use mdp_graph::StateId;

/// The work of each invocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parallel {
    /// A vertex and all its edges.
    Vertices,
    /// An edge.
    Edges,
}

/// A search from given sources, which can be run any number of times.
#[derive(Debug)]
pub struct Relaxation<'d> {
    graph: &'d DeviceEdges<'d>,
    sources: Buffer<u32>,
    /// The source of each edge, if each invocation handles one edge.
    tails: Option<Buffer<u32>>,
    costs: Buffer<u32>,
    flags: Buffer<u32>,
    /// The number of arrays of flags.
    count: Flags,
}

impl<'d> Relaxation<'d> {
    /// Prepares a search from `sources`.
    ///
    /// # Errors
    /// [`Error::Gpu`] if the device has no room for it, or if a vertex has more edges than an
    /// invocation can look at there.
    ///
    /// # Panics
    /// Panics if one of `sources` is not a state of the graph.
    pub fn new(
        graph: &'d DeviceEdges<'d>,
        sources: &[StateId],
        parallel: Parallel,
        count: Flags,
    ) -> Result<Self, Error> {
        let gpu = &graph.gpu;
        let states = u64::from(graph.num_states());
        if parallel == Parallel::Vertices {
            check_rows(graph)?;
        }
        let tails = match parallel {
            Parallel::Vertices => None,
            Parallel::Edges => Some(gpu.upload("tails", &tails(graph))?),
        };
        Ok(Self {
            sources: gpu.upload("sources", &distinct(sources, graph.num_states()))?,
            tails,
            costs: gpu.zeroed("costs", states)?,
            flags: gpu.zeroed("flags", u64::from(count.count()) * states)?,
            count,
            graph,
        })
    }

    /// Runs the search. The answer stays on the device.
    ///
    /// # Errors
    /// [`Error::Cancelled`]; [`Error::Gpu`] if the device fails.
    pub fn run(&self, observer: &dyn Observer) -> Result<Statistics, Error> {
        let mut recording = Recording::new();
        recording
            .fill(&self.costs, BfsTree::NONE)
            .fill(&self.flags, 0);
        mark(&mut recording, &self.sources, &self.costs, 0);
        if self.count != Flags::None {
            // The first iteration reads the first array.
            mark(&mut recording, &self.sources, &self.flags, 1);
        }
        let items = match self.tails {
            Some(_) => self.graph.num_edges(),
            None => self.graph.num_states(),
        };
        let how = Repeat::over("relaxation", u64::from(items).max(1)).pipelined();
        let handle = recording.repeat(how, |body| {
            match &self.tails {
                Some(tails) => body.dispatch(&self.by_edges(tails)),
                None => body.dispatch(&self.by_vertices()),
            };
            if self.count == Flags::Two {
                body.dispatch(&TurnFlags {
                    flags: &self.flags,
                    params: TurnParams {
                        vertices: self.graph.num_states(),
                    },
                });
            }
        });
        Ok(run::run(&self.graph.gpu, &recording, handle, observer, false)?.statistics)
    }

    fn params(&self) -> RelaxParams {
        RelaxParams {
            vertices: self.graph.num_states(),
            edges: self.graph.num_edges(),
            flags: self.count.count(),
        }
    }

    fn by_vertices(&self) -> Vertex<'_> {
        Vertex {
            offsets: &self.graph.forward.offsets,
            targets: &self.graph.forward.ends,
            costs: &self.costs,
            flags: &self.flags,
            params: self.params(),
        }
    }

    fn by_edges<'a>(&'a self, tails: &'a Buffer<u32>) -> Edge<'a> {
        Edge {
            sources: tails,
            targets: &self.graph.forward.ends,
            costs: &self.costs,
            flags: &self.flags,
            params: self.params(),
        }
    }

    /// Returns the distance of each state, or [`BfsTree::NONE`], after a run.
    pub fn distances(&self) -> &Buffer<u32> {
        &self.costs
    }

    pub(super) fn into_distances(self) -> Buffer<u32> {
        self.costs
    }
}

/// Checks that one invocation can handle all edges of any vertex.
fn check_rows(graph: &DeviceEdges<'_>) -> Result<(), Error> {
    let longest = graph.longest_row();
    let most = graph.gpu.info().max_iterations();
    match longest > most {
        true => Err(Error::Gpu(::gpu::Error::LimitExceeded {
            what: "a search by vertices (edges of a vertex)".to_owned(),
            needed: longest.into(),
            available: most.into(),
        })),
        false => Ok(()),
    }
}

/// Returns the source of each edge.
fn tails(graph: &DeviceEdges<'_>) -> Vec<u32> {
    let mut tails = Vec::with_capacity(graph.num_edges() as usize);
    for (state, row) in (0..).zip(graph.rows.windows(2)) {
        tails.resize(row[1] as usize, state);
    }
    tails
}
