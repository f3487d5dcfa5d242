//! [`Rows`]: a graph as rows of targets, before it is laid out, in the memory of the host or of the
//! device.

use crate::Error;
use crate::gpu::graph_location::HostGraph;
use ::gpu::{Buffer, Gpu, Shard};
use mdp_graph::StateId;
use std::ops::Range;

/// A graph as rows of targets.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rows<'a> {
    OnHost(HostArrays<'a>),
    OnDevice(&'a DeviceArrays),
}

/// Arrays on the host.
#[derive(Clone, Copy, Debug)]
pub(super) struct HostArrays<'a> {
    /// The rows of each state, if rows are choices; otherwise each state is a row.
    choice_offsets: Option<&'a [u32]>,
    row_offsets: &'a [u32],
    targets: &'a [StateId],
}

/// The same arrays on the device.
#[derive(Debug)]
pub(super) struct DeviceArrays {
    pub(super) choice_offsets: Option<Buffer<u32>>,
    pub(super) row_offsets: Buffer<u32>,
    /// The targets, in pieces of whole rows.
    pub(super) targets: Vec<Shard<u32>>,
}

impl<'a> Rows<'a> {
    pub(super) fn of(graph: HostGraph<'a>) -> Self {
        Self::OnHost(match graph {
            HostGraph::Edges(graph) => HostArrays {
                choice_offsets: None,
                row_offsets: graph.offsets(),
                targets: graph.targets(),
            },
            HostGraph::Choices(graph) => HostArrays {
                choice_offsets: Some(graph.choice_offsets()),
                row_offsets: graph.branch_offsets(),
                targets: graph.all_targets(),
            },
        })
    }

    pub(super) fn num_states(&self) -> u32 {
        let offsets = match self {
            Self::OnHost(arrays) => arrays.choice_offsets.unwrap_or(arrays.row_offsets).len(),
            Self::OnDevice(arrays) => {
                let offsets = arrays.choice_offsets.as_ref();
                offsets.unwrap_or(&arrays.row_offsets).len() as usize
            }
        };
        offsets as u32 - 1
    }

    pub(super) fn num_rows(&self) -> u32 {
        let offsets = match self {
            Self::OnHost(arrays) => arrays.row_offsets.len(),
            Self::OnDevice(arrays) => arrays.row_offsets.len() as usize,
        };
        offsets as u32 - 1
    }

    /// Returns the entries of all rows.
    pub(super) fn num_entries(&self) -> u64 {
        match self {
            Self::OnHost(arrays) => arrays.targets.len() as u64,
            Self::OnDevice(arrays) => arrays.targets.last().map_or(0, |last| last.elements.end),
        }
    }

    /// Returns an upper bound on the edges that must be in one shard: those of a row with its
    /// self-loops, or those of a state in one direction without them. If the arrays are on the
    /// device, returns the number of all edges.
    pub(super) fn least_shard(&self) -> u64 {
        let Self::OnHost(arrays) = self else {
            return self.num_entries();
        };
        let rows = self.num_rows() as usize;
        let row = |row: usize| {
            let offsets = &arrays.row_offsets[row..=row + 1];
            &arrays.targets[offsets[0] as usize..offsets[1] as usize]
        };
        let mut most = (0..rows).map(|i| row(i).len()).max().unwrap_or(0) as u64;
        let mut entering = vec![0u64; self.num_states() as usize];
        for state in 0..self.num_states() {
            let rows = match arrays.choice_offsets {
                Some(offsets) => offsets[state as usize]..offsets[state as usize + 1],
                None => state..state + 1,
            };
            let targets = rows.flat_map(|i| row(i as usize));
            let mut leaving = 0;
            for target in targets.filter(|target| target.0 != state) {
                leaving += 1;
                entering[target.index()] += 1;
            }
            most = most.max(leaving);
        }
        entering.into_iter().fold(most, u64::max)
    }

    /// Returns the first row of a state; of one past the last state, the number of rows.
    pub(super) fn first_row(&self, gpu: &Gpu, state: u32) -> Result<u32, ::gpu::Error> {
        match self {
            Self::OnHost(HostArrays {
                choice_offsets: Some(offsets),
                ..
            }) => Ok(offsets[state as usize]),
            Self::OnDevice(DeviceArrays {
                choice_offsets: Some(offsets),
                ..
            }) => gpu.read_one(offsets, state.into()),
            Self::OnHost(_) | Self::OnDevice(_) => Ok(state),
        }
    }

    /// Returns the rows of these states.
    pub(super) fn of_states(&self, gpu: &Gpu, states: &Range<u32>) -> Result<Range<u32>, Error> {
        match *states == (0..self.num_states()) {
            true => Ok(0..self.num_rows()),
            false => Ok(self.first_row(gpu, states.start)?..self.first_row(gpu, states.end)?),
        }
    }

    /// Returns the offsets of states into the choices, on the device, if rows are choices.
    pub(super) fn choice_offsets(&self, gpu: &Gpu) -> Result<Option<Buffer<u32>>, Error> {
        match self {
            Self::OnHost(arrays) => {
                let offsets = arrays.choice_offsets;
                let upload = offsets.map(|offsets| gpu.upload("choice offsets", offsets));
                Ok(upload.transpose()?)
            }
            Self::OnDevice(arrays) => Ok(arrays.choice_offsets.clone()),
        }
    }

    /// Returns the offsets of rows, and their entries in pieces of at most `limit`, on the device.
    pub(super) fn entries(
        &self,
        gpu: &Gpu,
        limit: u64,
    ) -> Result<(Buffer<u32>, Vec<Shard<u32>>), Error> {
        let arrays = match self {
            Self::OnHost(arrays) => arrays,
            Self::OnDevice(arrays) => {
                return Ok((arrays.row_offsets.clone(), arrays.targets.clone()));
            }
        };
        let row_offsets = gpu.upload("row offsets", arrays.row_offsets)?;
        let mut targets = Vec::new();
        let start = |row: u32| u64::from(arrays.row_offsets[row as usize]);
        for (rows, elements) in ::gpu::cut(self.num_rows(), start, limit)? {
            let bound = elements.start as usize..elements.end as usize;
            targets.push(Shard {
                buffer: gpu.upload("targets", StateId::as_numbers(&arrays.targets[bound]))?,
                rows,
                elements,
            });
        }
        Ok((row_offsets, targets))
    }
}
