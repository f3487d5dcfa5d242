//! A large model, drawn condensed: a node for each component, and for each state in no component.
//! If there are too many, the most important ones get nodes, and all others of a kind share one
//! node.
//!
//! Nodes are ranked: first those with an initial state, then by size, then those that no edge
//! leaves, then by their smallest states. As many nodes are drawn as there is room for, and fewer
//! if there are too many edges between them. If there is no room for all, other single states are
//! left out. Nodes that are left out are merged, so that each path of the model is a path of the
//! drawing.

use super::style::{fill, is_white};
use crate::Decomposition;
use crate::table::states;
use mdp_graph::grouped;
use mdp_graph::{BitSet, ComponentId, ComponentKind, SharedBits, StateId};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::io::{self, Write};

/// The largest number of nodes that are drawn, without those that represent others.
const MAX_NODES: usize = 60;

/// The largest number of edges between different nodes that are drawn.
const MAX_EDGES: usize = 200;

/// The number of kinds of nodes that represent others.
const KINDS: usize = 3;

/// The kind of nodes that represent trivial components and states in no component.
const SINGLE: usize = 2;

pub(super) fn write(out: &mut dyn Write, of: &Decomposition<'_>) -> io::Result<()> {
    let drawing = Condensation::new(of, MAX_NODES, MAX_EDGES);
    drawing.caption(out, of)?;
    for node in &drawing.nodes {
        node.write(out, of)?;
    }
    for (i, node) in drawing
        .others
        .iter()
        .enumerate()
        .filter(|(_, other)| other.count > 0)
    {
        node.write(out, of, i)?;
    }
    for (from, to) in drawing.edges() {
        writeln!(out, "  {} -> {};", drawing.name(from), drawing.name(to))?;
    }
    Ok(())
}

/// A component, or a state that is in no component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Node {
    smallest: StateId,
    component: Option<ComponentId>,
    size: u32,
    is_bottom: bool,
    is_initial: bool,
}

/// All nodes of a kind that are not drawn individually.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Others {
    count: u64,
    states: u64,
    smallest: u32,
    largest: u32,
}

/// The drawing. Nodes are numbered in the order of their ranks, followed by the nodes that
/// represent others.
struct Condensation {
    nodes: Vec<Node>,
    others: [Others; KINDS],
    /// The number of nodes if all were drawn.
    total: usize,
    /// Whether there is an edge, for each pair of numbers. The second number changes fastest.
    edges: BitSet,
}

impl Condensation {
    fn new(of: &Decomposition<'_>, most_nodes: usize, most_edges: usize) -> Self {
        let all = Candidates::new(of);
        let total = all.count();
        let mut ranked = all.ranked(most_nodes);
        if total > most_nodes {
            ranked.retain(|node| node.matters(of));
        }
        let mut drawing = Self {
            edges: all.edges(&ranked),
            others: all.others(&ranked),
            total,
            nodes: ranked,
        };
        while drawing.edges().count() > most_edges && !drawing.nodes.is_empty() {
            drawing.merge(drawing.nodes.len() / 2, of);
        }
        drawing
    }

    /// Keeps this many nodes of the highest ranks, and adds the rest to those that represent
    /// others.
    fn merge(&mut self, kept: usize, of: &Decomposition<'_>) {
        let before = self.nodes.len();
        let number = |old: usize| match old.checked_sub(before) {
            _ if old < kept => old,
            Some(kind) => kept + kind,
            None => kept + self.nodes[old].kind(of),
        };
        let count = kept + KINDS;
        let mut edges = BitSet::new(count * count);
        for (from, to) in self.edges() {
            edges.insert(number(from) * count + number(to));
        }
        self.edges = edges;
        for node in self.nodes.drain(kept..) {
            self.others[node.kind(of)].add(node.size);
        }
    }

    /// Returns the number of nodes, including those that represent others.
    fn count(&self) -> usize {
        self.nodes.len() + KINDS
    }

    /// Returns the edges between different nodes, by their numbers.
    fn edges(&self) -> impl Iterator<Item = (usize, usize)> {
        let count = self.count();
        let pairs = (0..count).flat_map(move |from| (0..count).map(move |to| (from, to)));
        pairs.filter(move |&(from, to)| from != to && self.edges.contains(from * count + to))
    }

    /// Returns the name of a node in the text of the drawing.
    fn name(&self, number: usize) -> String {
        match self.nodes.get(number) {
            Some(node) => node.smallest.to_string(),
            None => format!("others{}", number - self.nodes.len()),
        }
    }

    /// Writes a description of what is drawn and of what is left out.
    fn caption(&self, out: &mut dyn Write, of: &Decomposition<'_>) -> io::Result<()> {
        let kind = of.kind_name();
        let mut lines = vec![format!(
            "{}, condensed: boxes are {kind}s ({} in all), circles single states",
            states(of.graph.num_states() as u64),
            grouped(of.components.len() as u64),
        )];
        if self.nodes.len() < self.total {
            lines.push(format!(
                "{} of {} boxes and circles are drawn, the largest first; dashed ones stand for the rest",
                self.nodes.len(),
                grouped(self.total as u64),
            ));
        }
        lines.push("double outline: no edge leaves it".to_owned());
        writeln!(out, "  labelloc=t;\n  label=\"{}\\n\";", lines.join("\\n"))
    }
}

/// Everything that can be drawn.
struct Candidates<'a> {
    of: &'a Decomposition<'a>,
    /// The components that no edge leaves, and those with an initial state.
    bottom: BitSet,
    initial: BitSet,
    initial_states: BitSet,
}

impl<'a> Candidates<'a> {
    fn new(of: &'a Decomposition<'a>) -> Self {
        let mut initial_states = BitSet::new(of.graph.num_states());
        for label in of.labels.iter().filter(|label| label.name == "init") {
            for state in label.states {
                initial_states.insert(state.index());
            }
        }
        Self {
            of,
            bottom: of.components.bottom(of.graph),
            initial: of.components.that_meet(&initial_states),
            initial_states,
        }
    }

    /// Returns the number of candidates.
    fn count(&self) -> usize {
        let components = self.of.components;
        components.len() + components.num_states() - components.num_member_states()
    }

    /// Returns the node of a component or of a state that is in no component. `smallest` is its
    /// smallest state.
    fn node(&self, smallest: StateId) -> Node {
        let components = self.of.components;
        let component = components.component(smallest);
        let in_any = |sets: &BitSet| component.is_some_and(|id| sets.contains(id.index()));
        Node {
            smallest,
            component,
            size: component.map_or(1, |id| components.size(id)),
            is_bottom: match component {
                Some(_) => in_any(&self.bottom),
                None => self.of.graph.is_deadlock(smallest),
            },
            is_initial: match component {
                Some(_) => in_any(&self.initial),
                None => self.initial_states.contains(smallest.index()),
            },
        }
    }

    /// Returns all candidates, in no particular order.
    fn all(&self) -> impl ParallelIterator<Item = Node> {
        let components = self.of.components;
        let states = (0..components.num_states())
            .into_par_iter()
            .map(StateId::from_index);
        let is_first = |state: &StateId| {
            components
                .smallest_of(*state)
                .is_none_or(|name| name == *state)
        };
        states.filter(is_first).map(|state| self.node(state))
    }

    /// Returns the candidates of the highest ranks, in order, at most `most` of them.
    fn ranked(&self, most: usize) -> Vec<Node> {
        let best = |mut nodes: Vec<Node>| {
            nodes.sort_unstable_by_key(Node::rank);
            nodes.truncate(most);
            nodes
        };
        let parts = self.all().fold(Vec::new, |mut nodes, node| {
            nodes.push(node);
            // A thread never has many more candidates than it may return.
            if nodes.len() >= 2 * most + 64 {
                best(nodes)
            } else {
                nodes
            }
        });
        let joined = parts.reduce(Vec::new, |mut one, mut other| {
            one.append(&mut other);
            best(one)
        });
        best(joined)
    }

    /// Returns the nodes that represent the candidates that are not drawn.
    fn others(&self, drawn: &[Node]) -> [Others; KINDS] {
        let none = || [Others::default(); KINDS];
        let drawn = Self::numbers(drawn);
        let rest = self
            .all()
            .filter(|node| !drawn.contains_key(&node.smallest));
        let parts = rest.fold(none, |mut others, node| {
            others[node.kind(self.of)].add(node.size);
            others
        });
        parts.reduce(none, |mut one, other| {
            one.iter_mut()
                .zip(other)
                .for_each(|(one, other)| one.join(other));
            one
        })
    }

    fn numbers(drawn: &[Node]) -> HashMap<StateId, usize> {
        drawn.iter().map(|node| node.smallest).zip(0..).collect()
    }

    /// Returns the edges between nodes, by their numbers.
    fn edges(&self, drawn: &[Node]) -> BitSet {
        let (components, graph) = (self.of.components, self.of.graph);
        let numbers = Self::numbers(drawn);
        let number = |smallest: StateId| match numbers.get(&smallest) {
            Some(&number) => number,
            None => drawn.len() + self.node(smallest).kind(self.of),
        };
        let ids = (0..components.len())
            .into_par_iter()
            .map(ComponentId::from_index);
        let of_component: Vec<u32> = ids
            .map(|id| number(components.smallest(id)) as u32)
            .collect();
        let number = |state: StateId| match components.component(state) {
            Some(id) => of_component[id.index()] as usize,
            None => number(state),
        };
        let count = drawn.len() + KINDS;
        let edges = SharedBits::new(count * count);
        (0..graph.num_states()).into_par_iter().for_each(|state| {
            let state = StateId::from_index(state);
            let from = number(state);
            for &target in graph.successors(state) {
                edges.insert((from * count + number(target)) as u32);
            }
        });
        BitSet::from_fn(count * count, |edge| edges.contains(edge as u32))
    }
}

impl Node {
    /// Returns the rank of a node. Nodes of lower ranks are drawn first.
    fn rank(&self) -> impl Ord + use<> {
        let important = (self.is_initial, self.size, self.is_bottom);
        (Reverse(important), self.smallest)
    }

    /// Returns whether it is drawn if not all candidates can be. A few of many single states would
    /// not be informative.
    fn matters(&self, of: &Decomposition<'_>) -> bool {
        self.is_initial || self.is_bottom || self.kind(of) != SINGLE
    }

    /// Returns the kind of node that would represent this one.
    fn kind(&self, of: &Decomposition<'_>) -> usize {
        match self.component {
            Some(id) if !is_white(of.components, id) => usize::from(self.is_bottom),
            _ => SINGLE,
        }
    }

    fn write(&self, out: &mut dyn Write, of: &Decomposition<'_>) -> io::Result<()> {
        let name = self.smallest;
        match self.size {
            1 => write!(out, "  {name} [label=\"{name}")?,
            size => write!(
                out,
                "  {name} [shape=box, label=\"{name}\\n{}",
                states(size.into())
            )?,
        }
        if self.is_initial {
            write!(out, "\\ninit")?;
        }
        write!(out, "\"")?;
        if self.is_bottom {
            write!(out, ", peripheries=2")?;
        }
        fill(out, of.components, self.component)?;
        writeln!(out, "];")
    }
}

impl Others {
    fn add(&mut self, size: u32) {
        self.join(Self {
            count: 1,
            states: size.into(),
            smallest: size,
            largest: size,
        });
    }

    fn join(&mut self, other: Self) {
        if self.count == 0 || other.count == 0 {
            *self = if self.count == 0 { other } else { *self };
            return;
        }
        self.count += other.count;
        self.states += other.states;
        self.smallest = self.smallest.min(other.smallest);
        self.largest = self.largest.max(other.largest);
    }

    /// Draws a dashed box for this many nodes of a kind.
    fn write(&self, out: &mut dyn Write, of: &Decomposition<'_>, kind: usize) -> io::Result<()> {
        let name = of.kind_name();
        let plural = if self.count == 1 { "" } else { "s" };
        let what = match (kind, of.components.kind()) {
            (SINGLE, ComponentKind::Scc) => format!("trivial {name}{plural}"),
            (SINGLE, _) => format!("state{plural} in no {name}"),
            (1, ComponentKind::Bscc) => format!("{name}{plural}"),
            (1, _) => format!("{name}{plural} that no edge leaves"),
            _ => format!("{name}{plural}"),
        };
        let count = grouped(self.count);
        write!(
            out,
            "  others{kind} [shape=box, style=\"dashed,filled\", label=\"{count} other {what}"
        )?;
        if kind != SINGLE {
            let (least, most) = (u64::from(self.smallest), u64::from(self.largest));
            let sizes = match least == most {
                true => states(least),
                false => format!("{} to {}", grouped(least), states(most)),
            };
            let total = states(self.states);
            write!(out, "\\nof {sizes} each\\n{total} in all")?;
        }
        let peripheries = if kind == 1 { ", peripheries=2" } else { "" };
        writeln!(out, "\"{peripheries}];")
    }
}

#[cfg(test)]
mod tests;
