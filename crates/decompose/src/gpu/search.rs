//! The loops on the host: FBT and BFBT (2016, Algorithms 1 and 2).
//!
//! "Do in parallel" is not a recursion here: the states of every region carry its name, and each round
//! searches all regions at once.

use super::Loaded;
use super::steps::Direction::{Backward, Forward};
use crate::{Error, Observer, Search};
use ::gpu::{Control, LoopTicket, Outcome, Recording};
use std::ops::ControlFlow;

/// What a search took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
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
    let mut host = Host {
        graph,
        observer,
        statistics: Statistics::default(),
    };
    match search {
        Search::Auto | Search::Fbt => host.fbt()?,
        Search::Bfbt => host.bfbt()?,
        Search::Tarjan => {
            return Err(Error::Unsupported {
                search,
                device: "the GPU",
            });
        }
    }
    Ok(host.statistics)
}

struct Host<'a> {
    graph: &'a Loaded,
    observer: &'a dyn Observer,
    statistics: Statistics,
}

impl Host<'_> {
    /// Algorithm 1.
    fn fbt(&mut self) -> Result<(), Error> {
        let mut active = self.first_trim()?; // line 1
        while active > 0 {
            // line 2
            let mut round = Recording::new();
            self.graph.select_pivots(&mut round); // line 3
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
    fn bfbt(&mut self) -> Result<(), Error> {
        let mut active = self.first_trim()?; // line 1
        while active > 0 {
            // line 2
            let mut first = Recording::new();
            self.graph.select_pivots(&mut first); // lines 3 to 5
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

    /// Forgets earlier searches and trims the whole graph. Returns how many states are left.
    fn first_trim(&mut self) -> Result<u32, Error> {
        if self.graph.num_states() == 0 {
            return Ok(0);
        }
        let mut recording = Recording::new();
        self.graph.reset(&mut recording);
        self.trim(recording, &[])
    }

    /// Runs what is recorded of a round and trims the new regions. Returns how many states are left.
    fn end_round(&mut self, round: Recording, searches: &[LoopTicket]) -> Result<u32, Error> {
        self.statistics.rounds += 1;
        self.trim(round, searches)
    }

    fn trim(&mut self, mut recording: Recording, searches: &[LoopTicket]) -> Result<u32, Error> {
        let trim = self.graph.trim(&mut recording);
        let active = self.graph.count_active(&mut recording);
        let outcome = self.run(&recording)?;
        self.count_levels(&outcome, searches);
        self.statistics.trim_iterations += outcome[trim].iterations;
        let active = outcome.get(active)[0];
        let total = u64::from(self.graph.num_states());
        self.observer.progress(total - u64::from(active), total);
        Ok(active)
    }

    fn run(&mut self, recording: &Recording) -> Result<Outcome, Error> {
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
            ..Control::default()
        };
        let outcome = self.graph.gpu.run_with(recording, &mut control)?;
        self.statistics.submissions += outcome.submissions;
        Ok(outcome)
    }

    fn count_levels(&mut self, outcome: &Outcome, searches: &[LoopTicket]) {
        self.statistics.levels += searches
            .iter()
            .map(|&ticket| outcome[ticket].iterations)
            .sum::<u64>();
    }
}
