//! [`DeviceGraph`]: a graph that an exploration has left on a device.

use crate::Error;
use ::gpu::{Buffer, Gpu, Recording, Shard};
use mdp_graph::{MdpGraph, StateId};

/// A graph on a device: the arrays of an [`MdpGraph`].
#[derive(Clone, Debug)]
pub struct DeviceGraph {
    gpu: Gpu,
    choice_offsets: Buffer<u32>,
    branch_offsets: Buffer<u32>,
    targets: Vec<Shard<u32>>,
}

impl DeviceGraph {
    /// Makes a graph from arrays that are on `gpu`: the offsets of states into the choices, the
    /// offsets of choices into the branches, and the targets, as in [`MdpGraph::from_parts`]. The
    /// shards of the targets are cut between states, which are their rows.
    pub fn new(
        gpu: &Gpu,
        choice_offsets: Buffer<u32>,
        branch_offsets: Buffer<u32>,
        targets: Vec<Shard<u32>>,
    ) -> Self {
        Self {
            gpu: gpu.clone(),
            choice_offsets,
            branch_offsets,
            targets,
        }
    }

    /// Copies `graph` to `gpu`, with all targets in one shard.
    ///
    /// # Errors
    /// [`Error::Gpu`] if there is no room.
    pub fn upload(gpu: &Gpu, graph: &MdpGraph) -> Result<Self, Error> {
        let targets = Shard {
            rows: 0..graph.num_states() as u32,
            elements: 0..graph.num_branches() as u64,
            buffer: gpu.upload("targets", StateId::as_numbers(graph.all_targets()))?,
        };
        Ok(Self::new(
            gpu,
            gpu.upload("choice offsets", graph.choice_offsets())?,
            gpu.upload("branch offsets", graph.branch_offsets())?,
            vec![targets],
        ))
    }

    /// Returns the device that the graph is on.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Returns the number of states.
    pub fn num_states(&self) -> usize {
        self.choice_offsets.len() as usize - 1
    }

    /// Returns the number of choices.
    pub fn num_choices(&self) -> usize {
        self.branch_offsets.len() as usize - 1
    }

    /// Returns the number of branches.
    pub fn num_branches(&self) -> usize {
        self.targets
            .last()
            .map_or(0, |last| last.elements.end as usize)
    }

    /// Returns the same graph in the memory of the host.
    ///
    /// # Errors
    /// [`Error::Gpu`] if the device fails; [`Error::InvalidGraph`] if the arrays do not form a
    /// graph.
    pub fn download(&self) -> Result<MdpGraph, Error> {
        let mut targets = Vec::new();
        for shard in &self.targets {
            let piece = self.gpu.read(&shard.buffer)?;
            match targets.is_empty() {
                true => targets = piece,
                false => targets.extend(piece),
            }
        }
        let graph = MdpGraph::from_parts(
            self.gpu.read(&self.choice_offsets)?,
            self.gpu.read(&self.branch_offsets)?,
            targets.into_iter().map(StateId).collect(),
        );
        Ok(graph?)
    }

    pub(super) fn choice_offsets(&self) -> &Buffer<u32> {
        &self.choice_offsets
    }

    pub(super) fn branch_offsets(&self) -> &Buffer<u32> {
        &self.branch_offsets
    }

    /// Returns the targets, in pieces of whole states.
    pub(super) fn targets_of_states(&self) -> &[Shard<u32>] {
        &self.targets
    }

    /// Returns the targets, in pieces of whole states, of which each says what choices these have.
    pub(super) fn targets_of_choices(&self) -> Result<Vec<Shard<u32>>, Error> {
        let mut recording = Recording::new();
        let ends = self.targets.iter().map(|shard| {
            let at = u64::from(shard.rows.end);
            recording.read(&self.choice_offsets, at..at + 1)
        });
        let ends: Vec<_> = ends.collect();
        let outcome = self.gpu.run(&recording)?;
        let mut begin = 0;
        let shards = self.targets.iter().zip(ends).map(|(shard, end)| {
            let end = outcome.get(end)[0];
            Shard {
                rows: std::mem::replace(&mut begin, end)..end,
                ..shard.clone()
            }
        });
        Ok(shards.collect())
    }
}
