//! Runs the worklist engine with random tuning, so that small graphs reach rarely executed code of
//! its kernels, and regions are divided by colours.

use decompose::gpu::worklist::{Stages, Tuning, WorklistGraph};
use decompose::gpu::{GpuOptions, HostGraph};
use decompose::{Error, Silent};
use gpu::Gpu;
use mdp_graph::{ComponentKind, Components, Digraph, MdpGraph};

use crate::rng::Rng;

/// A way to distribute work and to bind edges.
#[derive(Debug)]
pub(super) struct Variant {
    tuning: Tuning,
    /// Whether the edges are bound in as many pieces as possible.
    in_shards: bool,
    /// Rows with more entries are distributed to several workgroups when they are laid out.
    long_row: u32,
}

impl Variant {
    pub(super) fn drawn(seed: u64) -> Self {
        let rng = &mut Rng::new(seed);
        let tuning = Tuning {
            share: rng.one_of(&[1, 1, 2, 8]),
            most_groups: rng.one_of(&[1, 3, 64]),
            hops: rng.one_of(&[0, 1, 3, 64]),
            search_hops: rng.one_of(&[0, 1, 32]),
            narrow: rng.one_of(&[2, 256]),
            spill_limit: rng.one_of(&[1, 128]),
            wide: rng.one_of(&[1, 16]),
            wide_states: rng.one_of(&[0, 1 << 18]),
            most_thin: rng.one_of(&[1, 2, 8, 1000]),
            left_times: rng.one_of(&[0, 8, 1000]),
            most_slow_rounds: rng.one_of(&[1, 2, 16]),
            most_propagations: rng.one_of(&[2, 128, 128]),
            hub_degree: rng.one_of(&[1, 3, 4096, 4096]),
            by_degree: rng.one_in(2),
            one_component_degree: rng.one_of(&[0, 5, u32::MAX]),
            host_percent: None,
            fixed_grid: rng.one_in(2),
            inline_degree: rng.one_of(&[0, u32::MAX]),
            ..Tuning::default()
        };
        Self {
            in_shards: rng.one_in(4),
            long_row: rng.one_of(&[2, 4, 1 << 14]),
            tuning: Tuning {
                functional_states: rng.one_of(&[0, 0, u32::MAX]),
                walk_steps: rng.one_of(&[1, 4, 1 << 14, 1 << 14]),
                ..tuning
            },
        }
    }

    /// Changes the tuning.
    pub(super) fn tune(&mut self, change: fn(&mut Tuning)) {
        change(&mut self.tuning);
    }

    /// Returns the components that the engine finds.
    pub(super) fn components(
        &self,
        gpu: &Gpu,
        graph: &MdpGraph,
        kind: ComponentKind,
    ) -> Result<Components, Error> {
        in_shards(graph, self.in_shards, |bytes| {
            self.bound_in(gpu, graph, kind, bytes)
        })
    }

    /// Returns the strongly connected components that the engine finds by searches alone, if it
    /// finds a component for each state.
    pub(super) fn without_trimming(
        &self,
        gpu: &Gpu,
        graph: &MdpGraph,
    ) -> Result<Option<Components>, Error> {
        let digraph = Digraph::new(graph);
        let mut loaded =
            WorklistGraph::load(gpu, HostGraph::Edges(&digraph), &GpuOptions::default())?;
        loaded.tune(&self.tuning)?;
        let marks = loaded.run_stages(Stages::Search)?;
        let marks: Option<Vec<u32>> = marks.into_iter().collect();
        Ok(marks.map(|marks| Components::from_scc_marks(graph, marks)))
    }

    fn bound_in(
        &self,
        gpu: &Gpu,
        graph: &MdpGraph,
        kind: ComponentKind,
        bytes: Option<u64>,
    ) -> Result<Components, Error> {
        let options = GpuOptions {
            max_binding: bytes,
            laid_out_row: self.long_row,
            ..GpuOptions::default()
        };
        if kind == ComponentKind::Mec {
            let mut loaded = WorklistGraph::load(gpu, HostGraph::Choices(graph), &options)?;
            loaded.tune(&self.tuning)?;
            let (marks, _) = loaded.find_components(&Silent)?;
            return Ok(Components::from_mec_marks(marks));
        }
        let digraph = Digraph::new(graph);
        let mut loaded = WorklistGraph::load(gpu, HostGraph::Edges(&digraph), &options)?;
        loaded.tune(&self.tuning)?;
        let (marks, _) = loaded.find_components(&Silent)?;
        Ok(Components::from_scc_marks(graph, marks))
    }
}

/// Returns the result with all edges bound at once, or in as many pieces as possible, with this
/// many bytes at a time. The edges of a state are in one piece, and so are those of 32 states of
/// the papers' engine.
pub(super) fn in_shards<T>(
    graph: &MdpGraph,
    cuts: bool,
    find: impl Fn(Option<u64>) -> Result<T, Error>,
) -> Result<T, Error> {
    let edges = graph.num_branches() as u64;
    let mut bytes = cuts.then(|| (edges * 4 / 3).max(4));
    loop {
        match find(bytes) {
            Err(Error::BindingTooSmall { least, .. }) => bytes = Some(least),
            found => return found,
        }
    }
}
