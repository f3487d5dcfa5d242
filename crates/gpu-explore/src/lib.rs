//! Explores networks of labelled transition systems, and programs of PRISM's language, on a GPU,
//! and numbers their states as the sequential search does.
//!
//! The system of Wijs and Bošnački, *GPUexplore: many-core on-the-fly state space exploration using
//! GPUs* (TACAS 2014): the successors of states are computed from tables, and looked up in a hash
//! table, all on the device. Other than there, each state is found exactly once, whatever the
//! number of its words, and has the number that [`explore::explore()`] gives it; so
//! [`explore()`] returns the same [`Exploration`], bit by bit.
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
//! States that are known and not yet expanded are a range of numbers. A *batch* is a run at its
//! front; the *candidates* of the batch are the successors of its states, in their order. A batch
//! takes these dispatches, in `shaders/explore/`, and none of them asks the host:
//!
//! | kernel | what it does |
//! | --- | --- |
//! | `count` | counts the successors of each state, and sums them up by blocks |
//! | `place` | says where a state's candidates begin; cuts the batch where memory is full |
//! | `write` | writes the candidates to their places |
//! | `insert` | looks up each candidate; puts a new one into the table under its place |
//! | `repeats` | marks transitions that are there before, if the network may have such |
//! | `firsts` | counts the candidates that are the first to lead to a new state, by blocks |
//! | `rank` | gives each block its first number; decides whether there is another batch |
//! | `number` | numbers the new states, and writes them behind the others |
//! | `rows` | counts deadlocks, and writes where the rows of states end |
//! | `targets` | writes the numbers of the targets |
//!
//! For a program in PRISM's language ([`explore_program()`]) `program_count`, `program_write`,
//! `merge` and `branches` take the places of `count`, `write`, `repeats` and `targets`; they know
//! that several branches may be one choice.
//!
//! One invocation computes the successors of one state. (The paper has a group of invocations do
//! so, one for each process; a frontier of a hundred thousand states keeps a GPU busy either way,
//! and one invocation needs no memory and no barriers to put the successors in order.)
//!
//! Where states are only counted ([`count()`]), no word of them can have all its bits set, no
//! transition comes twice, and deadlocks are not refused, their order within a level is free: then
//! `expand` does everything, once a level.
//!
//! The host acts where a buffer is too small: it makes a larger one, and puts all states into a new
//! table; what the batch left in the old one is gone with it, and the batch is repeated. Rows are
//! brought to the host when there is no room for those of another batch, or appended to a graph
//! that stays on the device ([`explore_resident()`]).
//!
//! `docs/exploring.md` proves that each state is found once, and has the right number.

#![forbid(unsafe_code)]

mod buffers;
mod choices;
mod counting;
mod counts;
mod error;
mod generator;
mod looks;
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
pub use options::{Options, Tuning};
pub use resident::{DeviceGraph, Found, Resident};

use explore::{Exploration, States};
use generator::Generator;
use gpu::{Gpu, PassTime};
use lts_network::Network;
use prism_language::WordTables;
use search::{Keep, Search};

/// Finds all states of `network` that can be reached, and their transitions.
///
/// # Errors
/// Every [`Error`]. The memory limit is checked before memory is taken, on the device and on the
/// host together.
pub fn explore(gpu: &Gpu, network: &Network, options: &Options<'_>) -> Result<Exploration, Error> {
    Search::begin(gpu, &Generator::network(network)?, options, Keep::OnHost)?.explore()
}

/// As [`explore()`], but leaves the graph on the device, where it can be decomposed, and does not
/// keep the states. Actions and probabilities are not computed.
///
/// # Errors
/// As [`explore()`].
pub fn explore_resident(
    gpu: &Gpu,
    network: &Network,
    options: &Options<'_>,
) -> Result<Found, Error> {
    Search::begin(gpu, &Generator::network(network)?, options, Keep::OnDevice)?.explore_resident()
}

/// Counts the states of `network` that can be reached, and their transitions, which are not kept.
///
/// # Errors
/// Every [`Error`].
pub fn count(gpu: &Gpu, network: &Network, options: &Options<'_>) -> Result<Counts, Error> {
    Search::begin(gpu, &Generator::to_count(network)?, options, Keep::Nothing)?.count()
}

/// As [`count()`], with the time of each pass on the device, if the adapter has timestamps. Timing
/// makes the search slower.
///
/// # Errors
/// Every [`Error`].
pub fn profile(
    gpu: &Gpu,
    network: &Network,
    options: &Options<'_>,
) -> Result<(Counts, Vec<PassTime>), Error> {
    Search::begin(gpu, &Generator::to_count(network)?, options, Keep::Nothing)?.profile()
}

/// Finds all states that the program of `tables` can reach from `initial`, in this order and all
/// different, and their choices. Which actions these have, and which probabilities their branches,
/// is not kept: [`explore::describe()`] adds that.
///
/// # Errors
/// Every [`Error`]; [`Error::Broken`] where the program has no successors for a state, or not in 32
/// bits.
pub fn explore_program(
    gpu: &Gpu,
    tables: &WordTables,
    initial: &States,
    options: &Options<'_>,
) -> Result<Exploration, Error> {
    let generator = Generator::program(tables, initial, gpu.info())?;
    Search::begin(gpu, &generator, options, Keep::OnHost)?.explore()
}

/// As [`explore_program()`], but leaves the graph on the device, and does not keep the states.
///
/// # Errors
/// As [`explore_program()`].
pub fn explore_program_resident(
    gpu: &Gpu,
    tables: &WordTables,
    initial: &States,
    options: &Options<'_>,
) -> Result<Found, Error> {
    let generator = Generator::program(tables, initial, gpu.info())?;
    Search::begin(gpu, &generator, options, Keep::OnDevice)?.explore_resident()
}

/// Counts the states that the program of `tables` can reach from `initial`, their choices and
/// branches, which are not kept.
///
/// # Errors
/// As [`explore_program()`].
pub fn count_program(
    gpu: &Gpu,
    tables: &WordTables,
    initial: &States,
    options: &Options<'_>,
) -> Result<Counts, Error> {
    let generator = Generator::program(tables, initial, gpu.info())?;
    Search::begin(gpu, &generator, options, Keep::Nothing)?.count()
}

/// As [`count_program()`], and times each pass as [`profile()`] does.
///
/// # Errors
/// As [`explore_program()`].
pub fn profile_program(
    gpu: &Gpu,
    tables: &WordTables,
    initial: &States,
    options: &Options<'_>,
) -> Result<(Counts, Vec<PassTime>), Error> {
    let generator = Generator::program(tables, initial, gpu.info())?;
    Search::begin(gpu, &generator, options, Keep::Nothing)?.profile()
}
