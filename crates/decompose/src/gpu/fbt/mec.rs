//! Maximal end components: the loop on the host (2014, section 2.3; 2016, sections 2.4 and 6), with
//! choices removed where the papers remove states only.
//!
//! Of each round, the host knows only how many states go on to the next round.

use super::driver::{FbtRun, Host, Statistics};
use super::state::MecState;
use super::upload::{FbtGraph, FbtMdp};
use crate::gpu::options::Candidates;
use crate::{Error, Observer, Phase, Search, Silent};
use ::gpu::{PassTime, Recording};

impl FbtMdp {
    /// Searches for maximal end components, with the algorithm that `search` names for the SCCs in
    /// it.
    ///
    /// Returns for each state, by its number in the graph, a number that the states of its
    /// component share, or [`Components::NONE`](mdp_graph::Components::NONE) for a state that is in
    /// none.
    ///
    /// # Errors
    /// As [`FbtGraph::sccs`].
    pub fn mecs(
        &self,
        search: Search,
        observer: &dyn Observer,
    ) -> Result<(Vec<u32>, Statistics), Error> {
        let (marks, run) = self.mecs_measured(search, observer)?;
        Ok((marks, run.statistics))
    }

    /// Returns the same, with the work of the device.
    pub(crate) fn mecs_measured(
        &self,
        search: Search,
        observer: &dyn Observer,
    ) -> Result<(Vec<u32>, FbtRun), Error> {
        let graph = &self.graph;
        observer.phase(Phase::Decompose);
        let run = run(graph, &self.state, search, observer)?;
        observer.phase(Phase::Download);
        let marks = self.state.read_marks(&graph.gpu, &graph.state.results)?;
        debug_assert!(
            graph.is_restored()?,
            "pivot selection has changed the graph"
        );
        Ok((graph.in_old_order(&marks), run))
    }

    /// Returns the times of the kernels of a search for MECs on the device. The times of all
    /// dispatches of one kernel in one recording are added up. There are none if the adapter has no
    /// timestamps. Timing makes the search slower.
    ///
    /// # Errors
    /// As [`FbtGraph::sccs`].
    pub fn profile(&self, search: Search) -> Result<Vec<PassTime>, Error> {
        profile(&self.graph, &self.state, search)
    }
}

/// Searches for MECs.
fn run(
    graph: &FbtGraph,
    state: &MecState,
    search: Search,
    observer: &dyn Observer,
) -> Result<FbtRun, Error> {
    let mut host = Host::new(graph, observer);
    rounds(&mut host, graph, state, search)?;
    Ok(host.finish())
}

/// Searches for MECs and times each kernel.
fn profile(graph: &FbtGraph, state: &MecState, search: Search) -> Result<Vec<PassTime>, Error> {
    let mut host = Host::new(graph, &Silent);
    host.times = Some(Vec::new());
    rounds(&mut host, graph, state, search)?;
    Ok(host.times.unwrap_or_default())
}

/// Runs rounds until every state is dead or in a maximal end component.
fn rounds<'a>(
    host: &mut Host<'a>,
    graph: &'a FbtGraph,
    state: &'a MecState,
    search: Search,
) -> Result<(), Error> {
    host.sccs_are_final = false;
    let mut start = Recording::new();
    graph.reset(&mut start);
    state.reset(&mut start);
    let mut left = graph.num_states();
    while left > 0 {
        host.statistics.mec_rounds += 1;
        host.sccs(search, start)?; // step 1, in the regions that the last round has left
        let mut rest = Recording::new();
        if host.candidates.is_some() {
            graph.name_left_over(&mut rest, host.statistics.rounds);
        }
        // Step 2: U, and Attr(U) in each SCC.
        let attractors = graph.remove_leaving(state, &mut rest);
        graph.settle(state, &mut rest); // step 3: SCCs that lost nothing are done
        let active = graph.count_active(&mut rest, None);
        let outcome = host.run(&rest)?;
        host.statistics.attractor_steps += outcome[attractors].iterations;
        let before = left;
        left = outcome.get(active)[0];
        if left >= before && host.has_lost_nothing(state)? {
            let search = "the search for end components";
            return Err(Error::NoProgress { search, left });
        }
        host.report(left);
        // Step 4: what is left goes on.
        if graph.options.candidates == Candidates::Join {
            host.candidates = Some(&state.candidates);
        }
        start = Recording::new();
        host.is_from_scratch = false;
    }
    Ok(())
}
