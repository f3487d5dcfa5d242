//! Random models, whose randomness is a function of the state: nothing is stored, and every
//! machine writes the same file.

use super::{Branch, Model};

/// How far an edge of [`Dag`] skips at most.
const REACH: u32 = 1 << 12;
/// The states of a bead of [`Beads`] at most.
const LARGEST_BEAD: u32 = 64;

/// A number that depends on both arguments in every bit: the finaliser of SplitMix64 (Steele,
/// Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
fn mix(state: u32, salt: u32) -> u32 {
    let mut z = (u64::from(salt) << 32 | u64::from(state)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (z ^ (z >> 31)) as u32
}

/// Hands on a choice between two targets, or the one if they are the same.
fn toss(a: u32, b: u32, choice: &mut dyn FnMut(Option<&str>, &[Branch])) {
    if a == b {
        choice(None, &[(a, 1.0)]);
    } else {
        choice(None, &[(a, 0.5), (b, 0.5)]);
    }
}

/// A cycle through all states, and from each a coin toss between two states anywhere.
pub(super) struct Giant {
    pub(super) size: u32,
}

impl Model for Giant {
    fn num_states(&self) -> u32 {
        self.size
    }

    fn choices(&self, state: u32, choice: &mut dyn FnMut(Option<&str>, &[Branch])) {
        choice(None, &[((state + 1) % self.size, 1.0)]);
        let anywhere = |salt| mix(state, salt) % self.size;
        toss(anywhere(0), anywhere(1), choice);
    }
}

/// Every edge leads to a larger state, some only to the next; the last state stays.
pub(super) struct Dag {
    pub(super) size: u32,
}

impl Model for Dag {
    fn num_states(&self) -> u32 {
        self.size
    }

    fn choices(&self, state: u32, choice: &mut dyn FnMut(Option<&str>, &[Branch])) {
        let last = self.size - 1;
        if state == last {
            return choice(None, &[(last, 1.0)]);
        }
        let ahead = |salt| (state + 1 + mix(state, salt) % REACH).min(last);
        toss(state + 1, ahead(0), choice);
        toss(ahead(1), ahead(2), choice);
    }
}

/// Components on a string: in each a cycle and random tosses, and from its last state a choice
/// that may lead on to the next component.
pub(super) struct Beads {
    /// The first state of each bead, and the number of states.
    starts: Vec<u32>,
    /// For each state its bead.
    bead: Vec<u32>,
}

impl Beads {
    pub(super) fn new(size: u32) -> Self {
        let mut starts = vec![0];
        let mut bead = Vec::new();
        for i in 0..size {
            let states = 1 + mix(i, 0) % LARGEST_BEAD;
            bead.extend((0..states).map(|_| i));
            starts.push(bead.len() as u32);
        }
        Self { starts, bead }
    }
}

impl Model for Beads {
    fn num_states(&self) -> u32 {
        self.bead.len() as u32
    }

    fn choices(&self, state: u32, choice: &mut dyn FnMut(Option<&str>, &[Branch])) {
        let bead = self.bead[state as usize] as usize;
        let (start, end) = (self.starts[bead], self.starts[bead + 1]);
        let within = |salt| start + mix(state, salt) % (end - start);
        let next = if state + 1 < end { state + 1 } else { start };
        choice(None, &[(next, 1.0)]);
        toss(within(1), within(2), choice);
        if next == start && end < self.num_states() {
            toss(within(3), end, choice);
        }
    }
}
