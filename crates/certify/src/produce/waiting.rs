//! Places single states on all threads: finds out where a state can be placed, or lets it wait for
//! another one.
//!
//! A state can be placed before its targets once each of its choices has a placed target. (For
//! SCCs, each edge is a choice.) While one has none, the state waits for a target that a thread has
//! visited. It waits for one target at a time. So the states that wait for the same target are a
//! linked list that takes a number per state, and its head takes the place of the mark of the
//! target:
//!
//! ```text
//! wait(state):    earlier[state] = mark of the target
//!                 exchange this mark for the state; if another thread has changed it, look again
//! place(state):   exchange its mark for the place; what it was is the list of what waits
//! ```
//!
//! Both exchanges are atomic operations on the same mark. So each waiting state is released by the
//! one thread that places its target, and no state begins to wait for a placed one.

use super::answer::Answer;
use super::marks::{FIRST, UNVISITED, UNVISITED_MEMBER, VISITED};
use super::rows::{Ends, Rows};
use mdp_graph::StateId;
use rayon::prelude::*;
use std::iter;
use std::sync::atomic::{
    AtomicU32,
    Ordering::{AcqRel, Relaxed},
};

/// If a state has more branches than this, its choices are not examined again from the first one
/// each time that it has waited.
const LONG: u32 = 16;

/// Returns whether marks can represent the places and the numbers of this many states.
pub(super) fn marks_suffice(states: usize) -> bool {
    states <= (u32::MAX - FIRST) as usize / 2
}

/// States with their marks and lists.
pub(super) struct Waiting<'a> {
    pub(super) answer: Answer<'a>,
    pub(super) rows: Rows<'a>,
    /// `None` if each edge is a choice.
    pub(super) ends: Option<&'a Ends>,
    /// The mark of each state: its position plus [`FIRST`]; or [`VISITED`]; or, if states wait for
    /// it, a number that is larger than all marks of placed states.
    pub(super) marks: &'a [AtomicU32],
    /// The previous mark of the target, for each waiting state.
    pub(super) earlier: &'a [AtomicU32],
    /// The first branch of the choice without a placed target, for each waiting state with a
    /// [`LONG`] row.
    pub(super) choice: &'a [AtomicU32],
    /// The last free mark. As many marks up to it are free as there are unplaced states.
    pub(super) last: u32,
    /// Whether several threads visit states.
    pub(super) is_shared: bool,
}

/// The result of examining the choices of a state.
enum Verdict {
    /// Each choice has a placed target. The state can have this mark or a smaller one.
    Before(u32),
    /// The choice with this first branch has no placed target.
    Unplaced(u32),
}

impl<'a> Waiting<'a> {
    /// Returns the number of states that can still be placed.
    pub(super) fn free(&self) -> usize {
        (self.last + 1 - FIRST) as usize
    }

    /// Returns the mark of a state for which others wait, of which `state` was the last to begin.
    #[inline]
    fn awaited_by(&self, state: u32) -> u32 {
        FIRST + self.marks.len() as u32 + state
    }

    #[inline]
    fn is_placed(&self, mark: u32) -> bool {
        (FIRST..self.awaited_by(0)).contains(&mark)
    }

    /// Returns whether a thread has visited a state with this mark that is not placed.
    #[inline]
    fn is_visited(&self, mark: u32) -> bool {
        mark == VISITED || mark >= self.awaited_by(0)
    }

    /// Begins the visit of a state. Returns false if a thread has visited it, or if it is in a
    /// component with other states.
    #[inline]
    pub(super) fn claim(&self, state: StateId) -> bool {
        let mark = &self.marks[state.index()];
        let begin = |unvisited| {
            if self.is_shared {
                let swapped = mark.compare_exchange(unvisited, VISITED, Relaxed, Relaxed);
                return swapped.is_ok();
            }
            mark.store(VISITED, Relaxed);
            true
        };
        match mark.load(Relaxed) {
            UNVISITED => begin(UNVISITED),
            UNVISITED_MEMBER => self.is_alone(state) && begin(UNVISITED_MEMBER),
            _ => false,
        }
    }

    #[cold]
    fn is_alone(&self, state: StateId) -> bool {
        self.answer.is_alone(state)
    }

    /// Places a state whose targets are all visited, and adds the states that waited for it to
    /// `released`; or lets the state wait. Returns whether it is placed.
    #[inline]
    pub(super) fn settle(&self, state: StateId, released: &mut Vec<StateId>) -> bool {
        match self.verdict(state, self.rows.row(state).start) {
            Verdict::Before(mark) => self.place(state, mark, released),
            Verdict::Unplaced(choice) => self.wait(state, choice, released),
        }
    }

    /// As [`settle`](Self::settle), for a state that was released: the choices before the one for
    /// which it waited need not be examined again.
    pub(super) fn settle_released(&self, state: StateId, released: &mut Vec<StateId>) -> bool {
        if !self.is_long(state) {
            return self.settle(state, released);
        }
        let choice = self.choice[state.index()].load(Relaxed);
        self.wait(state, choice, released)
    }

    #[inline]
    fn is_long(&self, state: StateId) -> bool {
        self.rows.row(state).len() > LONG as usize
    }

    #[inline]
    fn place(&self, state: StateId, place: u32, released: &mut Vec<StateId>) -> bool {
        let mark = &self.marks[state.index()];
        let mut list = mark.load(Relaxed);
        if self.is_shared {
            list = mark.swap(place, AcqRel);
        } else {
            mark.store(place, Relaxed);
        }
        let waiting = iter::from_fn(|| {
            let state = list.checked_sub(self.awaited_by(0))?;
            list = self.earlier[state as usize].load(Relaxed);
            Some(StateId(state))
        });
        released.extend(waiting);
        true
    }

    /// Lets a state wait for a target of the choice with this first branch, or of a later choice.
    /// If each choice has a placed target, places the state. Returns whether it is placed.
    #[cold]
    fn wait(&self, state: StateId, mut choice: u32, released: &mut Vec<StateId>) -> bool {
        loop {
            match self.verdict(state, choice) {
                Verdict::Unplaced(next) => choice = next,
                // The choices before may lead to smaller marks.
                Verdict::Before(_) => match self.verdict(state, self.rows.row(state).start) {
                    Verdict::Before(mark) => return self.place(state, mark, released),
                    Verdict::Unplaced(_) => unreachable!("what is placed stays placed"),
                },
            }
            if self.is_long(state) {
                self.choice[state.index()].store(choice, Relaxed);
            }
            let targets = self.targets(choice).iter();
            let others = targets.filter(|&&target| target != state);
            let marks = others.map(|target| &self.marks[target.index()]);
            let mut marks = marks.map(|mark| (mark, mark.load(Relaxed)));
            // The last target is probably not on the path that led to this state.
            let awaited = marks.rfind(|&(_, mark)| self.is_visited(mark));
            let Some((mark, before)) = awaited else {
                // There is no such target, unless another thread has just placed one.
                match self.verdict(state, choice) {
                    Verdict::Unplaced(next) if next == choice => return false,
                    _ => continue,
                }
            };
            self.earlier[state.index()].store(before, Relaxed);
            let own = self.awaited_by(state.0);
            if mark.compare_exchange(before, own, AcqRel, Relaxed).is_ok() {
                return false;
            }
        }
    }

    /// Returns the targets of the choice with this first branch.
    #[inline]
    fn targets(&self, first: u32) -> &'a [StateId] {
        let choice = self
            .ends
            .map_or(first..first + 1, |ends| ends.choice(first));
        self.rows.targets(choice)
    }

    /// Examines the choices of a state, from the one with this first branch on.
    #[inline]
    fn verdict(&self, state: StateId, first: u32) -> Verdict {
        let end = self.rows.row(state).end;
        let (mut last, mut next) = (self.last, first);
        while next < end {
            let targets = self.targets(next);
            match self.mark_before(state, targets) {
                0 if self.stays(state, targets) => {}
                0 => return Verdict::Unplaced(next),
                mark => last = last.min(mark),
            }
            next += targets.len() as u32;
        }
        Verdict::Before(last)
    }

    /// Returns the last mark before that of a placed target, or 0 if no target is placed.
    #[inline]
    fn mark_before(&self, state: StateId, targets: &[StateId]) -> u32 {
        let marks = targets.iter().map(|&target| {
            let mark = self.marks[target.index()].load(Relaxed);
            match self.is_placed(mark) {
                true => mark - u32::from(target < state),
                false => 0,
            }
        });
        marks.max().unwrap_or(0)
    }

    /// Returns whether the choice is retained by a component of one state.
    #[cold]
    fn stays(&self, state: StateId, targets: &[StateId]) -> bool {
        targets == [state] && self.answer.components.component(state).is_some()
    }

    /// Makes the states unvisited that were visited but not placed. Returns these states.
    pub(super) fn forget(&self) -> Vec<StateId> {
        let marks = self.marks.par_iter().enumerate();
        let forgotten = marks.filter(|(_, mark)| self.is_visited(mark.load(Relaxed)));
        let forgotten = forgotten.map(|(state, mark)| {
            let state = StateId::from_index(state);
            let is_member = self.answer.components.component(state).is_some();
            mark.store(
                match self.ends {
                    Some(_) if is_member => UNVISITED_MEMBER,
                    _ => UNVISITED,
                },
                Relaxed,
            );
            state
        });
        forgotten.collect()
    }
}
