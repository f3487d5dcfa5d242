//! Searches in lockstep. They take over when searches for maximal end components go over the same
//! large parts again and again, and split off pieces of these parts by small searches, after K.
//! Chatterjee and M. Henzinger, "Efficient and dynamic algorithms for alternating Büchi games and
//! maximal end-component decomposition", Journal of the ACM 61(3), 2014.
//!
//! A part is a set of states that a search by [`mod@super::mec`] closed together, in doubt. Some of
//! its states *lost* a choice in that search, because the choice turned out to leave. If a part
//! falls apart, one of its pieces is such that all its remaining choices stay in it. In this piece
//! some state lost a choice; otherwise the search would have closed the piece by itself. Therefore
//! a search starts from each state that lost a choice, along the choices that stay. The searches
//! take turns, with a few branches each. The search that ends first has reached a piece that no
//! staying choice leaves.
//!
//! ```text
//! while a part has states:
//!     if few of them lost a choice:  search from these in lockstep; the first to end has found a
//!                                    piece
//!                                    search the piece for end components, which closes it
//!                                    choices that lead into it leave: their states lost a choice
//!     else:                          search the whole part; what is in doubt then is a part of its
//!                                    own
//! ```
//!
//! A part of m branches is searched as a whole when √m of its states lost a choice. So both kinds
//! of steps take O(m √m) for all of a graph, where searches of whole parts alone take O(c m).

use super::mec::Search;
use super::steps;
use super::ticker::Ticker;
use crate::Error;
use mdp_graph::{BitSet, ChoiceId, ChoiceTranspose, MdpGraph, StateId, Table};
use std::collections::HashSet;

/// How many branches a search looks at before the others have their turn.
const TURN: u32 = 32;

/// States that were closed together, in doubt.
struct Part {
    states: Vec<u32>,
    /// Those of them that lost a choice, and some that are closed by now.
    lost: Vec<u32>,
    /// How many branches the states have.
    branches: usize,
}

/// Whether there is memory to take up what a search has left.
fn has_room(graph: &MdpGraph) -> bool {
    let (states, branches) = (graph.num_states(), graph.num_branches());
    let tables = [4 * (states + 1), 4 * branches, 4 * states, 4 * states];
    mdp_graph::check_room("searches in lockstep", &tables).is_ok()
}

/// Closes all that `search` has left to be searched again.
pub(super) fn close_rest(
    graph: &MdpGraph,
    search: &mut Search<'_>,
    ticker: &mut Ticker<'_>,
) -> Result<(), Error> {
    if !has_room(graph) {
        return search.again(usize::MAX, ticker).map(drop);
    }
    let n = graph.num_states();
    let mut lockstep = Lockstep {
        graph,
        incoming: ChoiceTranspose::new(graph),
        has_lost: BitSet::new(n),
        part_of: Table::new(n),
        parts: Vec::new(),
    };
    search.lost = Some(Vec::new());
    lockstep.take_parts(search);
    while let Some(part) = lockstep.parts.pop() {
        lockstep.close(part, search, ticker)?;
    }
    Ok(())
}

struct Lockstep<'a> {
    graph: &'a MdpGraph,
    incoming: ChoiceTranspose,
    /// The states that are among the lost ones of a part.
    has_lost: BitSet,
    /// For each state of a part that was taken last its place among these.
    part_of: Table<u32>,
    parts: Vec<Part>,
}

impl Lockstep<'_> {
    /// Takes the parts that a search left, with the states that lost a choice in it.
    fn take_parts(&mut self, search: &mut Search<'_>) {
        let before = self.parts.len();
        let mut states = Vec::new();
        while search.pop_doubtful(&mut states) {
            let mut branches = 0;
            for &state in &states {
                self.part_of[state as usize] = self.parts.len() as u32;
                branches += search.branches_of(state);
            }
            self.parts.push(Part {
                states: std::mem::take(&mut states),
                lost: Vec::new(),
                branches,
            });
        }
        for state in search.lost.iter_mut().flat_map(|lost| lost.drain(..)) {
            let part = self.part_of[state as usize] as usize;
            // Others were closed after all.
            if (before..self.parts.len()).contains(&part) && self.has_lost.insert(state as usize) {
                self.parts[part].lost.push(state);
            }
        }
    }

    /// Closes a part, but for what is in doubt again: that becomes parts.
    fn close(
        &mut self,
        mut part: Part,
        search: &mut Search<'_>,
        ticker: &mut Ticker<'_>,
    ) -> Result<(), Error> {
        search.reopen(&part.states);
        // A search of the whole part ends this.
        loop {
            part.lost.retain(|&state| search.is_unvisited(state));
            let lost = part.lost.len();
            if lost == 0 || lost * lost >= part.branches {
                part.lost
                    .iter()
                    .for_each(|&state| self.has_lost.remove(state as usize));
                search.visit(&part.states, ticker)?;
                self.take_parts(search);
                return Ok(());
            }
            let piece = self.first_piece(&part.lost, search, ticker)?;
            search.visit(&piece, ticker)?;
            for &state in &piece {
                self.has_lost.remove(state as usize);
                part.branches -= search.branches_of(state);
                self.lose(state, search, &mut part.lost);
            }
            self.take_parts(search);
        }
    }

    /// The states that the search reaches which ends first.
    fn first_piece(
        &self,
        starts: &[u32],
        search: &Search<'_>,
        ticker: &mut Ticker<'_>,
    ) -> Result<Vec<u32>, Error> {
        let mut reaches: Vec<Reach> = starts.iter().map(|&start| Reach::new(start)).collect();
        loop {
            for reach in &mut reaches {
                ticker.tick(|| search.num_closed())?;
                if reach.go_on(search) {
                    return Ok(reach.seen.drain().collect());
                }
            }
        }
    }

    /// A state is closed: the choices that may lead to it leave.
    fn lose(&mut self, state: u32, search: &Search<'_>, lost: &mut Vec<u32>) {
        for &choice in self.incoming.choices_into(StateId(state)) {
            steps::count(1);
            let source = self.source(choice);
            if search.is_unvisited(source) && self.has_lost.insert(source as usize) {
                lost.push(source);
            }
        }
    }

    /// The state that has a choice.
    fn source(&self, choice: ChoiceId) -> u32 {
        let offsets = self.graph.choice_offsets();
        (offsets.partition_point(|&first| first <= choice.0) - 1) as u32
    }
}

/// What a state reaches by the choices that stay, as far as it is known.
struct Reach {
    seen: HashSet<u32>,
    /// The states of `seen` whose choices are still to be looked at.
    todo: Vec<u32>,
    /// The branches that are still to be looked at of the state that is looked at, and where the
    /// choice of the first of them begins.
    choice: u32,
    next: u32,
    end: u32,
}

impl Reach {
    fn new(start: u32) -> Self {
        Self {
            seen: HashSet::from([start]),
            todo: vec![start],
            choice: 0,
            next: 0,
            end: 0,
        }
    }

    /// Looks at a few branches more. Says whether the search has come to its end.
    fn go_on(&mut self, search: &Search<'_>) -> bool {
        let mut left = TURN;
        while left > 0 {
            left -= 1;
            steps::count(1);
            if self.next == self.end {
                let Some(state) = self.todo.pop() else {
                    return true;
                };
                (self.next, self.end) = search.row(state);
                self.choice = self.next;
            } else if search.leads_to_closed(self.next) {
                // The choice leaves.
                (self.choice, left) = self.skip(search, left);
                self.next = self.choice;
            } else {
                self.next += 1;
                if search.is_start(self.next) {
                    left = left.saturating_sub(self.next - self.choice);
                    self.follow(search);
                }
            }
        }
        false
    }

    /// The branch after the choice that is looked at, and what is left of a turn.
    fn skip(&self, search: &Search<'_>, left: u32) -> (u32, u32) {
        let end = search.end_of_choice(self.next);
        (end, left.saturating_sub((end - self.next) / 8))
    }

    /// Sees the targets of a choice that stays, all of whose branches were looked at.
    fn follow(&mut self, search: &Search<'_>) {
        for &target in search.targets_of(self.choice..self.next) {
            if self.seen.insert(target) {
                self.todo.push(target);
            }
        }
        self.choice = self.next;
    }
}
