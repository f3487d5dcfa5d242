//! Maximal end components by the worklist engine: the same loop, in rounds, between which choices
//! are removed.
//!
//! This file reads the answer. The device decides which choices are removed
//! (`shaders/worklist/lib/mec_rounds.wgsl`). `docs/algorithms.md`, "MECs on a GPU", says why that
//! is right.

use super::profile::Profile;
use super::state::UNDECIDED;
use super::tuning::Tuning;
use super::upload::WorklistMdp;
use crate::{Error, Observer};
use ::gpu::kernels::worklist::{DONE, END_COMPONENT, NAME};
use mdp_graph::Components;

impl WorklistMdp<'_> {
    /// Searches for maximal end components. If the device would take too long, the host finishes
    /// the search ([`Tuning::host_percent`](crate::gpu::worklist::Tuning::host_percent)).
    ///
    /// Returns for each state a number that the states of its component share, or
    /// [`Components::NONE`](mdp_graph::Components::NONE) for a state that is in none.
    ///
    /// # Errors
    /// As [`WorklistGraph::sccs`](crate::gpu::worklist::WorklistGraph::sccs).
    pub fn mecs(&self, observer: &dyn Observer) -> Result<(Vec<u32>, Profile), Error> {
        self.graph.components(observer, |word| match word & NAME {
            NAME => Components::NONE,
            name if word & (DONE | END_COMPONENT) == DONE | END_COMPONENT => name,
            _ => UNDECIDED,
        })
    }

    /// As [`WorklistGraph::profile`](crate::gpu::worklist::WorklistGraph::profile).
    ///
    /// # Errors
    /// As [`WorklistGraph::sccs`](crate::gpu::worklist::WorklistGraph::sccs).
    pub fn profile(&self) -> Result<Profile, Error> {
        self.graph.profile()
    }

    /// As [`WorklistGraph::tune`](crate::gpu::worklist::WorklistGraph::tune).
    ///
    /// # Errors
    /// As [`WorklistGraph::tune`](crate::gpu::worklist::WorklistGraph::tune).
    pub fn tune(&mut self, tuning: &Tuning) -> Result<(), Error> {
        self.graph.tune(tuning)
    }

    /// As [`WorklistGraph::num_shards`](crate::gpu::worklist::WorklistGraph::num_shards).
    pub fn num_shards(&self) -> usize {
        self.graph.num_shards()
    }
}
