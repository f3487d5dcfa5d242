//! [`Searched`]: the components of a range of states, and their part in the quotient.
//!
//! A component of the range may be part of a larger component of the graph if an *entry* leads to
//! it, that is, a state with an edge from another range, and if it leads to an *exit*, a state with
//! an edge to another range. Such a component is *open*. If most states of the range are in a few
//! large components, few components are open. If paths are long and thin, many are, but then there
//! are few entries and exits. So there are two cases:
//!
//! - *masked*: at most [`MASK_BITS`] components contain entries, and at most as many contain exits.
//!   Only these components are nodes of the quotient. For each component, masks tell which of the
//!   nodes reach it, and which it reaches. This also gives the edges between the nodes. After the
//!   search of the quotient, any other open component belongs to the component of the quotient that
//!   reaches it and that it reaches, if there is one.
//! - *unmasked*: all open components are nodes, and the edges between them are edges of the
//!   quotient.

use super::crossings::Borders;
use crate::Error;
use crate::cpu::edges::AllEdges;
use crate::cpu::pearce;
use crate::cpu::ticker::Ticker;
use mdp_graph::{Components, Table};
use std::collections::BTreeMap;
use std::ops::Range;

/// The most components with entries, or with exits, in the masked case.
pub(super) const MASK_BITS: usize = if cfg!(test) { 3 } else { 64 };

/// The memory that the search of a range takes for each state, in bytes: the number of its
/// component, its place in the order of components, and the node and the links of its component.
pub(super) const BYTES: usize = 3 * size_of::<u32>() + size_of::<Links>();

/// The entries and exits that a component is linked to, as masks.
#[derive(Clone, Copy, Default)]
struct Links {
    /// The entries that reach it.
    from: u64,
    /// The exits that it reaches.
    to: u64,
}

impl Links {
    /// Returns whether the component is open: it may be part of a larger one.
    fn are_open(self) -> bool {
        self.from != 0 && self.to != 0
    }
}

/// A range that was searched. Its components are numbered in an order in which edges lead to equal
/// or smaller numbers.
pub(super) struct Searched {
    num_components: usize,
    /// For each component its node, or [`Components::NONE`]; empty if there is no node.
    nodes: Vec<u32>,
    pub(super) num_nodes: usize,
    /// The edges between nodes of this range.
    pub(super) edges: Vec<(u32, u32)>,
    /// The links of all components, in the masked case.
    masks: Option<Masks>,
}

/// The links of the components of a range in the masked case.
struct Masks {
    /// The links of each component.
    links: Vec<Links>,
    /// For each bit of [`Links::from`] and of [`Links::to`] the node that it stands for, or
    /// [`Components::NONE`] if that component is not open.
    entries: Vec<u32>,
    exits: Vec<u32>,
}

impl Masks {
    /// Returns the components of the graph that nodes are in, with the entries and exits of these
    /// nodes.
    fn groups(&self, of_nodes: &[u32]) -> Vec<(u32, Links)> {
        let mut groups: BTreeMap<u32, Links> = BTreeMap::new();
        for (bit, node) in nodes_of_bits(&self.entries) {
            groups.entry(of_nodes[node]).or_default().from |= bit;
        }
        for (bit, node) in nodes_of_bits(&self.exits) {
            groups.entry(of_nodes[node]).or_default().to |= bit;
        }
        let both = groups.into_iter().filter(|(_, links)| links.are_open());
        both.collect()
    }
}

/// Returns the components that the bits of a mask stand for.
fn of_bits(components: &[u32], mask: u64) -> impl Iterator<Item = u32> {
    let all = components.iter().enumerate();
    all.filter_map(move |(bit, &component)| (mask >> bit & 1 == 1).then_some(component))
}

/// Returns each bit that stands for a node, and the node.
fn nodes_of_bits(nodes: &[u32]) -> impl Iterator<Item = (u64, usize)> {
    let nodes = (0..)
        .zip(nodes)
        .filter(|&(_, &node)| node != Components::NONE);
    nodes.map(|(place, &node)| (1 << place, node as usize))
}

/// The first numbers that components get in the graph.
#[derive(Clone, Copy)]
pub(super) struct FirstNumbers {
    /// For the components of the range that belong to no component of nodes.
    pub(super) own: u32,
    /// For the components of nodes.
    pub(super) of_nodes: u32,
}

impl Searched {
    /// Searches the states `within`. Each gets the number of its component.
    pub(super) fn search(
        edges: AllEdges<'_>,
        within: Range<u32>,
        borders: Borders<'_>,
        marks: &mut [u32],
        ticker: &mut Ticker<'_>,
    ) -> Result<Self, Error> {
        let (rows, targets) = inner_edges(edges, within.clone());
        let inner = AllEdges {
            rows: &rows,
            targets: &targets,
        };
        let (numbers, num_components) = pearce::sccs_in_order(inner, ticker)?;
        marks.copy_from_slice(&numbers);
        let component = |state: u32| numbers[(state - within.start) as usize];
        let entries = sorted(borders.entries.iter().map(|&state| component(state)));
        let exits = sorted(borders.exits.iter().map(|&(state, _)| component(state)));
        if entries.is_empty() || exits.is_empty() {
            return Ok(Self::without_nodes(num_components));
        }
        let is_masked = entries.len() <= MASK_BITS && exits.len() <= MASK_BITS;
        let search = Linking {
            edges: inner,
            order: order(&numbers, num_components),
            numbers,
        };
        let links = search.links(num_components, &entries, &exits, is_masked);
        Ok(match is_masked {
            true => Self::masked(links, &entries, &exits),
            false => Self::unmasked(&links, &search),
        })
    }

    /// Returns the number of components of the states `within` and the edges between them.
    pub(super) fn count(
        edges: AllEdges<'_>,
        within: Range<u32>,
        ticker: &mut Ticker<'_>,
    ) -> Result<usize, Error> {
        let (rows, targets) = inner_edges(edges, within);
        let inner = AllEdges {
            rows: &rows,
            targets: &targets,
        };
        Ok(pearce::sccs_in_order(inner, ticker)?.1)
    }

    fn without_nodes(num_components: usize) -> Self {
        Self {
            num_components,
            nodes: Vec::new(),
            num_nodes: 0,
            edges: Vec::new(),
            masks: None,
        }
    }

    fn masked(links: Vec<Links>, entries: &[u32], exits: &[u32]) -> Self {
        let mut nodes = vec![Components::NONE; links.len()];
        let mut num_nodes = 0;
        for &component in entries.iter().chain(exits) {
            let node = &mut nodes[component as usize];
            if links[component as usize].are_open() && *node == Components::NONE {
                *node = num_nodes;
                num_nodes += 1;
            }
        }
        let node = |component: u32| nodes[component as usize];
        let mut edges = Vec::new();
        for &component in entries.iter().chain(exits) {
            let (own, links) = (node(component), links[component as usize]);
            if links.are_open() {
                let reaching = of_bits(entries, links.from).map(|entry| (node(entry), own));
                let reached = of_bits(exits, links.to).map(|exit| (own, node(exit)));
                edges.extend(reaching.chain(reached).filter(|(from, to)| from != to));
            }
        }
        let of_all = |components: &[u32]| components.iter().map(|&one| node(one)).collect();
        Self {
            num_components: links.len(),
            num_nodes: num_nodes as usize,
            edges,
            masks: Some(Masks {
                entries: of_all(entries),
                exits: of_all(exits),
                links,
            }),
            nodes,
        }
    }

    fn unmasked(links: &[Links], search: &Linking<'_>) -> Self {
        let mut num_nodes = 0;
        let mut number = |links: &Links| match links.are_open() {
            true => {
                num_nodes += 1;
                num_nodes - 1
            }
            false => Components::NONE,
        };
        let nodes: Vec<u32> = links.iter().map(&mut number).collect();
        Self {
            num_components: links.len(),
            edges: search.edges_between(&nodes, num_nodes as usize),
            nodes,
            num_nodes: num_nodes as usize,
            masks: None,
        }
    }

    /// Returns the node of a component, if it has one.
    pub(super) fn node(&self, component: u32) -> Option<u32> {
        let node = *self.nodes.get(component as usize)?;
        (node != Components::NONE).then_some(node)
    }

    /// Replaces the numbers of components of the range by numbers of components of the graph.
    /// `of_nodes` has the component of each node, counted from 0. Returns the number of components
    /// of the range that belong to none of these.
    pub(super) fn name(&self, first: FirstNumbers, of_nodes: &[u32], marks: &mut [u32]) -> usize {
        if self.num_nodes == 0 {
            marks.iter_mut().for_each(|mark| *mark += first.own);
            return self.num_components;
        }
        let masks = self.masks.as_ref();
        let groups = masks.map(|masks| masks.groups(of_nodes));
        let group = |component: u32| {
            let links = masks?.links[component as usize];
            let mut groups = groups.iter().flatten();
            let group = groups.find(|(_, of_group)| {
                links.from & of_group.from != 0 && links.to & of_group.to != 0
            });
            group.map(|&(name, _)| name)
        };
        let mut own = 0;
        let mut name = |component: u32| {
            let of_node = self.node(component).map(|node| of_nodes[node as usize]);
            match of_node.or_else(|| group(component)) {
                Some(name) => first.of_nodes + name,
                None => {
                    own += 1;
                    first.own + component
                }
            }
        };
        let names: Vec<u32> = (0..self.num_components as u32).map(&mut name).collect();
        marks
            .iter_mut()
            .for_each(|mark| *mark = names[*mark as usize]);
        own
    }
}

/// The search for the links of components.
struct Linking<'a> {
    edges: AllEdges<'a>,
    /// For each state its component.
    numbers: Table<u32>,
    /// The states in the order of their components.
    order: Table<u32>,
}

impl Linking<'_> {
    fn component(&self, state: u32) -> usize {
        self.numbers[state as usize] as usize
    }

    /// Returns the edges between the nodes of components, each once.
    fn edges_between(&self, nodes: &[u32], num_nodes: usize) -> Vec<(u32, u32)> {
        let mut edges = Vec::new();
        // For each node the last one with an edge to it. All states of a node come one after the
        // other.
        let mut last_before = vec![Components::NONE; num_nodes];
        for &state in &*self.order {
            let component = self.component(state);
            let own = nodes[component];
            if own == Components::NONE {
                continue;
            }
            let targets = self.edges.of(state).iter();
            let others = targets.map(|&target| self.component(target));
            for other in others.filter(|&other| other != component) {
                let node = nodes[other];
                if node != Components::NONE
                    && std::mem::replace(&mut last_before[node as usize], own) != own
                {
                    edges.push((own, node));
                }
            }
        }
        edges
    }

    /// Returns the links of each component. `entries` and `exits` are the components that contain
    /// some. In the unmasked case, one bit stands for all entries, and one for all exits.
    fn links(
        &self,
        num_components: usize,
        entries: &[u32],
        exits: &[u32],
        is_masked: bool,
    ) -> Vec<Links> {
        let bit = |place: usize| if is_masked { 1 << place } else { 1 };
        let mut links = vec![Links::default(); num_components];
        for (place, &component) in entries.iter().enumerate() {
            links[component as usize].from = bit(place);
        }
        for (place, &component) in exits.iter().enumerate() {
            links[component as usize].to = bit(place);
        }
        // Edges lead to equal or smaller numbers, so the links of targets are complete.
        for &state in &*self.order {
            let own = self.component(state);
            let targets = self.edges.of(state).iter();
            let to = targets.fold(links[own].to, |to, &target| {
                to | links[self.component(target)].to
            });
            links[own].to = to;
        }
        for &state in self.order.iter().rev() {
            let from = links[self.component(state)].from;
            if from != 0 {
                for &target in self.edges.of(state) {
                    links[self.component(target)].from |= from;
                }
            }
        }
        links
    }
}

/// Returns the edges between the states `within`, which are renumbered from 0, without self-loops.
fn inner_edges(edges: AllEdges<'_>, within: Range<u32>) -> (Vec<u32>, Vec<u32>) {
    let ends = [within.start, within.end].map(|state| edges.rows[state as usize] as usize);
    let mut rows = Vec::with_capacity(within.len() + 1);
    let mut targets = vec![0; ends[1] - ends[0]];
    let mut end = 0;
    rows.push(0);
    for (own, state) in (0..).zip(within.clone()) {
        for &target in edges.of(state) {
            // Each target is written, and the next one in its place if it does not count: no
            // processor can predict which ones count.
            let inner = target.wrapping_sub(within.start);
            targets[end] = inner;
            end += usize::from((inner < within.len() as u32) & (inner != own));
        }
        rows.push(end as u32);
    }
    targets.truncate(end);
    (rows, targets)
}

/// Returns the numbers in ascending order, each once.
fn sorted(numbers: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut sorted: Vec<u32> = numbers.collect();
    sorted.sort_unstable();
    sorted.dedup();
    sorted
}

/// Returns the states in the order of their components.
fn order(numbers: &[u32], num_components: usize) -> Table<u32> {
    let mut ends = vec![0u32; num_components];
    for &number in numbers {
        ends[number as usize] += 1;
    }
    let mut end = 0;
    for next in &mut ends {
        end += *next;
        *next = end;
    }
    let mut order = Table::any(numbers.len());
    for (state, &number) in (0..).zip(numbers) {
        let place = &mut ends[number as usize];
        *place -= 1;
        order[*place as usize] = state;
    }
    order
}
