//! [`GpuContext`]: an open device, which graphs are uploaded to.

use super::options::GpuOptions;
use crate::Error;
use ::gpu::{Gpu, Request};

/// An open device.
#[derive(Clone, Debug)]
pub struct GpuContext {
    pub(super) gpu: Gpu,
}

impl GpuContext {
    /// Opens the adapter whose name contains `adapter`, or else the best that is not software.
    ///
    /// # Errors
    /// [`Error::Gpu`] if there is none.
    pub fn open(adapter: Option<&str>) -> Result<Self, Error> {
        Self::open_on(&adapter.map_or_else(Request::hardware, Request::named))
    }

    /// Opens the adapter that `options` ask for.
    ///
    /// # Errors
    /// [`Error::Gpu`] if there is none.
    pub fn open_for(options: &GpuOptions) -> Result<Self, Error> {
        Self::open_on(&Request {
            name: options.adapter.clone(),
            allow_software: options.software,
            ..Request::default()
        })
    }

    /// Opens the adapter that serves `request` best.
    ///
    /// # Errors
    /// [`Error::Gpu`] if there is none.
    pub fn open_on(request: &Request) -> Result<Self, Error> {
        Ok(Self {
            gpu: Gpu::open(request)?,
        })
    }

    /// Uses a device that is open, or what acts as one.
    pub fn on(gpu: Gpu) -> Self {
        Self { gpu }
    }

    /// What was opened, such as `NVIDIA H200 (discrete GPU, vulkan)`.
    pub fn name(&self) -> String {
        self.gpu.info().to_string()
    }

    /// Loses the device, as if its driver had reset it. Everything fails from then on, including
    /// what is under way. For tests of what happens then.
    pub fn lose(&self) {
        self.gpu.lose();
    }
}
