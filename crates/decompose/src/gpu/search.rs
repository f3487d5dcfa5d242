//! The loops on the host: FBT and BFBT (2016, Algorithms 1 and 2).
//!
//! "Do in parallel" is not a recursion here: the states of every region carry its name, and each round
//! searches all regions at once.

use super::Loaded;
use super::steps::Direction::{Backward, Forward};
use crate::{Error, Observer, Search};
use ::gpu::{Buffer, Control, LoopTicket, Outcome, PassTime, Recording};
use std::ops::ControlFlow;

/// What a search took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Rounds of the MEC algorithm, each of which splits what is left into SCCs.
    pub mec_rounds: u64,
    /// Steps of attractors in all rounds of the MEC algorithm.
    pub attractor_steps: u64,
    /// Rounds of pivots, searches and trimming.
    pub rounds: u64,
    /// Iterations of trimming in all rounds.
    pub trim_iterations: u64,
    /// Levels of the searches in all rounds; a level of the hybrid search counts once.
    pub levels: u64,
    /// How often the host handed work to the device.
    pub submissions: u64,
}

/// Searches until every state is in a component.
pub(super) fn run(
    graph: &Loaded,
    search: Search,
    observer: &dyn Observer,
) -> Result<Statistics, Error> {
    let mut host = Host::new(graph, observer);
    let mut start = Recording::new();
    graph.reset(&mut start);
    host.sccs(search, start)?;
    Ok(host.statistics)
}

/// A decomposition under way.
pub(super) struct Host<'a> {
    graph: &'a Loaded,
    observer: &'a dyn Observer,
    /// Whether a component is an answer, not a step towards one.
    pub(super) sccs_are_final: bool,
    /// The states that may become pivots, a bit each; all, if not set.
    pub(super) candidates: Option<&'a Buffer<u32>>,
    pub(super) statistics: Statistics,
    /// Time each kernel, and keep what was timed.
    pub(super) times: Option<Vec<PassTime>>,
}

impl<'a> Host<'a> {
    pub(super) fn new(graph: &'a Loaded, observer: &'a dyn Observer) -> Self {
        Self {
            graph,
            observer,
            sccs_are_final: true,
            candidates: None,
            statistics: Statistics::default(),
            times: None,
        }
    }

    /// Splits the regions that there are once `start` has run, until no region has a candidate.
    pub(super) fn sccs(&mut self, search: Search, start: Recording) -> Result<(), Error> {
        match search {
            Search::Auto | Search::Fbt => self.fbt(start),
            Search::Bfbt => self.bfbt(start),
            Search::Tarjan => Err(Error::Unsupported {
                search,
                device: "the GPU",
            }),
        }
    }

    /// Algorithm 1.
    fn fbt(&mut self, start: Recording) -> Result<(), Error> {
        let mut active = self.trim(start, &[])?; // line 1
        while active > 0 {
            // line 2
            let mut round = Recording::new();
            self.graph.select_pivots(&mut round, self.candidates); // line 3
            let mut searches = Vec::new();
            if self.graph.options.hybrid {
                searches.push(self.graph.search_hybrid(&mut round)); // lines 4 and 5 at once,
            }
            searches.push(self.graph.search(&mut round, Forward, 0)); // and what is left of each
            searches.push(self.graph.search(&mut round, Backward, 0));
            // Line 6: a state with both marks is in its pivot's component, and done.
            active = self.end_round(round, &searches)?; // lines 7 to 10
        }
        Ok(())
    }

    /// Algorithm 2, in the global form of section 5.2: searches are bounded once no search can go on in
    /// one of the directions.
    fn bfbt(&mut self, start: Recording) -> Result<(), Error> {
        let mut active = self.trim(start, &[])?; // line 1
        while active > 0 {
            // line 2
            let mut first = Recording::new();
            self.graph.select_pivots(&mut first, self.candidates); // lines 3 to 5
            let ticket = match self.graph.options.hybrid {
                true => self.graph.search_hybrid(&mut first), // lines 6 to 8
                false => self.graph.search(&mut first, Forward, 0),
            };
            let outcome = self.run(&first)?;
            self.count_levels(&outcome, &[ticket]);
            // Lines 9 to 12. Without the hybrid, forward it is; with it, if both ended, either will do.
            let forward_ended = outcome[ticket].last.groups[0] == 0;
            let converged = if forward_ended { Forward } else { Backward };

            let mut second = Recording::new();
            let bounded = self
                .graph
                .search(&mut second, converged.other(), converged.mark()); // lines 13 to 16
            self.graph.discard_marks(&mut second, converged.other());
            active = self.end_round(second, &[bounded])?; // lines 17 to 20
        }
        Ok(())
    }

    /// Runs what is recorded of a round and trims the new regions. Returns how many candidates are left.
    fn end_round(&mut self, round: Recording, searches: &[LoopTicket]) -> Result<u32, Error> {
        self.statistics.rounds += 1;
        self.trim(round, searches)
    }

    fn trim(&mut self, mut recording: Recording, searches: &[LoopTicket]) -> Result<u32, Error> {
        if self.graph.num_states() == 0 {
            return Ok(0);
        }
        let trim = self.graph.trim(&mut recording);
        let active = self.graph.count_active(&mut recording, self.candidates);
        let outcome = self.run(&recording)?;
        self.count_levels(&outcome, searches);
        self.statistics.trim_iterations += outcome[trim].iterations;
        let active = outcome.get(active)[0];
        if self.sccs_are_final {
            self.report(active);
        }
        Ok(active)
    }

    /// Tells the observer how many states have no answer yet.
    pub(super) fn report(&self, left: u32) {
        let total = u64::from(self.graph.num_states());
        self.observer.progress(total - u64::from(left), total);
    }

    pub(super) fn run(&mut self, recording: &Recording) -> Result<Outcome, Error> {
        if self.observer.is_cancelled() {
            return Err(Error::Cancelled);
        }
        let observer = self.observer;
        let mut between = |_: ::gpu::Progress<'_>| match observer.is_cancelled() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        let mut control = Control {
            observer: Some(&mut between),
            time_passes: self.times.is_some(),
        };
        let mut outcome = self.graph.gpu.run_with(recording, &mut control)?;
        self.statistics.submissions += outcome.submissions;
        if let Some(times) = &mut self.times {
            times.append(&mut outcome.times);
        }
        Ok(outcome)
    }

    fn count_levels(&mut self, outcome: &Outcome, searches: &[LoopTicket]) {
        self.statistics.levels += searches
            .iter()
            .map(|&ticket| outcome[ticket].iterations)
            .sum::<u64>();
    }
}
