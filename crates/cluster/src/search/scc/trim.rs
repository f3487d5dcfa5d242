//! [`Trim`]: trimming, which removes the nodes of a condensation that have no predecessors or no
//! successors.

use crate::net::words::TAG;
use crate::net::{Net, Outbox};
use crate::part::Part;
use crate::search::condensation::{Condensation, End};
use mdp_graph::BitSet;

/// The nodes that remain. A node without predecessors or without successors is an SCC by itself,
/// and is removed with its edges. This continues, across workers, until there is no such node.
pub(super) struct Trim<'a> {
    part: &'a Part,
    condensation: &'a Condensation,
    left: BitSet,
    num_left: u64,
    /// The numbers of edges to and from each node.
    into: Vec<u32>,
    out: Vec<u32>,
    /// The number of edges to each ghost.
    into_ghost: Vec<u32>,
    /// The nodes for which `into` or `out` has become 0.
    bare: Vec<u32>,
    outbox: Outbox<u32>,
}

impl<'a> Trim<'a> {
    /// Begins with all nodes of a condensation. Other workers have edges to `entries`, and are
    /// notified when these are decided.
    pub(super) fn new(
        part: &'a Part,
        condensation: &'a Condensation,
        entries: &[[u32; 3]],
        net: &mut Net<'_>,
    ) -> Self {
        let nodes = 0..condensation.len();
        let ghosts = 0..part.num_ghosts() as u32;
        let into =
            |node| (condensation.sources(node).len() + condensation.copies(node).len()) as u32;
        let into: Vec<u32> = nodes.clone().map(into).collect();
        let out: Vec<u32> = nodes
            .clone()
            .map(|node| condensation.out(node).len() as u32)
            .collect();
        let bare = nodes.filter(|&node| into[node as usize] == 0 || out[node as usize] == 0);
        let mut outbox = net.outbox();
        for &[state, worker, ghost] in entries {
            if condensation.node(state).is_none() {
                outbox.push(net, worker as usize, ghost);
            }
        }
        Self {
            left: BitSet::from_fn(condensation.len() as usize, |_| true),
            num_left: condensation.len().into(),
            bare: bare.collect(),
            into_ghost: ghosts
                .map(|ghost| condensation.sources_of_ghost(ghost).len() as u32)
                .collect(),
            part,
            condensation,
            into,
            out,
            outbox,
        }
    }

    /// Returns whether a node remains.
    pub(super) fn is_left(&self, node: u32) -> bool {
        self.left.contains(node as usize)
    }

    /// Returns the number of nodes that remain on this worker.
    pub(super) fn num_left(&self) -> u64 {
        self.num_left
    }

    /// Returns the total number of edges to and from a node.
    pub(super) fn degree(&self, node: u32) -> u64 {
        u64::from(self.into[node as usize]) + u64::from(self.out[node as usize])
    }

    /// Removes a node, if it remains.
    pub(super) fn remove(&mut self, node: u32, net: &mut Net<'_>) {
        if !self.is_left(node) {
            return;
        }
        self.left.remove(node as usize);
        self.num_left -= 1;
        let condensation = self.condensation;
        for end in condensation.out(node) {
            match end {
                End::Node(target) => self.lose_edge_into(target),
                End::Ghost(ghost) => {
                    let count = &mut self.into_ghost[ghost as usize];
                    *count -= 1;
                    if *count == 0 {
                        let (owner, state) = self.part.owner_of(ghost);
                        self.outbox.push(net, owner, state | TAG);
                    }
                }
            }
        }
        for &source in condensation.sources(node) {
            self.lose_edge_out_of(source);
        }
        for &[worker, ghost] in condensation.copies(node) {
            self.outbox.push(net, worker as usize, ghost);
        }
    }

    fn lose_edge_into(&mut self, node: u32) {
        let count = &mut self.into[node as usize];
        *count -= 1;
        if *count == 0 {
            self.bare.push(node);
        }
    }

    fn lose_edge_out_of(&mut self, node: u32) {
        let count = &mut self.out[node as usize];
        *count -= 1;
        if *count == 0 {
            self.bare.push(node);
        }
    }

    /// Returns the total number of nodes and edges that remain on this worker.
    pub(super) fn size(&self) -> u64 {
        let left = (0..self.condensation.len()).filter(|&node| self.is_left(node));
        let size = |node: u32| 1 + u64::from(self.out[node as usize]);
        left.map(size).sum()
    }

    /// Removes nodes without predecessors or successors until no worker has any. `is_over` is
    /// called after each superstep with their number, and ends this early if it returns true.
    /// Returns whether it did not end early.
    pub(super) fn settle(
        &mut self,
        net: &mut Net<'_>,
        mut is_over: impl FnMut(usize, &mut Net<'_>) -> bool,
    ) -> bool {
        for supersteps in 1.. {
            while let Some(node) = self.bare.pop() {
                self.remove(node, net);
            }
            let inbox = net.send_all(&mut self.outbox);
            if inbox.total() == 0 {
                return true;
            }
            for (_, message) in inbox {
                match message & TAG {
                    // A ghost was removed.
                    0 => {
                        for &source in self.condensation.sources_of_ghost(message) {
                            self.lose_edge_out_of(source);
                        }
                    }
                    // Another worker has no edge to an own state any more.
                    _ => {
                        if let Some(node) = self.condensation.node(message & !TAG) {
                            self.lose_edge_into(node);
                        }
                    }
                }
            }
            if is_over(supersteps, net) {
                return false;
            }
        }
        unreachable!("there is always another superstep")
    }
}
