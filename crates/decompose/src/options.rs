//! The options of a decomposition: the device, the algorithm, and the observer.

use crate::Error;
#[cfg(feature = "gpu")]
use crate::gpu::GpuOptions;
use crate::observer::Observer;
#[cfg(feature = "gpu")]
use crate::observer::Phase;
use crate::search::ComponentSearch;
#[cfg(feature = "gpu")]
use ::gpu::Gpu;

/// The device that decomposes.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum Device {
    /// The CPU, with the threads of the current rayon pool if several are faster than one.
    #[default]
    Cpu,
    /// A GPU, open or not.
    #[cfg(feature = "gpu")]
    Gpu {
        /// Which adapter to open, and how to search on it.
        options: GpuOptions,
        /// The device, if it is open already; then the adapter that the options request does not
        /// matter. Otherwise the adapter is opened for each decomposition, and closed after it.
        open: Option<Gpu>,
    },
}

impl Device {
    /// Returns the same device, open: a GPU that is not open is opened now.
    ///
    /// # Errors
    /// [`Error::Gpu`] if there is no such GPU.
    #[cfg_attr(not(feature = "gpu"), expect(unused_variables))]
    pub fn open(&self, observer: &dyn Observer) -> Result<OpenDevice, Error> {
        match self {
            Self::Cpu => Ok(OpenDevice::Cpu),
            #[cfg(feature = "gpu")]
            Self::Gpu { options, open } => {
                open_gpu(options, open.as_ref(), observer).map(OpenDevice::Gpu)
            }
        }
    }
}

/// Returns the GPU that is open, or else opens the one that the options request.
#[cfg(feature = "gpu")]
pub(crate) fn open_gpu(
    options: &GpuOptions,
    open: Option<&Gpu>,
    observer: &dyn Observer,
) -> Result<Gpu, Error> {
    if let Some(gpu) = open {
        return Ok(gpu.clone());
    }
    observer.phase(Phase::Open);
    Ok(Gpu::open(&options.request)?)
}

#[cfg(feature = "gpu")]
impl From<GpuOptions> for Device {
    /// Returns the GPU that the options name, which is opened for each decomposition and closed
    /// after it.
    fn from(options: GpuOptions) -> Self {
        Self::Gpu {
            options,
            open: None,
        }
    }
}

#[cfg(feature = "gpu")]
impl From<Gpu> for Device {
    /// Returns a GPU that is open, which searches in the default way and stays open.
    fn from(gpu: Gpu) -> Self {
        Self::Gpu {
            options: GpuOptions::default(),
            open: Some(gpu),
        }
    }
}

/// A device that is open. Searches need one that first decompose a graph and then go on with its
/// components.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum OpenDevice {
    /// The CPU, with the threads of the current rayon pool.
    #[default]
    Cpu,
    /// A GPU. It finds the components, too.
    #[cfg(feature = "gpu")]
    Gpu(Gpu),
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
    pub search: ComponentSearch,
    /// The device.
    pub device: Device,
    /// Receives the progress, and may cancel the decomposition.
    pub observer: &'a dyn Observer,
}
