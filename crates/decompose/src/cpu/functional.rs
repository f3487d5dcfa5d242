//! Decomposes functional graphs, in which no state has more than one successor other than itself,
//! and graphs in which no state has more than one predecessor other than itself. Their cycles are
//! components, and all other states are components by themselves.
//!
//! If states are numbered in no particular order, a search that follows one path at a time waits
//! for memory at each state. Here [`LANES`] *walks* take turns, each with one step, so that their
//! memory accesses overlap. The successor of a state and the first walk that visited the state lie
//! next to each other in memory.
//!
//! ```text
//! walk:   from an unvisited state along the successors, until it comes to
//!             a state without another successor:         none of its states is on a cycle
//!             a state of a walk that is known to end so: likewise
//!             a state of its own:                        what follows that state is a cycle
//!             a state of another walk:                   it leads into that walk
//! rings:  walks that lead into each other in a ring have a cycle in common. It consists of the
//!         last states of each of these walks, from the one to which the walk before it leads
//! ```
//!
//! A walk that leads into a walk with a cycle of its own is in no ring, and neither are the walks
//! that lead into it. Such walks are treated like walks that end.
//!
//! If each state has at most one predecessor, walks follow the edges backward.

use super::edges::AllEdges;
use super::steps;
use super::ticker::Ticker;
use crate::Error;
use mdp_graph::{Components, MdpGraph, Partition, StateId, Table};
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// The number of walks that take turns: as many as a core has memory accesses in flight.
const LANES: usize = 16;

/// The number of edges that [`do_first_edges_meet`] looks at.
const SAMPLED_EDGES: usize = 1 << 12;

/// The number of states that a thread takes at a time.
const PIECE: usize = 1 << 12;

/// The most states for which there are enough marks: one for each state, walk and cycle.
const MAX_STATES: usize = (1 << 31) - 4;

/// Values of marks and of ends of walks. `NONE`: not known yet. `ENDED`: no state of the walk is on
/// a cycle.
const NONE: u32 = 0;
const ENDED: u32 = 1;

/// The first walk's number.
const FIRST: u32 = 2;

/// The successor of a state (the state itself, if there is no other), and the walk or cycle that
/// the state is on. These are two numbers of 32 bits and not one of 64: if a word is written in
/// part and then read as a whole, a core waits for all earlier reads.
type Link = [u32; 2];

/// Returns the successors of all states, without marks. Returns `None` if a state leads to two
/// others.
fn successors(edges: AllEdges<'_>) -> Option<Table<Link>> {
    let mut links: Table<Link> = Table::any(edges.num_states());
    let branches = AtomicBool::new(false);
    let pieces = links.par_chunks_mut(PIECE).enumerate();
    pieces.for_each(|(i, piece)| {
        if branches.load(Relaxed) {
            return;
        }
        for (state, link) in ((i * PIECE) as u32..).zip(piece) {
            match only_successor(edges.of(state), state) {
                Some(successor) => *link = [successor, NONE],
                None => return branches.store(true, Relaxed),
            }
        }
    });
    (!branches.into_inner()).then_some(links)
}

/// Returns the predecessors of all states, without marks. Returns `None` if two other states lead
/// to a state.
fn predecessors(edges: AllEdges<'_>) -> Option<Table<Link>> {
    if do_first_edges_meet(edges) {
        return None;
    }
    let n = edges.num_states() as u32;
    let mut links: Table<Link> = Table::zeroed(edges.num_states());
    // Until the end of this loop, the mark says whether a predecessor is known.
    for state in 0..n {
        for &target in edges.of(state).iter().filter(|&&target| target != state) {
            match &mut links[target as usize] {
                unknown @ [_, 0] => *unknown = [state, 1],
                [known, _] if *known == state => {}
                _ => return None,
            }
        }
    }
    for (state, link) in (0..n).zip(links.iter_mut()) {
        let known = std::mem::take(&mut link[1]);
        if known == 0 {
            link[0] = state;
        }
    }
    Some(links)
}

/// Returns whether two states lead to the same one, if the first edges show that: two of these lead
/// to the same state, or there are more edges than states if all edges are like these. This test
/// needs no table of the size of the graph, whose allocation takes long.
fn do_first_edges_meet(edges: AllEdges<'_>) -> bool {
    let states = 0..edges.num_states() as u32;
    let all = states.flat_map(|state| edges.of(state).iter().map(move |&target| (target, state)));
    let mut others: Vec<_> = all.take(SAMPLED_EDGES).collect();
    let sampled = others.len().max(1);
    others.retain(|(target, state)| target != state);
    others.sort_unstable();
    others.dedup();
    let all_others = edges.targets.len() * others.len() / sampled;
    let most = edges.num_states() + edges.num_states() / 8;
    all_others > most || others.windows(2).any(|two| two[0].0 == two[1].0)
}

/// Returns the only state other than itself that a state leads to, or the state itself if there is
/// none. Returns `None` if there are two.
#[inline]
fn only_successor(targets: &[u32], state: u32) -> Option<u32> {
    let mut others = targets.iter().copied().filter(|&target| target != state);
    let first = others.next().unwrap_or(state);
    others.all(|target| target == first).then_some(first)
}

/// The links of all states, while walks follow them.
struct Links<'a>(&'a mut [Link]);

impl Links<'_> {
    #[inline]
    fn successor(&self, state: u32) -> u32 {
        self.0[state as usize][0]
    }

    #[inline]
    fn mark(&self, state: u32) -> u32 {
        self.0[state as usize][1]
    }

    #[inline]
    fn set_mark(&mut self, state: u32, mark: u32) {
        self.0[state as usize][1] = mark;
    }
}

/// The cycles of two or more states of a graph.
struct Cycles {
    links: Table<Link>,
    num_cycles: usize,
    num_on_cycles: usize,
}

/// Returns whether there are enough marks, and enough memory for one link per state and two numbers
/// per walk. In the worst case there are as many walks as states, and vectors may have twice the
/// capacity that they need.
pub(super) fn has_room(num_states: usize) -> bool {
    num_states < MAX_STATES
        && mdp_graph::check_room("walks", &[8 * num_states, 16 * num_states]).is_ok()
}

/// Returns the components, if no state has more than one successor or none has more than one
/// predecessor (other than itself). Otherwise returns `None`.
pub(super) fn sccs(
    edges: AllEdges<'_>,
    ticker: &mut Ticker<'_>,
) -> Result<Option<Partition>, Error> {
    let links = successors(edges).or_else(|| predecessors(edges));
    let cycles = links.map(|links| Cycles::find(links, ticker)).transpose()?;
    Ok(cycles.map(Cycles::into_sccs))
}

/// Returns the mark of the maximal end component of each state, or [`Components::NONE`], if no
/// state leads to more than one other. Otherwise returns `None`.
pub(super) fn mecs(
    graph: &MdpGraph,
    edges: AllEdges<'_>,
    ticker: &mut Ticker<'_>,
) -> Result<Option<Table<u32>>, Error> {
    let cycles = successors(edges).map(|links| Cycles::find(links, ticker));
    Ok(cycles.transpose()?.map(|cycles| cycles.into_mecs(graph)))
}

/// Part of a cycle: the states from `start` on that are on a walk.
#[derive(Clone, Copy)]
struct Segment {
    start: u32,
    walk: u32,
    cycle: u32,
}

struct Walks<'a> {
    links: Links<'a>,
    /// For each walk: the walk that it leads into, [`ENDED`], or [`NONE`] while it is not finished.
    ends: Vec<u32>,
    /// For each walk: the state at which it entered the other walk.
    entries: Vec<u32>,
}

impl Walks<'_> {
    /// Makes walks until all states are visited.
    fn walk(&mut self, ticker: &mut Ticker<'_>) -> Result<(), Error> {
        let mut roots = 0..self.links.0.len() as u32;
        let mut lanes: Vec<(u32, u32)> = Vec::with_capacity(LANES);
        loop {
            while lanes.len() < LANES
                && let Some(lane) = self.begin(&mut roots)
            {
                lanes.push(lane);
            }
            if lanes.is_empty() {
                return Ok(());
            }
            let mut i = 0;
            while let Some(lane) = lanes.get_mut(i) {
                ticker.tick(|| 0)?;
                let (state, walk) = *lane;
                match self.step(state, walk) {
                    Some(next) => lane.0 = next,
                    None => match self.begin(&mut roots) {
                        Some(next) => *lane = next,
                        None => {
                            lanes.swap_remove(i);
                            continue;
                        }
                    },
                }
                i += 1;
            }
        }
    }

    /// Begins a walk at the next unvisited state that leads to another state.
    #[inline]
    fn begin(&mut self, roots: &mut impl Iterator<Item = u32>) -> Option<(u32, u32)> {
        for root in roots {
            steps::count(1);
            if self.links.mark(root) == NONE {
                let walk = self.ends.len() as u32;
                if self.enter(root, walk) {
                    self.ends.push(NONE);
                    self.entries.push(0);
                    return Some((root, walk));
                }
            }
        }
        None
    }

    /// Marks a state as part of a walk. Returns whether it leads to another state.
    #[inline]
    fn enter(&mut self, state: u32, walk: u32) -> bool {
        let goes_on = self.links.successor(state) != state;
        self.links
            .set_mark(state, if goes_on { walk } else { ENDED });
        goes_on
    }

    /// Moves to the successor of a state. Returns `None` if the walk ends there.
    #[inline]
    fn step(&mut self, state: u32, walk: u32) -> Option<u32> {
        steps::count(1);
        let next = self.links.successor(state);
        let end = match self.links.mark(next) {
            NONE if self.enter(next, walk) => return Some(next),
            NONE | ENDED => ENDED,
            own if own == walk => own,
            other => match self.ends[other as usize] {
                end if end == ENDED || end == other => ENDED,
                _ => other,
            },
        };
        self.ends[walk as usize] = end;
        self.entries[walk as usize] = next;
        None
    }

    /// Returns the cycles, as segments of walks, and the number of cycles.
    fn rings(&self) -> (Vec<Segment>, usize) {
        let (mut segments, mut cycles) = (Vec::new(), 0);
        let mut seen_from: Table<u32> = Table::zeroed(self.ends.len());
        for first in FIRST..self.ends.len() as u32 {
            let mut walk = first;
            while walk != ENDED && seen_from[walk as usize] == NONE {
                steps::count(1);
                seen_from[walk as usize] = first;
                walk = self.ends[walk as usize];
            }
            if walk == ENDED || seen_from[walk as usize] != first {
                continue;
            }
            let start = walk;
            loop {
                let into = self.ends[walk as usize];
                segments.push(Segment {
                    start: self.entries[walk as usize],
                    walk: into,
                    cycle: cycles,
                });
                walk = into;
                if walk == start {
                    break;
                }
            }
            cycles += 1;
        }
        (segments, cycles as usize)
    }
}

/// Marks the states of the segments with their cycles. Returns the number of these states.
fn mark_cycles(
    links: &mut Links<'_>,
    segments: &[Segment],
    ticker: &mut Ticker<'_>,
) -> Result<usize, Error> {
    let first_mark = first_cycle(links.0.len());
    let mut left = segments.iter().copied();
    let mut lanes: Vec<Segment> = left.by_ref().take(LANES).collect();
    // The states have a separate array. If a lane were written in part and then read as a whole,
    // the read would wait until the write has reached the cache, and so for all earlier reads.
    let mut states: Vec<u32> = lanes.iter().map(|lane| lane.start).collect();
    let mut num_marked = 0;
    while !lanes.is_empty() {
        let mut i = 0;
        while i < lanes.len() {
            ticker.tick(|| num_marked)?;
            steps::count(1);
            let Segment { walk, cycle, .. } = lanes[i];
            links.set_mark(states[i], first_mark + cycle);
            num_marked += 1;
            states[i] = links.successor(states[i]);
            if links.mark(states[i]) == walk {
                i += 1;
            } else if let Some(next) = left.next() {
                (lanes[i], states[i]) = (next, next.start);
                i += 1;
            } else {
                lanes.swap_remove(i);
                states.swap_remove(i);
            }
        }
    }
    Ok(num_marked)
}

/// Returns the mark of the first cycle, above those of all states and walks.
fn first_cycle(num_states: usize) -> u32 {
    num_states as u32 + FIRST
}

impl Cycles {
    fn find(mut links: Table<Link>, ticker: &mut Ticker<'_>) -> Result<Self, Error> {
        let mut walks = Walks {
            links: Links(&mut links),
            ends: vec![ENDED; FIRST as usize],
            entries: vec![0; FIRST as usize],
        };
        walks.walk(ticker)?;
        let (segments, num_cycles) = walks.rings();
        let num_on_cycles = mark_cycles(&mut walks.links, &segments, ticker)?;
        Ok(Self {
            links,
            num_cycles,
            num_on_cycles,
        })
    }

    /// Returns the strongly connected components.
    fn into_sccs(self) -> Partition {
        let n = self.links.len();
        let parts = self.num_cycles + n - self.num_on_cycles;
        Partition::of_parts(self.marks(|state| state), parts)
    }

    /// Returns the mark of the maximal end component of each state, or [`Components::NONE`]. Cycles
    /// are end components, because all choices of their states stay on them. Any other state is an
    /// end component if it has a choice that leads only to the state itself.
    fn into_mecs(self, graph: &MdpGraph) -> Table<u32> {
        self.marks(|state| {
            let mut choices = graph.choices(StateId(state));
            let stays = choices.any(|choice| {
                let targets = graph.targets(choice);
                targets.iter().all(|&target| target == StateId(state))
            });
            if stays { state } else { Components::NONE }
        })
    }

    /// Returns a mark for each state: the mark of its cycle, or the result of `alone`.
    fn marks(&self, alone: impl Fn(u32) -> u32 + Sync) -> Table<u32> {
        let first_cycle = first_cycle(self.links.len());
        let mut marks: Table<u32> = Table::any(self.links.len());
        let links = &self.links[..];
        let states = marks.par_iter_mut().enumerate().with_min_len(PIECE);
        states.for_each(|(state, mark)| {
            *mark = match links[state][1] {
                cycle if cycle >= first_cycle => cycle,
                _ => alone(state as u32),
            };
        });
        marks
    }
}

#[cfg(test)]
mod tests {
    use super::super::{basic, tarjan};
    use super::*;
    use crate::Silent;
    use mdp_graph::{ChunkBuilder, Deadlocks, StateRows, assemble};
    use proptest::prelude::*;

    /// Returns a graph whose state `s` has the choices of `rows[s]`.
    fn graph(rows: &[Vec<Vec<u32>>]) -> MdpGraph {
        let mut chunk = ChunkBuilder::default();
        for (state, choices) in rows.iter().enumerate() {
            for targets in choices {
                let targets: Vec<_> = targets.iter().copied().map(StateId).collect();
                chunk.push_choice(StateId(state as u32), &targets);
            }
        }
        assemble(rows.len() as u32, vec![chunk.finish()], Deadlocks::Keep)
            .expect("a graph")
            .graph
    }

    /// Returns graphs whose states have at most one other successor, by one or more choices, with
    /// or without a self-loop.
    fn functional() -> impl Strategy<Value = Vec<Vec<Vec<u32>>>> {
        let size = prop_oneof![1..8usize, 1..200usize];
        size.prop_flat_map(|n| {
            let state = (0..n as u32, 0..8u8);
            prop::collection::vec(state, n).prop_map(|drawn| {
                let row = |(state, (next, how)): (u32, (u32, u8))| match how {
                    0 => vec![],
                    1 => vec![vec![state]],
                    2 => vec![vec![state, next]],
                    3 => vec![vec![state], vec![next]],
                    4 => vec![vec![next], vec![next, state]],
                    _ => vec![vec![next]],
                };
                (0..).zip(drawn).map(row).collect()
            })
        })
    }

    fn check(graph: &MdpGraph) {
        let rows = StateRows::new(graph);
        let links = successors(AllEdges::new(graph, &rows));
        let mut ticker = Ticker::new(&Silent, graph.num_states());
        let mut find =
            || Cycles::find(links.clone().expect("the graph is functional"), &mut ticker);
        let sccs = find().expect("not cancelled").into_sccs();
        let mecs = find().expect("not cancelled").into_mecs(graph);
        let mut ticker = Ticker::new(&Silent, graph.num_states());
        let expected =
            tarjan::sccs(graph, &tarjan::Everything, &mut ticker).expect("not cancelled");
        assert_eq!(
            Components::from_scc_marks(graph, sccs),
            Components::from_scc_marks(graph, expected)
        );
        let expected = basic::mecs(graph, &mut ticker).expect("not cancelled");
        assert_eq!(
            Components::from_mec_marks(mecs),
            Components::from_mec_marks(expected)
        );
    }

    proptest! {
        #[test]
        fn cycles_are_the_components(rows in functional()) {
            check(&graph(&rows));
        }

        #[test]
        fn edges_may_be_followed_backward(rows in functional()) {
            let mut back = vec![Vec::new(); rows.len()];
            for (state, targets) in rows.iter().enumerate().map(|(s, row)| (s, row.concat())) {
                targets.iter().for_each(|&target| back[target as usize].push(vec![state as u32]));
            }
            let graph = graph(&back);
            let state_rows = StateRows::new(&graph);
            let links = predecessors(AllEdges::new(&graph, &state_rows))
                .expect("the graph is functional");
            let mut ticker = Ticker::new(&Silent, graph.num_states());
            let found = Cycles::find(links, &mut ticker).expect("not cancelled").into_sccs();
            let expected = tarjan::sccs(&graph, &tarjan::Everything, &mut ticker)
                .expect("not cancelled");
            prop_assert_eq!(
                Components::from_scc_marks(&graph, found),
                Components::from_scc_marks(&graph, expected)
            );
        }

        #[test]
        fn permutations_have_cycles_of_all_lengths(
            order in (1..300u32).prop_flat_map(|n| Just((0..n).collect::<Vec<_>>()).prop_shuffle()),
        ) {
            let rows: Vec<_> = order.iter().map(|&next| vec![vec![next]]).collect();
            check(&graph(&rows));
        }
    }

    #[test]
    fn graphs_that_branch_are_left_alone() {
        let graph = graph(&[vec![vec![0, 1], vec![2]], vec![], vec![vec![1]]]);
        let rows = StateRows::new(&graph);
        let edges = AllEdges::new(&graph, &rows);
        assert!(successors(edges).is_none() && predecessors(edges).is_none());
    }

    /// No two of the first edges lead to the same state, but there are two edges for each state.
    #[test]
    fn the_number_of_edges_shows_that_some_meet() {
        let n = 4 * SAMPLED_EDGES as u32;
        let meet = |twin: u32| {
            let rows: Vec<u32> = (0..=n).map(|state| 2 * state).collect();
            let row = |state: u32| [state, (state + twin) % n].map(|to| (to + 1) % n);
            let targets: Vec<u32> = (0..n).flat_map(row).collect();
            do_first_edges_meet(AllEdges {
                rows: &rows,
                targets: &targets,
            })
        };
        assert!(meet(n / 2));
        assert!(!meet(0));
        assert!(!meet(n - 1));
    }

    #[test]
    fn time_is_linear() {
        let n = 50_000u32;
        // The families are a cycle, a tree, and a cycle into which all other states lead.
        let families: [&dyn Fn(u32) -> u32; 3] = [&|s| (s + 1) % n, &|s| s / 2, &|s| (s % 99) + 1];
        for next in families {
            let rows: Vec<_> = (0..n).map(|state| vec![vec![next(state)]]).collect();
            let graph = graph(&rows);
            let state_rows = StateRows::new(&graph);
            let links =
                successors(AllEdges::new(&graph, &state_rows)).expect("the graph is functional");
            let mut ticker = Ticker::new(&Silent, graph.num_states());
            let steps = steps::of(|| assert!(Cycles::find(links, &mut ticker).is_ok()));
            assert!(steps < 5 * u64::from(n), "{steps} steps");
        }
    }
}
