//! The options of a decomposition: the device, the algorithm, and the observer.

use crate::observer::Observer;
use crate::search::Search;

/// The device that decomposes.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum Device {
    /// The CPU, with the threads of the current rayon pool if several are faster than one.
    #[default]
    Cpu,
    /// A GPU, open or not.
    #[cfg(feature = "gpu")]
    Gpu(crate::gpu::GpuDevice),
}

#[cfg(feature = "gpu")]
impl From<crate::gpu::GpuOptions> for Device {
    /// Returns the GPU that the options name, which is opened for each decomposition and closed
    /// after it.
    fn from(options: crate::gpu::GpuOptions) -> Self {
        Self::Gpu(options.into())
    }
}

#[cfg(feature = "gpu")]
impl From<crate::gpu::GpuContext> for Device {
    /// Returns a GPU that is open, which searches in the default way and stays open.
    fn from(context: crate::gpu::GpuContext) -> Self {
        Self::Gpu(crate::gpu::GpuDevice {
            options: crate::gpu::GpuOptions::default(),
            context: Some(context),
        })
    }
}

#[cfg(feature = "gpu")]
impl From<gpu::Gpu> for Device {
    /// Returns a GPU that is open, which searches in the default way and stays open.
    fn from(gpu: ::gpu::Gpu) -> Self {
        crate::gpu::GpuContext::on(gpu).into()
    }
}

/// The device of searches that first decompose a graph and then go on with its components. A GPU
/// has to be open.
#[derive(Clone, Debug, Default)]
pub enum OpenDevice {
    /// The CPU, with the threads of the current rayon pool.
    #[default]
    Cpu,
    /// A GPU. It finds the components, too.
    #[cfg(feature = "gpu")]
    Gpu(gpu::Gpu),
}

impl From<OpenDevice> for Device {
    /// Returns the same device, on which a GPU searches in the default way and stays open.
    fn from(device: OpenDevice) -> Self {
        match device {
            OpenDevice::Cpu => Self::Cpu,
            #[cfg(feature = "gpu")]
            OpenDevice::Gpu(gpu) => gpu.into(),
        }
    }
}

/// The options of a decomposition.
#[derive(Clone, Default)]
pub struct Options<'a> {
    /// The algorithm.
    pub search: Search,
    /// The device.
    pub device: Device,
    /// Receives the progress, and may cancel the decomposition.
    pub observer: &'a dyn Observer,
}
