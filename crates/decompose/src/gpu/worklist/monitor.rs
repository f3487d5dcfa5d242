//! [`SearchMonitor`]: watches a running search for the host. Reports progress, and decides whether
//! the host should finish the search.

use super::host_fallback::Budget;
use super::loop_control::ControlRecord;
use super::profile::{Measured, Profile};
use super::round_pace::RoundPace;
use crate::Observer;
use ::gpu::LoopRecord;
use ::gpu::kernels::worklist::PHASE_CLASSIFY;
use mdp_graph::ComponentKind;
use std::ops::ControlFlow;

/// If at most one in this many states is left, few are left.
const FEW_LEFT_SHARE: u32 = 8;

/// The way in which a search on a device has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// Each state has its answer.
    Done,
    /// The host is to find the answers of the states that have none.
    LeftToHost,
    /// The host is to find all answers. The search has written none, so those on the device may be
    /// of an earlier search.
    LeftFromStart,
}

/// What the host knows of a running search.
pub(super) struct SearchMonitor<'a> {
    observer: &'a dyn Observer,
    pub(super) budget: Budget,
    /// The components that are searched.
    kind: ComponentKind,
    /// The states of the graph.
    states: u32,
    pub(super) measured: Measured,
    pub(super) profile: Profile,
    /// The last record that was seen. What its iteration did is in the next one.
    pending: Option<LoopRecord>,
    /// States that went on after the last round of a search for maximal end components.
    reopened_states: Option<u32>,
    /// The pace of the rounds of a search for maximal end components.
    round_pace: RoundPace,
    /// Whether the current loop was broken off because the host should finish the search.
    is_left_to_host: bool,
}

impl<'a> SearchMonitor<'a> {
    /// Begins a search for the components of this many states.
    pub(super) fn new(
        observer: &'a dyn Observer,
        budget: Budget,
        kind: ComponentKind,
        states: u32,
        measured: Measured,
    ) -> Self {
        Self {
            observer,
            budget,
            kind,
            states,
            measured,
            profile: Profile::new(measured),
            pending: None,
            reopened_states: None,
            round_pace: RoundPace::default(),
            is_left_to_host: false,
        }
    }

    /// Returns the number of states that have no answer yet, at most. A state that is in a strongly
    /// connected component has one only if that is what is searched.
    fn undecided(&self) -> u32 {
        let left = match self.kind {
            ComponentKind::Mec => self.reopened_states,
            ComponentKind::Scc | ComponentKind::Bscc => self.profile.live_states,
        };
        left.unwrap_or(self.states)
    }

    /// Returns whether the host should finish a search whose colours do not settle. The host is
    /// faster then, unless few states are left.
    pub(super) fn is_better_left(&self) -> bool {
        let few = self.states / FEW_LEFT_SHARE;
        self.budget.is_limited() && self.undecided() > few
    }

    /// Returns whether the last loop was broken off because the host should finish the search.
    pub(super) fn is_left_to_host(&self) -> bool {
        self.is_left_to_host
    }

    /// Records further iterations. Ends the loop if the search is cancelled, or if the host would
    /// finish it sooner.
    pub(super) fn go_on(&mut self, progress: ::gpu::Progress<'_>) -> ControlFlow<()> {
        for record in progress.records {
            if let Some(before) = self.pending.replace(*record) {
                self.add_iteration(before, *record);
            }
        }
        if progress.is_compiling {
            self.observer.compiling();
        } else if let Some(live) = self.profile.live_states {
            self.observer
                .progress(u64::from(self.states - live), self.states.into());
        }
        if self.observer.is_cancelled() {
            return ControlFlow::Break(());
        }
        let undecided = self.undecided();
        if !progress.is_compiling && self.budget.is_spent(undecided, &self.round_pace) {
            self.is_left_to_host = true;
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    /// Records the last iteration of a loop, with the record that it stored. Returns the phase that
    /// would come next.
    pub(super) fn end_loop(&mut self, last: LoopRecord) -> u32 {
        if let Some(before) = self.pending.take() {
            self.add_iteration(before, last);
        }
        last.next_phase()
    }

    /// Records an iteration: the record that it read, and the one that it stored.
    fn add_iteration(&mut self, read: LoopRecord, stored: LoopRecord) {
        if stored.phase_that_ran() == PHASE_CLASSIFY {
            self.reopened_states = Some(stored.live());
            self.round_pace.add(stored.live());
        }
        self.profile.add_iteration(read, stored);
    }
}
