//! [`Swept`]: the result of sweeps over all parts, which come before everything else. Sweeps decide
//! states that lead only to decided states, and components that are a large part of the model.
//!
//! A sweep goes through the states of a part in the order of their numbers. It copies nothing and
//! needs no transpose; each look-up of a state reads one bit. Workers sweep until they find few
//! states, tell each other what they found at the borders of their ranges, and sweep again where
//! they received something. They continue as long as each round decides a good share of the states
//! that it visits. Other searches handle the remaining states.
//!
//! If states are numbered in the order of exploration, most edges lead to later states. Then the
//! worker with the last range may be the first to find anything, and the others follow one by one.
//! For some dozens of workers this is acceptable, because a sweep is short compared with other
//! searches.

mod edges;
mod giant;

use super::undecided::undecided;
use crate::answer::ComponentLabels;
use crate::net::Net;
use crate::net::pool::Pool;
use crate::part::Part;
use edges::{Edges, staying};
use mdp_graph::sweep::{Direction, sweep};
use mdp_graph::{BitSet, ComponentKind, SharedBits, StateId, descending};
use std::sync::Arc;

/// A sweep is worthwhile if it decides at least one of this many of the states that it visits.
const SHARE: u64 = 64;

/// The number of large components that are searched, one after another.
const GIANTS: usize = 8;

/// The states that sweeps have decided.
pub(super) struct Swept<'a> {
    part: &'a Part,
    kind: ComponentKind,
    pool: Arc<Pool>,
    pub(super) labels: ComponentLabels,
    /// The own states and the ghosts that are decided.
    pub(super) closed: SharedBits,
    /// The own states among them that are components by themselves.
    alone: SharedBits,
    /// The closed own states whose ghosts on other workers were closed as well.
    told: BitSet,
    /// The number of own states that are not closed, and that of all workers.
    left: u64,
    left_of_all: u64,
}

impl<'a> Swept<'a> {
    /// Prepares sweeps, if the model is large enough.
    pub(super) fn new(part: &'a Part, kind: ComponentKind, net: &mut Net<'_>) -> Self {
        let bits = || SharedBits::new(part.graph().num_states());
        let mut swept = Self {
            labels: ComponentLabels::none(part),
            closed: bits(),
            alone: bits(),
            told: BitSet::new(part.num_own()),
            left: part.num_own() as u64,
            left_of_all: part.ranges().num_states(),
            pool: net.compute.shared_pool(),
            kind,
            part,
        };
        if part.ranges().num_states() >= net.tuning().sweep_from {
            swept.sweep_all(net);
        }
        swept.name_alone();
        swept
    }

    /// Returns whether no worker has undecided states.
    pub(super) fn is_done(&self) -> bool {
        self.left_of_all == 0
    }

    /// Returns whether any worker has decided states.
    pub(super) fn has_swept(&self) -> bool {
        self.left_of_all < self.part.ranges().num_states()
    }

    /// Closes states by themselves and in giants, as long as this is worthwhile.
    fn sweep_all(&mut self, net: &mut Net<'_>) {
        if self.kind == ComponentKind::Mec {
            self.close_singles(net);
        }
        for _ in 0..GIANTS {
            if self.left_of_all == 0 {
                return;
            }
            let edges = Edges::new(self.part.graph(), &self.closed, self.kind);
            let live = giant::Among {
                closed: &self.closed,
                count: self.left,
                of_all: self.left_of_all,
            };
            let found = giant::find((self.part, self.kind), &edges, &live, &self.pool, net);
            let is_found = found.is_some();
            if let Some((core, name)) = found {
                self.close_giant(&core, name);
            }
            // There are often chains of states before or after a giant.
            if is_found || self.kind == ComponentKind::Scc {
                self.close_singles(net);
            }
            if !is_found {
                return;
            }
        }
    }

    /// Closes the own states of a component. Its label is the number of a state.
    fn close_giant(&mut self, core: &SharedBits, name: u64) {
        for state in core
            .descending()
            .filter(|&own| own < self.part.num_own() as u32)
        {
            self.labels.set(state, name);
            self.left -= u64::from(self.closed.insert(state));
        }
    }

    /// Closes states that lead only to closed ones, as long as this is worthwhile.
    fn close_singles(&mut self, net: &mut Net<'_>) {
        self.tell(net);
        let mut has_news = true;
        loop {
            let looked_at = if has_news { self.left } else { 0 };
            let mut found = 0;
            while has_news {
                let now = self.sweep_once();
                found += now;
                self.left -= now;
                has_news = now > self.left / SHARE;
            }
            has_news = self.tell(net);
            self.left_of_all = undecided(self.left, net);
            let all = net.gather([found, looked_at]);
            let found: u64 = all.iter().map(|one| one[0]).sum();
            let looked_at = all.iter().map(|one| one[1]).max().unwrap_or(0);
            if self.left_of_all == 0 || found <= looked_at / SHARE {
                return;
            }
        }
    }

    /// Sweeps once, from the last state to the first. Returns the number of states that were
    /// closed.
    fn sweep_once(&self) -> u64 {
        let words = self.part.num_own().div_ceil(64);
        let visit = |word| self.close_some(word);
        let found = || sweep(words, Direction::Descending, || false, visit);
        self.pool.run(found) as u64
    }

    /// Closes states of a word. Returns their number.
    fn close_some(&self, word: usize) -> usize {
        let own = self.part.num_own() as u32;
        let rest = descending(word, self.closed.absent(word)).filter(|&state| state < own);
        let closes = |state: &u32| match self.kind {
            ComponentKind::Mec => self.is_stuck(*state),
            _ => self.is_trimmed(*state),
        };
        rest.filter(|state| closes(state) && self.closed.insert(*state))
            .count()
    }

    /// Returns whether every choice of a state leads to a closed state or only back to the state
    /// itself. If there is a choice of the latter kind, the state is a MEC.
    fn is_stuck(&self, state: u32) -> bool {
        let mut is_alone = false;
        for targets in staying(self.part.graph(), &self.closed, state) {
            if targets.iter().any(|&target| target != state) {
                return false;
            }
            is_alone = true;
        }
        if is_alone {
            self.alone.insert(state);
        }
        true
    }

    /// Returns whether a state leads only to itself and to closed states.
    fn is_trimmed(&self, state: u32) -> bool {
        let targets = StateId::as_numbers(self.part.graph().successors(StateId(state)));
        let mut targets = targets.iter();
        let ends = targets.all(|&target| target == state || self.closed.contains(target));
        if ends {
            self.alone.insert(state);
        }
        ends
    }

    /// Notifies the workers that have closed states as ghosts. Returns whether this worker received
    /// a notification.
    fn tell(&mut self, net: &mut Net<'_>) -> bool {
        let mut outbox = net.outbox();
        for (own, copies) in self.part.all_copies() {
            if self.closed.contains(own) && self.told.insert(own as usize) {
                for &[worker, ghost] in copies {
                    outbox.push(net, worker as usize, ghost);
                }
            }
        }
        let mut was_told = false;
        for (_, ghost) in net.exchange::<u32>(outbox) {
            was_told |= self.closed.insert(self.part.num_own() as u32 + ghost);
        }
        was_told
    }

    /// Labels the states that are components by themselves.
    fn name_alone(&mut self) {
        for state in self.alone.descending() {
            self.labels.set(state, self.part.global(state));
        }
    }
}
