//! The search of Wijs and Bošnački, *GPUexplore: many-core on-the-fly state space exploration using
//! GPUs* (TACAS 2014), with the choices that its section 4 compares.
//!
//! One hash table holds visited and open states (section 3.3): a bit marks the open ones, and each
//! workgroup scans its part of the table for them. A group of invocations, one for each process,
//! expands a vector (section 3.2). Where the paper accepts "benign races", this code uses atomic
//! operations, word by word, so that no vector is misread. As in the paper, a vector may still be
//! stored and expanded twice. Such vectors are counted once in [`Counts`].
//!
//! There are four differences from the paper. Workgroups have 256 invocations and caches of 8 KiB,
//! which every adapter supports. A single invocation walks along a bucket, because WGSL has no
//! warps of a fixed size. The table grows, whereas the paper's table takes the whole memory. A
//! second pass over the states counts transitions and deadlocks, and checks that no state is
//! missing.
//!
//! This search only counts. [`crate::explore()`] also keeps numbers and transitions, and is faster.

mod launches;
mod layout;
mod options;
mod vectors;

pub use options::{Paper, Table};

use crate::counts::Counts;
use crate::generator::{Generator, check_iterations};
use crate::search::{Keep, Search};
use crate::{Error, Options};
use gpu::Gpu;
use launches::Launches;
use lts_network::{Network, WordTables};
use std::time::{Duration, Instant};

/// The maximum number of processes of a network, equal to the number of invocations in a workgroup.
pub const MAX_PROCESSES: u32 = gpu::kernels::gpuexplore::SIZE;

/// The result of a search, and its cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The numbers of reachable states, transitions and deadlocks.
    pub counts: Counts,
    /// The number of expansions of states.
    pub expanded: u64,
    /// The number of launches.
    pub launches: u64,
    /// The time of the search, from the tables of the network to the states.
    pub exploring: Duration,
    /// The time for counting transitions and deadlocks.
    pub counting: Duration,
}

/// Counts the reachable states of `network` and their transitions. The search uses `workgroups` and
/// `states` of the [`Tuning`](crate::Tuning).
///
/// # Errors
/// Every [`Error`]; [`Error::Paper`] if the network has more than [`MAX_PROCESSES`] processes, or
/// states that do not fit.
pub fn count(
    gpu: &Gpu,
    network: &Network,
    options: &Options<'_>,
    paper: &Paper,
) -> Result<Outcome, Error> {
    let tables = tables(network)?;
    check_iterations(network, tables.initial.len(), gpu.info())?;
    let begin = Instant::now();
    let mut launches = Launches::new(gpu, &tables, options, paper)?;
    launches.run()?;
    let (states, found) = launches.states()?;
    launches.check_found(found)?;
    let (expanded, number) = (launches.expanded(), launches.number());
    drop(launches);
    let exploring = begin.elapsed();
    let generator = Generator::network_from(tables, states, gpu.info());
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

/// Makes the tables of a network, in an encoding that leaves two bits of each word to the search.
fn tables(network: &Network) -> Result<WordTables, Error> {
    let processes = network.fields().len() as u32;
    let tables = network.word_tables_of(gpu::kernels::gpuexplore::STATE_BITS);
    let words = tables.as_ref().map(|tables| tables.initial.len());
    match tables {
        Some(tables)
            if processes <= MAX_PROCESSES && tables.initial.len() <= lts_network::MAX_WORDS =>
        {
            Ok(tables)
        }
        _ => Err(Error::Paper {
            processes,
            most_processes: MAX_PROCESSES,
            words,
        }),
    }
}
