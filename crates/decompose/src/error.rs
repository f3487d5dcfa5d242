//! The reasons why a decomposition has no answer.

use crate::search::ComponentSearch;

/// The reason why a decomposition has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The observer asked to stop.
    #[error("the decomposition was cancelled")]
    Cancelled,
    /// The device has no such search.
    #[error("{device} cannot search by {search:?}")]
    Unsupported {
        /// The requested search.
        search: ComponentSearch,
        /// The device that does not support it.
        device: &'static str,
    },
    /// There is no memory for the search.
    #[error(transparent)]
    OutOfMemory(#[from] mdp_graph::OutOfMemory),
    /// The graph is too large for a device's layout.
    #[cfg(feature = "gpu")]
    #[error(transparent)]
    Layout(#[from] warp_segments::LayoutError),
    /// The rows of the graph cannot be cut into bindings as small as
    /// [`max_binding`](crate::gpu::GpuOptions::max_binding) says.
    #[cfg(feature = "gpu")]
    #[error("bindings of {given} bytes were asked for, but this graph needs at least {least}")]
    BindingTooSmall {
        /// The requested number of bytes.
        given: u64,
        /// The smallest number that is enough.
        least: u64,
    },
    /// A round of a search on a device has decided nothing, so that another one would not either:
    /// the device or its driver computes wrongly.
    #[error(
        "{search} is stuck: a round has decided none of {}; the device computes wrongly",
        mdp_graph::counted((*.left).into(), "state", "states")
    )]
    NoProgress {
        /// The name of the search.
        search: &'static str,
        /// The number of states that have no answer.
        left: u32,
    },
    /// Rows that had not been checked do not form a graph.
    #[error(transparent)]
    InvalidRows(mdp_graph::BuildError),
    /// The arrays on a device do not form a graph.
    #[cfg(feature = "gpu")]
    #[error("the graph on the device is wrong: {0}")]
    InvalidGraph(#[from] mdp_graph::BuildError),
    /// A crate that searches was given a GPU, but was built without its feature `gpu`.
    #[error("`{package}` was built without its feature `gpu`")]
    BuiltWithoutGpu {
        /// The crate.
        package: &'static str,
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

#[cfg(test)]
mod tests {
    use super::Error;

    #[test]
    fn a_crate_without_its_gpu_searches_is_named() {
        let package = "bfs";
        insta::assert_snapshot!(Error::BuiltWithoutGpu { package }, @"`bfs` was built without its feature `gpu`");
    }
}
