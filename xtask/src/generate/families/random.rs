//! Random models, whose randomness is a function of the state: nothing is stored, and every machine
//! writes the same file.

use super::model::{Branch, Model};
use super::seed::Seed;

/// The largest number of states that an edge of [`Dag`] skips.
const REACH: u32 = 1 << 12;
/// The number of branches of a choice of [`Lotteries`], before equal ones are merged.
const TICKETS: u32 = 32;
/// The largest number of states of a bead of [`Beads`].
const LARGEST_BEAD: u32 = 64;

/// Passes on a choice between two targets, or a choice with one target if they are equal.
fn toss(a: u32, b: u32, choice: &mut dyn FnMut(Option<&str>, &[Branch])) {
    if a == b {
        choice(None, &[(a, 1.0)]);
    } else {
        choice(None, &[(a, 0.5), (b, 0.5)]);
    }
}

/// A cycle through all states, and from each state a coin toss between two random states.
pub(super) struct Giant {
    pub(super) size: u32,
    pub(super) seed: Seed,
}

impl Model for Giant {
    fn num_states(&self) -> u32 {
        self.size
    }

    fn choices(&self, state: u32, choice: &mut dyn FnMut(Option<&str>, &[Branch])) {
        choice(None, &[((state + 1) % self.size, 1.0)]);
        let anywhere = |salt| self.seed.mix(state, salt) % self.size;
        toss(anywhere(0), anywhere(1), choice);
    }
}

/// Every edge leads to a larger state, some only to the next; the last state stays.
pub(super) struct Dag {
    pub(super) size: u32,
    pub(super) seed: Seed,
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
        let ahead = |salt| (state + 1 + self.seed.mix(state, salt) % REACH).min(last);
        toss(state + 1, ahead(0), choice);
        toss(ahead(1), ahead(2), choice);
    }
}

/// Components on a string. Each has a cycle and random tosses. The last state of each has a choice
/// that may lead to the next component.
pub(super) struct Beads {
    /// The first state of each bead, and the number of states.
    starts: Vec<u32>,
    seed: Seed,
}

impl Beads {
    pub(super) fn new(size: u32, seed: Seed) -> Self {
        let mut starts = vec![0];
        let mut end = 0;
        for bead in 0..size {
            end += 1 + seed.mix(bead, 0) % LARGEST_BEAD;
            starts.push(end);
        }
        Self { starts, seed }
    }
}

impl Model for Beads {
    fn num_states(&self) -> u32 {
        self.starts.last().copied().unwrap_or(0)
    }

    fn choices(&self, state: u32, choice: &mut dyn FnMut(Option<&str>, &[Branch])) {
        let bead = self.starts.partition_point(|&start| start <= state) - 1;
        let (start, end) = (self.starts[bead], self.starts[bead + 1]);
        let within = |salt| start + self.seed.mix(state, salt) % (end - start);
        let next = if state + 1 < end { state + 1 } else { start };
        choice(None, &[(next, 1.0)]);
        toss(within(1), within(2), choice);
        if next == start && end < self.num_states() {
            toss(within(3), end, choice);
        }
    }
}

/// A graph after D. Chakrabarti, Y. Zhan and C. Faloutsos, "R-MAT: A recursive model for graph
/// mining", 2004, with the probabilities 0.57, 0.19, 0.19 and 0.05, by which each bit of an edge's
/// source and target is drawn. Here the source is given, so the number of its edges is the expected
/// number.
pub(super) struct PowerLaw {
    pub(super) bits: u32,
    pub(super) seed: Seed,
}

impl PowerLaw {
    /// Returns the number of edges of a state: the expected number, rounded at random.
    fn degree(&self, state: u32) -> u32 {
        let ones = state.count_ones() as i32;
        let mean = 16.0 * 0.48_f64.powi(ones) * 1.52_f64.powi(self.bits as i32 - ones);
        mean as u32 + u32::from(self.seed.happens(state, 0, mean.fract()))
    }

    fn target(&self, state: u32, edge: u32) -> u32 {
        (0..self.bits).fold(0, |target, bit| {
            let probability = if state >> bit & 1 == 0 {
                0.25
            } else {
                0.05 / 0.24
            };
            let salt = 1 + edge * self.bits + bit;
            target | u32::from(self.seed.happens(state, salt, probability)) << bit
        })
    }
}

impl Model for PowerLaw {
    fn num_states(&self) -> u32 {
        1 << self.bits
    }

    fn choices(&self, state: u32, choice: &mut dyn FnMut(Option<&str>, &[Branch])) {
        let degree = self.degree(state);
        if degree == 0 {
            choice(None, &[(state, 1.0)]);
        }
        (0..degree).for_each(|edge| choice(None, &[(self.target(state, edge), 1.0)]));
    }
}

/// A random component of half of the states. A quarter of the states are in chains of 100 that lead
/// to it. The last quarter is in chains that lead away from it and end in an absorbing state.
pub(super) struct GiantChains {
    pub(super) size: u32,
    pub(super) seed: Seed,
}

impl Model for GiantChains {
    fn num_states(&self) -> u32 {
        self.size
    }

    fn choices(&self, state: u32, choice: &mut dyn FnMut(Option<&str>, &[Branch])) {
        const CHAIN: u32 = 100;
        let half = self.size.div_ceil(2);
        let last = self.size - 1;
        let inside = |salt| self.seed.mix(state, salt) % half;
        let is_end = state == last || state % CHAIN == CHAIN - 1;
        if state >= half {
            let stays = state >= half + self.size / 4;
            let next = match is_end {
                false => state + 1,
                true if stays => state,
                true => inside(0),
            };
            return choice(None, &[(next, 1.0)]);
        }
        choice(None, &[((state + 1) % half, 1.0)]);
        toss(inside(1), inside(2), choice);
        if state.is_multiple_of(50) && self.size >= 4 * CHAIN {
            let away = half + self.size / 4 + self.seed.mix(state, 3) % (self.size / 4);
            toss(away.min(last), inside(4), choice);
        }
    }
}

/// Random components of equal size, one after another. Some states of each component also lead to
/// the next one.
pub(super) struct Giants {
    pub(super) size: u32,
    pub(super) seed: Seed,
}

impl Model for Giants {
    fn num_states(&self) -> u32 {
        self.size
    }

    fn choices(&self, state: u32, choice: &mut dyn FnMut(Option<&str>, &[Branch])) {
        const COMPONENTS: u32 = 8;
        let each = (self.size / COMPONENTS).max(1);
        let first = (state / each).min(COMPONENTS - 1) * each;
        // The last component also has the states that are left over.
        let len = match first / each == COMPONENTS - 1 {
            true => self.size - first,
            false => each,
        };
        let inside = |salt| first + self.seed.mix(state, salt) % len;
        choice(None, &[(first + (state - first + 1) % len, 1.0)]);
        toss(inside(1), inside(2), choice);
        if state.is_multiple_of(500) && first + len < self.size {
            toss(state + each, inside(3), choice);
        }
    }
}

/// States that may stay. Each also has a choice among [`TICKETS`] of the next [`REACH`] states.
pub(super) struct Lotteries {
    pub(super) size: u32,
    pub(super) seed: Seed,
}

impl Model for Lotteries {
    fn num_states(&self) -> u32 {
        self.size
    }

    fn choices(&self, state: u32, choice: &mut dyn FnMut(Option<&str>, &[Branch])) {
        choice(None, &[(state, 1.0)]);
        let ahead = |ticket| {
            let far = u64::from(state) + 1 + u64::from(self.seed.mix(state, ticket) % REACH);
            (far % u64::from(self.size)) as u32
        };
        let mut targets: Vec<u32> = (0..TICKETS).map(ahead).collect();
        targets.sort_unstable();
        targets.dedup();
        let probability = 1.0 / targets.len() as f64;
        let branches: Vec<Branch> = targets
            .iter()
            .map(|&target| (target, probability))
            .collect();
        choice(None, &branches);
    }
}
