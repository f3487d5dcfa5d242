//! The loop of the worklist engine, recorded and run.
//!
//! This file defines how a loop begins and what follows its end. The device decides which phase
//! follows which.

use super::host_fallback::Budget;
use super::loop_control::{ControlRecord, DivisionLimits, ResumePoint, Stages};
use super::mec;
use super::monitor::{Ended, SearchMonitor};
use super::profile::{Measured, Profile};
use super::rows::DeviceRows;
use super::state::UNDECIDED;
use super::upload::WorklistGraph;
use crate::{Error, Observer, Phase};
use ::gpu::kernels::worklist::{
    DONE, NAME, PHASE_CHAINED, PHASE_FINISH, PHASE_GIVE_UP, PHASE_LINK, PHASE_MERGE, PHASE_STUCK,
};
use ::gpu::{Body, LoopHandle, LoopRecord, Recording, Repeat, RunOptions};
use mdp_graph::ComponentKind;
use rayon::prelude::*;

/// The minimum number of states for each workgroup.
const STATES_PER_GROUP: u32 = 128;

/// Returns the mark of a state, given its word in `regions`: the name of its strongly connected
/// component, or [`UNDECIDED`].
fn scc_mark(word: u32) -> u32 {
    match word & DONE {
        0 => UNDECIDED,
        _ => word & NAME,
    }
}

impl WorklistGraph<'_> {
    /// Searches for the components of the kind for which the graph was
    /// [loaded](WorklistGraph::load). If the device would take too long, the host finishes the
    /// search ([`Tuning::host_percent`](crate::gpu::worklist::Tuning::host_percent)).
    ///
    /// Returns for each state a number that the states of its component share, or
    /// [`Components::NONE`](mdp_graph::Components::NONE) for a state that is in no maximal end
    /// component.
    ///
    /// # Errors
    /// [`Error::Cancelled`]; [`Error::Gpu`] if the device fails.
    pub fn find_components(&self, observer: &dyn Observer) -> Result<(Vec<u32>, Profile), Error> {
        observer.phase(Phase::Decompose);
        let (ended, profile) = self.search(Stages::All, observer, Measured::by(observer))?;
        self.answer(ended, profile, observer)
    }

    /// Returns what a search has found that has ended in this way, after the host has finished it.
    pub(super) fn answer(
        &self,
        ended: Ended,
        mut profile: Profile,
        observer: &dyn Observer,
    ) -> Result<(Vec<u32>, Profile), Error> {
        let mark = match self.host.kind() {
            ComponentKind::Mec => mec::mark,
            ComponentKind::Scc | ComponentKind::Bscc => scc_mark,
        };
        observer.phase(Phase::Download);
        let mut marks = self.read_regions()?;
        match ended {
            Ended::Done | Ended::LeftToHost => {
                marks.par_iter_mut().for_each(|word| *word = mark(*word));
            }
            Ended::LeftFromStart => marks.fill(UNDECIDED),
        }
        if ended != Ended::Done {
            profile.host_states = self.host.finish(&mut marks, observer)?;
        }
        Ok((marks, profile))
    }

    /// Searches and times what runs on the device, for measurements.
    ///
    /// # Errors
    /// As [`find_components`](Self::find_components).
    pub fn profile(&self) -> Result<Profile, Error> {
        let (_, profile) = self.search(Stages::All, &crate::Silent, Measured::Times)?;
        Ok(profile)
    }

    /// Runs some of the stages alone, for tests. A state that is in no component afterwards has no
    /// mark.
    ///
    /// # Errors
    /// As [`find_components`](Self::find_components).
    #[doc(hidden)]
    pub fn run_stages(&self, stages: Stages) -> Result<Vec<Option<u32>>, Error> {
        self.search(stages, &crate::Silent, Measured::Nothing)?;
        let regions = self.read_regions()?;
        let mark = |word: u32| (word & DONE != 0).then_some(word & NAME);
        Ok(regions.into_iter().map(mark).collect())
    }

    /// Returns one word for each state (`shaders/worklist/lib/words.wgsl`).
    fn read_regions(&self) -> Result<Vec<u32>, Error> {
        Ok(self.gpu.read(&self.state.regions)?)
    }

    /// Searches until every state is in a component, or the host should continue. Returns how the
    /// search has ended, and its work. It takes longer if it is measured.
    pub(super) fn search(
        &self,
        stages: Stages,
        observer: &dyn Observer,
        measured: Measured,
    ) -> Result<(Ended, Profile), Error> {
        let mut monitor = self.begin(stages, observer, measured);
        if self.state.states == 0 {
            return Ok((Ended::Done, monitor.profile));
        }
        if observer.is_cancelled() {
            return Err(Error::Cancelled);
        }
        let at_once = match stages {
            Stages::All => self.search_at_once(&mut monitor)?,
            _ => None,
        };
        let ended = match at_once {
            Some(ended) => ended,
            None => self.search_by_rounds(stages, &mut monitor)?,
        };
        Ok((ended, monitor.profile))
    }

    /// Returns a search that has done nothing yet.
    pub(super) fn begin<'o>(
        &self,
        stages: Stages,
        observer: &'o dyn Observer,
        measured: Measured,
    ) -> SearchMonitor<'o> {
        let (kind, states) = (self.host.kind(), self.state.states);
        let budget = self.budget(stages);
        let mut monitor = SearchMonitor::new(observer, budget, kind, states, measured);
        monitor.profile.dispatches = self.num_shards() as u32;
        monitor
    }

    /// Returns the time that a search may take before the host finishes it. Single stages are never
    /// left to the host.
    fn budget(&self, stages: Stages) -> Budget {
        let percent = self.tuning.host_percent;
        let percent = percent.filter(|_| stages == Stages::All);
        Budget::new(self.problem, self.host.download_time(), percent)
    }

    /// Tries the searches that take much less time than rounds, if they may succeed. Returns how
    /// one of them has ended, unless none of them has succeeded.
    fn search_at_once(&self, monitor: &mut SearchMonitor<'_>) -> Result<Option<Ended>, Error> {
        if self.search_functional(monitor)? {
            return Ok(Some(Ended::Done));
        }
        match self.may_be_one_component() {
            true => self.search_one_component(monitor),
            false => Ok(None),
        }
    }

    /// Searches the whole graph as one component. Returns how that has ended, unless the graph is
    /// not one component.
    pub(super) fn search_one_component(
        &self,
        monitor: &mut SearchMonitor<'_>,
    ) -> Result<Option<Ended>, Error> {
        let measured = monitor.measured;
        let mut recording = self.start(measured);
        let start = ResumePoint::first(Stages::All, self.division_limits());
        let how = self.how("search of one component", &start);
        let handle = self.repeat(&mut recording, how, |shard, body| {
            body.dispatch(&self.one_component(shard, &start, measured));
        });
        let Some((phase, _)) = self.run(&recording, handle, monitor)? else {
            return Ok(Some(Ended::LeftFromStart));
        };
        let is_one = phase == PHASE_FINISH;
        monitor.profile.rounds += u64::from(is_one);
        Ok(is_one.then_some(Ended::Done))
    }

    /// Searches in rounds. Divides regions by colours if many iterations or rounds found little.
    pub(super) fn search_by_rounds(
        &self,
        stages: Stages,
        monitor: &mut SearchMonitor<'_>,
    ) -> Result<Ended, Error> {
        let measured = monitor.measured;
        let mut recording = self.start(measured);
        if let Some(choices) = &self.choices {
            recording
                .fill(&choices.removed, 0)
                .fill(&choices.removed_snapshot, 0)
                .copy(&choices.all, 0..choices.all.len(), &choices.retained, 0);
        }
        let mut start = ResumePoint::first(stages, self.division_limits());
        let mut divisions = Divisions::default();
        loop {
            let how = self.how("worklist search", &start);
            let handle = self.repeat(&mut recording, how, |shard, body| {
                body.dispatch(&self.step(shard, &start, measured));
            });
            let Some((next, last)) = self.run(&recording, handle, monitor)? else {
                return Ok(Ended::LeftToHost);
            };
            if !matches!(next, PHASE_LINK | PHASE_MERGE) {
                return Ok(Ended::Done);
            }
            start = start.after(last, next);
            recording = self.recording(measured);
            let how = self.how("colouring", &start);
            let handle = self.repeat(&mut recording, how, |shard, body| {
                body.dispatch(&self.colouring(shard, &start, measured));
            });
            let Some((next, last)) = self.run(&recording, handle, monitor)? else {
                return Ok(Ended::LeftToHost);
            };
            start = start.after(last, next);
            match last.phase_that_ran() {
                PHASE_GIVE_UP if monitor.is_better_left() => return Ok(Ended::LeftToHost),
                PHASE_GIVE_UP => start.division_limits = start.division_limits.doubled(),
                // Nothing was divided.
                PHASE_CHAINED => {}
                _ => divisions.note(monitor.profile.mec_rounds(), last.live())?,
            }
            recording = self.recording(measured);
            // A search that was broken off has reached states.
            recording.fill(&self.state.reached, 0);
        }
    }

    fn division_limits(&self) -> DivisionLimits {
        DivisionLimits::of(&self.tuning, self.state.states, self.forward.num_edges())
    }

    /// Returns whether to test if the graph is one component. If a state lacks edges in a
    /// direction, the graph is not one component.
    fn may_be_one_component(&self) -> bool {
        let lacks_edges = |rows: &DeviceRows| rows.longer_than(0) < self.state.states;
        self.tuning
            .tries_one_component(self.state.states, self.forward.num_edges())
            && ![&self.forward, &self.backward].into_iter().any(lacks_edges)
    }

    /// Returns a recording that begins with nothing reached.
    fn start(&self, measured: Measured) -> Recording {
        let mut recording = self.recording(measured);
        recording
            .fill(&self.state.reached, 0)
            .fill(&self.state.pivots, 0);
        recording
    }

    /// Returns a recording that begins with no edges counted.
    fn recording(&self, measured: Measured) -> Recording {
        let mut recording = Recording::new();
        if measured == Measured::TimesAndEdges {
            recording.fill(&self.state.visited, 0);
        }
        recording
    }

    /// Returns the way in which a loop is repeated.
    fn how(&self, name: &str, start: &ResumePoint) -> Repeat {
        let groups = self.state.states.div_ceil(STATES_PER_GROUP);
        let how = Repeat::groups(name, [groups.min(self.tuning.most_groups), 1, 1])
            .words(start.words)
            .pipelined();
        if self.tuning.fixed_grid {
            how.fixed_grid()
        } else {
            how
        }
    }

    /// Records a loop, in each iteration of which there is a dispatch for each shard.
    fn repeat(
        &self,
        recording: &mut Recording,
        how: Repeat,
        mut shards: impl FnMut(usize, &mut Body),
    ) -> LoopHandle {
        recording.repeat(how, |body| {
            for shard in 0..self.num_shards() {
                shards(shard, body);
            }
        })
    }

    /// Runs a loop to its end. Returns the phase that would come next, and the record with which it
    /// ended; or nothing, if the host is to go on.
    fn run(
        &self,
        recording: &Recording,
        handle: LoopHandle,
        monitor: &mut SearchMonitor<'_>,
    ) -> Result<Option<(u32, LoopRecord)>, Error> {
        let time_passes = monitor.measured != Measured::Nothing;
        let first = monitor.profile.steps.as_ref().map_or(0, Vec::len);
        let mut between = |progress: ::gpu::Progress<'_>| monitor.go_on(progress);
        let mut run_options = RunOptions {
            observer: Some(&mut between),
            time_passes,
        };
        let run = self.gpu.run_with(recording, &mut run_options);
        monitor.budget.end_loop();
        let outcome = match run {
            Err(::gpu::Error::Cancelled) if monitor.is_left_to_host() => return Ok(None),
            outcome => outcome?,
        };
        let last = outcome[handle].last;
        let next = monitor.end_loop(last);
        if next == PHASE_STUCK {
            return Err(stuck(last.live()));
        }
        let profile = &mut monitor.profile;
        profile.iterations += outcome[handle].iterations;
        profile.submissions += outcome.submissions;
        profile.add_times(first, &outcome.dispatch_times);
        if monitor.measured == Measured::TimesAndEdges {
            profile.add_edges(&self.gpu.read(&self.state.visited)?);
        }
        Ok(Some((next, last)))
    }
}

/// Watches that divisions by colours decide states.
#[derive(Debug, Default)]
struct Divisions {
    /// The number of rounds of a search for maximal end components, and the number of live states,
    /// after the last division.
    last: (u64, u32),
    /// The number of successive divisions that have decided nothing.
    idle: u32,
}

impl Divisions {
    /// A division decides a component of each region, unless the region's root is trimmed. Such
    /// roots are done with before the next division, so that two divisions in a row decide
    /// something, unless a round of a search for maximal end components has ended between them.
    const MAX_IDLE: u32 = 2;

    /// Records a division.
    ///
    /// # Errors
    /// If too many of them have decided nothing.
    fn note(&mut self, mec_rounds: u64, live: u32) -> Result<(), Error> {
        let (rounds, before) = std::mem::replace(&mut self.last, (mec_rounds, live));
        let is_idle = rounds == mec_rounds && live != 0 && live >= before && before != 0;
        self.idle = if is_idle { self.idle + 1 } else { 0 };
        if self.idle > Self::MAX_IDLE {
            return Err(stuck(live));
        }
        Ok(())
    }
}

/// Returns the error for a round that has decided nothing.
fn stuck(left: u32) -> Error {
    let search = "the worklist search";
    Error::NoProgress { search, left }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::gpu::test_gpu::gpu;
    use crate::gpu::{GpuOptions, HostGraph};
    use ::gpu::kernels::worklist::{
        CONTROL_FLAGS, CONTROL_PHASE, CONTROL_ROUND, FLAG_PRUNED, PHASE_CLASSIFY, PHASE_PRUNE,
        REDUCED,
    };
    use mdp_graph::{ChunkBuilder, Deadlocks, StateId, assemble};

    #[test]
    fn divisions_that_decide_nothing_are_the_last() {
        let mut divisions = Divisions::default();
        for (mec_rounds, live) in [(0, 100), (0, 99), (1, 99), (4, 120), (4, 3), (4, 3), (4, 3)] {
            assert_eq!(divisions.note(mec_rounds, live), Ok(()));
        }
        insta::assert_snapshot!(
            divisions.note(4, 3).unwrap_err(),
            @"the worklist search is stuck: a round has decided none of 3 states; the device computes wrongly"
        );
        let mut divisions = Divisions::default();
        for _ in 0..9 {
            assert_eq!(divisions.note(0, 0), Ok(()), "no state is live");
        }
    }

    /// Ends a round of a search for maximal end components. The only component, of two states, is
    /// marked as if it had lost a choice. `snapshot` says which choices were removed before the
    /// round; no choice is removed now. Returns the phase that comes next.
    fn end_round(graph: &WorklistGraph<'_>, snapshot: u32) -> Result<Option<u32>, Error> {
        let choices = graph.choices.as_ref().expect("there are choices");
        let mut recording = graph.start(Measured::Nothing);
        recording
            .fill(&graph.state.regions, DONE)
            .fill(&graph.state.pivots, REDUCED)
            .fill(&choices.removed, 0)
            .fill(&choices.removed_snapshot, snapshot)
            .copy(&choices.all, 0..2, &choices.retained, 0);
        let mut start = ResumePoint::first(Stages::All, graph.division_limits());
        start.words[CONTROL_PHASE as usize] = PHASE_CLASSIFY;
        start.words[CONTROL_FLAGS as usize] = FLAG_PRUNED;
        start.words[CONTROL_ROUND as usize] = 1;
        let how = graph.how("worklist search", &start);
        let handle = graph.repeat(&mut recording, how, |shard, body| {
            body.dispatch(&graph.step(shard, &start, Measured::Nothing));
        });
        let mut monitor = graph.begin(Stages::Search, &Silent, Measured::Nothing);
        let ended = graph.run(&recording, handle, &mut monitor)?;
        Ok(ended.map(|(next, _)| next))
    }

    #[test]
    fn a_round_that_removes_no_choice_is_the_last() {
        let Some(gpu) = gpu() else { return };
        let mut chunk = ChunkBuilder::default();
        chunk.push_choice(StateId(0), &[StateId(1)]);
        chunk.push_choice(StateId(1), &[StateId(0)]);
        let graph = assemble(2, vec![chunk.finish()], Deadlocks::Keep);
        let graph = graph.expect("it is well formed").graph;
        let graph = HostGraph::Choices(&graph);
        let loaded = WorklistGraph::load(gpu, graph, &GpuOptions::default());
        let loaded = loaded.expect("the device has room");
        // No device forgets to remove choices, so the component is marked by hand.
        assert_eq!(end_round(&loaded, 0), Err(stuck(2)));
        // Here the removed choices differ from the snapshot. So the search goes on; it ends because
        // the next phase cuts no edge.
        assert_eq!(end_round(&loaded, 3), Ok(Some(PHASE_PRUNE)));
    }
}
