//! Strongly connected components (SCCs) and maximal end components (MECs) of Markov decision
//! processes.
//!
//! An *end component* is a set of states, each with some of its choices, that no target of these
//! choices leaves and that is strongly connected by the edges of these choices alone; a maximal
//! one is a MEC. (The papers' Definition 5 counts edges of all choices; see `docs/algorithms.md`
//! for why that is too weak.)
//!
//! ```
//! use decompose::{Options, mec, scc};
//! use mdp_graph::{ChunkBuilder, Deadlocks, StateId, assemble};
//!
//! // State 0 may stay, or move on to state 1, which always comes back.
//! let mut chunk = ChunkBuilder::default();
//! chunk.push_choice(StateId(0), &[StateId(0)]);
//! chunk.push_choice(StateId(0), &[StateId(1)]);
//! chunk.push_choice(StateId(1), &[StateId(0)]);
//! let graph = assemble(2, vec![chunk.finish()], Deadlocks::SelfLoop)?.graph;
//!
//! assert_eq!(scc(&graph, &Options::default())?.len(), 1);
//! assert_eq!(mec(&graph, &Options::default())?.len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Answers are canonical: they do not depend on the search, on timing or on the number of threads.

#![forbid(unsafe_code)]

mod cpu;
#[cfg(feature = "gpu")]
pub mod gpu;
mod options;
mod work;

pub use options::{Device, Error, Observer, Options, Phase, Search, Silent};
pub use work::{Level, Work};

use mdp_graph::{Components, MdpGraph};

/// The strongly connected components of `graph`: every state is in exactly one.
///
/// # Errors
/// [`Error::Cancelled`] if the observer asked for it; [`Error::Unsupported`] if the device has no such
/// search; on a GPU also [`Error::Layout`] and [`Error::Gpu`].
pub fn scc(graph: &MdpGraph, options: &Options<'_>) -> Result<Components, Error> {
    match &options.device {
        Device::Cpu => cpu::scc(graph, options),
        #[cfg(feature = "gpu")]
        Device::Gpu(knobs) => gpu::scc(graph, options.search, knobs, options.observer),
    }
}

/// The maximal end components of `graph`. A state without a choice is in none.
///
/// # Errors
/// As [`scc`].
pub fn mec(graph: &MdpGraph, options: &Options<'_>) -> Result<Components, Error> {
    match &options.device {
        Device::Cpu => cpu::mec(graph, options),
        #[cfg(feature = "gpu")]
        Device::Gpu(knobs) => gpu::mec(graph, options.search, knobs, options.observer),
    }
}
