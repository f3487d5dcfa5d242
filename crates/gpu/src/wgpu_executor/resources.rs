//! The resources that an open executor holds as long as it exists: the device, buffers, and
//! compiled kernels.

use std::sync::{Arc, Mutex};

use super::bind_groups::BindGroups;
use super::buffers::Buffers;
use super::device::Device;
use super::pipelines::Pipelines;
use super::sync::lock;
use crate::adapter::Request;
use crate::buffer::BufferId;
use crate::error::Result;

/// The device, buffers, and compiled kernels.
pub(super) struct Resources {
    pub(super) buffers: Buffers,
    pub(super) pipelines: Mutex<Pipelines>,
    pub(super) bind_groups: Mutex<BindGroups>,
    /// The last field: wgpu closes a device when its last handle is dropped, and the others are
    /// handles, too.
    pub(super) device: Arc<Device>,
}

impl Resources {
    /// Opens the adapter that serves `request` best.
    pub(super) fn open(request: &Request) -> Result<Self> {
        let device = Arc::new(Device::open(request)?);
        Ok(Self {
            buffers: Buffers::new(device.info.kind),
            pipelines: Mutex::new(Pipelines::new(&device)?),
            bind_groups: Mutex::default(),
            device,
        })
    }

    /// Frees a buffer, and drops the bind groups that hold it.
    pub(super) fn free(&self, id: BufferId) {
        lock(&self.bind_groups).forget(id);
        self.buffers.free(id);
    }
}
