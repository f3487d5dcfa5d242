//! The choices that classes wait for. A class waits for a choice until one of the targets of the
//! choice is placed.

use mdp_graph::{BitSet, StateId, Table};

/// Stands for a missing entry of a list. Entries are numbered from 1.
const END: u32 = 0;

/// The class of a choice that was released.
const RELEASED: StateId = StateId(u32::MAX);

/// The choices for which classes wait. Each choice is in the lists of all of its targets.
pub(super) struct PendingChoices {
    /// The class of each waiting choice, given by its smallest state, until the choice is released.
    class: Vec<StateId>,
    /// The number of choices that are not released.
    unreleased: usize,
    /// The states with an entry. This takes so few bits that they stay in a cache.
    has_entry: BitSet,
    /// The latest entry of each of these states, or [`END`].
    latest: Table<u32>,
    entries: Vec<Entry>,
}

/// A choice in the list of one of its targets.
struct Entry {
    /// The number of the choice in [`PendingChoices::class`].
    choice: u32,
    /// The previous entry of the same target, or [`END`].
    earlier: u32,
}

impl PendingChoices {
    pub(super) fn new(states: usize) -> Self {
        Self {
            class: Vec::new(),
            unreleased: 0,
            has_entry: BitSet::new(states),
            latest: Table::new(states),
            entries: Vec::new(),
        }
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.unreleased == 0
    }

    pub(super) fn insert(&mut self, class: StateId, targets: &[StateId]) {
        let choice = self.class.len() as u32;
        self.class.push(class);
        self.unreleased += 1;
        for target in targets {
            let earlier = &mut self.latest[target.index()];
            let entry = Entry {
                choice,
                earlier: *earlier,
            };
            self.entries.push(entry);
            *earlier = self.entries.len() as u32;
            self.has_entry.insert(target.index());
        }
    }

    /// Removes choices from the list of `target`, up to one that was not released at another
    /// target. Releases this choice, and returns its class.
    #[inline]
    pub(super) fn release(&mut self, target: StateId) -> Option<StateId> {
        if !self.has_entry.contains(target.index()) {
            return None;
        }
        let latest = &mut self.latest[target.index()];
        while *latest != END {
            let entry = &self.entries[*latest as usize - 1];
            *latest = entry.earlier;
            let class = std::mem::replace(&mut self.class[entry.choice as usize], RELEASED);
            if class != RELEASED {
                self.unreleased -= 1;
                return Some(class);
            }
        }
        None
    }
}
