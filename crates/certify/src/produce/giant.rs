//! The order within a component that is a large part of a model, by sweeps.
//!
//! A depth-first search waits for memory at each state. Sweeps go through the states in the order of their
//! numbers, and look up one bit a target. Two kinds of them are enough, one on each of two threads:
//!
//! ```text
//! forward:   the first state is reached; each target of a reached state is, and comes after it in the order
//! backward:  the first state is found; each state that leads to one that is found is: how many were found
//!            before says how soon it gets back
//! ```
//!
//! The backward ones have no transpose: they ask all states that are left. That is given up where they find few.

use super::descending;
use mdp_graph::{BitSet, ComponentId, Components, StateId, Table};

/// A backward sweep is followed by another one if it finds this part of what it looks at.
const SHARE: usize = 16;

/// How many states are reached before the first forward sweep.
const FEW: usize = 1 << 12;

/// What has fewer states is in a cache whatever is done with it.
const SMALL: usize = 1 << 14;

/// The edges between the states of a component; others may be among them, to states outside.
pub(super) trait Edges: Sync {
    /// Calls `visit` with the targets of a state up to the first for which it is true. Says whether
    /// there is one.
    fn any(&self, state: StateId, visit: impl FnMut(StateId) -> bool) -> bool;
}

/// A component in an order for a certificate.
pub(super) struct Giant {
    pub(super) order: Vec<StateId>,
    /// For each state of it how soon it gets back.
    pub(super) back: Table<u32>,
}

/// The component that sweeps may pay for, if there is one.
pub(super) fn candidate(components: &Components) -> Option<ComponentId> {
    let id = components.ids().max_by_key(|&id| components.size(id))?;
    let size = components.size(id) as usize;
    (size >= SMALL && size >= components.num_states() / 8).then_some(id)
}

/// Orders a component, if it is connected and sweeps find that out quickly.
pub(super) fn order(components: &Components, id: ComponentId, edges: &impl Edges) -> Option<Giant> {
    let is_member = |i| components.component(StateId::from_index(i)) == Some(id);
    let members = BitSet::from_fn(components.num_states(), is_member);
    // Where states are numbered as they were found, most get to the last ones in few steps.
    let last = members.words().iter().rposition(|&word| word != 0)?;
    let first = descending(last, members.words()[last]).next()?;
    let size = components.size(id) as usize;
    let (order, back) = rayon::join(
        || forward(&members, first, size, edges),
        || backward(&members, first, size, edges),
    );
    Some(Giant {
        order: order?,
        back: back?,
    })
}

/// All members, each after one that leads to it.
fn forward(
    members: &BitSet,
    first: StateId,
    size: usize,
    edges: &impl Edges,
) -> Option<Vec<StateId>> {
    let is_outside = |i| !members.contains(i);
    let mut forward = Forward {
        edges,
        reached: BitSet::from_fn(members.bound(), is_outside),
        followed: BitSet::from_fn(members.bound(), is_outside),
        order: Vec::with_capacity(size),
    };
    forward.reached.insert(first.index());
    forward.order.push(first);
    // A sweep for a few states, or for few, takes longer than following them one by one.
    forward.follow_in_order(FEW);
    while forward.sweep() > members.words().len() / 64 {}
    forward.follow_in_order(size);
    (forward.order.len() == size).then_some(forward.order)
}

struct Forward<'a, E> {
    edges: &'a E,
    /// With these, states outside count as reached and followed, and need not be.
    reached: BitSet,
    /// The states whose edges were followed.
    followed: BitSet,
    order: Vec<StateId>,
}

impl<E: Edges> Forward<'_, E> {
    #[inline]
    fn follow(&mut self, state: StateId) {
        if self.followed.insert(state.index()) {
            self.edges.any(state, |target| {
                if self.reached.insert(target.index()) {
                    self.order.push(target);
                }
                false
            });
        }
    }

    /// Follows states in the order in which they were reached, until so many are.
    fn follow_in_order(&mut self, enough: usize) {
        let mut next = 0;
        while let Some(&state) = self.order.get(next)
            && self.order.len() < enough
        {
            self.follow(state);
            next += 1;
        }
    }

    /// Follows states in the order of their numbers. Returns how many more are reached.
    fn sweep(&mut self) -> usize {
        let before = self.order.len();
        for word in 0..self.reached.words().len() {
            while let Some(bit) = self.new_in(word).checked_ilog2() {
                self.follow(StateId(64 * word as u32 + bit));
            }
        }
        self.order.len() - before
    }

    #[inline]
    fn new_in(&self, word: usize) -> u64 {
        self.reached.words()[word] & !self.followed.words()[word]
    }
}

/// For each member how many were found before it.
fn backward(
    members: &BitSet,
    first: StateId,
    size: usize,
    edges: &impl Edges,
) -> Option<Table<u32>> {
    let mut table = Table::new(members.bound());
    let back: &mut [u32] = &mut table;
    let mut found = BitSet::new(members.bound());
    found.insert(first.index());
    let mut count = 1;
    for sweep in 0.. {
        let before = count;
        for word in (0..members.words().len()).rev() {
            let left = members.words()[word] & !found.words()[word];
            for state in descending(word, left) {
                if edges.any(state, |target| found.contains(target.index())) {
                    found.insert(state.index());
                    back[state.index()] = count as u32;
                    count += 1;
                }
            }
        }
        let pays = match sweep {
            // It is for the second sweep to find what leads to what the first one has found.
            0 => count > before,
            1 => count > size / 256,
            _ => count - before > (size - count) / SHARE,
        };
        if count == size {
            return Some(table);
        }
        if !pays {
            break;
        }
    }
    None
}
