//! Finds the components of a graph that is on the device: maximal end components without the
//! choices of the graph, if it is one component.
//!
//! If a graph of several states is strongly connected, it is one maximal end component. Each state
//! has an edge to another one, so it has a choice; no choice leads out of the graph; and the states
//! reach one another. So its choices do not matter. Otherwise, the states are no end component
//! together, and the choices are needed.

use super::loop_control::Stages;
use super::profile::{Measured, Profile};
use super::tuning::Tuning;
use super::upload::{LaidOutFor, WorklistGraph};
use crate::gpu::graph_location::GraphLocation;
use crate::gpu::options::GpuOptions;
use crate::{Error, Observer, Phase};
use ::gpu::Gpu;
use mdp_graph::ComponentKind;

/// What was found in a graph.
#[derive(Debug)]
pub(crate) struct Found {
    /// For each state a number, as of [`WorklistGraph::find_components`].
    pub(crate) marks: Vec<u32>,
    /// The states that have a self-loop, as of [`WorklistGraph::self_loops`].
    pub(crate) self_loops: Option<Vec<u32>>,
    pub(crate) profile: Profile,
}

impl WorklistGraph<'_> {
    /// Lays out a graph and finds its components once, with this tuning. If a search for maximal
    /// end components first tries whether the graph is one component, its choices are laid out only
    /// if it is not. This takes no longer than to lay them out at once, unless each state has an
    /// edge in either direction although the graph is not one component.
    ///
    /// # Errors
    /// Those of [`load`](Self::load) and [`find_components`](Self::find_components).
    pub(crate) fn find_once(
        gpu: &Gpu,
        graph: GraphLocation<'_>,
        options: &GpuOptions,
        tuning: Tuning,
        observer: &dyn Observer,
    ) -> Result<Found, Error> {
        observer.phase(Phase::LayOut);
        let loaded = WorklistGraph::load_for(LaidOutFor::First, gpu, graph, options, tuning)?;
        if !loaded.lacks_choices() {
            let (marks, profile) = loaded.find_components(observer)?;
            return loaded.found(marks, profile);
        }
        tracing::debug!("choices are not laid out yet: the graph may be one component");
        observer.phase(Phase::Decompose);
        let mut monitor = loaded.begin(Stages::All, observer, Measured::by(observer));
        let (loaded, ended) = match loaded.search_one_component(&mut monitor)? {
            Some(ended) => (loaded, ended),
            None => {
                drop(loaded);
                observer.phase(Phase::LayOut);
                let loaded = WorklistGraph::load_for(LaidOutFor::Any, gpu, graph, options, tuning)?;
                observer.phase(Phase::Decompose);
                let ended = loaded.search_by_rounds(Stages::All, &mut monitor)?;
                (loaded, ended)
            }
        };
        let (marks, profile) = loaded.answer(ended, monitor.profile, observer)?;
        loaded.found(marks, profile)
    }

    /// Returns whether maximal end components are searched, and no choices are laid out. Then only
    /// [one component](Self::search_one_component) can be searched.
    fn lacks_choices(&self) -> bool {
        self.host.kind() == ComponentKind::Mec && self.choices.is_none()
    }

    fn found(&self, marks: Vec<u32>, profile: Profile) -> Result<Found, Error> {
        Ok(Found {
            marks,
            self_loops: self.self_loops()?,
            profile,
        })
    }
}

#[cfg(test)]
mod tests;
