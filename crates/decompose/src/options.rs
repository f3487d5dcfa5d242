//! What a caller can ask of a decomposition, and how it can watch and stop one.

use crate::Work;

/// Which algorithm searches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Search {
    /// The fastest that there is.
    #[default]
    Auto,
    /// The papers' sequential baselines: Tarjan's algorithm ("Tar" in their tables), and for MECs
    /// the basic algorithm ("BM"), corrected by the removal of choices.
    Tarjan,
    /// On a GPU: forward-backward search with trimming (the papers' FBT).
    Fbt,
    /// On a GPU: its bounding variant (BFBT), in which the search that ends first bounds the other.
    Bfbt,
}

/// What computes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Device {
    /// The processor: the threads of the current rayon pool, where they pay.
    #[default]
    Cpu,
    /// A GPU.
    #[cfg(feature = "gpu")]
    Gpu(crate::gpu::GpuOptions),
}

/// A part of a decomposition. On the CPU, all of it is [`Decompose`](Self::Decompose).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Phase {
    /// The device is opened.
    Open,
    /// The graph is laid out for the device, and copied to it.
    Upload,
    /// The components are searched.
    Decompose,
    /// The answer is copied back, and its components are named.
    Download,
    /// The host finishes what the device would take longer for.
    Finish,
    /// The device's bandwidth is measured, for an observer that [wants](Observer::wants_work) to
    /// know.
    Measure,
}

/// Watches a decomposition, from any thread.
pub trait Observer: Sync {
    /// A phase begins, and the one before has ended.
    fn phase(&self, phase: Phase) {
        let _ = phase;
    }

    /// A device other than the CPU was opened; `name` is what people call it, such as `NVIDIA H200
    /// (discrete GPU, vulkan)`.
    fn device(&self, name: &str) {
        let _ = name;
    }

    /// So many bytes more go from the host to a device or back, in the phase that has begun.
    fn moves(&self, bytes: u64) {
        let _ = bytes;
    }

    /// The driver of a device compiles its kernels, or starts up, and nothing else can be done
    /// meanwhile. Said many times a second until that is over.
    fn compiling(&self) {}

    /// So many states are left to the host, as it finds their components sooner than the device.
    fn left_to_host(&self, states: u64) {
        let _ = states;
    }

    /// `done` of `total` states have their final answer. Called a few times a second at most.
    fn progress(&self, done: u64, total: u64) {
        let _ = (done, total);
    }

    /// Whether to tell of the device's work. Each level of a search is then timed, and takes
    /// longer.
    fn wants_work(&self) -> bool {
        false
    }

    /// What a device other than the CPU did.
    fn work(&self, work: &Work) {
        let _ = work;
    }

    /// Whether to stop. Asked often: make it cheap.
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// The observer that neither watches nor stops.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {}

/// How to decompose.
#[derive(Clone)]
pub struct Options<'a> {
    /// The algorithm.
    pub search: Search,
    /// What computes.
    pub device: Device,
    /// Who watches.
    pub observer: &'a dyn Observer,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self {
            search: Search::default(),
            device: Device::default(),
            observer: &Silent,
        }
    }
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The observer asked to stop.
    #[error("the decomposition was cancelled")]
    Cancelled,
    /// The device has no such search.
    #[error("{device} cannot search by {search:?}")]
    Unsupported {
        /// What was asked for.
        search: Search,
        /// What cannot do it.
        device: &'static str,
    },
    /// There is no memory for the search.
    #[error(transparent)]
    OutOfMemory(#[from] mdp_graph::OutOfMemory),
    /// The graph is too large for a device's layout.
    #[cfg(feature = "gpu")]
    #[error(transparent)]
    Layout(#[from] warp_segments::LayoutError),
    /// A round of a search on a device has decided nothing, so that another one would not either:
    /// the device or its driver computes wrongly.
    #[error(
        "{search} is stuck: a round has decided none of {}; the device computes wrongly",
        mdp_graph::counted((*.left).into(), "state", "states")
    )]
    NoProgress {
        /// What searched.
        search: &'static str,
        /// How many states have no answer.
        left: u32,
    },
    /// The device failed, or cannot hold the graph.
    #[cfg(feature = "gpu")]
    #[error(transparent)]
    Gpu(::gpu::Error),
}

#[cfg(feature = "gpu")]
impl From<::gpu::Error> for Error {
    fn from(error: ::gpu::Error) -> Self {
        match error {
            ::gpu::Error::Cancelled => Self::Cancelled,
            error => Self::Gpu(error),
        }
    }
}
