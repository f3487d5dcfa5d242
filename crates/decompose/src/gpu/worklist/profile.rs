//! [`Profile`]: the work and time of a search, read from the control records of its loop.

use super::loop_control::{self, ControlRecord};
use crate::Observer;
use ::gpu::kernels::worklist::{PHASE_CLASSIFY, PHASE_SEED};
use ::gpu::{DispatchTime, LoopRecord};

/// The measurements of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measured {
    Nothing,
    /// Each iteration's time.
    Times,
    /// The edges that are visited, too. Counting them takes some time by itself.
    TimesAndEdges,
}

impl Measured {
    /// Returns the measurements that an observer asks for.
    pub(super) fn by(observer: &dyn Observer) -> Self {
        match observer.wants_work() {
            true => Self::TimesAndEdges,
            false => Self::Nothing,
        }
    }
}

/// The work and time of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// Iterations of the loop.
    pub iterations: u64,
    /// The dispatches of an iteration, one for each shard.
    pub dispatches: u32,
    /// The number of submissions to the device.
    pub submissions: u64,
    /// The number of selections of pivots among live states.
    pub rounds: u64,
    /// States that were in no component when pivots were last selected.
    pub live_states: Option<u32>,
    /// The phases of the search, by their numbers in `shaders/worklist/lib/phases.wgsl`.
    pub phases: Vec<PhaseCost>,
    /// The number of states that were left to the host.
    pub host_states: u64,
    /// Each iteration by itself, if they are timed.
    pub steps: Option<Vec<Step>>,
}

/// The work and time of an iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// Its phase, as an index of `phases`.
    pub phase: usize,
    /// Its workgroups.
    pub groups: u32,
    /// Entries of the queue that the previous iteration added for it.
    pub entries: u32,
    /// Time on the device; 0 if the adapter has no timestamps.
    pub nanoseconds: u64,
}

/// The work and time of all iterations of a phase.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PhaseCost {
    /// The name of the phase.
    pub name: &'static str,
    /// Iterations.
    pub iterations: u64,
    /// Entries of the queue that were added for iterations of this phase.
    pub entries: u64,
    /// Time on the device; 0 if it is not measured, or the adapter has no timestamps.
    pub nanoseconds: u64,
    /// The number of visits to edges; 0 if that is not measured.
    pub edges: u64,
}

impl Profile {
    pub(super) fn new(measured: Measured) -> Self {
        let phase = |&name: &&'static str| PhaseCost {
            name,
            ..PhaseCost::default()
        };
        Self {
            iterations: 0,
            dispatches: 1,
            submissions: 0,
            rounds: 0,
            live_states: None,
            host_states: 0,
            phases: loop_control::phase_names().iter().map(phase).collect(),
            steps: (measured != Measured::Nothing).then(Vec::new),
        }
    }

    /// Adds an iteration: the record that it read, and the one that it stored.
    pub(super) fn add_iteration(&mut self, read: LoopRecord, stored: LoopRecord) {
        let (ran, entries) = (stored.phase_that_ran(), read.added());
        if ran == PHASE_SEED {
            let live = stored.live();
            self.rounds += u64::from(live != 0);
            self.live_states = Some(live);
        }
        if let Some(phase) = self.phases.get_mut(ran as usize) {
            phase.iterations += 1;
            phase.entries += u64::from(entries);
        }
        let last = self.phases.len() - 1;
        if let Some(steps) = &mut self.steps {
            steps.push(Step {
                phase: last.min(ran as usize),
                groups: stored.worked(),
                entries,
                nanoseconds: 0,
            });
        }
    }

    /// Adds passes that are no iterations of the loop, as a phase of their own.
    pub(super) fn add_passes(&mut self, name: &'static str, passes: usize, times: &[DispatchTime]) {
        self.iterations += passes as u64;
        let nanoseconds = times.iter().map(|time| time.nanoseconds).sum();
        let phase = self.phases.len();
        self.phases.push(PhaseCost {
            name,
            iterations: passes as u64,
            nanoseconds,
            ..PhaseCost::default()
        });
        if let Some(steps) = &mut self.steps {
            steps.extend(times.iter().map(|time| Step {
                phase,
                nanoseconds: time.nanoseconds,
                ..Step::default()
            }));
        }
    }

    /// Adds the times of all dispatches, the first of which is of iteration `first`.
    pub(super) fn add_times(&mut self, first: usize, times: &[DispatchTime]) {
        let steps = self.steps.as_deref_mut().unwrap_or_default();
        let times = times.chunks(self.dispatches as usize);
        for (step, times) in steps.iter_mut().skip(first).zip(times) {
            step.nanoseconds = times.iter().map(|time| time.nanoseconds).sum();
            self.phases[step.phase].nanoseconds += step.nanoseconds;
        }
    }

    /// Adds the edges that were visited: for each phase a low word, then a high one.
    pub(super) fn add_edges(&mut self, words: &[u32]) {
        for (phase, words) in self.phases.iter_mut().zip(words.chunks(2)) {
            phase.edges += words
                .iter()
                .rev()
                .fold(0, |high, &low| high << 32 | u64::from(low));
        }
    }

    /// Returns the number of rounds of a search for maximal end components that have ended.
    pub(super) fn mec_rounds(&self) -> u64 {
        self.phases[PHASE_CLASSIFY as usize].iterations
    }

    /// Returns the number of words that [`add_edges`](Self::add_edges) takes.
    pub(super) fn edge_words() -> u64 {
        2 * loop_control::phase_names().len() as u64
    }

    /// Returns the time of all iterations on the device; 0 if it is not measured, or the adapter
    /// has no timestamps.
    pub fn nanoseconds(&self) -> u64 {
        self.phases.iter().map(|phase| phase.nanoseconds).sum()
    }
}
