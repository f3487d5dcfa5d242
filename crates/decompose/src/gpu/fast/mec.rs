//! Maximal end components by the fast engine: the same loop, in rounds, between which choices are gone.
//!
//! Knows which choices there are, and how the answer is read; what happens to them is decided on the device
//! (`shaders/shared/fast/rounds.wgsl`; `docs/algorithms.md`, "MECs on a GPU", has the argument).

use super::layout::Rows;
use super::profile::Measured;
use super::search::Stages;
use super::{DONE, FALLEN, FastGraph, HostGraph, MAX_STATES, NAME, Profile, Tuning, UNDECIDED};
use super::{check, within};
use crate::gpu::{Engine, GpuOptions, Target};
use crate::{Error, Observer, Silent};
use ::gpu::{Buffer, Gpu};
use mdp_graph::{Components, MdpGraph};

/// The choices of a graph on a device.
#[derive(Debug)]
pub(super) struct Choices {
    /// For each state the number of its choices, and whether one leads to the state alone
    /// (`shaders/shared/fast/choices.wgsl`).
    pub(super) all: Buffer<u32>,
    /// What is left of them.
    pub(super) retained: Buffer<u32>,
    /// A bit a choice.
    pub(super) removed: Buffer<u32>,
    /// As `removed`, when a round began.
    pub(super) absent: Buffer<u32>,
}

impl Choices {
    /// `all` as above; the number of all choices.
    fn new(gpu: &Gpu, all: Buffer<u32>, choices: u64) -> Result<Self, Error> {
        let words = choices.div_ceil(32);
        Ok(Self {
            retained: gpu.zeroed("retained choices", all.len())?,
            all,
            removed: gpu.zeroed("removed choices", words)?,
            absent: gpu.zeroed("absent choices", words)?,
        })
    }
}

/// A graph with its choices on a device, with what a search for maximal end components needs beside it.
#[derive(Debug)]
pub struct FastMdp<'g> {
    graph: FastGraph<'g>,
}

impl Engine {
    /// Uploads the choices of `graph`, by states and by targets, to be searched by the fast engine. Of the
    /// options, it heeds `max_binding`.
    ///
    /// # Errors
    /// As [`load_fast`](Self::load_fast).
    pub fn load_fast_mdp<'g>(
        &self,
        graph: &'g MdpGraph,
        options: &GpuOptions,
    ) -> Result<FastMdp<'g>, Error> {
        within(
            "the number of states",
            graph.num_states() as u64,
            MAX_STATES,
        )?;
        let (gpu, limit) = (&self.gpu, check(&self.gpu, Target::Mecs, options)?);
        let laid_out = Rows::of_branches(graph).lay_out(gpu, limit)?;
        let num_choices = graph.num_choices() as u64;
        let choices = laid_out
            .choices
            .map(|all| Choices::new(gpu, all, num_choices));
        let choices = choices.transpose()?;
        let host = HostGraph::Choices(graph);
        let graph = FastGraph::new(gpu, host, [laid_out.forward, laid_out.backward], choices)?;
        Ok(FastMdp { graph })
    }
}

impl FastMdp<'_> {
    /// Searches for maximal end components; what takes too long on the device is finished on the
    /// host ([`Tuning::host_nanoseconds`]).
    ///
    /// Returns for each state a number that the states of its component share, or
    /// [`Components::NONE`](mdp_graph::Components::NONE) for a state that is in none.
    ///
    /// # Errors
    /// As [`FastGraph::sccs`].
    pub fn mecs(&self, observer: &dyn Observer) -> Result<(Vec<u32>, Profile), Error> {
        self.graph.components(observer, |word| match word & NAME {
            NAME => Components::NONE,
            name if word & (DONE | FALLEN) == DONE | FALLEN => name,
            _ => UNDECIDED,
        })
    }

    /// As [`FastGraph::profile`].
    ///
    /// # Errors
    /// As [`FastGraph::sccs`].
    pub fn profile(&self) -> Result<Profile, Error> {
        self.graph.search(Stages::All, &Silent, Measured::Times)
    }

    /// As [`FastGraph::tune`].
    ///
    /// # Errors
    /// As [`FastGraph::tune`].
    pub fn tune(&mut self, tuning: &Tuning) -> Result<(), Error> {
        self.graph.tune(tuning)
    }

    /// As [`FastGraph::num_shards`].
    pub fn num_shards(&self) -> usize {
        self.graph.num_shards()
    }
}
