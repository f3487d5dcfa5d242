//! The loops on the host: FBT and BFBT (2016, Algorithms 1 and 2).
//!
//! The papers' "do in parallel" is not a recursion here. The states of every region carry the name
//! of the region, and each round searches all regions at the same time.

use super::passes::{Pivots, Trimming};
use super::state::Direction::{Backward, Forward};
use super::state::MecState;
use super::upload::FbtGraph;
use crate::gpu::watch::watch;
use crate::{ComponentSearch, Error, Observer};
use ::gpu::{
    Buffer, Condition, DispatchTime, LoopHandle, Outcome, PassTime, ReadHandle, Recording,
    RunOptions,
};
use std::time::{Duration, Instant};

/// The most rounds that are handed to the device at once.
const MAX_AHEAD: u64 = 16;

/// If rounds take longer than this, fewer are handed over next, so that a search can be stopped.
const LONG: Duration = Duration::from_millis(100);

/// The amount of work of a search.
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
    /// The number of submissions to the device.
    pub submissions: u64,
}

/// The work of a search on the device.
#[derive(Debug)]
pub(crate) struct FbtRun {
    pub(crate) statistics: Statistics,
    /// Present if the observer requests it, and the adapter has timestamps.
    pub(crate) dispatches: Vec<DispatchTime>,
}

/// Searches until every state is in a strongly connected component.
pub(super) fn find_sccs(host: &mut Host<'_>, search: ComponentSearch) -> Result<(), Error> {
    let mut start = Recording::new();
    host.graph.reset(&mut start);
    host.sccs(search, start)
}

/// A decomposition under way.
pub(super) struct Host<'a> {
    graph: &'a FbtGraph,
    observer: &'a dyn Observer,
    /// Whether a component is an answer, not a step towards one.
    pub(super) sccs_are_final: bool,
    /// The trimming with which the next decomposition into SCCs begins.
    pub(super) first_trimming: Trimming,
    /// The states that may become pivots, one bit each. By default, all states may.
    pub(super) candidates: Option<&'a Buffer<u32>>,
    pub(super) statistics: Statistics,
    /// The times of the kernels, if they are timed.
    pub(super) times: Option<Vec<PassTime>>,
    /// The times of the dispatches, if the observer requests them.
    dispatches: Vec<DispatchTime>,
    /// The number of rounds that are handed over next.
    ahead: u64,
    /// The number of candidates after the last trimming.
    active: u32,
}

/// The handles of a recorded trimming: its loop, and the number of candidates after it.
struct Trimmed {
    trim: LoopHandle,
    active: ReadHandle<u32>,
}

impl<'a> Host<'a> {
    pub(super) fn new(graph: &'a FbtGraph, observer: &'a dyn Observer) -> Self {
        Self {
            graph,
            observer,
            sccs_are_final: true,
            first_trimming: Trimming::First,
            candidates: None,
            statistics: Statistics::default(),
            times: None,
            dispatches: Vec::new(),
            ahead: 1,
            active: 0,
        }
    }

    /// Returns the work that was done so far.
    pub(super) fn finish(self) -> FbtRun {
        FbtRun {
            statistics: self.statistics,
            dispatches: self.dispatches,
        }
    }

    /// Splits the regions that there are once `start` has run, until no region has a candidate.
    pub(super) fn sccs(&mut self, search: ComponentSearch, start: Recording) -> Result<(), Error> {
        match search {
            ComponentSearch::Auto | ComponentSearch::Fbt => self.fbt(start),
            ComponentSearch::Bfbt => self.bfbt(start),
            ComponentSearch::Tarjan => Err(Error::Unsupported {
                search,
                device: "the GPU",
            }),
        }
    }

    /// Algorithm 1.
    fn fbt(&mut self, start: Recording) -> Result<(), Error> {
        let graph = self.graph;
        self.decompose("the forward-backward search", start, |rounds, pivots| {
            graph.select_pivots(rounds, pivots); // line 3
            // Line 6: a state with both marks is in its pivot's component, and done.
            graph.search_both(rounds) // lines 4, 5 and 7 to 10
        })
    }

    /// Algorithm 2, in the global form of section 5.2: searches are bounded once no search can go
    /// on in one of the directions.
    fn bfbt(&mut self, start: Recording) -> Result<(), Error> {
        let graph = self.graph;
        let name = "the bounded forward-backward search";
        self.decompose(name, start, |rounds, pivots| {
            graph.select_pivots(rounds, pivots); // lines 3 to 5
            if !graph.options.hybrid {
                let forward = graph.search(rounds, Forward, 0);
                return vec![forward, graph.search_bounded(rounds, Forward)];
            }
            let both = graph.search_hybrid(rounds); // lines 6 to 8
            let mut searches = vec![both];
            // Lines 9 to 12. If both ended, either will do.
            let cases = [
                (Condition::Without(both, 0), Forward),
                (Condition::With(both, 0), Backward),
            ];
            for (ended, converged) in cases {
                rounds.when(ended, |rounds| {
                    searches.push(graph.search_bounded(rounds, converged)); // lines 13 to 20
                });
            }
            searches
        })
    }

    /// Lines 1 and 2 of either algorithm: trims, and goes on in rounds, whose searches `search`
    /// records, until no candidate is left.
    fn decompose(
        &mut self,
        name: &'static str,
        mut start: Recording,
        mut search: impl FnMut(&mut Recording, Pivots<'a>) -> Vec<LoopHandle>,
    ) -> Result<(), Error> {
        if self.graph.num_states() == 0 {
            return Ok(());
        }
        // The trimming is in one recording with the first rounds, because the host need not know
        // its result.
        let mut first = Some(self.record_trimming(&mut start, self.first_trimming));
        loop {
            let (before, left) = self.rounds(start, first.take(), &mut search)?;
            if left == 0 {
                return Ok(());
            }
            has_decided(name, before, left)?;
            start = Recording::new();
        }
    }

    /// Runs rounds after what is recorded already. A round consists of what `search` records, and
    /// of trimming the new regions. Several rounds are handed to the device at once; those after
    /// the last candidate do nothing. `trimmed` says whether the recording ends with a trimming.
    /// Returns the number of candidates before the rounds, and the number that is left.
    fn rounds(
        &mut self,
        mut recording: Recording,
        trimmed: Option<Trimmed>,
        search: &mut impl FnMut(&mut Recording, Pivots<'a>) -> Vec<LoopHandle>,
    ) -> Result<(u32, u32), Error> {
        let record = |ahead: u64| {
            let pivots = Pivots {
                candidates: self.candidates,
                round: self.statistics.rounds + ahead,
            };
            let searches = search(&mut recording, pivots);
            (
                searches,
                self.record_trimming(&mut recording, Trimming::Later),
            )
        };
        let rounds: Vec<_> = (0..self.ahead).map(record).collect();
        let start = Instant::now();
        let outcome = self.run(&recording)?;
        self.ahead = match start.elapsed() < LONG {
            true => (2 * self.ahead).min(MAX_AHEAD),
            false => (self.ahead / 2).max(1),
        };
        if let Some(trimmed) = trimmed
            && self.count(&outcome, &trimmed) == 0
        {
            return Ok((0, 0));
        }
        let before = self.active;
        for (searches, trimmed) in rounds {
            self.statistics.rounds += 1;
            let levels = searches.iter().map(|&handle| outcome[handle].iterations);
            self.statistics.levels += levels.sum::<u64>();
            if self.count(&outcome, &trimmed) == 0 {
                break;
            }
        }
        Ok((before, self.active))
    }

    /// Records a trimming, after which nothing is done if no candidate is left.
    fn record_trimming(&self, recording: &mut Recording, which: Trimming) -> Trimmed {
        let (trim, active) = self.graph.trim(recording, self.candidates, which);
        recording.stop_if_zero(self.graph.state.active(), 0);
        Trimmed { trim, active }
    }

    /// Records the result of a trimming. Returns the number of candidates that are left.
    fn count(&mut self, outcome: &Outcome, trimmed: &Trimmed) -> u32 {
        self.statistics.trim_iterations += outcome[trimmed.trim].iterations;
        self.active = outcome.get(trimmed.active)[0];
        if self.sccs_are_final {
            self.report(self.active);
        }
        self.active
    }

    /// Returns whether no state without an answer has lost a choice in the last round.
    pub(super) fn has_lost_nothing(&mut self, state: &MecState) -> Result<bool, Error> {
        let mut recording = Recording::new();
        let graph = self.graph;
        let losers = graph.count_active(&mut recording, Some(&state.candidates));
        Ok(self.run(&recording)?.get(losers)[0] == 0)
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
        let mut watch = watch(observer);
        let mut run_options = RunOptions {
            observer: Some(&mut watch),
            time_passes: self.times.is_some() || observer.wants_work(),
        };
        let mut outcome = self.graph.gpu.run_with(recording, &mut run_options)?;
        self.statistics.submissions += outcome.submissions;
        if let Some(times) = &mut self.times {
            times.append(&mut outcome.times);
        }
        if observer.wants_work() {
            self.dispatches.append(&mut outcome.dispatch_times);
        }
        Ok(outcome)
    }
}

/// Checks that a round has decided states. Each round decides the component of every pivot that it
/// has chosen; if it has not, no round will.
fn has_decided(search: &'static str, before: u32, left: u32) -> Result<(), Error> {
    match left < before {
        true => Ok(()),
        false => Err(Error::NoProgress { search, left }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_that_decides_nothing_is_the_last() {
        assert_eq!(has_decided("the search", 5, 4), Ok(()));
        assert_eq!(has_decided("the search", 1, 0), Ok(()));
        for left in [5, 6] {
            let stuck = has_decided("the search", 5, left);
            assert_eq!(
                stuck,
                Err(Error::NoProgress {
                    search: "the search",
                    left
                })
            );
        }
        insta::assert_snapshot!(
            has_decided("the forward-backward search", 7, 7).unwrap_err(),
            @"the forward-backward search is stuck: a round has decided none of 7 states; the device computes wrongly"
        );
    }
}
