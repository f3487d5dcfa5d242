//! Finds several SCCs at once, by colouring (Orzan): each node gets the largest colour that reaches
//! it. A node that keeps its own colour is the root of an SCC, which consists of the nodes of this
//! colour that reach it.

use super::trim::Trim;
use crate::net::words::{pair, wide};
use crate::net::{Net, Outbox};
use crate::part::Part;
use crate::search::condensation::{Condensation, End};
use crate::search::room::EarlyEnd;
use mdp_graph::BitSet;

/// Returns the nodes of this worker in the SCCs that a round finds. Each has the number, in the
/// whole model, of a state of its SCC, which is the same for all nodes of the SCC. Nothing if the
/// search ended early.
pub(super) fn components(
    part: &Part,
    condensation: &Condensation,
    trim: &Trim<'_>,
    early_end: &mut EarlyEnd<'_>,
    net: &mut Net<'_>,
) -> Option<Vec<(u32, u64)>> {
    let left: Vec<u32> = (0..condensation.len())
        .filter(|&node| trim.is_left(node))
        .collect();
    let colour = |node| mix(part.global(condensation.smallest(node)));
    let mut colouring = Colouring {
        part,
        condensation,
        trim,
        colours: (0..condensation.len()).map(colour).collect(),
        sent: vec![None; part.num_ghosts()],
        found: BitSet::new(condensation.len() as usize),
        stack: left.clone(),
        outbox: net.outbox(),
    };
    if !colouring.spread(early_end, net) {
        return None;
    }
    for &node in &left {
        colouring.find_if(node, colour(node));
    }
    if !colouring.gather(early_end, net) {
        return None;
    }
    let found = left
        .into_iter()
        .filter(|&node| colouring.found.contains(node as usize));
    let found = found.map(|node| (node, unmix(colouring.colours[node as usize])));
    Some(found.collect())
}

/// A round of colouring on one worker.
struct Colouring<'a> {
    part: &'a Part,
    condensation: &'a Condensation,
    trim: &'a Trim<'a>,
    colours: Vec<u64>,
    /// The colour of each ghost that was last sent to its owner.
    sent: Vec<Option<u64>>,
    /// The nodes from which the node of their colour is known to be reachable.
    found: BitSet,
    stack: Vec<u32>,
    outbox: Outbox<[u32; 3]>,
}

impl Colouring<'_> {
    /// Spreads colours along edges until nothing changes, or until the search is to end early.
    /// Returns whether nothing changes any more.
    fn spread(&mut self, early_end: &mut EarlyEnd<'_>, net: &mut Net<'_>) -> bool {
        loop {
            while let Some(node) = self.stack.pop() {
                self.spread_from(node, net);
            }
            let inbox = net.send_all(&mut self.outbox);
            if inbox.total() == 0 {
                return true;
            }
            for (_, message) in inbox {
                if let Some(node) = self.condensation.node(message[0]) {
                    self.paint(node, wide(message));
                }
            }
            if early_end.is_due(net) {
                return false;
            }
        }
    }

    /// Offers the colour of a node to the targets of its edges.
    fn spread_from(&mut self, node: u32, net: &mut Net<'_>) {
        let (condensation, colour) = (self.condensation, self.colours[node as usize]);
        for end in condensation.out(node) {
            match end {
                End::Node(target) => self.paint(target, colour),
                End::Ghost(ghost) => {
                    let sent = &mut self.sent[ghost as usize];
                    if *sent < Some(colour) {
                        *sent = Some(colour);
                        let (owner, state) = self.part.owner_of(ghost);
                        self.outbox.push(net, owner, pair(state, colour));
                    }
                }
            }
        }
    }

    /// Gives a node a colour, if it is larger than its own.
    fn paint(&mut self, node: u32, colour: u64) {
        let own = &mut self.colours[node as usize];
        if self.trim.is_left(node) && *own < colour {
            *own = colour;
            self.stack.push(node);
        }
    }

    /// Finds the nodes that reach nodes already found, within their colours, until nothing changes
    /// or the search is to end early. Returns whether all were found.
    fn gather(&mut self, early_end: &mut EarlyEnd<'_>, net: &mut Net<'_>) -> bool {
        loop {
            while let Some(node) = self.stack.pop() {
                let (condensation, colour) = (self.condensation, self.colours[node as usize]);
                for &source in condensation.sources(node) {
                    self.find_if(source, colour);
                }
                for &[worker, ghost] in condensation.copies(node) {
                    self.outbox.push(net, worker as usize, pair(ghost, colour));
                }
            }
            let inbox = net.send_all(&mut self.outbox);
            if inbox.total() == 0 {
                return true;
            }
            for (_, message) in inbox {
                let condensation = self.condensation;
                for &source in condensation.sources_of_ghost(message[0]) {
                    self.find_if(source, wide(message));
                }
            }
            if early_end.is_due(net) {
                return false;
            }
        }
    }

    /// Finds a node, if it has this colour.
    fn find_if(&mut self, node: u32, colour: u64) {
        if self.colours[node as usize] == colour {
            self.find(node);
        }
    }

    /// Records that the node of its colour is reachable from a node.
    fn find(&mut self, node: u32) {
        if self.trim.is_left(node) && self.found.insert(node as usize) {
            self.stack.push(node);
        }
    }
}

/// An odd number, which has an inverse modulo 2^64.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// Returns the colour of a state. If colours were in the order of the states, the largest one would
/// spread to the end of a chain of SCCs, and each round would find only one SCC. With a
/// pseudo-random order, each round finds a large part of the remaining ones.
fn mix(state: u64) -> u64 {
    let half = fold(state.wrapping_mul(FACTOR));
    fold(half.wrapping_mul(FACTOR))
}

/// Returns the state with this colour.
fn unmix(colour: u64) -> u64 {
    let half = fold(colour).wrapping_mul(inverse(FACTOR));
    fold(half).wrapping_mul(inverse(FACTOR))
}

/// Folds the upper half of a word into the lower half. This function is its own inverse.
fn fold(word: u64) -> u64 {
    word ^ word >> 32
}

/// Returns the inverse of an odd number. Newton's iteration doubles the number of correct bits in
/// each step.
const fn inverse(odd: u64) -> u64 {
    let mut inverse = odd;
    let mut bits = 3;
    while bits < 64 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(inverse)));
        bits *= 2;
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::{mix, unmix};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn each_state_has_a_different_colour(state in any::<u64>()) {
            prop_assert_eq!(unmix(mix(state)), state);
        }
    }
}
