//! The tables of steps (`lts_network::StepTables`) on a device.

use crate::Error;
use gpu::{Buffer, Gpu};
use lts_network::StepTables;

/// The tables of steps on a device.
#[derive(Debug)]
pub(crate) struct StepBuffers {
    pub(crate) groups: Buffer<[u32; 4]>,
    pub(crate) rows: Buffer<u32>,
    pub(crate) steps: Buffer<[u32; 4]>,
}

impl StepBuffers {
    pub(crate) fn new(gpu: &Gpu, tables: &StepTables) -> Result<Self, Error> {
        // A bound buffer must not be empty.
        let none = [[0; 4]];
        let steps = match &tables.steps[..] {
            [] => &none,
            steps => steps,
        };
        Ok(Self {
            groups: gpu.upload("groups", &tables.groups)?,
            rows: gpu.upload("rows of groups", &tables.rows)?,
            steps: gpu.upload("steps", steps)?,
        })
    }

    pub(crate) fn bytes(&self) -> u64 {
        16 * self.groups.len() + 4 * self.rows.len() + 16 * self.steps.len()
    }
}
