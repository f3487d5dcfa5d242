//! [`Error`]: the reason for which there is no answer.

use crate::MeanSearch;
use mdp_graph::StateId;

/// The reason for which there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The observer cancelled the search.
    #[error("the search was cancelled")]
    Cancelled,
    /// There is not enough memory.
    #[error(transparent)]
    OutOfMemory(#[from] mdp_graph::OutOfMemory),
    /// The components of the graph could not be found.
    #[error(transparent)]
    Decompose(decompose::Error),
    /// Numbers of a component are too large to compute with exactly.
    #[error(
        "the weights of a component are too large to compute with: {states}² states x {range}{} \
         must be below 2^63",
        .longest.map_or_else(String::new, |longest| format!(" x {longest}"))
    )]
    Bound {
        /// The number of states of the component.
        states: u64,
        /// The difference of the greatest and the least weight; for ratios, twice the greatest
        /// absolute weight.
        range: u128,
        /// The longest time, for ratios.
        longest: Option<u32>,
    },
    /// The device does not support this search.
    #[error("{device} cannot search by {search:?}")]
    Unsupported {
        /// The requested search.
        search: MeanSearch,
        /// The device.
        device: &'static str,
    },
    /// The device failed, or cannot hold the graph.
    #[cfg(feature = "gpu")]
    #[error(transparent)]
    Gpu(::gpu::Error),
    /// A cycle takes no time, and so has no ratio.
    #[error("the cycle through {} takes no time, and so has no ratio", listed(.states))]
    ZeroTime {
        /// The states of the cycle, in order.
        states: Vec<StateId>,
    },
}

impl From<decompose::Error> for Error {
    fn from(error: decompose::Error) -> Self {
        match error {
            decompose::Error::Cancelled => Self::Cancelled,
            decompose::Error::OutOfMemory(error) => Self::OutOfMemory(error),
            #[cfg(feature = "gpu")]
            decompose::Error::Gpu(error) => Self::Gpu(error),
            error => Self::Decompose(error),
        }
    }
}

#[cfg(feature = "gpu")]
impl From<::gpu::Error> for Error {
    fn from(error: ::gpu::Error) -> Self {
        decompose::Error::from(error).into()
    }
}

/// Returns a list of states, which is shortened if it is long.
fn listed(states: &[StateId]) -> String {
    const MAX: usize = 10;
    let mut text: Vec<String> = states.iter().take(MAX).map(StateId::to_string).collect();
    if states.len() > MAX {
        text.push(format!("... ({} in all)", states.len()));
    }
    let noun = if states.len() == 1 { "state" } else { "states" };
    format!("{noun} {}", text.join(", "))
}
