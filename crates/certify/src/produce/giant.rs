//! Orders the states of a component that is a large part of a model, and finds their numbers
//! `back`, by passes through the states in the order of their numbers.
//!
//! A depth-first search waits for memory at each state. A pass reads memory in order, and looks up
//! a bit or a byte for each target. These passes are enough:
//!
//! ```text
//! numbers:     all states have the same position, so their numbers order them; if each state
//!              except the first has an edge from an earlier one and an edge to an earlier one,
//!              nothing more is needed
//! order:       a state without an edge from an earlier one gets the next position; repeat
//! backward:    the first state is found; so is each state with an edge to a found state: it gets
//!              the same back, if that state is later in the order (or earlier, for 0), and
//!              otherwise one more; repeat
//! ```
//!
//! The backward passes use no transpose: they look at all states that are left. The last two kinds
//! of passes are given up if they make slow progress, or need more numbers than a byte can hold.

use crate::observer::Watch;
use mdp_graph::sweep::{self, Direction};
use mdp_graph::{BitSet, SharedBits, StateId, Table, ascending, descending};
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering::Relaxed};

/// A backward sweep is slow if it finds less than one of this many remaining states.
const SLOW: usize = 16;

/// The number of backward sweeps that may be slow. Later sweeps may find the predecessors of states
/// that they have found.
const MAX_SLOW_SWEEPS: usize = 6;

/// At most one of this many states may be moved in the order at a time.
const MOVED: usize = 64;

/// The number of times that states may be moved.
const MAX_MOVES: usize = 8;

/// The edges between the states of a component. Edges to states outside may be among them.
pub(super) trait Edges: Sync {
    /// Calls `visit` with the targets of a state up to the first for which it is true. Returns
    /// whether there is one.
    fn any(&self, state: StateId, visit: impl FnMut(StateId) -> bool) -> bool;
}

/// The numbers of the states of a component in a certificate. They are 0 for all other states.
pub(super) struct StateNumbers {
    /// `None` if all positions are 0.
    pub(super) position: Option<Table<u8>>,
    pub(super) back: Table<u8>,
}

/// Returns the numbers of a component, if it is connected and passes find them quickly. If few
/// edges lead far (not `has_far_edges`), only the first kind of pass is tried.
pub(super) fn state_numbers(
    members: &BitSet,
    edges: &impl Edges,
    has_far_edges: bool,
    watch: Watch<'_>,
) -> Option<StateNumbers> {
    let word = members.words().iter().position(|&word| word != 0)?;
    let first = ascending(word, members.words()[word]).next()?;
    let by_number = Order {
        members,
        edges,
        watch,
        first,
        position: |_| 0,
    };
    if by_number.is_ordered_both_ways() {
        return Some(StateNumbers {
            position: None,
            back: Table::new(members.bound()),
        });
    }
    if !has_far_edges {
        return None;
    }
    let late = by_number.late();
    if late.is_empty() {
        let back = by_number.backward()?;
        return Some(StateNumbers {
            position: None,
            back,
        });
    }
    let position = moved(&by_number, late)?;
    let order = by_number.with_positions(|state| position[state as usize]);
    let back = order.backward()?;
    Some(StateNumbers {
        position: Some(position),
        back,
    })
}

/// Returns positions such that each state except the first has an edge from an earlier state, if
/// few states have to be moved.
fn moved<E: Edges>(
    by_number: &Order<'_, E, impl Fn(u32) -> u8>,
    mut late: Vec<u32>,
) -> Option<Table<u8>> {
    let members = by_number.members;
    let mut position: Table<u8> = Table::new(members.bound());
    for _ in 0..MAX_MOVES {
        if late.is_empty() {
            return Some(position);
        }
        if late.len() > members.bound() / MOVED {
            return None;
        }
        late.iter().for_each(|&state| position[state as usize] += 1);
        let order = by_number.with_positions(|state| position[state as usize]);
        late = order.late();
    }
    None
}

/// A component whose states have positions.
struct Order<'a, E, P> {
    members: &'a BitSet,
    edges: &'a E,
    watch: Watch<'a>,
    /// The first state, at position 0.
    first: u32,
    position: P,
}

impl<'a, E, P> Order<'a, E, P> {
    /// Returns the same component with other positions.
    fn with_positions<Q: Fn(u32) -> u8>(&self, position: Q) -> Order<'a, E, Q> {
        Order {
            members: self.members,
            edges: self.edges,
            watch: self.watch,
            first: self.first,
            position,
        }
    }
}

impl<E: Edges, P: Fn(u32) -> u8 + Sync> Order<'_, E, P> {
    fn is_cancelled(&self) -> impl Fn() -> bool + Sync + use<'_, E, P> {
        || self.watch.is_cancelled()
    }

    #[inline]
    fn is_before(&self, state: u32, other: u32) -> bool {
        ((self.position)(state), state) < ((self.position)(other), other)
    }

    /// Returns whether each member except the first has an edge from an earlier member and an edge
    /// to one.
    fn is_ordered_both_ways(&self) -> bool {
        let words = self.members.words();
        let none = || BitSet::new(self.members.bound());
        let is_wrong = AtomicBool::new(false);
        let reached = sweep::collect(words.len(), self.is_cancelled(), none, |word, reached| {
            if is_wrong.load(Relaxed) {
                return;
            }
            for state in ascending(word, words[word]) {
                let mut leads_back = state == self.first;
                self.edges.any(StateId(state), |StateId(target)| {
                    if self.is_before(state, target) {
                        reached.insert(target as usize);
                    } else {
                        leads_back |= state != target && self.members.contains(target as usize);
                    }
                    false
                });
                if !leads_back {
                    return is_wrong.store(true, Relaxed);
                }
            }
        });
        !is_wrong.into_inner() && self.unreached(&reached).all(|state| state == self.first)
    }

    /// Returns the members that have no edge from an earlier member, except the first.
    fn late(&self) -> Vec<u32> {
        let words = self.members.words();
        let none = || BitSet::new(self.members.bound());
        let reached = sweep::collect(words.len(), self.is_cancelled(), none, |word, reached| {
            for state in ascending(word, words[word]) {
                self.edges.any(StateId(state), |StateId(target)| {
                    reached.insert_if(target as usize, self.is_before(state, target));
                    false
                });
            }
        });
        let late = self.unreached(&reached);
        late.filter(|&state| state != self.first).collect()
    }

    /// Returns the members that no thread has reached.
    fn unreached(&self, reached: &[BitSet]) -> impl ParallelIterator<Item = u32> {
        let words = self.members.words();
        (0..words.len()).into_par_iter().flat_map_iter(|word| {
            let reached = reached.iter().fold(0, |all, part| all | part.words()[word]);
            ascending(word, words[word] & !reached)
        })
    }

    /// Returns the number `back` of each member, if sweeps find all of them.
    fn backward(&self) -> Option<Table<u8>> {
        let mut back: Table<u8> = Table::new(self.members.bound());
        let found = SharedBits::new(self.members.bound());
        found.insert(self.first);
        let search = BackSearch {
            order: self,
            found,
            back: back.as_atomics(),
        };
        search.run().then_some(back)
    }
}

/// The search for the numbers `back` of the states of a component.
struct BackSearch<'a, E, P> {
    order: &'a Order<'a, E, P>,
    found: SharedBits,
    /// The number `back` of each state that is found.
    back: &'a [AtomicU8],
}

impl<E: Edges, P: Fn(u32) -> u8 + Sync> BackSearch<'_, E, P> {
    /// Sweeps as long as this is worthwhile. Returns whether all states are found.
    fn run(&self) -> bool {
        let members = self.order.members;
        let mut left = members.count() - self.found.len();
        // If states are numbered in the order in which they were found, the predecessors of the
        // first state are nearby. An ascending sweep finds these first, and the descending sweeps
        // start from them.
        let mut direction = Direction::Ascending;
        let mut slow = 0;
        while left > 0 {
            let words = self.found.num_words();
            let new = sweep::sweep(words, direction, self.order.is_cancelled(), |word| {
                let states = members.words()[word] & !self.found.word(word);
                let is_new = |&state: &u32| self.gets_back(state);
                match direction {
                    Direction::Ascending => ascending(word, states).filter(is_new).count(),
                    Direction::Descending => descending(word, states).filter(is_new).count(),
                }
            });
            left -= new;
            direction = Direction::Descending;
            slow += usize::from(new <= left / SLOW);
            if new == 0 || slow > MAX_SLOW_SWEEPS {
                return false;
            }
        }
        true
    }

    /// Returns whether a state has an edge to a found state. If so, the state is found.
    #[inline]
    fn gets_back(&self, state: u32) -> bool {
        // Most of these states have no edge to a found state. A separate loop detects this sooner.
        let edges = self.order.edges;
        if !edges.any(StateId(state), |StateId(target)| {
            self.found.contains(target)
        }) {
            return false;
        }
        let mut least = u16::MAX;
        edges.any(StateId(state), |StateId(target)| {
            if !self.found.contains(target) {
                return false;
            }
            let number = u16::from(self.back[target as usize].load(Relaxed));
            let is_next = match number {
                0 => self.order.is_before(target, state),
                _ => self.order.is_before(state, target),
            };
            least = least.min(number + u16::from(!is_next));
            is_next
        });
        let Ok(least) = u8::try_from(least) else {
            return false;
        };
        self.back[state as usize].store(least, Relaxed);
        self.found.insert_alone(state);
        true
    }
}
