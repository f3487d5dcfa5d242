//! The fast engine: SCCs by peeling and forward-backward search, with work in proportion to the edges; and MECs.
//!
//! The papers' searches scan all states once a level, and a level is a
//! dispatch. Here states wait in a queue, and a workgroup follows what it finds for many hops before it hands
//! over what is left: neither peeling nor reachability needs levels. The decomposition is a single loop on
//! the device (`shaders/fast/step.wgsl` says how), so that the host is not asked between its parts. After many rounds it is
//! broken off, for what `shaders/fast/refine.wgsl` does.
//!
//! Rounds: every region, at first the whole graph, is split by the searches from a pivot of its own into the
//! pivot's component and up to three regions (L. Fleischer, B. Hendrickson, A. Pınar: *On Identifying
//! Strongly Connected Components in Parallel*, 2000). Between rounds, states that are components of their own
//! are peeled off (W. McLendon et al.: *Finding strongly connected components in distributed graphs*, 2005),
//! by counters of edges that are kept up to date from round to round: an edge that a split cuts is found from
//! a state that was reached by one search alone, in one direction. Where rounds are many, regions are divided by the largest
//! state that reaches a state (S. Orzan: *On Distributed Verification and Verified Distribution*, 2004).

mod host;
mod layout;
mod mec;
mod profile;
mod rows;
mod search;
mod tuning;

pub use mec::FastMdp;
pub use profile::{Part, Profile, Step};
pub use search::Stages;
pub use tuning::Tuning;

use super::needs::can_search_fast;
use super::{Engine, GpuOptions, Target};
use crate::{Error, Observer, Phase};
use ::gpu::{Buffer, Gpu};
use host::HostGraph;
use layout::Rows;
use mdp_graph::Digraph;
use mec::Choices;
use profile::Measured;
use rayon::prelude::*;
use rows::DeviceRows;
use search::SearchState;

/// The part of a word of `regions` that names the component (`shaders/shared/fast/words.wgsl`).
const NAME: u32 = (1 << 30) - 1;
/// Said of a state that is in a component.
const DONE: u32 = 1 << 31;
/// Beside [`DONE`], with choices: the component is an end component.
const FALLEN: u32 = 1 << 30;
/// The mark of a state that a search has left to the host. No state has this number.
const UNDECIDED: u32 = u32::MAX - 1;
/// The most states: a candidate's key tells which one it is (`shaders/shared/fast/candidates.wgsl`), and up to four regions a
/// state have names of 30 bits.
const MAX_STATES: u64 = (1 << 28) - 1;

/// A graph on a device, with what a search needs beside it.
#[derive(Debug)]
pub struct FastGraph<'g> {
    gpu: Gpu,
    /// Where what the device takes too long for is finished.
    host: HostGraph<'g>,
    forward: DeviceRows,
    backward: DeviceRows,
    /// For each state its rows' positions and ends, and their first edges (`shaders/shared/fast/heads.wgsl`).
    heads: Option<Buffer<[u32; 4]>>,
    /// If it is to be searched for maximal end components.
    choices: Option<Choices>,
    state: SearchState,
    tuning: Tuning,
}

impl Engine {
    /// Uploads the edges of `graph`, forward and backward, to be searched by the fast engine. Of the options,
    /// it heeds `max_binding`.
    ///
    /// # Errors
    /// [`Error::Gpu`] if the device has no room for it or for its kernel, or a state more edges than a binding holds.
    pub fn load_fast<'g>(
        &self,
        graph: &'g Digraph,
        options: &GpuOptions,
    ) -> Result<FastGraph<'g>, Error> {
        within(
            "the number of states",
            graph.num_states() as u64,
            MAX_STATES,
        )?;
        let limit = check(&self.gpu, Target::Sccs, options)?;
        let laid_out = Rows::of_edges(graph).lay_out(&self.gpu, limit)?;
        let host = HostGraph::Edges(graph);
        FastGraph::new(&self.gpu, host, [laid_out.forward, laid_out.backward], None)
    }
}

/// Checks that the device can run the kernels. Returns how many edges a shard may have.
fn check(gpu: &Gpu, target: Target, options: &GpuOptions) -> Result<u64, Error> {
    can_search_fast(gpu.info(), target)?;
    let limits = gpu.limits();
    let binding = limits.max_binding_bytes.min(limits.max_buffer_bytes);
    let binding = options
        .max_binding
        .map_or(binding, |bytes| bytes.min(binding));
    Ok(binding / 4)
}

fn within(what: &str, needed: u64, available: u64) -> Result<(), Error> {
    if needed <= available {
        return Ok(());
    }
    let what = what.to_owned();
    Err(Error::Gpu(::gpu::Error::LimitExceeded {
        what,
        needed,
        available,
    }))
}

impl<'g> FastGraph<'g> {
    fn new(
        gpu: &Gpu,
        host: HostGraph<'g>,
        [forward, backward]: [DeviceRows; 2],
        choices: Option<Choices>,
    ) -> Result<Self, Error> {
        let tuning = Tuning::of(gpu.info());
        let heavy_rows = search::heavy_rows([&forward, &backward], &tuning);
        let states = forward.num_states();
        let mut graph = Self {
            gpu: gpu.clone(),
            host,
            state: SearchState::new(gpu, states, heavy_rows, choices.is_some())?,
            forward,
            backward,
            heads: None,
            choices,
            tuning,
        };
        graph.lay_out_heads()?;
        Ok(graph)
    }

    /// Searches until every state is in a component; what takes too long on the device is finished
    /// on the host ([`Tuning::host_nanoseconds`]).
    ///
    /// Returns for each state a number that the states of its component share.
    ///
    /// # Errors
    /// [`Error::Cancelled`]; [`Error::Gpu`] if the device fails.
    pub fn sccs(&self, observer: &dyn Observer) -> Result<(Vec<u32>, Profile), Error> {
        self.components(observer, |word| match word & DONE {
            0 => UNDECIDED,
            _ => word & NAME,
        })
    }

    /// Searches, and finishes on the host what `mark` finds undecided in a word of `regions`.
    fn components(
        &self,
        observer: &dyn Observer,
        mark: impl Fn(u32) -> u32 + Sync,
    ) -> Result<(Vec<u32>, Profile), Error> {
        observer.phase(Phase::Decompose);
        let mut profile = self.search(Stages::All, observer, Measured::by(observer))?;
        observer.phase(Phase::Download);
        let mut marks = self.read_regions()?;
        if profile.has_begun {
            marks.par_iter_mut().for_each(|word| *word = mark(*word));
        } else {
            marks.fill(UNDECIDED);
        }
        if profile.is_left_to_host {
            profile.host_states = self.host.finish(&mut marks, observer)?;
        }
        Ok((marks, profile))
    }

    /// Searches and times what runs on the device, for measurements.
    ///
    /// # Errors
    /// As [`sccs`](Self::sccs).
    pub fn profile(&self) -> Result<Profile, Error> {
        self.search(Stages::All, &crate::Silent, Measured::Times)
    }

    /// Runs some of the stages alone, for tests. A state that is in no component afterwards has no mark.
    ///
    /// # Errors
    /// As [`sccs`](Self::sccs).
    pub fn run_stages(&self, stages: Stages) -> Result<Vec<Option<u32>>, Error> {
        self.search(stages, &crate::Silent, Measured::Nothing)?;
        let regions = self.read_regions()?;
        let mark = |word: u32| (word & DONE != 0).then_some(word & NAME);
        Ok(regions.into_iter().map(mark).collect())
    }

    /// A word a state (`shaders/shared/fast/words.wgsl`).
    fn read_regions(&self) -> Result<Vec<u32>, Error> {
        Ok(self.gpu.read(&self.state.regions)?)
    }

    /// How many shards the edges of either direction are cut into.
    pub fn num_shards(&self) -> usize {
        self.forward.num_shards().max(self.backward.num_shards())
    }
}
