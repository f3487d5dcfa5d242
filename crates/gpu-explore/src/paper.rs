//! The search of Wijs and Bošnački, *GPUexplore: many-core on-the-fly state space exploration using
//! GPUs* (TACAS 2014), with the choices that its section 4 compares.
//!
//! Visited and open states are in one hash table (section 3.3): a bit says which of them are to be
//! expanded, and each workgroup scans its part of the table for them. A vector has a group of
//! invocations, one for each process (section 3.2). What the paper leaves to "benign races" is done
//! by atomic operations, word by word, so that no vector is misread; a vector may be stored twice
//! nevertheless, and expanded twice, as there. Such vectors are counted once in [`Counts`].
//!
//! Four things differ from the paper. Workgroups have 256 invocations, and caches 8 KiB, which
//! every adapter has. An invocation walks a bucket by itself, since WGSL knows no warps of a
//! certain size. The table grows where the paper's is as large as the memory. Transitions and
//! deadlocks are counted afterwards, by a second pass over the states, which also checks that none
//! is missing.
//!
//! It counts, and keeps neither numbers nor transitions: [`crate::explore()`] is faster, and does.

mod launches;
mod options;
mod vectors;

pub use options::{Paper, Table};

use crate::counts::Counts;
use crate::generator::Generator;
use crate::search::{Keep, Search};
use crate::{Error, Options};
use gpu::Gpu;
use launches::Launches;
use lts_network::{Network, WordTables};
use std::time::{Duration, Instant};

/// The most processes of a network: the invocations of a workgroup.
pub const MOST_PROCESSES: u32 = gpu::kernels::gpuexplore::SIZE;

/// What was found, and what it took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The states that can be reached, their transitions, and deadlocks.
    pub counts: Counts,
    /// How often a state was expanded.
    pub expanded: u64,
    /// How many launches there were.
    pub launches: u64,
    /// The time of the search, from the tables of the network to the states.
    pub exploring: Duration,
    /// The time in which transitions and deadlocks were counted.
    pub counting: Duration,
}

/// Counts the states of `network` that can be reached, and their transitions. Of the
/// [`Tuning`](crate::Tuning), `workgroups` and `states` count for the search.
///
/// # Errors
/// Every [`Error`]; [`Error::Paper`] if the network has more than [`MOST_PROCESSES`] processes, or
/// states that do not fit.
pub fn count(
    gpu: &Gpu,
    network: &Network,
    options: &Options<'_>,
    paper: &Paper,
) -> Result<Outcome, Error> {
    let tables = tables(network)?;
    let begin = Instant::now();
    let mut launches = Launches::new(gpu, &tables, options, paper)?;
    launches.run()?;
    let (states, found) = launches.states()?;
    let (expanded, number) = (launches.expanded(), launches.number());
    drop(launches);
    let exploring = begin.elapsed();
    let generator = Generator::network_from(tables, states);
    let counts = Search::begin(gpu, &generator, options, Keep::Nothing)?.count()?;
    if counts.states != found {
        return Err(Error::Lost { found });
    }
    Ok(Outcome {
        counts,
        expanded,
        launches: number,
        exploring,
        counting: begin.elapsed() - exploring,
    })
}

/// The tables of a network whose states leave two bits of each word to the search.
fn tables(network: &Network) -> Result<WordTables, Error> {
    let processes = network.fields().len() as u32;
    let tables = network.word_tables_of(gpu::kernels::gpuexplore::STATE_BITS);
    let words = tables.as_ref().map(|tables| tables.initial.len());
    match tables {
        Some(tables)
            if processes <= MOST_PROCESSES && tables.initial.len() <= lts_network::MAX_WORDS =>
        {
            Ok(tables)
        }
        _ => Err(Error::Paper {
            processes,
            most_processes: MOST_PROCESSES,
            words,
        }),
    }
}
