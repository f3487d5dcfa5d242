//! Strongly connected components (SCCs) and maximal end components (MECs) of Markov decision
//! processes.
//!
//! An *end component* is a set of states, each with some of its choices. All targets of these
//! choices are in the set, and the edges of these choices alone connect the set strongly. A maximal
//! end component is a MEC. (Definition 5 of the papers by Wijs, Katoen and Bošnački counts the
//! edges of all choices; `docs/algorithms.md` says why that is too weak.)
//!
//! This example goes from three arrays to the states of each MEC and the choices that it retains:
//!
//! ```
//! use decompose::{Options, mec, scc};
//! use mdp_graph::{MdpGraph, StateId};
//!
//! // State 0 may stay (choice 0) or go on to 1 or 2 (choice 1); 1 returns to 0 (choice 2);
//! // 2 stays (choice 3).
//! let targets = [0, 1, 2, 0, 2].map(StateId).to_vec();
//! let graph = MdpGraph::from_parts(vec![0, 2, 3, 4], vec![0, 1, 3, 4, 5], targets)?;
//!
//! let mecs = mec(&graph, &Options::default())?;
//! let members = mecs.members();
//! let mut found = Vec::new();
//! for id in mecs.ids() {
//!     for &state in members.states(id) {
//!         let retained = mecs.retained_choices(&graph, state);
//!         let retained: Vec<u32> = retained.map(|choice| choice.0).collect();
//!         found.push((state.0, retained));
//!     }
//! }
//! assert_eq!(found, [(0, vec![0]), (2, vec![3])]); // choice 1 of state 0 may end in 2
//!
//! assert_eq!(scc(&graph, &Options::default())?.len(), 2); // {0, 1} and {2}
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A graph can also be built choice by choice, on several threads: see the front page of
//! `mdp_graph`.
//!
//! # Devices
//!
//! Several types stand for a device. The table says how they differ:
//!
//! | type | what it is | how to get one |
//! | --- | --- | --- |
//! | `gpu::Gpu` | an open GPU; clones share it | `gpu::Gpu::open` |
//! | [`OpenDevice`] | the CPU, or an open GPU | [`Device::open`] |
//! | [`Device`] | the CPU, or a GPU, open or not, with options | `From` a `Gpu` or `GpuOptions` |
//! | `gpu::GpuOptions` | which GPU to open, and how to search on it | by default, the best GPU |
//! | `gpu::PendingGpu` | a GPU that a thread is opening | `PendingGpu::begin` |
//!
//! `Gpu` is in the crate `gpu`; `GpuOptions` and `PendingGpu` are in the module `gpu` of this
//! crate, which needs the feature of this name. A search without options for GPUs takes an
//! [`OpenDevice`] or a `Gpu`. `gpu::DeviceGraph` is not a device, but a graph on a GPU. What is
//! behind a `Gpu` is an `Executor`: wgpu, or an interpreter for tests.
//!
//! Answers are canonical: they do not depend on the search, on timing or on the number of threads.

#![forbid(unsafe_code)]

pub mod cost;
mod cpu;
mod error;
#[cfg(feature = "gpu")]
pub mod gpu;
mod observer;
mod options;
mod sample;
mod search;
mod work;

pub use error::Error;
pub use observer::{Observer, Phase, Silent};
pub use options::{Device, OpenDevice, Options};
pub use search::ComponentSearch;
pub use work::{Level, Work};

use mdp_graph::{ComponentKind, Components, Index, MdpGraph, Table, UncheckedRows};

/// Returns the components of `graph`: strongly connected ones, bottom ones among them, or maximal
/// end components. Every state is in exactly one strongly connected component. States may be in no
/// end component, as those without a choice are, or in no bottom component.
///
/// # Errors
/// [`Error::Cancelled`] if the observer asked for it; [`Error::Unsupported`] if the device has no
/// such search; [`Error::OutOfMemory`]; on a GPU also [`Error::Layout`], [`Error::Gpu`],
/// [`Error::BindingTooSmall`] and [`Error::NoProgress`].
pub fn decompose(
    graph: &MdpGraph,
    kind: ComponentKind,
    options: &Options<'_>,
) -> Result<Components, Error> {
    use ComponentKind::{Bscc, Mec, Scc};
    match (&options.device, kind) {
        (_, Bscc) => Ok(decompose(graph, Scc, options)?.only_bottom(graph)),
        (Device::Cpu, Scc) => cpu::scc(graph, options),
        (Device::Cpu, Mec) => cpu::mec(graph, options),
        #[cfg(feature = "gpu")]
        (Device::Gpu { options: how, open }, _) => {
            let gpu = options::open_gpu(how, open.as_ref(), options.observer)?;
            gpu::decompose(&gpu, graph, kind, how, options)
        }
    }
}

/// Returns the strongly connected components of `graph`: short for [`decompose`] with
/// [`ComponentKind::Scc`].
///
/// # Errors
/// As [`decompose`].
pub fn scc(graph: &MdpGraph, options: &Options<'_>) -> Result<Components, Error> {
    decompose(graph, ComponentKind::Scc, options)
}

/// Returns the number of strongly connected components of a graph, and the number of the component
/// of each state. It runs on the CPU. It is faster than [`scc`], because it makes neither a graph
/// with choices nor [`Components`] with their sizes; on many graphs, these take longer than the
/// search.
///
/// # Errors
/// [`Error::Cancelled`] if the observer asked for it; [`Error::OutOfMemory`];
/// [`Error::InvalidRows`] if an edge leads nowhere.
pub fn scc_numbers<I: Index>(
    rows: &UncheckedRows<I>,
    observer: &dyn Observer,
) -> Result<(usize, Table<u32>), Error> {
    cpu::scc_numbers(rows, observer)
}

/// Returns the maximal end components of `graph`: short for [`decompose`] with
/// [`ComponentKind::Mec`].
///
/// # Errors
/// As [`decompose`].
pub fn mec(graph: &MdpGraph, options: &Options<'_>) -> Result<Components, Error> {
    decompose(graph, ComponentKind::Mec, options)
}
