//! States that can be placed early, found by sweeps: classes of one state, each of whose choices
//! stays there or has a placed target.
//!
//! For each choice, such a state must come before the placed target: it gets the same position if
//! its number is smaller, and otherwise the position before. A sweep goes from the last state to
//! the first, so few positions are needed if most edges lead to larger numbers. Sweeps are given up
//! if they find few states.

use super::answer::Answer;
use super::cell::Cell;
use super::shape::Shape;
use mdp_graph::sweep::{Direction, sweep};
use mdp_graph::{BitSet, ComponentKind, SharedBits, StateId, descending};
use std::slice;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};

/// A sweep by one thread is worthwhile if it finds one of this many states that it examines.
const WORTHWHILE: usize = 64;

/// As [`WORTHWHILE`], for all threads together, if a parallel search follows.
const WORTHWHILE_BEFORE_SEARCH: usize = 8;

/// The states that are classes of one state, and how to sweep for them.
pub(super) struct Singles<'a> {
    answer: Answer<'a>,
    /// The states that are classes of one state.
    alone: BitSet,
    /// The number of threads that sweep.
    threads: usize,
    /// A sweep is worthwhile if it finds one of this many states that it examines.
    paying: usize,
}

/// The states that sweeps have placed.
#[derive(Clone, Copy)]
pub(super) struct Placed {
    pub(super) states: usize,
    /// The number of these states that are components.
    pub(super) components: usize,
    /// The smallest position of any of these states.
    pub(super) first: u32,
}

impl<'a> Singles<'a> {
    pub(super) fn new(answer: Answer<'a>, shape: Shape) -> Self {
        let components = answer.components;
        let is_alone = |state| answer.is_alone(StateId::from_index(state));
        let threads = match shape.has_far_edges {
            true => rayon::current_num_threads(),
            false => 1,
        };
        let is_scc = components.kind() != ComponentKind::Mec;
        Self {
            answer,
            alone: BitSet::from_fn(components.num_states(), is_alone),
            threads,
            paying: match is_scc && answer.is_for_all_threads(shape) {
                true => WORTHWHILE_BEFORE_SEARCH,
                false => WORTHWHILE * threads,
            },
        }
    }

    /// Sweeps as long as this is worthwhile. Places the states that are found at the position
    /// `last` or before.
    pub(super) fn run(&self, placed: &SharedBits, position: &[impl Cell], last: u32) -> Placed {
        let components = self.answer.components;
        let (first, num_components) = (AtomicU32::new(last + 1), AtomicUsize::new(0));
        let words = 0..placed.num_words();
        let left = words.map(|word| self.left(word, placed).count_ones() as usize);
        let (mut left, mut states): (usize, usize) = (left.sum(), 0);
        while left > 0 {
            let visit = |word| {
                let is_found = |&state: &u32| {
                    let Some(own) = self.position(StateId(state), placed, position, last) else {
                        return false;
                    };
                    position[state as usize].set(own);
                    placed.insert_alone(state);
                    if components.component(StateId(state)).is_some() {
                        num_components.fetch_add(1, Relaxed);
                    }
                    if own < first.load(Relaxed) {
                        first.fetch_min(own, Relaxed);
                    }
                    true
                };
                descending(word, self.left(word, placed))
                    .filter(is_found)
                    .count()
            };
            let found = match self.threads {
                1 => (0..placed.num_words()).rev().map(visit).sum(),
                _ => {
                    let is_cancelled = || self.answer.watch.is_cancelled();
                    sweep(
                        placed.num_words(),
                        Direction::Descending,
                        is_cancelled,
                        visit,
                    )
                }
            };
            states += found;
            if found <= left / self.paying {
                break;
            }
            left -= found;
        }
        Placed {
            states,
            components: num_components.into_inner(),
            first: first.into_inner(),
        }
    }

    #[inline]
    fn left(&self, word: usize, placed: &SharedBits) -> u64 {
        self.alone.words()[word] & !placed.word(word)
    }

    /// Returns the position at which a state can be placed, if there is one.
    #[inline]
    fn position(
        &self,
        state: StateId,
        placed: &SharedBits,
        position: &[impl Cell],
        last: u32,
    ) -> Option<u32> {
        let Answer {
            graph, components, ..
        } = self.answer;
        let before = |targets: &[StateId]| {
            let mut targets = targets.iter();
            let target = targets.find(|target| placed.contains(target.0))?;
            position[target.index()]
                .get()
                .checked_sub(u32::from(*target < state))
        };
        match components.kind() {
            ComponentKind::Scc | ComponentKind::Bscc => {
                let mut others = graph
                    .successors(state)
                    .iter()
                    .filter(|&&target| target != state);
                others.try_fold(last, |least, target| {
                    Some(least.min(before(slice::from_ref(target))?))
                })
            }
            ComponentKind::Mec => {
                let is_component = components.component(state).is_some();
                let mut stays = false;
                let least = graph.choices(state).try_fold(last, |least, choice| {
                    let targets = graph.targets(choice);
                    if is_component && targets == [state] {
                        stays = true;
                        return Some(least);
                    }
                    Some(least.min(before(targets)?))
                });
                // A component of one state without a choice that stays is not a component.
                least.filter(|_| stays == is_component)
            }
        }
    }
}
