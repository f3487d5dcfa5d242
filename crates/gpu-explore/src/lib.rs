//! Explores networks of labelled transition systems, and programs of PRISM's language, on a GPU,
//! and numbers their states as the sequential search does.
//!
//! This crate follows Wijs and Bošnački, *GPUexplore: many-core on-the-fly state space exploration
//! using GPUs* (TACAS 2014): the device computes the successors of states from tables, and looks
//! them up in a hash table. In contrast to the paper, each state is found exactly once, however
//! many words it has, and gets the number that [`explore::explore()`] gives it. So [`explore()`]
//! returns the same [`Exploration`], bit for bit.
//!
//! ```no_run
//! use gpu::{Gpu, Request};
//! use gpu_explore::{Options, explore};
//! use lts_network::Network;
//!
//! let text = b"par des (0, 2, 2) (0, a, 1) (1, b, 0) || des (0, 1, 2) (0, c, 1) end par";
//! let behaviour = lts_formats::read_exp(text)?;
//! let network = Network::compile(&behaviour, |file| Err(format!("no file {}", file.path)))?;
//! let gpu = Gpu::open(&Request::any())?;
//! let found = explore(&gpu, &network, &Options::new(&gpu))?;
//! assert_eq!((found.graph.num_states(), found.graph.num_choices()), (4, 6));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Batches
//!
//! The frontier, that is, the known states that are not yet expanded, is a range of state numbers.
//! A *batch* is a run of states at the front of this range. The *candidates* of a batch are the
//! successors of its states, in order. A batch takes these dispatches of kernels in
//! `shaders/explore/`, without the host in between:
//!
//! | kernel | what it does |
//! | --- | --- |
//! | `count` | counts the successors of each state, and adds them up per block |
//! | `place` | computes where the candidates of each state begin; shortens the batch if they do not fit |
//! | `write` | writes the candidates to their places |
//! | `insert` | looks up each candidate; inserts a new one into the table with its place |
//! | `repeats` | marks transitions that repeat an earlier one, if the network may have such transitions |
//! | `firsts` | counts the candidates that are the first to lead to a new state, per block |
//! | `rank` | gives each block its first number; decides whether there is another batch |
//! | `number` | numbers the new states, and appends them to the known states |
//! | `rows` | counts deadlocks, and writes where the rows of states end |
//! | `targets` | writes the numbers of the targets |
//!
//! For a program in PRISM's language ([`Model::Program`]), `program_count`, `program_write`,
//! `merge` and `branches` replace `count`, `write`, `repeats` and `targets`. They allow for choices
//! of several branches.
//!
//! One invocation computes the successors of one state. (In the paper, a group of invocations does
//! this, one for each process. A frontier of a hundred thousand states keeps a GPU busy in either
//! case, and a single invocation needs no shared memory and no barriers to order the successors.)
//!
//! If states are only counted ([`count()`]), their order within a level does not matter. Then the
//! kernel `expand` does everything in one dispatch per level, provided that no word of a state can
//! have all its bits set, that no transition occurs twice, and that deadlocks are not an error.
//!
//! If a buffer is too small, the host allocates a larger one, inserts all known states into a new
//! table, and repeats the batch. This also discards the entries of the failed batch. When there is
//! no room for the rows of another batch, rows are copied to the host, or appended to a graph that
//! stays on the device ([`explore_resident()`]).
//!
//! `docs/exploring.md` proves that each state is found once and has the right number.

#![forbid(unsafe_code)]

mod buffers;
mod choices;
mod counting;
mod counts;
mod error;
mod examined;
mod generator;
mod model;
mod options;
pub mod paper;
mod passes;
mod resident;
mod rows;
mod search;
mod step_buffers;
mod watch;

pub use counts::Counts;
pub use error::Error;
pub use model::Model;
pub use options::{Options, Tuning};
pub use resident::{DeviceOrHost, GraphBuffers, Resident};

use explore::Exploration;
use generator::Generator;
use gpu::{Gpu, PassTime};
use search::{Keep, Search};

/// Finds all reachable states of `model`, and their choices. What is found of a program has no
/// actions and no probabilities; [`explore::describe()`] adds them.
///
/// # Errors
/// Every [`Error`]. The memory limit is checked before memory is taken, on the device and on the
/// host together.
pub fn explore<'a>(
    gpu: &Gpu,
    model: impl Into<Model<'a>>,
    options: &Options<'_>,
) -> Result<Exploration, Error> {
    let generator = Generator::new(model.into(), gpu.info())?;
    Search::begin(gpu, &generator, options, Keep::OnHost)?.explore()
}

/// Does the same as [`explore()`], but leaves the graph on the device, where it can be decomposed,
/// and discards the states. Actions and probabilities are not computed.
///
/// # Errors
/// As [`explore()`].
pub fn explore_resident<'a>(
    gpu: &Gpu,
    model: impl Into<Model<'a>>,
    options: &Options<'_>,
) -> Result<DeviceOrHost, Error> {
    let generator = Generator::new(model.into(), gpu.info())?;
    Search::begin(gpu, &generator, options, Keep::OnDevice)?.explore_resident()
}

/// Counts the reachable states of `model`, their choices and their branches, without storing them.
///
/// # Errors
/// As [`explore()`].
pub fn count<'a>(
    gpu: &Gpu,
    model: impl Into<Model<'a>>,
    options: &Options<'_>,
) -> Result<Counts, Error> {
    let generator = Generator::to_count(model.into(), gpu.info())?;
    Search::begin(gpu, &generator, options, Keep::Nothing)?.count()
}

/// Does the same as [`count()`], and returns the time of each pass on the device, if the adapter
/// has timestamps. Timing makes the search slower.
///
/// # Errors
/// As [`explore()`].
pub fn profile<'a>(
    gpu: &Gpu,
    model: impl Into<Model<'a>>,
    options: &Options<'_>,
) -> Result<(Counts, Vec<PassTime>), Error> {
    let generator = Generator::to_count(model.into(), gpu.info())?;
    Search::begin(gpu, &generator, options, Keep::Nothing)?.profile()
}
