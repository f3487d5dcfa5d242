//! [`Condensation`]: the undecided states of a part, in which each set of states that is strongly
//! connected by branches of the part alone is one node.

use super::live::Live;
use super::local::{NONE, nodes};
use crate::Error;
use crate::net::Net;
use crate::part::Part;
use mdp_graph::{ComponentKind, Components, MdpGraph, StateId, transpose};

/// A directed graph whose nodes are the SCCs of the part alone, followed by the ghosts of the part,
/// which have no edges here.
pub(super) struct Condensation {
    /// The own states that were undecided, in ascending order.
    states: Vec<u32>,
    /// The node of each own state, or [`NONE`].
    node: Vec<u32>,
    /// The smallest own state of each node.
    smallest: Vec<u32>,
    /// The targets of the edges of each node: nodes and ghosts, without duplicates, and without the
    /// node itself.
    out: Rows,
    /// The sources of the edges to each node or ghost.
    into: Rows,
    /// For each node, the workers that have its states as ghosts, with the local numbers of these
    /// ghosts.
    copies: Vec<[u32; 2]>,
    copy_starts: Vec<u32>,
}

struct Rows {
    offsets: Vec<u32>,
    targets: Vec<u32>,
}

impl Rows {
    fn row(&self, i: u32) -> &[u32] {
        let i = i as usize;
        &self.targets[self.offsets[i] as usize..self.offsets[i + 1] as usize]
    }
}

impl Condensation {
    /// Returns the condensation of the undecided states. Other workers have edges to `entries`,
    /// which are sorted.
    pub(super) fn new(
        part: &Part,
        live: &Live,
        entries: &[[u32; 3]],
        net: &mut Net<'_>,
    ) -> Result<Self, Error> {
        let states: Vec<u32> = live.states(part).collect();
        let mut node = nodes(part, &states);
        let sccs = inner_sccs(part, live, (&states, &node), net)?;
        for (place, &state) in states.iter().enumerate() {
            let component = sccs.component(StateId::from_index(place));
            node[state as usize] = component.map_or(NONE, |component| component.0);
        }
        let smallest = sccs.ids().map(|id| sccs.smallest(id).index());
        // The own states may be followed by ghosts, which are components by themselves.
        let own = smallest.take_while(|&place| place < states.len());
        let smallest: Vec<u32> = own.map(|place| states[place]).collect();
        let out = edges(part, live, (&states, &node), (&sccs, smallest.len() as u32));
        drop(sccs);
        let into = {
            let bound = smallest.len() + part.num_ghosts();
            let turn = || transpose(&out.offsets[1..], &out.targets, bound);
            let (offsets, targets) = net.compute.pool().run(turn);
            Rows { offsets, targets }
        };
        let (copy_starts, copies) = copies(&node, smallest.len(), entries);
        Ok(Self {
            states,
            node,
            smallest,
            out,
            into,
            copies,
            copy_starts,
        })
    }

    /// Returns the number of nodes.
    pub(super) fn len(&self) -> u32 {
        self.smallest.len() as u32
    }

    /// Returns the own states, in ascending order, each with its node.
    pub(super) fn states(&self) -> impl Iterator<Item = (u32, u32)> {
        self.states
            .iter()
            .map(|&state| (state, self.node[state as usize]))
    }

    /// Returns the node of an own state, if it is undecided.
    pub(super) fn node(&self, state: u32) -> Option<u32> {
        Some(self.node[state as usize]).filter(|&node| node != NONE)
    }

    /// Returns the smallest own state of a node.
    pub(super) fn smallest(&self, node: u32) -> u32 {
        self.smallest[node as usize]
    }

    /// Returns the targets of the edges of a node.
    pub(super) fn out(&self, node: u32) -> impl ExactSizeIterator<Item = End> {
        let end = |&target: &u32| match target.checked_sub(self.len()) {
            Some(ghost) => End::Ghost(ghost),
            None => End::Node(target),
        };
        self.out.row(node).iter().map(end)
    }

    /// Returns the nodes that have edges to a node.
    pub(super) fn sources(&self, node: u32) -> &[u32] {
        self.into.row(node)
    }

    /// Returns the nodes that have edges to a ghost.
    pub(super) fn sources_of_ghost(&self, ghost: u32) -> &[u32] {
        self.into.row(self.len() + ghost)
    }

    /// Returns the workers that have states of a node as ghosts, with the local numbers of these
    /// ghosts.
    pub(super) fn copies(&self, node: u32) -> &[[u32; 2]] {
        let node = node as usize;
        &self.copies[self.copy_starts[node] as usize..self.copy_starts[node + 1] as usize]
    }
}

/// The target of an edge.
#[derive(Clone, Copy)]
pub(super) enum End {
    Node(u32),
    Ghost(u32),
}

/// Returns the SCCs of the branches between undecided states of the part. They may be followed by
/// others.
fn inner_sccs(
    part: &Part,
    live: &Live,
    (states, place): (&[u32], &[u32]),
    net: &mut Net<'_>,
) -> Result<Components, Error> {
    let found = match live.is_all() {
        // No edge leads back from a ghost.
        true => net.compute.decompose(part.graph(), ComponentKind::Scc),
        false => net
            .compute
            .decompose(&inner_graph(part, live, states, place), ComponentKind::Scc),
    };
    Ok(found?)
}

/// Returns the branches between undecided states of the part.
fn inner_graph(part: &Part, live: &Live, states: &[u32], place: &[u32]) -> MdpGraph {
    let (mut choice_offsets, mut branch_offsets) = (vec![0], vec![0]);
    let mut targets = Vec::new();
    for &state in states {
        let begin = targets.len();
        let own = live
            .targets(part, state)
            .filter(|&target| part.ghost(target).is_none());
        let places = own
            .map(|target| place[target.index()])
            .filter(|&place| place != NONE);
        targets.extend(places.map(StateId));
        if targets.len() > begin {
            branch_offsets.push(targets.len() as u32);
        }
        choice_offsets.push(branch_offsets.len() as u32 - 1);
    }
    MdpGraph::from_parts(choice_offsets, branch_offsets, targets)
        .expect("each choice has targets, which are states")
}

/// Returns the edges between nodes and to ghosts, without duplicates.
fn edges(
    part: &Part,
    live: &Live,
    (states, node): (&[u32], &[u32]),
    (sccs, count): (&Components, u32),
) -> Rows {
    // For each target, the last node with an edge to it.
    let mut last = vec![NONE; count as usize + part.num_ghosts()];
    let members = sccs.members();
    let (mut offsets, mut targets) = (vec![0], Vec::new());
    for id in sccs.ids().take(count as usize) {
        for member in members.states(id) {
            for target in live.targets(part, states[member.index()]) {
                let end = match part.ghost(target) {
                    Some(ghost) => count + ghost,
                    None => node[target.index()],
                };
                if end != NONE && end != id.0 && last[end as usize] != id.0 {
                    last[end as usize] = id.0;
                    targets.push(end);
                }
            }
        }
        offsets.push(targets.len() as u32);
    }
    Rows { offsets, targets }
}

/// Returns the entries, sorted by their nodes. Those of decided states are left out.
fn copies(node: &[u32], count: usize, entries: &[[u32; 3]]) -> (Vec<u32>, Vec<[u32; 2]>) {
    let of_node = |&[state, worker, ghost]: &[u32; 3]| [node[state as usize], worker, ghost];
    let mut copies: Vec<[u32; 3]> = entries
        .iter()
        .map(of_node)
        .filter(|f| f[0] != NONE)
        .collect();
    copies.sort_unstable();
    let starts =
        (0..=count as u32).map(|node| copies.partition_point(|copy| copy[0] < node) as u32);
    (
        starts.collect(),
        copies.iter().map(|copy| [copy[1], copy[2]]).collect(),
    )
}
