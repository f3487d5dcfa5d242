//! [`Classes`]: the classes of an answer, for producing a certificate.

use crate::answer::ComponentLabels;
use crate::net::Net;
use crate::net::words::{pair, wide};
use crate::part::Part;
use mdp_graph::{BitSet, ChoiceId, ChoiceTranspose, ComponentKind, StateId};

/// The class of each state of a part: the root of its component, or the state itself if it is in
/// none.
pub(super) struct Classes<'a> {
    pub(super) part: &'a Part,
    labels: &'a ComponentLabels,
    pub(super) kind: ComponentKind,
    of_ghosts: Vec<u64>,
    /// The choices that stay in the class of their state.
    retained: BitSet,
    into: ChoiceTranspose,
    /// The own state of each choice.
    sources: Vec<u32>,
}

impl<'a> Classes<'a> {
    pub(super) fn new(
        part: &'a Part,
        labels: &'a ComponentLabels,
        kind: ComponentKind,
        net: &mut Net<'_>,
    ) -> Self {
        let mut sources = Vec::with_capacity(part.graph().num_choices());
        for state in part.states() {
            sources.extend(part.choices(state).map(|_| state));
        }
        let mut classes = Self {
            part,
            labels,
            kind,
            of_ghosts: vec![0; part.num_ghosts()],
            retained: BitSet::new(part.graph().num_choices()),
            into: ChoiceTranspose::new(part.graph()),
            sources,
        };
        let mut outbox = net.outbox();
        for state in part.states() {
            for &[worker, ghost] in part.copies(state) {
                outbox.push(net, worker as usize, pair(ghost, classes.of_own(state)));
            }
        }
        for (_, message) in net.exchange(outbox) {
            classes.of_ghosts[message[0] as usize] = wide(message);
        }
        for (choice, &state) in classes.sources.iter().enumerate() {
            let class = classes.of_own(state);
            let targets = part.graph().targets(ChoiceId::from_index(choice));
            let stays = targets.iter().all(|&target| classes.of(target) == class);
            classes.retained.insert_if(choice, stays);
        }
        classes
    }

    /// Returns the class of an own state. A label that is not the number of a state is treated as
    /// none; the checker refuses it.
    pub(super) fn of_own(&self, own: u32) -> u64 {
        let is_state = |&label: &u64| self.part.ranges().contains(label);
        let label = self.labels.get(own).filter(is_state);
        label.unwrap_or_else(|| self.part.global(own))
    }

    /// Returns the class of a state of the part's graph.
    pub(super) fn of(&self, state: StateId) -> u64 {
        match self.part.ghost(state) {
            Some(ghost) => self.of_ghosts[ghost as usize],
            None => self.of_own(state.0),
        }
    }

    /// Returns whether an own state is the root of a component.
    pub(super) fn is_root(&self, own: u32) -> bool {
        self.labels.get(own) == Some(self.part.global(own))
    }

    pub(super) fn is_retained(&self, choice: ChoiceId) -> bool {
        self.retained.contains(choice.index())
    }

    /// Returns whether the edges of a choice connect its class.
    pub(super) fn connects(&self, choice: ChoiceId) -> bool {
        self.kind != ComponentKind::Mec || self.is_retained(choice)
    }

    /// Returns the choices with a branch to a state, each with its own state.
    pub(super) fn choices_into(&self, state: StateId) -> impl Iterator<Item = (ChoiceId, u32)> {
        let choices = self.into.choices_into(state).iter();
        choices.map(|&choice| (choice, self.sources[choice.index()]))
    }
}
