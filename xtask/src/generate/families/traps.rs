//! Models that are the worst case of some algorithm which is fast on models of protocols.

use super::model::{Branch, Model};
use super::seed::{Seed, Shuffle};
use super::shapes::step;

/// One random permutation.
pub(super) struct Permutation(Shuffle, u32);

impl Permutation {
    pub(super) fn new(size: u32, seed: Seed) -> Self {
        Self(Shuffle::new(size, seed), size)
    }
}

impl Model for Permutation {
    fn num_states(&self) -> u32 {
        self.1
    }

    fn choices(&self, state: u32, choice: &mut dyn FnMut(Option<&str>, &[Branch])) {
        step(self.0.forth(state), choice);
    }
}

/// Another model with randomly numbered states.
pub(super) struct Shuffled<M> {
    model: M,
    shuffle: Shuffle,
}

impl<M: Model> Shuffled<M> {
    pub(super) fn new(model: M, seed: Seed) -> Self {
        let shuffle = Shuffle::new(model.num_states(), seed);
        Self { model, shuffle }
    }
}

impl<M: Model> Model for Shuffled<M> {
    fn num_states(&self) -> u32 {
        self.model.num_states()
    }

    fn choices(&self, state: u32, choice: &mut dyn FnMut(Option<&str>, &[Branch])) {
        let mut renamed: Vec<Branch> = Vec::new();
        self.model
            .choices(self.shuffle.back(state), &mut |action, branches| {
                renamed.clear();
                let targets = branches
                    .iter()
                    .map(|&(target, p)| (self.shuffle.forth(target), p));
                renamed.extend(targets);
                choice(action, &renamed);
            });
    }
}

/// A chain in which the bits of the states' numbers are reversed.
pub(super) struct BitReversed {
    pub(super) bits: u32,
}

impl Model for BitReversed {
    fn num_states(&self) -> u32 {
        1 << self.bits
    }

    fn choices(&self, state: u32, choice: &mut dyn FnMut(Option<&str>, &[Branch])) {
        let reverse = |number: u32| number.reverse_bits() >> (u32::BITS - self.bits);
        let next = (reverse(state) + 1).min(self.num_states() - 1);
        step(reverse(next), choice);
    }
}

/// A cube of cells. The sweep crosses each face between two cells in one direction: mostly along
/// the axis, but in the opposite direction where the mesh is skewed, which closes cycles.
pub(super) struct Mesh {
    pub(super) side: u32,
    pub(super) seed: Seed,
}

impl Mesh {
    /// Returns whether the sweep crosses the face between a cell and the next one along an axis in
    /// the opposite direction.
    fn is_skewed(&self, cell: u32, axis: u32) -> bool {
        self.seed.happens(cell, axis, 0.12)
    }
}

impl Model for Mesh {
    fn num_states(&self) -> u32 {
        self.side.pow(3)
    }

    fn choices(&self, state: u32, choice: &mut dyn FnMut(Option<&str>, &[Branch])) {
        let mut has_one = false;
        for axis in 0..3 {
            let stride = self.side.pow(axis);
            let place = state / stride % self.side;
            if place + 1 < self.side && !self.is_skewed(state, axis) {
                step(state + stride, choice);
                has_one = true;
            }
            if place > 0 && self.is_skewed(state - stride, axis) {
                step(state - stride, choice);
                has_one = true;
            }
        }
        if !has_one {
            step(state, choice);
        }
    }
}

/// Components of 2 to 60 states. Each has a cycle, random edges, and two edges to later components.
pub(super) struct Linked {
    /// The first state of each component, and the number of states.
    starts: Vec<u32>,
    seed: Seed,
}

/// The largest number of components that a link of [`Linked`] skips.
const SKIP: u32 = 1 << 10;

impl Linked {
    pub(super) fn new(size: u32, seed: Seed) -> Self {
        let mut starts = vec![0];
        let mut end = 0;
        for component in 0..size {
            end += 2 + seed.mix(component, 0) % 59;
            starts.push(end);
        }
        Self { starts, seed }
    }
}

impl Model for Linked {
    fn num_states(&self) -> u32 {
        self.starts.last().copied().unwrap_or(0)
    }

    fn choices(&self, state: u32, choice: &mut dyn FnMut(Option<&str>, &[Branch])) {
        let own = self.starts.partition_point(|&start| start <= state) - 1;
        let (start, end) = (self.starts[own], self.starts[own + 1]);
        let within = |salt| start + self.seed.mix(state, salt) % (end - start);
        step(if state + 1 < end { state + 1 } else { start }, choice);
        step(within(1), choice);
        if state < start + 2 {
            let next = own + 1 + (self.seed.mix(state, 2) % SKIP) as usize;
            let link = self
                .starts
                .get(next)
                .filter(|&&first| first < self.num_states());
            step(link.copied().unwrap_or_else(|| within(3)), choice);
        } else {
            step(within(3), choice);
        }
    }
}

/// A path with a tooth at each of its states: a cycle of 16 states, the first of which is on the
/// path. States of the path may step on or back, but every third state only on.
pub(super) struct Comb {
    pub(super) size: u32,
}

impl Model for Comb {
    fn num_states(&self) -> u32 {
        self.size
    }

    fn choices(&self, state: u32, choice: &mut dyn FnMut(Option<&str>, &[Branch])) {
        const TOOTH: u32 = 16;
        let (root, last) = (state / TOOTH * TOOTH, self.size - 1);
        let is_end = state % TOOTH == TOOTH - 1 || state == last;
        step(if is_end { root } else { state + 1 }, choice);
        if state == root {
            if root + TOOTH <= last {
                step(root + TOOTH, choice);
            }
            if root > 0 && !(root / TOOTH).is_multiple_of(3) {
                step(root - TOOTH, choice);
            }
        }
    }
}

/// A binary tree of cycles. From each cycle an edge leads to each of its children.
pub(super) struct CycleTree {
    pub(super) nodes: u32,
}

impl Model for CycleTree {
    fn num_states(&self) -> u32 {
        8 * self.nodes
    }

    fn choices(&self, state: u32, choice: &mut dyn FnMut(Option<&str>, &[Branch])) {
        let (node, place) = (state / 8, state % 8);
        step(8 * node + (place + 1) % 8, choice);
        let child = 2 * node + 1 + place / 4;
        if place % 4 == 2 && child < self.nodes {
            step(8 * child + place, choice);
        }
    }
}

/// Layers of four states. Each state has edges to two states of the next layer and to one state up
/// to four layers ahead.
pub(super) struct Ribbon {
    pub(super) depth: u32,
    pub(super) seed: Seed,
}

impl Model for Ribbon {
    fn num_states(&self) -> u32 {
        4 * self.depth
    }

    fn choices(&self, state: u32, choice: &mut dyn FnMut(Option<&str>, &[Branch])) {
        let layer = state / 4;
        if layer + 1 == self.depth {
            return step(state, choice);
        }
        let random = self.seed.mix(state, 0);
        let far = (layer + 1 + (random >> 2) % 4).min(self.depth - 1);
        step(4 * (layer + 1) + random % 4, choice);
        step(4 * (layer + 1) + (random >> 4) % 4, choice);
        step(4 * far + (random >> 6) % 4, choice);
    }
}

/// A grid in which each state leads to its neighbours, some of which are missing.
pub(super) struct Holes {
    pub(super) side: u32,
    pub(super) seed: Seed,
}

impl Holes {
    fn is_missing(&self, state: u32) -> bool {
        self.seed.happens(state, 0, 0.3)
    }
}

impl Model for Holes {
    fn num_states(&self) -> u32 {
        self.side * self.side
    }

    fn choices(&self, state: u32, choice: &mut dyn FnMut(Option<&str>, &[Branch])) {
        let (x, y, side) = (state % self.side, state / self.side, self.side);
        let near = [
            (x > 0).then(|| state - 1),
            (x + 1 < side).then(|| state + 1),
            (y > 0).then(|| state - side),
            (y + 1 < side).then(|| state + side),
        ];
        let mut has_one = false;
        for near in near.into_iter().flatten() {
            if !self.is_missing(state) && !self.is_missing(near) {
                step(near, choice);
                has_one = true;
            }
        }
        if !has_one {
            step(state, choice);
        }
    }
}

/// Several separate ladders: see [`super::shapes::Ladder`].
pub(super) struct Ladders {
    pub(super) count: u32,
}

impl Model for Ladders {
    fn num_states(&self) -> u32 {
        64 * self.count
    }

    fn choices(&self, state: u32, choice: &mut dyn FnMut(Option<&str>, &[Branch])) {
        let ladder = super::shapes::Ladder { size: 63 };
        let first = state / 64 * 64;
        ladder.choices(state % 64, &mut |action, branches| {
            let moved: Vec<Branch> = branches.iter().map(|&(to, p)| (first + to, p)).collect();
            choice(action, &moved);
        });
    }
}
