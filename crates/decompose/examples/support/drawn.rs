//! Graphs whose parameters are drawn at random: blocks of one structure, linked along another, and
//! numbered in some order.
//!
//! Each graph is meant to be bad for some way of searching: paths and cycles that are followed step
//! by step, chains of many components, components of which each takes a round, and numberings that
//! help or do not help.

use super::graphs::Result;
use mdp_graph::{ChunkBuilder, Deadlocks, MdpGraph, StateId, assemble};
use rayon::prelude::*;
use std::fmt;

/// The structure of a block.
#[derive(Clone, Copy, Debug)]
enum Block {
    Path,
    Cycle,
    /// A path that leads in both directions.
    BothWays,
    /// A path of layers of this many states, each of which has two edges to the next layer.
    Ribbon(u32),
    /// A cycle with random edges inside.
    Random,
    /// A cycle with random edges to states a little ahead.
    Near,
    /// A binary tree whose leaves lead back to its root.
    Tree,
}

/// How blocks lead to other blocks.
#[derive(Clone, Copy, Debug)]
enum Links {
    None,
    /// From the last state of each block to the first state of the next one.
    Chain,
    /// The same, and back, except from one in this many blocks.
    Back(u32),
    /// Like `Chain`, and from the last block to the first.
    Ring,
    /// From several states to blocks ahead.
    Ahead,
    /// From each block to two others, its children in a tree.
    Tree,
}

/// How states are numbered.
#[derive(Clone, Copy, Debug)]
enum Numbers {
    Ascending,
    Descending,
    /// At random within windows of two to the power of this.
    Windows(u32),
    Shuffled,
}

/// The parameters of a graph.
#[derive(Clone, Copy)]
pub(crate) struct Drawn {
    seed: u64,
    states: u32,
    width: u32,
    block: Block,
    links: Links,
    numbers: Numbers,
    /// How many edges of a state are one choice.
    together: usize,
    /// One in this many states may stay.
    stays: u32,
}

impl fmt::Display for Drawn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { states, width, .. } = self;
        write!(
            f,
            "{states} states, {:?} of {width}, {:?}, ",
            self.block, self.links
        )?;
        write!(f, "{:?}, {} a choice, ", self.numbers, self.together)?;
        write!(f, "1 in {} stays, seed {}", self.stays, self.seed)
    }
}

/// Returns a number that depends on all bits of `x`, by the finaliser of SplitMix64.
fn mix(x: u64) -> u64 {
    let mut z = x.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

impl Drawn {
    /// Returns the parameters of a graph of up to `most` states, drawn by a seed.
    pub(crate) fn new(seed: u64, most: u32) -> Self {
        let mut count = seed << 8;
        let mut draw = |n: u32| {
            count += 1;
            (mix(count) % u64::from(n)) as u32
        };
        // Small sizes are as likely as large ones.
        let mut size = |least: u32, most: u32| {
            let bits = most.max(least + 1).ilog2() - least.ilog2();
            let size = least << draw(bits + 1);
            size + draw(size)
        };
        let states = size(1 << 13, most / 2).min(most);
        let width = size(1, states / 2).min(states);
        let block = match draw(7) {
            0 => Block::Path,
            1 => Block::Cycle,
            2 => Block::BothWays,
            3 => Block::Ribbon(2 + draw(30)),
            4 => Block::Random,
            5 => Block::Near,
            _ => Block::Tree,
        };
        let links = match draw(7) {
            0 => Links::None,
            1 | 2 => Links::Chain,
            3 => Links::Back(2 + draw(6)),
            4 => Links::Ring,
            5 => Links::Ahead,
            _ => Links::Tree,
        };
        let numbers = match draw(5) {
            0 | 1 => Numbers::Ascending,
            2 => Numbers::Descending,
            3 => Numbers::Windows(1 + draw(12)),
            _ => Numbers::Shuffled,
        };
        Self {
            seed,
            states,
            width,
            block,
            links,
            numbers,
            together: 1 + draw(3) as usize,
            stays: 1 << draw(12),
        }
    }

    /// Returns a random number for a state.
    fn draw(&self, state: u32, salt: u64) -> u32 {
        mix(mix(self.seed) ^ u64::from(state) ^ salt << 32) as u32
    }

    /// Appends the targets of a state, before states are numbered.
    fn row(&self, state: u32, row: &mut Vec<u32>) {
        let (block, place) = (state / self.width, state % self.width);
        let first = block * self.width;
        let width = self.width.min(self.states - first);
        let is_last = place + 1 == width;
        let next = if is_last { first } else { state + 1 };
        match self.block {
            Block::Path if is_last => {}
            Block::Path | Block::Cycle => row.push(next),
            Block::BothWays => {
                row.extend((!is_last).then_some(state + 1));
                row.extend((place > 0).then(|| state - 1));
            }
            Block::Ribbon(wide) => {
                let layer = (place / wide + 1) * wide;
                let ahead = |salt| layer + self.draw(state, salt) % wide;
                let targets = [ahead(1), ahead(2)];
                row.extend(
                    targets
                        .iter()
                        .filter(|&&at| at < width)
                        .map(|at| first + at),
                );
            }
            Block::Random => {
                row.push(next);
                row.push(first + self.draw(state, 1) % width);
                row.push(first + self.draw(state, 2) % width);
            }
            Block::Near => {
                row.push(next);
                row.push(first + (place + self.draw(state, 1) % 16).min(width - 1));
            }
            Block::Tree => {
                let children = [2 * u64::from(place) + 1, 2 * u64::from(place) + 2];
                let inside = children.iter().filter(|&&child| child < u64::from(width));
                row.extend(inside.map(|&child| first + child as u32));
                if children[0] >= u64::from(width) {
                    row.push(first);
                }
            }
        }
        self.link(state, (block, is_last), row);
    }

    /// Appends the targets of a state in other blocks.
    fn link(&self, state: u32, (block, is_last): (u32, bool), row: &mut Vec<u32>) {
        let blocks = self.states.div_ceil(self.width);
        let first_of = |block: u32| block * self.width;
        let is_first = state == first_of(block);
        let next = (block + 1 < blocks).then(|| first_of(block + 1));
        match self.links {
            Links::None => {}
            Links::Chain => row.extend(next.filter(|_| is_last)),
            Links::Back(every) => {
                row.extend(next.filter(|_| is_last));
                let leads_back = is_first && block > 0 && !block.is_multiple_of(every);
                row.extend(leads_back.then(|| state - 1));
            }
            Links::Ring => row.extend(is_last.then(|| next.unwrap_or(0))),
            Links::Ahead if self.draw(state, 3).is_multiple_of(self.width / 4 + 1) => {
                let far = u64::from(block) + 1 + u64::from(self.draw(state, 4) % 64);
                row.extend((far < u64::from(blocks)).then(|| first_of(far as u32)));
            }
            Links::Ahead => {}
            Links::Tree => {
                let child = 2 * u64::from(block) + 1 + u64::from(is_last);
                let leads = is_first || is_last;
                row.extend((leads && child < u64::from(blocks)).then(|| first_of(child as u32)));
            }
        }
    }

    /// Returns the number of each state.
    fn numbers(&self) -> Vec<u32> {
        let n = self.states;
        let shuffled = |bits: u32| {
            let mut order: Vec<u32> = (0..n).collect();
            // The sort is stable within a window, and the windows stay in order.
            order.par_sort_by_cached_key(|&state| {
                (u64::from(state) >> bits) << 32 | u64::from(self.draw(state, 5))
            });
            let mut numbers = vec![0; n as usize];
            for (number, &state) in order.iter().enumerate() {
                numbers[state as usize] = number as u32;
            }
            numbers
        };
        match self.numbers {
            Numbers::Ascending => (0..n).collect(),
            Numbers::Descending => (0..n).rev().collect(),
            Numbers::Windows(bits) => shuffled(bits),
            Numbers::Shuffled => shuffled(32),
        }
    }

    /// Returns the graph.
    pub(crate) fn graph(&self) -> Result<MdpGraph> {
        const PIECE: usize = 1 << 14;
        let numbers = self.numbers();
        let mut states = vec![0; numbers.len()];
        for (state, &number) in numbers.iter().enumerate() {
            states[number as usize] = state as u32;
        }
        let pieces = states.par_chunks(PIECE).enumerate().map(|(piece, states)| {
            let (mut chunk, mut row) = (ChunkBuilder::default(), Vec::new());
            for (i, &state) in states.iter().enumerate() {
                let from = StateId::from_index(piece * PIECE + i);
                row.clear();
                self.row(state, &mut row);
                let targets = row
                    .iter_mut()
                    .map(|target| StateId(numbers[*target as usize]));
                let targets: Vec<StateId> = targets.collect();
                for choice in targets.chunks(self.together) {
                    let mut choice = choice.to_vec();
                    choice.sort_unstable();
                    choice.dedup();
                    chunk.push_choice(from, &choice);
                }
                if targets.is_empty() || self.draw(state, 6).is_multiple_of(self.stays) {
                    chunk.push_choice(from, &[from]);
                }
            }
            chunk.finish()
        });
        Ok(assemble(self.states, pieces.collect(), Deadlocks::Keep)?.graph)
    }
}
