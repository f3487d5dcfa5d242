//! [`DeviceRows`]: compressed sparse rows on a device, without self-loops, cut into shards that can be bound.

use crate::Error;
use ::gpu::kernels::FastRows;
use ::gpu::{Buffer, Gpu, Shard};
use mdp_graph::{ChoiceTranspose, Digraph, MdpGraph, StateId};

/// The edges of one direction between different states, on the host.
#[derive(Debug, Default)]
pub(super) struct HostRows {
    /// `n + 1` positions.
    offsets: Vec<u32>,
    targets: Vec<u32>,
    /// Beside each target the choice of its edge, if the graph has choices.
    choices: Option<Vec<u32>>,
}

impl HostRows {
    pub(super) fn of_edges(graph: &Digraph) -> Self {
        let mut rows = Self::with_capacity(graph.num_states(), graph.num_edges());
        for state in (0..graph.num_states()).map(StateId::from_index) {
            let others = graph.successors(state).iter().filter(|&&t| t != state);
            rows.targets.extend(others.map(|target| target.0));
            rows.end_row();
        }
        rows
    }

    /// An edge a branch. Two choices of a state with a target in common have an edge each.
    pub(super) fn of_branches(graph: &MdpGraph) -> Self {
        let mut rows = Self::with_capacity(graph.num_states(), graph.num_branches());
        let mut choices = Vec::with_capacity(graph.num_branches());
        for state in graph.states() {
            for choice in graph.choices(state) {
                let others = graph.targets(choice).iter().filter(|&&t| t != state);
                rows.targets.extend(others.map(|target| target.0));
                choices.resize(rows.targets.len(), choice.0);
            }
            rows.end_row();
        }
        rows.choices = Some(choices);
        rows
    }

    /// The same edges from their targets to their sources.
    pub(super) fn of_branches_backward(graph: &MdpGraph) -> Self {
        let mut sources = vec![0; graph.num_choices()];
        for state in graph.states() {
            sources[graph.choice_range(state)].fill(state.0);
        }
        let transpose = ChoiceTranspose::new(graph);
        let mut rows = Self::with_capacity(graph.num_states(), graph.num_branches());
        let mut choices = Vec::with_capacity(graph.num_branches());
        for state in graph.states() {
            for &choice in transpose.choices_into(state) {
                let source = sources[choice.index()];
                if source != state.0 {
                    rows.targets.push(source);
                    choices.push(choice.0);
                }
            }
            rows.end_row();
        }
        rows.choices = Some(choices);
        rows
    }

    fn with_capacity(states: usize, edges: usize) -> Self {
        let mut offsets = Vec::with_capacity(states + 1);
        offsets.push(0);
        Self {
            offsets,
            targets: Vec::with_capacity(edges),
            choices: None,
        }
    }

    pub(super) fn num_states(&self) -> u32 {
        self.offsets.len() as u32 - 1
    }

    fn end_row(&mut self) {
        self.offsets.push(self.targets.len() as u32);
    }
}

/// The edges of one direction.
#[derive(Debug)]
pub(super) struct DeviceRows {
    /// `n + 1` positions.
    pub(super) offsets: Buffer<u32>,
    /// One at least.
    shards: Vec<Shard<u32>>,
    /// Beside each shard the choices of its edges, if the graph has choices.
    choices: Vec<Buffer<u32>>,
    /// The rows of each length of 2^k to 2^(k+1) - 1 edges.
    by_length: [u32; 32],
}

impl DeviceRows {
    /// Puts rows on the device, in shards of at most `limit` edges.
    pub(super) fn upload(
        gpu: &Gpu,
        name: &str,
        rows: &HostRows,
        limit: u64,
    ) -> Result<Self, Error> {
        let HostRows {
            offsets,
            targets,
            choices,
        } = rows;
        let mut by_length = [0; 32];
        for pair in offsets.windows(2) {
            let length = (pair[1] - pair[0]).max(1);
            by_length[length.ilog2() as usize] += 1;
        }
        let start = |row: u32| u64::from(offsets[row as usize]);
        let mut shards = Vec::new();
        let mut choice_shards = Vec::new();
        for (rows, elements) in ::gpu::cut(offsets.len() as u32 - 1, start, limit)? {
            let bound = elements.start as usize..elements.end as usize;
            let upload = |what: &str, of: &[u32]| {
                let name = format!("{name} {what} from state {}", rows.start);
                gpu.upload(&name, &of[bound.clone()])
            };
            if let Some(choices) = choices {
                choice_shards.push(upload("choices", choices)?);
            }
            let buffer = upload("edges", targets)?;
            shards.push(Shard {
                rows,
                elements,
                buffer,
            });
        }
        Ok(Self {
            shards,
            choices: choice_shards,
            offsets: gpu.upload(&format!("{name} offsets"), offsets)?,
            by_length,
        })
    }

    pub(super) fn num_shards(&self) -> usize {
        self.shards.len()
    }

    /// No more rows than this have more than `length` edges.
    pub(super) fn longer_than(&self, length: u32) -> u32 {
        self.by_length[length.max(1).ilog2() as usize..]
            .iter()
            .sum()
    }

    /// What a kernel has to know of a shard; of one past the last, that it has no states.
    pub(super) fn range(&self, shard: usize) -> FastRows {
        self.shards
            .get(shard)
            .map_or(FastRows::default(), |shard| FastRows {
                first_state: shard.rows.start,
                end_state: shard.rows.end,
                first_edge: shard.elements.start as u32,
                padding: 0,
            })
    }

    /// The edges of a shard; of one past the last, something to bind.
    pub(super) fn targets(&self, shard: usize) -> &Buffer<u32> {
        &self.shards[shard.min(self.shards.len() - 1)].buffer
    }

    /// The choices of a shard's edges, if the graph has choices.
    pub(super) fn choices(&self, shard: usize) -> Option<&Buffer<u32>> {
        self.choices.get(shard.min(self.shards.len() - 1))
    }
}
