//! [`ResidentModel`]: a model whose graph an exploration has left on a device.

use crate::device::race::Winner;
use crate::error::Error;
use crate::model::states::StateFacts;
use crate::model::{Construction, FileFacts, Model, Times};
use decompose::gpu::DeviceGraph;
use explore::Exploration;
use gpu::Gpu;
use gpu_explore::{DeviceOrHost, Resident};
use prism_explicit::ModelType;

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
            Self::OnHost(model) => model.construction.deadlocks,
            Self::OnDevice(model) => model.construction.deadlocks,
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
    pub(crate) construction: Construction,
    pub(crate) num_initial: u32,
    pub(crate) file: FileFacts,
    pub(crate) times: Times,
}

impl ResidentModel {
    /// Makes a model of the result on a device, without other data.
    pub(super) fn new(
        gpu: &Gpu,
        found: Resident,
        model_type: ModelType,
        file: FileFacts,
        times: Times,
    ) -> Self {
        let gpu_explore::GraphBuffers {
            choice_offsets,
            branch_offsets,
            targets,
        } = found.graph;
        Self {
            graph: DeviceGraph::new(gpu, choice_offsets, branch_offsets, targets),
            model_type,
            construction: Construction {
                deadlocks: found.deadlocks,
                is_explored: true,
                ..Construction::default()
            },
            num_initial: found.num_initial as u32,
            file,
            times,
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
            construction: self.construction,
            states: StateFacts {
                initial: (0..self.num_initial).collect(),
                ..StateFacts::default()
            },
            file: self.file,
            times: self.times,
            ..Model::bare(graph, self.model_type)
        })
    }
}
