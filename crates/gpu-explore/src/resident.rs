//! [`GraphBuffers`]: a graph that stays on the device, and the rows from which it is built.

use crate::Error;
use crate::buffers::{RowBuffers, SearchMode};
use crate::rows::{HostRows, too_many_branches};
use explore::Exploration;
use gpu::kernels::explore::{self as kernels, BLOCK, SIZE};
use gpu::kernels::{AppendParams, BeginsParams};
use gpu::{Buffer, Gpu, Groups, Recording, Shard};

/// The number of rows for which there is room at first.
const ROOM: u64 = 1 << 16;

/// The arrays of a graph, on the device that found it.
#[derive(Clone, Debug)]
pub struct GraphBuffers {
    /// The first choice of each state, and the number of all choices.
    pub choice_offsets: Buffer<u32>,
    /// The first branch of each choice, and the number of all branches.
    pub branch_offsets: Buffer<u32>,
    /// The targets of the branches, in shards that are cut between states.
    pub targets: Vec<Shard<u32>>,
}

/// A state space whose graph stays on the device.
#[derive(Clone, Debug)]
pub struct Resident {
    /// Its graph.
    pub graph: GraphBuffers,
    /// The number of initial states, which are the first ones.
    pub num_initial: usize,
    /// The number of states that have no successor in the model.
    pub deadlocks: u64,
}

/// A state space, and where its graph is.
#[derive(Clone, Debug)]
pub enum DeviceOrHost {
    /// On the device; the states were not kept.
    OnDevice(Resident),
    /// In the memory of the host, because the device has no room for it.
    OnHost(Exploration),
}

/// The rows of the states that have been expanded, on the device.
#[derive(Debug)]
pub(crate) struct DeviceRows {
    /// The start of the row of each state, and the end of the last row. The buffer has room for
    /// more rows.
    offsets: Buffer<u32>,
    rows: u64,
    branches: u64,
    /// The targets. If a choice may have several branches, the first branch of each choice is
    /// marked.
    shards: Vec<Shard<u32>>,
    has_choices: bool,
    /// The maximum number of branches.
    most: u64,
}

impl DeviceRows {
    /// Makes an empty graph, which may have at most `most` branches.
    pub(crate) fn new(gpu: &Gpu, mode: SearchMode, most: u64) -> Result<Self, Error> {
        Ok(Self {
            most,
            offsets: gpu.zeroed("offsets of rows", ROOM)?,
            rows: 0,
            branches: 0,
            shards: Vec::new(),
            has_choices: mode.has_choices(),
        })
    }

    /// Returns the size of the rows, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        4 * (self.offsets.len() + self.branches)
    }

    /// Returns the additional memory for this many more rows and transitions, in bytes.
    pub(crate) fn more_bytes(&self, rows: u64, transitions: u64) -> u64 {
        4 * (self.room(rows).saturating_sub(self.offsets.len()) + transitions)
    }

    /// Returns the length of `offsets` with this many more rows.
    fn room(&self, rows: u64) -> u64 {
        let needed = self.rows + rows + 1;
        match needed <= self.offsets.len() {
            true => self.offsets.len(),
            false => needed.max(2 * self.offsets.len()),
        }
    }

    /// Takes this many rows and transitions that wait on the device. If there is no room, nothing
    /// changes.
    pub(crate) fn take(
        &mut self,
        gpu: &Gpu,
        from: &RowBuffers,
        rows: u64,
        transitions: u64,
    ) -> Result<(), Error> {
        too_many_branches(self.branches + transitions)?;
        if self.branches + transitions > self.most {
            return Err(Error::Gpu(gpu::Error::LimitExceeded {
                what: "a graph that stays on the device (branches)".to_owned(),
                needed: self.branches + transitions,
                available: self.most,
            }));
        }
        let room = self.room(rows);
        let mut recording = Recording::new();
        let mut offsets = self.offsets.clone();
        if room > offsets.len() {
            offsets = gpu.zeroed("offsets of rows", room)?;
            recording.copy(&self.offsets, 0..self.rows + 1, &offsets, 0);
        }
        let elements = self.branches..self.branches + transitions;
        let targets = gpu.zeroed("targets", transitions)?;
        recording.copy(&from.targets, 0..transitions, &targets, 0);
        let pass = kernels::Append {
            row_ends: &from.ends,
            offsets: &offsets,
            params: AppendParams {
                rows: rows as u32,
                first: self.rows as u32 + 1,
                before: self.branches as u32,
            },
        };
        recording.dispatch(&pass, Groups::Over(rows));
        gpu.run(&recording)?;
        self.offsets = offsets;
        if transitions > 0 {
            self.shards.push(Shard {
                rows: self.rows as u32..(self.rows + rows) as u32,
                elements: elements.clone(),
                buffer: targets,
            });
        }
        self.rows += rows;
        self.branches = elements.end;
        Ok(())
    }

    /// Copies the rows to the host.
    pub(crate) fn to_host(&self, gpu: &Gpu, mode: SearchMode) -> Result<HostRows, Error> {
        let mut host = HostRows::new(mode);
        host.extend_rows(gpu.read_range(&self.offsets, 1..self.rows + 1)?, 0);
        for shard in &self.shards {
            host.extend_targets(gpu.read(&shard.buffer)?);
        }
        Ok(host)
    }

    /// Returns the graph of all states, which have this many choices.
    pub(crate) fn finish(&self, gpu: &Gpu, choices: u64) -> Result<GraphBuffers, Error> {
        let offsets = gpu.zeroed("choice offsets", self.rows + 1)?;
        let mut recording = Recording::new();
        recording.copy(&self.offsets, 0..self.rows + 1, &offsets, 0);
        let branch_offsets = match self.has_choices {
            true => self.find_choices(gpu, &mut recording, choices, &offsets)?,
            false => {
                let identity = gpu.zeroed("branch offsets", self.branches + 1)?;
                let pass = kernels::Identity { offsets: &identity };
                recording.dispatch(&pass, Groups::Over(identity.len()));
                identity
            }
        };
        gpu.run(&recording)?;
        Ok(GraphBuffers {
            choice_offsets: offsets,
            branch_offsets,
            targets: self.shards.clone(),
        })
    }

    /// Records the passes that remove the marks from the targets. Returns the first branch of each
    /// choice, and replaces the branches in `offsets` by choices.
    fn find_choices(
        &self,
        gpu: &Gpu,
        recording: &mut Recording,
        choices: u64,
        offsets: &Buffer<u32>,
    ) -> Result<Buffer<u32>, Error> {
        let blocks = |shard: &Shard<u32>| shard.buffer.len().div_ceil(BLOCK.into());
        let groups = |shard| Groups::Over(blocks(shard) * u64::from(SIZE));
        let mut places = Vec::with_capacity(self.shards.len());
        let mut all_blocks = 0;
        for shard in &self.shards {
            places.push(BeginsParams {
                first_block: all_blocks as u32,
                first_branch: shard.elements.start as u32,
            });
            all_blocks += blocks(shard);
        }
        let sums = gpu.zeroed("choices before blocks", all_blocks)?;
        for (shard, &params) in self.shards.iter().zip(&places) {
            let targets = &shard.buffer;
            let sums = &sums;
            let pass = kernels::BeginSums {
                targets,
                sums,
                params,
            };
            recording.dispatch(&pass, groups(shard));
        }
        gpu::prefix_sums(gpu, recording, &sums)?;
        let branch_offsets = gpu.zeroed("branch offsets", choices + 1)?;
        recording.write(&branch_offsets, choices, &[self.branches as u32]);
        for (shard, &params) in self.shards.iter().zip(&places) {
            let pass = kernels::Begins {
                targets: &shard.buffer,
                sums: &sums,
                branch_offsets: &branch_offsets,
                params,
            };
            recording.dispatch(&pass, groups(shard));
        }
        let pass = kernels::StateChoices {
            branch_offsets: &branch_offsets,
            offsets,
        };
        recording.dispatch(&pass, Groups::Over(offsets.len()));
        Ok(branch_offsets)
    }
}
