//! Finds the SCC of a pivot, by a forward and a backward search at the same time.

use super::trim::Trim;
use crate::net::words::TAG;
use crate::net::{Net, Outbox};
use crate::part::Part;
use crate::search::condensation::{Condensation, End};
use crate::search::room::EarlyEnd;
use mdp_graph::BitSet;

/// Returns the nodes of this worker in the SCC of the pivot, each with the pivot's number in the
/// whole model. The pivot is the first node of the largest degree. There are no nodes if no worker
/// has any left; nothing is returned if the search ended early.
pub(super) fn component_of_pivot(
    part: &Part,
    condensation: &Condensation,
    trim: &Trim<'_>,
    early_end: &mut EarlyEnd<'_>,
    net: &mut Net<'_>,
) -> Option<Vec<(u32, u64)>> {
    let left = || (0..condensation.len()).filter(|&node| trim.is_left(node));
    // Of several nodes with the same degree, the first one is chosen.
    let best = left().max_by_key(|&node| (trim.degree(node), std::cmp::Reverse(node)));
    let own = best.map_or([0, 0, 0], |node| {
        [
            1,
            trim.degree(node),
            part.global(condensation.smallest(node)),
        ]
    });
    let all = net.gather(own);
    let found = all.iter().filter(|best| best[0] == 1);
    let best_of_all = found.max_by_key(|best| (best[1], std::cmp::Reverse(best[2])));
    let Some(&[_, _, pivot]) = best_of_all else {
        return Some(Vec::new());
    };
    let mut search = ReachSearch {
        part,
        condensation,
        trim,
        forward: BitSet::new(condensation.len() as usize),
        backward: BitSet::new(condensation.len() as usize),
        told: BitSet::new(part.num_ghosts()),
        stack: Vec::new(),
        outbox: net.outbox(),
    };
    if let Some(node) = best.filter(|&node| part.global(condensation.smallest(node)) == pivot) {
        search.visit_forward(node);
        search.visit_backward(node);
    }
    if !search.run(early_end, net) {
        return None;
    }
    let is_in = |&node: &u32| {
        search.forward.contains(node as usize) && search.backward.contains(node as usize)
    };
    Some(left().filter(is_in).map(|node| (node, pivot)).collect())
}

/// The search from the pivot on one worker, forward and backward.
struct ReachSearch<'a> {
    part: &'a Part,
    condensation: &'a Condensation,
    trim: &'a Trim<'a>,
    forward: BitSet,
    backward: BitSet,
    /// The ghosts whose owners were notified that they are reached.
    told: BitSet,
    /// Nodes that were visited but not expanded; those of the backward search have the tag.
    stack: Vec<u32>,
    outbox: Outbox<u32>,
}

impl ReachSearch<'_> {
    fn visit_forward(&mut self, node: u32) {
        if self.trim.is_left(node) && self.forward.insert(node as usize) {
            self.stack.push(node);
        }
    }

    fn visit_backward(&mut self, node: u32) {
        if self.trim.is_left(node) && self.backward.insert(node as usize) {
            self.stack.push(node | TAG);
        }
    }

    /// Searches until no more nodes are reached, or until the search is to end early. Returns
    /// whether the search is complete.
    fn run(&mut self, early_end: &mut EarlyEnd<'_>, net: &mut Net<'_>) -> bool {
        loop {
            while let Some(node) = self.stack.pop() {
                match node & TAG {
                    0 => self.expand_forward(node, net),
                    _ => self.expand_backward(node & !TAG, net),
                }
            }
            let inbox = net.send_all(&mut self.outbox);
            if inbox.total() == 0 {
                return true;
            }
            for (_, message) in inbox {
                match message & TAG {
                    0 => {
                        if let Some(node) = self.condensation.node(message) {
                            self.visit_forward(node);
                        }
                    }
                    _ => {
                        let condensation = self.condensation;
                        for &source in condensation.sources_of_ghost(message & !TAG) {
                            self.visit_backward(source);
                        }
                    }
                }
            }
            if early_end.is_due(net) {
                return false;
            }
        }
    }

    /// Visits the targets of a node's edges, here or at their owners.
    fn expand_forward(&mut self, node: u32, net: &mut Net<'_>) {
        let condensation = self.condensation;
        for end in condensation.out(node) {
            match end {
                End::Node(target) => self.visit_forward(target),
                End::Ghost(ghost) => {
                    if self.told.insert(ghost as usize) {
                        let (owner, state) = self.part.owner_of(ghost);
                        self.outbox.push(net, owner, state);
                    }
                }
            }
        }
    }

    /// Visits the nodes with edges to a node, here or at the workers that have it as a ghost.
    fn expand_backward(&mut self, node: u32, net: &mut Net<'_>) {
        let condensation = self.condensation;
        for &source in condensation.sources(node) {
            self.visit_backward(source);
        }
        for &[worker, ghost] in condensation.copies(node) {
            self.outbox.push(net, worker as usize, ghost | TAG);
        }
    }
}
