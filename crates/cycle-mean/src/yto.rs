//! Parametric shortest paths, after Young, Tarjan and Orlin: *Faster parametric shortest path and
//! minimum-balance algorithms*, Networks 21, 1991 (section 2.4.3 of Barnat, Bauch, Brim and Češka,
//! 2011).
//!
//! Each edge has the length weight - λ time. An additional state has an edge of length 0 to each
//! other state. For small λ, the shortest paths from the additional state are those with the least
//! time. Then λ grows. At each *threshold*, an edge replaces another one in the tree of shortest
//! paths. The first edge that leads from a state back to one on its path closes a cycle of length
//! 0: λ is the optimum.

use crate::arc::Arc;
use crate::region::{Region, Transposed};
use crate::search::{Solution, Ticker};
use crate::{Error, Ratio};
use mdp_graph::OutOfMemory;
use std::cmp::Ordering;
use std::collections::{BinaryHeap, VecDeque};

/// Stands for a missing state or edge.
const NONE: u32 = u32::MAX;

/// The λ from which on an edge into `state` shortens its path: `weight / time`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Threshold {
    weight: i64,
    time: i64,
    state: u32,
    /// The number of this threshold among those of the state. Only the last one counts.
    version: u32,
}

impl Threshold {
    fn compare(&self, other: &Self) -> Ordering {
        let product = |a: i64, b: i64| i128::from(a) * i128::from(b);
        product(self.weight, other.time).cmp(&product(other.weight, self.time))
    }
}

/// The order is reversed, because the heap yields the largest element. Equal thresholds are ordered
/// by state.
impl Ord for Threshold {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_value = other.compare(self);
        by_value.then_with(|| (other.state, other.version).cmp(&(self.state, self.version)))
    }
}

impl PartialOrd for Threshold {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The data of a state.
#[derive(Clone, Copy)]
struct Node {
    /// The weight and the time of its path.
    weight: i64,
    time: i64,
    /// The previous state on its path, and the edge from there; [`NONE`] for the additional state.
    parent: u32,
    arc: u32,
    /// The first child, and the siblings, as linked lists.
    child: u32,
    next: u32,
    previous: u32,
    /// The edge with the least threshold, its source, and the number of times that it has changed.
    best: u32,
    source: u32,
    version: u32,
    /// Whether the state is in the subtree that moves.
    moves: bool,
}

const ROOT_CHILD: Node = Node {
    weight: 0,
    time: 0,
    parent: NONE,
    arc: NONE,
    child: NONE,
    next: NONE,
    previous: NONE,
    best: NONE,
    source: NONE,
    version: 0,
    moves: false,
};

/// The tree of shortest paths, and the thresholds.
struct Tree<'a, A> {
    region: Region<'a, A>,
    /// The edges into each state: their sources and their numbers.
    entering: Transposed<(u32, u32)>,
    nodes: Vec<Node>,
    heap: BinaryHeap<Threshold>,
}

/// Solves a component.
pub(crate) fn solve<A: Arc>(
    region: &Region<'_, A>,
    ticker: &Ticker<'_>,
) -> Result<Solution, Error> {
    let found = ParametricSearch::new(region)?.go_on(u64::MAX, ticker)?;
    // A strongly connected component has a cycle, which is found before thresholds run out.
    found.ok_or(Error::Cancelled)
}

/// A search that can be interrupted.
pub(crate) struct ParametricSearch<'a, A> {
    tree: Tree<'a, A>,
    subtree: Vec<u32>,
    thresholds: u32,
}

impl<'a, A: Arc> ParametricSearch<'a, A> {
    /// The bytes that a search needs, for each state and for each edge.
    pub(crate) const BYTES: [usize; 2] = [
        size_of::<Node>() + 4 * size_of::<Threshold>() + size_of::<u32>(),
        size_of::<(u32, u32)>(),
    ];

    /// Begins a search.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn new(region: &Region<'a, A>) -> Result<Self, OutOfMemory> {
        let mut tree = Tree {
            region: *region,
            entering: region.transposed(|source, arc| (source, arc))?,
            nodes: vec![ROOT_CHILD; region.len()],
            heap: BinaryHeap::with_capacity(region.len()),
        };
        tree.begin();
        Ok(Self {
            tree,
            subtree: Vec::new(),
            thresholds: 0,
        })
    }

    /// Goes on with the search, until it ends or has looked at this many states and edges.
    pub(crate) fn go_on(
        &mut self,
        most: u64,
        ticker: &Ticker<'_>,
    ) -> Result<Option<Solution>, Error> {
        let tree = &mut self.tree;
        let mut looked_at = 0;
        while looked_at < most
            && let Some(threshold) = tree.heap.pop()
        {
            looked_at += 1;
            let node = tree.nodes[threshold.state as usize];
            if node.version != threshold.version {
                continue;
            }
            if self.thresholds.is_multiple_of(64) {
                ticker.check()?;
            }
            self.thresholds += 1;
            tree.gather(threshold.state, &mut self.subtree);
            if tree.nodes[node.source as usize].moves {
                return Ok(Some(tree.finish(&threshold, self.thresholds)));
            }
            looked_at += tree.pivot(&threshold, &self.subtree);
        }
        Ok(None)
    }
}

impl<A: Arc> Tree<'_, A> {
    /// Finds the paths that take no time, and the first thresholds.
    fn begin(&mut self) {
        let states = 0..self.region.len() as u32;
        let mut found: VecDeque<u32> = states.clone().collect();
        while let Some(state) = found.pop_front() {
            for number in self.region.row(state as usize) {
                let arc = self.region.arc(number);
                let weight = self.nodes[state as usize].weight + arc.weight();
                if arc.time() == 0 && weight < self.nodes[arc.target()].weight {
                    self.nodes[arc.target()].weight = weight;
                    self.adopt(arc.target() as u32, state, number as u32);
                    found.push_back(arc.target() as u32);
                }
            }
        }
        for state in states {
            self.choose(state);
        }
    }

    /// Gives a state another parent.
    fn adopt(&mut self, state: u32, parent: u32, arc: u32) {
        let Node {
            parent: old,
            next,
            previous,
            ..
        } = self.nodes[state as usize];
        if previous != NONE {
            self.nodes[previous as usize].next = next;
        } else if old != NONE {
            self.nodes[old as usize].child = next;
        }
        if next != NONE {
            self.nodes[next as usize].previous = previous;
        }
        let first = std::mem::replace(&mut self.nodes[parent as usize].child, state);
        if first != NONE {
            self.nodes[first as usize].previous = state;
        }
        let node = &mut self.nodes[state as usize];
        (node.parent, node.arc) = (parent, arc);
        (node.next, node.previous) = (first, NONE);
    }

    /// Returns the λ from which on an edge shortens the path to its target, as a fraction.
    #[inline]
    fn threshold(&self, source: u32, number: u32) -> Option<(i64, i64)> {
        let arc = self.region.arc(number as usize);
        let (from, to) = (&self.nodes[source as usize], &self.nodes[arc.target()]);
        let time = from.time + arc.time() - to.time;
        (time > 0).then(|| (from.weight + arc.weight() - to.weight, time))
    }

    /// Finds the least threshold of a state over all edges into it.
    fn choose(&mut self, state: u32) {
        let mut least: Option<(Threshold, u32, u32)> = None;
        for &(source, number) in self.entering.row(state as usize) {
            let Some((weight, time)) = self.threshold(source, number) else {
                continue;
            };
            let threshold = Threshold {
                weight,
                time,
                state,
                version: 0,
            };
            if least.is_none_or(|(other, ..)| threshold.compare(&other).is_lt()) {
                least = Some((threshold, source, number));
            }
        }
        match least {
            Some((threshold, source, number)) => self.set(threshold, source, number),
            None => {
                self.nodes[state as usize].best = NONE;
                self.nodes[state as usize].version += 1;
            }
        }
    }

    /// Stores the threshold of its state.
    fn set(&mut self, threshold: Threshold, source: u32, number: u32) {
        let node = &mut self.nodes[threshold.state as usize];
        node.version += 1;
        (node.best, node.source) = (number, source);
        let version = node.version;
        self.heap.push(Threshold {
            version,
            ..threshold
        });
        if self.heap.len() > 4 * self.nodes.len() + 64 {
            let nodes = &self.nodes;
            self.heap
                .retain(|entry| nodes[entry.state as usize].version == entry.version);
        }
    }

    /// Lists a state and its descendants in the tree, and marks them.
    fn gather(&mut self, state: u32, subtree: &mut Vec<u32>) {
        subtree.clear();
        subtree.push(state);
        let mut next = 0;
        while let Some(&state) = subtree.get(next) {
            next += 1;
            self.nodes[state as usize].moves = true;
            let mut child = self.nodes[state as usize].child;
            while child != NONE {
                subtree.push(child);
                child = self.nodes[child as usize].next;
            }
        }
    }

    /// Moves a subtree below the source of the threshold's edge. Returns the number of states and
    /// edges that it looks at.
    fn pivot(&mut self, threshold: &Threshold, subtree: &[u32]) -> u64 {
        let Node { best, source, .. } = self.nodes[threshold.state as usize];
        self.adopt(threshold.state, source, best);
        for &state in subtree {
            let node = &mut self.nodes[state as usize];
            node.weight += threshold.weight;
            node.time += threshold.time;
        }
        let mut looked_at = 0;
        for &state in subtree {
            let (inward, outward) = (
                self.entering.row(state as usize).len(),
                self.region.row(state as usize).len(),
            );
            looked_at += (1 + inward + outward) as u64;
            self.choose(state);
            for number in self.region.row(state as usize) {
                let target = self.region.arc(number).target();
                if !self.nodes[target].moves {
                    self.lower(state, number as u32, target as u32);
                }
            }
        }
        for &state in subtree {
            self.nodes[state as usize].moves = false;
        }
        looked_at
    }

    /// Uses the threshold of an edge for its target, if it is less than the known one, or if it
    /// belongs to the same edge. The threshold of an edge out of a moving subtree never grows.
    fn lower(&mut self, source: u32, number: u32, target: u32) {
        let Some((weight, time)) = self.threshold(source, number) else {
            return;
        };
        let threshold = Threshold {
            weight,
            time,
            state: target,
            version: 0,
        };
        let Node {
            best, source: from, ..
        } = self.nodes[target as usize];
        let is_less = best == number
            || best == NONE
            || self.threshold(from, best).is_none_or(|(weight, time)| {
                let known = Threshold {
                    weight,
                    time,
                    ..threshold
                };
                threshold.compare(&known).is_lt()
            });
        if is_less {
            self.set(threshold, source, number);
        }
    }

    /// Returns the cycle that the edge of the threshold closes, and the lengths of the paths as
    /// potentials.
    fn finish(&self, threshold: &Threshold, iterations: u32) -> Solution {
        let Node { best, source, .. } = self.nodes[threshold.state as usize];
        let mut arcs = vec![best];
        let mut state = source;
        while state != threshold.state {
            arcs.push(self.nodes[state as usize].arc);
            state = self.nodes[state as usize].parent;
        }
        arcs.reverse();
        let value = Ratio::new(threshold.weight.into(), threshold.time as u64);
        let (p, q) = (value.numerator() as i64, value.denominator() as i64);
        let length = |node: &Node| q * node.weight - p * node.time;
        Solution {
            weight: threshold.weight,
            time: threshold.time,
            arcs,
            potentials: self.nodes.iter().map(length).collect(),
            iterations,
        }
    }
}
