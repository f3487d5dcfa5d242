//! [`GpuContext`]: an open device, to which graphs are uploaded. [`GpuDevice`]: a GPU that may
//! already be open.

use super::options::GpuOptions;
use crate::{Error, Observer, Phase};
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

    /// Opens the adapter that `options` request.
    ///
    /// # Errors
    /// [`Error::Gpu`] if there is none.
    pub fn open_for(options: &GpuOptions) -> Result<Self, Error> {
        Self::open_on(&options.request)
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

    /// Uses a device that is already open, or something that acts as one.
    pub fn on(gpu: Gpu) -> Self {
        Self { gpu }
    }

    /// Returns the same device for another thread, so that neither waits for the work of the other.
    /// Returns this device itself if it cannot be shared in this way.
    pub(super) fn beside(&self) -> Self {
        match self.gpu.beside() {
            Ok(Some(gpu)) => Self { gpu },
            _ => self.clone(),
        }
    }

    /// Returns the device, for searches of other crates.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Returns the name of the device, such as `NVIDIA H200 (discrete GPU, vulkan)`.
    pub fn name(&self) -> String {
        self.gpu.info().to_string()
    }

    /// Loses the device, as if its driver had reset it. From then on, everything fails, including
    /// work in progress. This is for tests.
    #[doc(hidden)]
    pub fn lose(&self) {
        self.gpu.lose();
    }
}

/// A GPU to decompose on, and how.
#[derive(Clone, Debug, Default)]
pub struct GpuDevice {
    /// Which adapter to open, and how to search on it.
    pub options: GpuOptions,
    /// The device, if it is open already; then the options' adapter does not matter. Otherwise the
    /// adapter is opened for each decomposition, and closed after it.
    pub context: Option<GpuContext>,
}

impl GpuDevice {
    /// Returns the open device, or else the adapter, which is opened now.
    ///
    /// # Errors
    /// [`Error::Gpu`] if there is none.
    pub fn context(&self, observer: &dyn Observer) -> Result<GpuContext, Error> {
        match &self.context {
            Some(context) => Ok(context.clone()),
            None => {
                observer.phase(Phase::Open);
                GpuContext::open_for(&self.options)
            }
        }
    }
}

impl From<GpuOptions> for GpuDevice {
    fn from(options: GpuOptions) -> Self {
        Self {
            options,
            context: None,
        }
    }
}
