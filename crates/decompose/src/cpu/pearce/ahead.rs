//! Looking ahead: reads what a search will need soon, at many places at once.
//!
//! A search that comes to states anywhere in memory waits for the index of each, for its row, and
//! for the first target in it. The reads for different states do not depend on one another. When
//! they follow one another closely, a processor waits for all of them together.

use super::manner::Manner;
use mdp_graph::Index;
use std::hint::black_box;
use std::ops::Range;

/// The index of a state that is unvisited.
pub(super) const UNVISITED: u32 = 0;

/// The most targets of one state that are looked at.
const OF_A_STATE: usize = 16;

/// The most states that are looked at for some roots.
const OF_ROOTS: usize = 64;

/// How far a search looks ahead of its roots.
#[derive(Clone, Copy)]
pub(super) struct RootsAhead {
    /// How many roots are looked at together, or 0 if none are.
    roots: u32,
    /// Of these, how many are still to come.
    left: u32,
    ascends: bool,
    /// Whether most states have no edge. Then all edges are looked at, because it takes longer to
    /// find out whose they are.
    is_sparse: bool,
}

impl RootsAhead {
    pub(super) fn new(manner: Manner, num_states: usize, num_edges: usize) -> Self {
        // So many have half as many edges again as states can be looked at.
        let roots = (OF_ROOTS / 2 * 3 * num_states / num_edges.max(1)).clamp(32, 256) as u32;
        Self {
            roots: if manner.looks_at_roots { roots } else { 0 },
            left: 0,
            ascends: manner.ascends,
            is_sparse: num_edges < num_states,
        }
    }

    /// Takes note that a root is taken. Says whether it and the next ones are to be looked at.
    #[inline(always)]
    pub(super) fn takes(&mut self) -> bool {
        if self.roots == 0 {
            return false;
        }
        let is_due = self.left == 0;
        self.left = if is_due { self.roots } else { self.left } - 1;
        is_due
    }

    /// Looks at what a root and the next ones lead to.
    pub(super) fn look<I: Index>(self, root: u32, index: &[u32], rows: &[I], targets: &[I]) {
        let mut ahead = Ahead {
            states: [0; OF_ROOTS],
            len: 0,
        };
        let states = self.states(root, index.len());
        let row = |state: usize| rows[state].place()..rows[state + 1].place();
        if self.is_sparse {
            let edges = row(states.start).start..row(states.end - 1).end;
            let targets = targets[edges].iter().take(OF_ROOTS);
            targets.for_each(|&target| ahead.note(index, target));
        } else {
            let unvisited = states.filter(|&state| index[state] == UNVISITED);
            let targets = unvisited.flat_map(|state| &targets[row(state)]);
            let targets = targets.take(2 * OF_ROOTS);
            targets.for_each(|&target| ahead.note(index, target));
        }
        ahead.look_at_rows(rows, targets);
    }

    /// A root and those that come next.
    fn states(self, root: u32, num_states: usize) -> Range<usize> {
        let (root, roots) = (root as usize, self.roots as usize);
        match self.ascends {
            true => root..num_states.min(root + roots),
            false => (root + 1).saturating_sub(roots)..root + 1,
        }
    }
}

/// Looks at what a state leads to by some edges.
#[inline]
pub(super) fn look_at<I: Index>(index: &[u32], rows: &[I], targets: &[I], edges: Range<usize>) {
    let mut read = 0;
    for target in targets[edges].iter().take(OF_A_STATE) {
        let target = target.place();
        if index.get(target) == Some(&UNVISITED)
            && let Some(first) = targets.get(first_edge(rows, target))
        {
            read ^= first.place();
        }
    }
    black_box(read);
}

/// Where the row of a state begins, or the first row, if it is empty: what comes next would be read
/// for nothing.
#[inline(always)]
fn first_edge<I: Index>(rows: &[I], state: usize) -> usize {
    let (first, end) = (rows[state].place(), rows[state + 1].place());
    if first < end { first } else { 0 }
}

/// Unvisited states that a search will come to.
struct Ahead {
    states: [usize; OF_ROOTS],
    len: usize,
}

impl Ahead {
    /// Keeps a state if it is unvisited and there is room. It asks for no branch, which would wait
    /// for the index.
    #[inline(always)]
    fn note<I: Index>(&mut self, index: &[u32], state: I) {
        let state = state.place();
        if let Some(place) = self.states.get_mut(self.len) {
            *place = state;
            self.len += usize::from(index.get(state) == Some(&UNVISITED));
        }
    }

    fn look_at_rows<I: Index>(&mut self, rows: &[I], targets: &[I]) {
        let ahead = &mut self.states[..self.len];
        for state in &mut *ahead {
            *state = first_edge(rows, *state);
        }
        let first = ahead.iter().filter_map(|&row| targets.get(row));
        black_box(first.fold(0, |read, first| read ^ first.place()));
    }
}
