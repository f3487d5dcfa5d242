//! The systems: clients that repeat their scenarios, with a server or without one, as graphs.

use mdp_graph::{MdpGraph, StateId};

/// Where a client may go from each of its four states: away, opening, busy, saving or turning the
/// page. With a server, it begins to open only when it is its turn, and an editor to save.
const MOVES: [&[u32]; 4] = [&[0, 1], &[2], &[2, 3], &[2, 0]];

/// What the four states of an editor and of a reader cost.
const EDITOR: [i64; 4] = [0, 6, 1, 8];
const READER: [i64; 4] = [0, 6, 1, 2];

/// The number of editors and readers, and whether a server serves one of them at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct System {
    editors: u32,
    readers: u32,
    is_served: bool,
}

/// The states that a system reaches, and what its steps cost.
pub(crate) struct Graph {
    pub(crate) graph: MdpGraph,
    pub(crate) weights: Vec<i64>,
    pub(crate) is_served: bool,
}

impl System {
    pub(crate) fn new(editors: u32, readers: u32, is_served: bool) -> Self {
        Self {
            editors,
            readers,
            is_served,
        }
    }

    fn clients(self) -> u32 {
        self.editors + self.readers
    }

    /// What a step from a state costs. A state has two bits for each client, and after them whose
    /// turn it is, counted from 1; 0 is nobody.
    fn cost(self, state: u32) -> i64 {
        let of = |client: u32| {
            let costs = if client < self.editors {
                EDITOR
            } else {
                READER
            };
            costs[(state >> (2 * client) & 3) as usize]
        };
        (0..self.clients()).map(of).sum()
    }

    /// Whether a client may go from one of its states to another while it is the turn of `turn`.
    fn may(self, client: u32, from: u32, to: u32, turn: u32) -> bool {
        let asks = (from, to) == (0, 1) || client < self.editors && (from, to) == (2, 3);
        !self.is_served || !asks || turn == client + 1
    }

    /// The states that are reached in a step: each client moves, and the server chooses.
    fn next(self, state: u32, found: &mut Vec<u32>) {
        let turns = if self.is_served { self.clients() } else { 0 };
        let turn = state >> (2 * self.clients());
        found.clear();
        found.extend((0..=turns).map(|turn| turn << (2 * self.clients())));
        for client in 0..self.clients() {
            let from = state >> (2 * client) & 3;
            let before = found.len();
            let moves = MOVES[from as usize].iter().copied();
            let mut allowed = moves.filter(|&to| self.may(client, from, to, turn));
            let (first, second) = (allowed.next().unwrap_or(from), allowed.next());
            if let Some(second) = second {
                found.extend_from_within(..);
                for state in &mut found[before..] {
                    *state |= second << (2 * client);
                }
            }
            for state in &mut found[..before] {
                *state |= first << (2 * client);
            }
        }
    }

    /// Explores the system breadth-first from the state where all are away.
    pub(crate) fn graph(self) -> Graph {
        let codes = (self.clients() as usize + 1) << (2 * self.clients());
        let mut numbers = vec![u32::MAX; codes];
        let (mut order, mut offsets) = (vec![0], vec![0]);
        let (mut targets, mut weights) = (Vec::new(), Vec::new());
        let mut found = Vec::new();
        numbers[0] = 0;
        let mut at = 0;
        while at < order.len() {
            let cost = self.cost(order[at]);
            self.next(order[at], &mut found);
            for &state in &found {
                let number = &mut numbers[state as usize];
                if *number == u32::MAX {
                    *number = order.len() as u32;
                    order.push(state);
                }
                targets.push(StateId(*number));
                weights.push(cost);
            }
            offsets.push(targets.len() as u32);
            at += 1;
        }
        let choices = (0..=order.len() as u32).collect();
        Graph {
            // One choice a state, to all that it may become.
            graph: MdpGraph::from_parts(choices, offsets, targets).expect("offsets ascend"),
            weights,
            is_served: self.is_served,
        }
    }
}
