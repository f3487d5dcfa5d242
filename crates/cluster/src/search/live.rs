//! [`Live`]: the states and choices of a part that are still undecided.

use crate::net::Net;
use crate::part::Part;
use mdp_graph::{BitSet, ChoiceId, SharedBits, StateId};

/// The states of a part whose components are not known yet, and the choices that they may still
/// have.
pub(super) struct Live {
    /// The own states that are undecided.
    pub(super) states: BitSet,
    /// The choices that were removed. The choices of decided states are irrelevant.
    pub(super) killed: BitSet,
}

impl Live {
    /// Returns all states but the closed ones, with all of their choices.
    pub(super) fn but(part: &Part, closed: &SharedBits) -> Self {
        Self {
            states: BitSet::from_fn(part.num_own(), |own| !closed.contains(own as u32)),
            killed: BitSet::new(part.graph().num_choices()),
        }
    }

    /// Returns whether all own states are undecided, and have all of their choices.
    pub(super) fn is_all(&self) -> bool {
        self.states.count() == self.states.bound() && self.killed.words().iter().all(|&w| w == 0)
    }

    /// Returns the undecided own states, in ascending order.
    pub(super) fn states<'a>(&'a self, part: &Part) -> impl Iterator<Item = u32> + 'a {
        part.states()
            .filter(|&own| self.states.contains(own as usize))
    }

    /// Returns the remaining choices of an own state.
    pub(super) fn choices<'a>(
        &'a self,
        part: &Part,
        own: u32,
    ) -> impl Iterator<Item = ChoiceId> + 'a {
        part.choices(own)
            .filter(|choice| !self.killed.contains(choice.index()))
    }

    /// Returns the targets of the remaining choices of an own state.
    pub(super) fn targets<'a>(
        &'a self,
        part: &'a Part,
        own: u32,
    ) -> impl Iterator<Item = StateId> + 'a {
        let choices = self.choices(part, own);
        choices.flat_map(|choice| part.graph().targets(choice).iter().copied())
    }

    /// Notifies the owners of ghosts to which undecided states still lead. Returns the notices
    /// about own states, sorted: the state, the worker, and the number of the ghost there.
    pub(super) fn entries(&self, part: &Part, net: &mut Net<'_>) -> Vec<[u32; 3]> {
        if net.sum(u64::from(!self.is_all())) == 0 {
            let of = |own| move |&[worker, ghost]: &[u32; 2]| [own, worker, ghost];
            let copies = part.all_copies();
            return copies
                .flat_map(|(own, copies)| copies.iter().map(of(own)))
                .collect();
        }
        let mut used = BitSet::new(part.num_ghosts());
        for own in self.states(part) {
            for target in self.targets(part, own) {
                if let Some(ghost) = part.ghost(target) {
                    used.insert(ghost as usize);
                }
            }
        }
        let mut outbox = net.outbox();
        for ghost in (0..part.num_ghosts() as u32).filter(|&g| used.contains(g as usize)) {
            let (owner, state) = part.owner_of(ghost);
            outbox.push(net, owner, [state, ghost]);
        }
        let inbox = net.exchange(outbox).into_iter();
        let entry = |(worker, [state, ghost]): (usize, [u32; 2])| [state, worker as u32, ghost];
        let mut entries: Vec<[u32; 3]> = inbox.map(entry).collect();
        entries.sort_unstable();
        entries
    }
}
