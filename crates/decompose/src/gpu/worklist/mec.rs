//! Maximal end components by the fast engine: the same loop, in rounds, between which choices are gone.
//!
//! Knows which choices there are, and how the answer is read; what happens to them is decided on the device
//! (`shaders/worklist/lib/mec_rounds.wgsl`; `docs/algorithms.md`, "MECs on a GPU", has the argument).

use super::profile::{Measured, Profile};
use super::resume::Stages;
use super::state::{DONE, FALLEN, NAME, UNDECIDED};
use super::tuning::Tuning;
use super::upload::WorklistMdp;
use crate::{Error, Observer, Silent};
use mdp_graph::Components;

impl WorklistMdp<'_> {
    /// Searches for maximal end components; what takes too long on the device is finished on the
    /// host ([`Tuning::host_nanoseconds`]).
    ///
    /// Returns for each state a number that the states of its component share, or
    /// [`Components::NONE`](mdp_graph::Components::NONE) for a state that is in none.
    ///
    /// # Errors
    /// As [`WorklistGraph::sccs`].
    pub fn mecs(&self, observer: &dyn Observer) -> Result<(Vec<u32>, Profile), Error> {
        self.graph.components(observer, |word| match word & NAME {
            NAME => Components::NONE,
            name if word & (DONE | FALLEN) == DONE | FALLEN => name,
            _ => UNDECIDED,
        })
    }

    /// As [`WorklistGraph::profile`].
    ///
    /// # Errors
    /// As [`WorklistGraph::sccs`].
    pub fn profile(&self) -> Result<Profile, Error> {
        self.graph.search(Stages::All, &Silent, Measured::Times)
    }

    /// As [`WorklistGraph::tune`].
    ///
    /// # Errors
    /// As [`WorklistGraph::tune`].
    pub fn tune(&mut self, tuning: &Tuning) -> Result<(), Error> {
        self.graph.tune(tuning)
    }

    /// As [`WorklistGraph::num_shards`].
    pub fn num_shards(&self) -> usize {
        self.graph.num_shards()
    }
}
