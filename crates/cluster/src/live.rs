//! [`Live`]: the states and choices of a part that are still undecided.

use crate::net::Net;
use crate::part::Part;
use mdp_graph::{BitSet, ChoiceId, StateId};

/// The states of a part whose components are not known yet, and the choices that they may keep.
pub(crate) struct Live {
    /// The own states that are undecided.
    pub(crate) states: BitSet,
    /// The choices that were killed. Those of decided states do not count.
    pub(crate) killed: BitSet,
}

impl Live {
    /// Everything.
    pub(crate) fn all(part: &Part) -> Self {
        Self {
            states: BitSet::from_fn(part.num_own(), |_| true),
            killed: BitSet::new(part.graph().num_choices()),
        }
    }

    /// The undecided own states, ascending.
    pub(crate) fn states<'a>(&'a self, part: &Part) -> impl Iterator<Item = u32> + 'a {
        part.states()
            .filter(|&own| self.states.contains(own as usize))
    }

    /// The choices that are left to an own state.
    pub(crate) fn choices<'a>(
        &'a self,
        part: &Part,
        own: u32,
    ) -> impl Iterator<Item = ChoiceId> + 'a {
        part.choices(own)
            .filter(|choice| !self.killed.contains(choice.index()))
    }

    /// The targets of the choices that are left to an own state.
    pub(crate) fn targets<'a>(
        &'a self,
        part: &'a Part,
        own: u32,
    ) -> impl Iterator<Item = StateId> + 'a {
        let choices = self.choices(part, own);
        choices.flat_map(|choice| part.graph().targets(choice).iter().copied())
    }

    /// Tells the owners of ghosts that an undecided state still leads to them. Returns what others
    /// say of own states: the state, the worker, and the number of the ghost there; sorted.
    pub(crate) fn entries(&self, part: &Part, net: &mut Net<'_>) -> Vec<[u32; 3]> {
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
