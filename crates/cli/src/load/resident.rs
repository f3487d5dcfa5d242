//! [`ResidentModel`]: a model whose graph an exploration has left on a device.

use crate::device::race::Winner;
use crate::error::Error;
use crate::model::Model;
use decompose::gpu::DeviceGraph;
use explore::Exploration;
use gpu::Gpu;
use gpu_explore::{DeviceOrHost, Resident};
use prism_explicit::ModelType;
use prism_language::Value;
use std::time::Duration;

/// A model whose graph is on the host or on a device.
pub(crate) enum Loaded {
    OnHost(Box<Model>),
    OnDevice(Box<ResidentModel>),
}

impl Loaded {
    pub(super) fn on_host(model: Model) -> Self {
        Self::OnHost(Box::new(model))
    }

    /// Returns the number of states that had no choice in the file.
    pub(super) fn deadlocks(&self) -> u64 {
        match self {
            Self::OnHost(model) => model.deadlocks,
            Self::OnDevice(model) => model.deadlocks,
        }
    }
}

/// The result of an exploration, on the host or on a device.
pub(super) enum Place {
    OnHost(Exploration),
    OnDevice(Gpu, Resident),
}

impl Place {
    /// Returns the result of a GPU.
    pub(super) fn of(gpu: Gpu, found: DeviceOrHost) -> Self {
        match found {
            DeviceOrHost::OnDevice(found) => Self::OnDevice(gpu, found),
            DeviceOrHost::OnHost(found) => Self::OnHost(found),
        }
    }

    /// Returns the result of the device that finished first.
    pub(super) fn of_winner(winner: Winner<Exploration, (Gpu, DeviceOrHost)>) -> Self {
        match winner {
            Winner::Cpu(found) => Self::OnHost(found),
            Winner::Gpu((gpu, found)) => Self::of(gpu, found),
        }
    }
}

/// A model whose graph is on a device.
pub(crate) struct ResidentModel {
    pub(crate) graph: DeviceGraph,
    pub(crate) model_type: ModelType,
    pub(crate) format: &'static str,
    /// The number of states that had no choice in the file.
    pub(crate) deadlocks: u64,
    pub(crate) num_initial: u32,
    /// The constants to which the command line gives values, with these values.
    pub(crate) constants: Vec<(String, Value)>,
    /// The size of the file in bytes, decompressed.
    pub(crate) read_bytes: u64,
    pub(crate) read_time: Duration,
    pub(crate) build_time: Duration,
}

impl ResidentModel {
    /// Makes a model of the result on a device, without other data.
    pub(super) fn new(
        gpu: &Gpu,
        found: Resident,
        model_type: ModelType,
        format: &'static str,
    ) -> Self {
        let gpu_explore::GraphBuffers {
            choice_offsets,
            branch_offsets,
            targets,
        } = found.graph;
        Self {
            graph: DeviceGraph::new(gpu, choice_offsets, branch_offsets, targets),
            model_type,
            format,
            deadlocks: found.deadlocks,
            num_initial: found.num_initial as u32,
            constants: Vec::new(),
            read_bytes: 0,
            read_time: Duration::ZERO,
            build_time: Duration::ZERO,
        }
    }

    /// Copies the graph to the host, and returns the model.
    ///
    /// # Errors
    /// If the device fails.
    pub(crate) fn into_model(self) -> Result<Model, Error> {
        let graph = self.graph.download();
        let graph = graph.map_err(|error| Error::wrong(error.to_string()))?;
        Ok(Model {
            deadlocks: self.deadlocks,
            initial: (0..self.num_initial).collect(),
            constants: self.constants,
            is_explored: true,
            read_bytes: self.read_bytes,
            read_time: self.read_time,
            build_time: self.build_time,
            ..Model::bare(graph, self.model_type, self.format)
        })
    }
}
