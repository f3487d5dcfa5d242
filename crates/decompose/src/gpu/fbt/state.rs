//! The buffers that the papers' engine writes to on a device, and the meaning of their words for
//! the host.

use crate::Error;
use ::gpu::kernels::fbt::{BACKWARD_MARK, BLOCK, FORWARD_MARK, REGION};
use ::gpu::{Buffer, Gpu, Groups, Recording};
use mdp_graph::{Components, MdpGraph, StateId};
use warp_segments::Order;

/// The direction in which edges are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Forward,
    Backward,
}

impl Direction {
    /// Returns the mark that the direction's search leaves on states (`fbt/lib/results.wgsl`).
    pub(super) fn mark(self) -> u32 {
        match self {
            Self::Forward => FORWARD_MARK,
            Self::Backward => BACKWARD_MARK,
        }
    }

    pub(super) fn other(self) -> Self {
        match self {
            Self::Forward => Self::Backward,
            Self::Backward => Self::Forward,
        }
    }
}

/// The buffers that a search writes to on the device.
#[derive(Debug)]
pub(super) struct SearchState {
    pub(super) states: u32,
    /// The number of words of one bit array.
    pub(super) words: u32,
    /// One word for each state (`fbt/lib/results.wgsl`).
    pub(super) results: Buffer<u32>,
    /// One bit for each state, forward and backward: the frontiers of searches. In trimming and
    /// attractors, the states whose neighbours are to be updated.
    pub(super) frontiers: Buffer<u32>,
    /// One bit for each state, forward and backward: the states to be checked in trimming and
    /// attractors.
    pub(super) checks: Buffer<u32>,
    active: Buffer<u32>,
}

impl SearchState {
    /// Allocates the buffers. `frontiers` and `checks` end with this many words for long rows.
    pub(super) fn new(gpu: &Gpu, states: u32, progress_words: u32) -> Result<Self, Error> {
        let words = states.div_ceil(BLOCK) * BLOCK / 32;
        let bits = 2 * u64::from(words) + u64::from(progress_words);
        Ok(Self {
            states,
            words,
            results: gpu.zeroed("results", u64::from(states))?,
            frontiers: gpu.zeroed("frontiers", bits)?,
            checks: gpu.zeroed("checks", bits)?,
            active: gpu.zeroed("active states", 1)?,
        })
    }

    /// Returns the place where words for long rows begin in `frontiers` and `checks`.
    pub(super) fn progress_at(&self) -> u32 {
        2 * self.words
    }

    /// Returns the region of each state, by its number in the layout.
    pub(super) fn read_regions(&self, gpu: &Gpu) -> Result<Vec<u32>, Error> {
        let mut results = gpu.read(&self.results)?;
        results.iter_mut().for_each(|result| *result &= REGION);
        Ok(results)
    }

    /// Returns the counter of states in no component, or of candidates. It has one word.
    pub(super) fn active(&self) -> &Buffer<u32> {
        &self.active
    }

    pub(super) fn over_states(&self) -> Groups {
        Groups::Over(u64::from(self.states))
    }
}

/// The choices of a graph on a device. Clones share them.
#[derive(Clone, Debug)]
pub(super) struct Choices {
    /// The offsets of states into the choices, `n + 1` numbers. Choice g of state i, as numbered in
    /// the layout, is the i-th offset plus g.
    pub(super) offsets: Buffer<u32>,
    /// One bit for each choice.
    pub(super) removed: Buffer<u32>,
    /// The greatest number of choices of a state.
    pub(super) most: u32,
}

impl Choices {
    pub(super) fn upload(gpu: &Gpu, graph: &MdpGraph, order: &Order) -> Result<Self, Error> {
        let (mut end, mut most) = (0, 0);
        let ends = (0..order.len()).map(|new| {
            let own = graph.choices(order.to_old(StateId::from_index(new))).len() as u32;
            most = most.max(own);
            end += own;
            end
        });
        let offsets: Vec<u32> = std::iter::once(0).chain(ends).collect();
        Ok(Self {
            offsets: gpu.upload("choice offsets", &offsets)?,
            removed: gpu.zeroed("removed choices", graph.num_choices().div_ceil(32) as u64)?,
            most,
        })
    }
}

/// The buffers of the MEC algorithm besides those of a search. Except for choices, they have one
/// bit for each state.
#[derive(Debug)]
pub(super) struct MecState {
    pub(super) choices: Choices,
    /// By name: the components that lost a choice in this round.
    pub(super) lost: Buffer<u32>,
    /// By name: the components of more than one state.
    pub(super) several: Buffer<u32>,
    /// By name: the components that are maximal end components.
    pub(super) mecs: Buffer<u32>,
    /// The states that lost a choice in the last round: the set J.
    pub(super) candidates: Buffer<u32>,
}

impl MecState {
    pub(super) fn new(gpu: &Gpu, choices: Choices) -> Result<Self, Error> {
        let states = choices.offsets.len() - 1;
        let bits = |name| gpu.zeroed(name, states.div_ceil(32));
        Ok(Self {
            choices,
            lost: bits("components that lost")?,
            several: bits("components of several")?,
            mecs: bits("maximal end components")?,
            candidates: bits("candidates")?,
        })
    }

    /// Records a reset: all choices exist, and no component is known.
    pub(super) fn reset(&self, recording: &mut Recording) {
        recording.fill(&self.choices.removed, 0).fill(&self.mecs, 0);
    }

    /// Returns, for each state by its number in the layout, the name of its MEC or
    /// [`Components::NONE`].
    pub(super) fn read_marks(&self, gpu: &Gpu, results: &Buffer<u32>) -> Result<Vec<u32>, Error> {
        let mecs = gpu.read(&self.mecs)?;
        let mut marks = gpu.read(results)?;
        for mark in &mut marks {
            let name = *mark & REGION;
            // Dead states have a name that is the number of no state.
            let word = mecs.get(name as usize / 32).copied().unwrap_or(0);
            *mark = match word >> (name % 32) & 1 {
                1 => name,
                _ => Components::NONE,
            };
        }
        Ok(marks)
    }
}
