//! Searches in lockstep. They take over when searches for maximal end components go over the same
//! large parts again and again, and split off pieces of these parts by small searches, after K.
//! Chatterjee and M. Henzinger, "Efficient and dynamic algorithms for alternating Büchi games and
//! maximal end-component decomposition", Journal of the ACM 61(3), 2014.
//!
//! A part is a set of states that a search by [`mod@super::mec`] closed together, in doubt. Some of
//! its states *lost* a choice in that search, because the choice turned out to leave. If a part is
//! not an end component, it contains a piece that is closed under its remaining choices. Some state
//! of this piece lost a choice; otherwise the search would have closed the piece by itself.
//! Therefore a search starts from each state that lost a choice, along the choices that stay. The
//! searches take turns, with a few branches each. The search that ends first has reached a piece
//! that no staying choice leaves. Most pieces are single states, which [`super::kept_choices`]
//! finds without a search.
//!
//! ```text
//! while a part has states:
//!     lone states:                   close the states that lost a choice and of which no choice
//!                                    stays and leads to another state
//!     if few states lost a choice:   search from these in lockstep; the first to end has found a
//!                                    piece
//!                                    search the piece for end components, which closes it
//!     if many states did, or the     search the whole part; what is in doubt then is a part of its
//!     pieces are large:              own
//! ```
//!
//! Choices that lead into what was closed leave: their states lost a choice.
//!
//! A part of m branches is searched as a whole when √m of its states lost a choice, or when the
//! searches in lockstep have visited m / 4 branches. In the second case, each piece has at least
//! √m / 4 branches, and the search of the whole part closes such a piece. So both kinds of steps
//! take O(m √m) for all of a graph, where searches of whole parts alone take O(c m).

use super::kept_choices::KeptChoices;
use super::mec::MecSearch;
use super::steps;
use super::ticker::Ticker;
use crate::Error;
use mdp_graph::{BitSet, MdpGraph, Table};
use std::collections::HashSet;

/// The number of branches that a search visits before the next search takes its turn.
const TURN: u32 = 32;

/// Searches in lockstep visit at most one in this many of the branches of a part: for each branch
/// they take several times as long as a search of the whole part.
const LOCKSTEP_DIVISOR: usize = 4;

/// States that a search closed together, in doubt.
struct Part {
    states: Vec<u32>,
    /// The states of the part that lost a choice, and some states that have been closed since.
    lost: Vec<u32>,
    /// The number of branches of these states.
    branches: usize,
}

/// Returns whether there is enough memory to continue with the parts that a search has left.
fn has_room(graph: &MdpGraph) -> bool {
    let (states, branches) = (graph.num_states(), graph.num_branches());
    let tables = [
        KeptChoices::bytes(graph),
        4 * branches,
        4 * states,
        4 * states,
    ];
    mdp_graph::check_room("searches in lockstep", &tables).is_ok()
}

/// Closes all states that `search` has left to be searched again.
pub(super) fn close_rest(
    graph: &MdpGraph,
    search: &mut MecSearch<'_>,
    ticker: &mut Ticker<'_>,
) -> Result<(), Error> {
    if !has_room(graph) {
        return search.again(usize::MAX, ticker).map(drop);
    }
    let n = graph.num_states();
    let mut lockstep = Lockstep {
        kept: KeptChoices::new(graph),
        has_lost: BitSet::new(n),
        part_of: Table::new(n),
        parts: Vec::new(),
        lone: Vec::new(),
    };
    search.lost.get_or_insert_default();
    lockstep.take_parts(search);
    while let Some(part) = lockstep.parts.pop() {
        lockstep.close(part, search, ticker)?;
    }
    Ok(())
}

struct Lockstep<'a> {
    kept: KeptChoices<'a>,
    /// The states that are in the list `lost` of some part.
    has_lost: BitSet,
    /// For each state of the parts that were taken last: the place of its part among these.
    part_of: Table<u32>,
    parts: Vec<Part>,
    /// The states of the current part that can be closed by themselves.
    lone: Vec<u32>,
}

impl Lockstep<'_> {
    /// Takes the parts that a search left, with their states that lost a choice in this search.
    fn take_parts(&mut self, search: &mut MecSearch<'_>) {
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
            // The other states have been closed in the meantime.
            if (before..self.parts.len()).contains(&part) && self.has_lost.insert(state as usize) {
                self.parts[part].lost.push(state);
            }
        }
    }

    /// Closes the states of a part, except those that are in doubt again: these become new parts.
    fn close(
        &mut self,
        mut part: Part,
        search: &mut MecSearch<'_>,
        ticker: &mut Ticker<'_>,
    ) -> Result<(), Error> {
        search.reopen(&part.states);
        let lost = part.lost.iter().copied();
        let is_in_part = |state| search.is_unvisited(state);
        let lone = lost.filter(|&state| self.kept.is_lone(state, is_in_part));
        self.lone.extend(lone);
        loop {
            while let Some(state) = self.lone.pop() {
                if search.is_unvisited(state) {
                    self.close_piece(&[state], &mut part, search, ticker)?;
                }
            }
            part.lost.retain(|&state| search.is_unvisited(state));
            let Some(piece) = self.first_piece(&part, search, ticker)? else {
                break;
            };
            self.close_piece(&piece, &mut part, search, ticker)?;
        }
        for &state in &part.lost {
            self.has_lost.remove(state as usize);
        }
        search.visit(&part.states, ticker)?;
        self.take_parts(search);
        Ok(())
    }

    /// Searches a piece of a part that no staying choice leaves. The choices that lead into it now
    /// leave.
    fn close_piece(
        &mut self,
        piece: &[u32],
        part: &mut Part,
        search: &mut MecSearch<'_>,
        ticker: &mut Ticker<'_>,
    ) -> Result<(), Error> {
        search.visit(piece, ticker)?;
        for &state in piece {
            self.has_lost.remove(state as usize);
            part.branches -= search.branches_of(state);
            let (lone, has_lost) = (&mut self.lone, &mut self.has_lost);
            let is_in_part = |state| search.is_unvisited(state);
            let note = |source, is_lone| {
                if is_lone {
                    lone.push(source);
                } else if has_lost.insert(source as usize) {
                    part.lost.push(source);
                }
            };
            self.kept.each_that_lost(state, is_in_part, note);
        }
        self.take_parts(search);
        Ok(())
    }

    /// Searches in lockstep. Returns the states that the first search to end has reached, or
    /// nothing if a search of the whole part is expected to be faster.
    fn first_piece(
        &self,
        part: &Part,
        search: &MecSearch<'_>,
        ticker: &mut Ticker<'_>,
    ) -> Result<Option<Vec<u32>>, Error> {
        let num_lost = part.lost.len();
        if num_lost == 0 || num_lost * num_lost >= part.branches {
            return Ok(None);
        }
        let starts = part.lost.iter();
        let mut reaches: Vec<Reach> = starts.map(|&start| Reach::new(start)).collect();
        let turns = part.branches / (LOCKSTEP_DIVISOR * TURN as usize * num_lost);
        for _ in 0..=turns {
            for reach in &mut reaches {
                ticker.tick(|| search.num_closed)?;
                if reach.go_on(search) {
                    return Ok(Some(reach.seen.drain().collect()));
                }
            }
        }
        Ok(None)
    }
}

/// A search from one state along the choices that stay.
struct Reach {
    seen: HashSet<u32>,
    /// The states of `seen` whose choices are not yet visited.
    todo: Vec<u32>,
    /// The remaining branches of the current state, and where the choice of the first of them
    /// begins.
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

    /// Visits a few more branches. Returns whether the search has ended.
    fn go_on(&mut self, search: &MecSearch<'_>) -> bool {
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
                if search.starts_choice(self.next) {
                    left = left.saturating_sub(self.next - self.choice);
                    self.follow(search);
                }
            }
        }
        false
    }

    /// Returns the first branch after the current choice, and what is left of the turn.
    fn skip(&self, search: &MecSearch<'_>, left: u32) -> (u32, u32) {
        let end = search.end_of_choice(self.next);
        (end, left.saturating_sub((end - self.next) / 8))
    }

    /// Adds the targets of a choice that stays, once all of its branches were visited.
    fn follow(&mut self, search: &MecSearch<'_>) {
        for &target in search.targets_of(self.choice..self.next) {
            if self.seen.insert(target) {
                self.todo.push(target);
            }
        }
        self.choice = self.next;
    }
}
