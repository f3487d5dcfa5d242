//! Makes a smaller graph, the quotient, of the groups that [`super::cells`] leaves undecided, and
//! translates the answer for the quotient back.
//!
//! The pending state of a group lies in a group itself, which may have a pending state, too.
//! Following these gives a *chain*. It ends at a group without a pending state or with several, at
//! a decided state, or in a ring of groups. The groups of a ring all lead to one another, and are
//! in one component. The states of the quotient, its *nodes*, are the groups at which chains end,
//! and the rings. All paths from any other group lead to the node at the end of its chain, or to
//! decided states. So an edge to such a group becomes an edge to that node. Two nodes are in the
//! same component of the graph iff they are in the same component of the quotient.
//!
//! A group that is no node is in the component of the node at the end of its chain iff that
//! component leads to it. Otherwise it is a component by itself (`docs/cpu-threads.md` has the
//! proof).

use super::edges::AllEdges;
use super::follow::sum_up;
use super::marks::{Marks, NONE_PENDING, SEVERAL_PENDING, Shared, Status};
use super::ticker::{PERIOD, Watch};
use crate::Error;
use mdp_graph::{BitSet, SharedBits, Table, ascending};
use rayon::Scope;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

/// The number of words of states in a parallel task.
const PIECE: usize = 1 << 6;

/// A thread with more waiting groups than this leaves half of them to other threads.
const SHARED: usize = 1 << 10;

/// The number of passes in which all threads shorten chains, and the length that they follow in a
/// pass. One thread shortens the remaining chains.
const PASSES: usize = 3;
const HOPS: usize = if cfg!(test) { 2 } else { 32 };

/// The nodes, numbered in ascending order.
pub(super) struct Nodes {
    /// For each node, the group that names it.
    groups: SharedBits,
    /// The other groups of rings. Their pending state is the group that names the node.
    merged: SharedBits,
    /// For each word of `groups`, the number of groups in earlier words.
    before: Vec<u32>,
    num_groups: usize,
}

impl Nodes {
    /// Finds the nodes after a round, and shortens all chains to at most two steps.
    pub(super) fn new(marks: Shared<'_>, num_states: usize) -> Self {
        let (groups, aims) = (SharedBits::new(num_states), SharedBits::new(num_states));
        each_state(num_states, |state| {
            if marks.status(state) != Status::Undecided(state) {
                return;
            }
            match marks.pending(state) {
                SEVERAL_PENDING | NONE_PENDING => {
                    groups.insert(state);
                }
                pending => {
                    if let Status::Undecided(group) = marks.status(pending) {
                        aims.insert(group);
                    }
                }
            }
        });
        let mut chains = Chains {
            marks,
            groups,
            merged: SharedBits::new(num_states),
            seen: BitSet::new(num_states),
        };
        let long = chains.shorten_most(aims);
        long.descending().for_each(|group| chains.shorten(group));
        let Chains { groups, merged, .. } = chains;
        let mut num_groups = 0;
        let before = (0..groups.num_words()).map(|word| {
            let before = num_groups;
            num_groups += groups.word(word).count_ones();
            before
        });
        let before = before.collect();
        Self {
            groups,
            merged,
            before,
            num_groups: num_groups as usize,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.num_groups
    }

    #[inline]
    fn contains(&self, group: u32) -> bool {
        self.groups.contains(group)
    }

    #[inline]
    fn number(&self, group: u32) -> u32 {
        let below = (1u64 << (group % 64)) - 1;
        let word = group as usize / 64;
        self.before[word] + (self.groups.word(word) & below).count_ones()
    }

    /// Returns the names of the nodes, in order.
    fn names(&self) -> Vec<u32> {
        let words = 0..self.groups.num_words();
        words
            .flat_map(|word| ascending(word, self.groups.word(word)))
            .collect()
    }

    /// Returns the node of a state, or the node to which all its paths lead. `None` if there is
    /// neither.
    #[inline]
    fn node(&self, marks: Shared<'_>, state: u32) -> Option<u32> {
        match marks.status(state) {
            Status::Undecided(group) => self.node_of(marks, group),
            _ => None,
        }
    }

    /// Returns the node at the end of a group's chain.
    #[inline]
    fn node_of(&self, marks: Shared<'_>, mut group: u32) -> Option<u32> {
        while !self.contains(group) {
            match marks.status(marks.pending(group)) {
                Status::Undecided(next) => group = next,
                _ => return None,
            }
        }
        Some(self.number(group))
    }

    /// Returns the node of a state, if it is in one.
    #[inline]
    fn own_node(&self, marks: Shared<'_>, state: u32) -> Option<u32> {
        match marks.status(state) {
            Status::Undecided(group) if self.is_in_node(group) => self.node_of(marks, group),
            _ => None,
        }
    }

    /// Returns whether a group is in a node.
    #[inline]
    fn is_in_node(&self, group: u32) -> bool {
        self.contains(group) || self.merged.contains(group)
    }

    /// Returns the edges between nodes, as offsets and targets.
    pub(super) fn edges(&self, edges: AllEdges<'_>, marks: Shared<'_>) -> (Table<u32>, Table<u32>) {
        let pairs = |words: Range<usize>| {
            let mut pairs = Vec::new();
            for state in states(words, edges.num_states()) {
                let Some(own) = self.own_node(marks, state) else {
                    continue;
                };
                for &target in edges.of(state) {
                    let node = self.node(marks, target).filter(|&node| node != own);
                    let pair = node.map(|node| (own, node));
                    if pair.is_some() && pairs.last() != pair.as_ref() {
                        pairs.extend(pair);
                    }
                }
            }
            pairs
        };
        let pairs: Vec<Vec<(u32, u32)>> = pieces(edges.num_states()).map(pairs).collect();
        rows_of_pairs(self.num_groups, pairs)
    }

    /// Returns the groups that are not nodes, but belong to the component at the end of their chain
    /// because this component reaches them. `components` has the components of the nodes.
    fn joined(
        &self,
        edges: AllEdges<'_>,
        marks: Shared<'_>,
        components: &[u32],
        watch: &Watch<'_>,
    ) -> Result<SharedBits, Error> {
        let n = edges.num_states();
        let spread = Spread {
            nodes: self,
            edges,
            marks,
            joined: SharedBits::new(n),
            watch,
        };
        rayon::scope(|scope| {
            pieces(n).for_each(|words| {
                let mut found = Vec::new();
                for state in states(words, n) {
                    if let Some(own) = self.own_node(marks, state) {
                        let own = components[own as usize];
                        spread.look(state, &mut found, |node| components[node as usize] == own);
                    }
                }
                spread.follow(found, scope);
            });
        });
        watch.check()?;
        Ok(spread.joined)
    }

    /// Returns, for each state, a state of its component. `components` has the components of the
    /// nodes.
    pub(super) fn answer(
        &self,
        edges: AllEdges<'_>,
        mut marks: Marks,
        components: &[u32],
        watch: &Watch<'_>,
    ) -> Result<Table<u32>, Error> {
        let joined = self.joined(edges, marks.shared(), components, watch)?;
        let names = self.names();
        let name = |node: u32| names[components[node as usize] as usize];
        let shared = marks.shared();
        each_state(edges.num_states(), |state| {
            if shared.status(state) != Status::Undecided(state) {
                return;
            }
            let component = match self.is_in_node(state) || joined.contains(state) {
                true => self.node_of(shared, state).map_or(state, name),
                false => state,
            };
            shared.answer(state, component);
        });
        Ok(marks.into_answers())
    }
}

/// Makes rows of pairs of nodes, which may be in any order: offsets, and targets.
pub(super) fn rows_of_pairs(
    num_nodes: usize,
    pairs: Vec<Vec<(u32, u32)>>,
) -> (Table<u32>, Table<u32>) {
    let mut rows: Table<u32> = Table::new(num_nodes + 1);
    {
        let counts = rows.as_atomics();
        pairs.par_iter().flatten_iter().for_each(|&(from, _)| {
            counts[from as usize].fetch_add(1, Relaxed);
        });
    }
    let mut targets: Table<u32> = Table::new(sum_up(&mut rows) as usize);
    {
        let (slots, ends) = (targets.as_atomics(), rows.as_atomics());
        pairs.into_par_iter().flatten_iter().for_each(|(from, to)| {
            let slot = ends[from as usize].fetch_sub(1, Relaxed) - 1;
            slots[slot as usize].store(to, Relaxed);
        });
    }
    (rows, targets)
}

/// Finds the ends of chains.
struct Chains<'a> {
    marks: Shared<'a>,
    groups: SharedBits,
    merged: SharedBits,
    seen: BitSet,
}

impl Chains<'_> {
    /// Makes each of the groups `aims` point at the end of its chain, on all threads. Returns the
    /// groups that are too far from the end, or lead into a ring.
    fn shorten_most(&self, mut aims: SharedBits) -> SharedBits {
        for _ in 0..PASSES {
            let long = SharedBits::new(aims.bound());
            let words = (0..aims.num_words()).into_par_iter();
            words.with_min_len(PIECE).for_each(|word| {
                for group in ascending(word, aims.word(word)) {
                    match self.end_near(group) {
                        // All pointers lead to the same end, whichever thread shortens them in the
                        // meantime.
                        Some(end) if end != group => self.marks.set_pending(group, end),
                        Some(_) => {}
                        None => {
                            long.insert(group);
                        }
                    }
                }
            });
            aims = long;
        }
        aims
    }

    /// Returns the end of a group's chain (a node or a decided state), if it is near.
    fn end_near(&self, mut group: u32) -> Option<u32> {
        for _ in 0..HOPS {
            if self.groups.contains(group) {
                return Some(group);
            }
            let pending = self.marks.pending(group);
            match self.marks.status(pending) {
                Status::Undecided(next) => group = next,
                _ => return Some(pending),
            }
        }
        None
    }

    /// Makes each group of a chain point at the chain's end. A ring becomes a node.
    fn shorten(&mut self, start: u32) {
        let marks = self.marks;
        let mut path = Vec::new();
        let mut group = start;
        let end = loop {
            if self.groups.contains(group) {
                break group;
            }
            if !self.seen.insert(group as usize) {
                match path.iter().rposition(|&other| other == group) {
                    Some(first) => self.close_ring(&path.split_off(first)),
                    None => break marks.pending(group),
                }
                break group;
            }
            path.push(group);
            let pending = marks.pending(group);
            match marks.status(pending) {
                Status::Undecided(next) => group = next,
                _ => break pending,
            }
        };
        path.iter().for_each(|&group| marks.set_pending(group, end));
    }

    /// Makes a node of the groups of a ring.
    fn close_ring(&mut self, ring: &[u32]) {
        let name = ring[0];
        self.groups.insert(name);
        self.marks.set_pending(name, NONE_PENDING);
        for &group in &ring[1..] {
            self.merged.insert(group);
            self.marks.set_pending(group, name);
        }
    }
}

/// Finds the groups that components reach.
struct Spread<'a> {
    nodes: &'a Nodes,
    edges: AllEdges<'a>,
    marks: Shared<'a>,
    joined: SharedBits,
    watch: &'a Watch<'a>,
}

impl<'a> Spread<'a> {
    /// Finds groups to which a state has an edge and whose node is `wanted`.
    #[inline]
    fn look(&self, state: u32, found: &mut Vec<u32>, wanted: impl Fn(u32) -> bool) {
        for &target in self.edges.of(state) {
            let Status::Undecided(group) = self.marks.status(target) else {
                continue;
            };
            if self.nodes.is_in_node(group) || self.joined.contains(group) {
                continue;
            }
            let node = self.nodes.node_of(self.marks, group);
            if node.is_some_and(&wanted) && self.joined.insert(group) {
                found.push(group);
            }
        }
    }

    /// Continues the search from groups that were joined. The chains of all groups that they lead
    /// to end at the same node or at a decided state.
    fn follow<'s>(&'s self, mut found: Vec<u32>, scope: &Scope<'s>) {
        let mut steps = 0u32;
        while let Some(group) = found.pop() {
            for state in self.marks.members(group) {
                self.look(state, &mut found, |_| true);
            }
            steps = steps.wrapping_add(1);
            if steps.is_multiple_of(PERIOD) && self.watch.is_cancelled() {
                return;
            }
            if found.len() >= SHARED {
                let half = found.split_off(found.len() / 2);
                scope.spawn(move |scope| self.follow(half, scope));
            }
        }
    }
}

/// Returns all states, in pieces of words.
fn pieces(num_states: usize) -> impl IndexedParallelIterator<Item = Range<usize>> {
    let words = num_states.div_ceil(64);
    let piece = move |i: usize| i * PIECE..((i + 1) * PIECE).min(words);
    (0..words.div_ceil(PIECE)).into_par_iter().map(piece)
}

/// Returns the states of a range of words.
fn states(words: Range<usize>, num_states: usize) -> Range<u32> {
    64 * words.start as u32..(64 * words.end).min(num_states) as u32
}

/// Visits all states, on all threads.
fn each_state(num_states: usize, visit: impl Fn(u32) + Sync) {
    pieces(num_states).for_each(|words| states(words, num_states).for_each(&visit));
}
