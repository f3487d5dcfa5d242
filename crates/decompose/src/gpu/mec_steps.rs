//! The steps of the MEC algorithm beyond those of a search, as recorded passes.
//!
//! Knows which kernels of `shaders/mec/` a step takes, on which buffers; not when it is taken.

use super::Loaded;
use super::rows::DeviceRows;
use super::steps::{REGION, SCANNED, SIZE, repeat};
use crate::Error;
use ::gpu::kernels::{SettleParams, StarveParams, UnlockParams, mec};
use ::gpu::{Buffer, Gpu, Groups, LoopTicket, Recording};
use mdp_graph::{Components, MdpGraph, StateId};
use warp_segments::Order;

/// The choices of a graph on a device. Clones share them.
#[derive(Clone, Debug)]
pub(super) struct Choices {
    /// `n + 1`: choice g of state i, as numbered in the layout, is the i-th offset plus g.
    pub(super) offsets: Buffer<u32>,
    /// A bit a choice.
    pub(super) removed: Buffer<u32>,
}

impl Choices {
    pub(super) fn upload(gpu: &Gpu, graph: &MdpGraph, order: &Order) -> Result<Self, Error> {
        let mut end = 0;
        let ends = (0..order.len()).map(|new| {
            end += graph.choices(order.to_old(StateId::from_index(new))).len() as u32;
            end
        });
        let offsets: Vec<u32> = std::iter::once(0).chain(ends).collect();
        Ok(Self {
            offsets: gpu.upload("choice offsets", &offsets)?,
            removed: gpu.zeroed("removed choices", graph.num_choices().div_ceil(32) as u64)?,
        })
    }
}

/// What the MEC algorithm writes to on the device beyond what a search does; but for choices, a bit a state.
#[derive(Debug)]
pub(super) struct MecState {
    choices: Choices,
    /// By name: the components that lost a choice in this round.
    lost: Buffer<u32>,
    /// By name: the components of more than one state.
    several: Buffer<u32>,
    /// By name: the components that are maximal end components.
    mecs: Buffer<u32>,
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

    /// All choices are there, and no component is known.
    pub(super) fn reset(&self, recording: &mut Recording) {
        recording.fill(&self.choices.removed, 0).fill(&self.mecs, 0);
    }

    /// For each state, by its number in the layout, the name of its MEC or [`Components::NONE`].
    pub(super) fn read_marks(&self, gpu: &Gpu, results: &Buffer<u32>) -> Result<Vec<u32>, Error> {
        let mecs = gpu.read(&self.mecs)?;
        let mut marks = gpu.read(results)?;
        for mark in &mut marks {
            let name = *mark & REGION;
            // The dead have a name that no state has.
            let word = mecs.get(name as usize / 32).copied().unwrap_or(0);
            *mark = match word >> (name % 32) & 1 {
                1 => name,
                _ => Components::NONE,
            };
        }
        Ok(marks)
    }
}

impl Loaded {
    /// Names the regions that a search from candidates has left over, each after one of its states.
    pub(super) fn name_left_over(&self, recording: &mut Recording, round: u64) {
        let unlock = mec::Unlock {
            results: &self.state.results,
            params: UnlockParams {
                states: self.num_states(),
            },
        };
        recording.dispatch(&unlock, self.state.over_states());
        self.name_regions(recording, None, round);
        recording.dispatch(&unlock, self.state.over_states());
    }

    /// Removes the choices that leave their component (Algorithm 7), then the states without a choice and
    /// the choices that may lead to them, and so on.
    pub(super) fn remove_leaving(&self, state: &MecState, recording: &mut Recording) -> LoopTicket {
        recording
            .fill(&state.lost, 0)
            .fill(&state.several, 0)
            .fill(&state.candidates, 0)
            .fill(&self.state.checks, 0);
        let (name, most) = ("attractors", self.most_iterations());
        let shards = 0..self.forward.shards.len();
        let Some(backward) = &self.backward else {
            let how = repeat(name, self.items(SIZE), SIZE, most);
            return recording.repeat(how, |_, body| {
                for shard in shards.clone() {
                    for &long in self.row_kinds() {
                        body.dispatch(&self.leaving(state, shard, true, long));
                    }
                }
                body.dispatch(&self.starve(state, false));
            });
        };
        for shard in shards {
            let pass = self.leaving(state, shard, false, false);
            let states = pass.rows.end_state - pass.rows.first_state;
            recording.dispatch(&pass, Groups::Over(u64::from(states)));
            if self.forward.has_long {
                let pass = self.leaving(state, shard, false, true);
                let pieces = u64::from(self.forward.num_pieces());
                recording.dispatch(&pass, Groups::Over(pieces * u64::from(SIZE)));
            }
        }
        let how = repeat(name, self.num_states(), SCANNED, most);
        recording.repeat(how, |_, body| {
            body.dispatch(&self.starve(state, true));
            for shard in 0..backward.shards.len() {
                body.dispatch(&self.attract(state, backward, shard));
            }
        })
    }

    fn leaving<'a>(
        &'a self,
        state: &'a MecState,
        shard: usize,
        pull: bool,
        long: bool,
    ) -> mec::Leaving<'a> {
        let rows = &self.forward;
        mec::Leaving {
            offsets: &rows.offsets,
            entries: rows.entries(shard),
            groups: rows.groups(shard),
            choice_offsets: &state.choices.offsets,
            removed: &state.choices.removed,
            results: &self.state.results,
            mecs: &state.mecs,
            lost: &state.lost,
            several: &state.several,
            candidates: &state.candidates,
            checks: &self.state.checks,
            rows: rows.range(shard),
            lanes: rows.lanes,
            pull,
            long,
        }
    }

    fn starve<'a>(&'a self, state: &'a MecState, tell: bool) -> mec::Starve<'a> {
        mec::Starve {
            choice_offsets: &state.choices.offsets,
            removed: &state.choices.removed,
            results: &self.state.results,
            checks: &self.state.checks,
            fallen: Some(&self.state.frontiers),
            params: StarveParams {
                states: self.num_states(),
            },
            tell,
        }
    }

    fn attract<'a>(
        &'a self,
        state: &'a MecState,
        rows: &'a DeviceRows,
        shard: usize,
    ) -> mec::Attract<'a> {
        mec::Attract {
            offsets: &rows.offsets,
            entries: rows.entries(shard),
            groups: rows.groups(shard),
            choice_offsets: &state.choices.offsets,
            removed: &state.choices.removed,
            fallen: &self.state.frontiers,
            candidates: &state.candidates,
            checks: &self.state.checks,
            rows: rows.range(shard),
            lanes: rows.lanes,
        }
    }

    /// Marks the components that lost nothing, and makes regions of the others.
    pub(super) fn settle(&self, state: &MecState, recording: &mut Recording) {
        let pass = mec::Settle {
            results: &self.state.results,
            lost: &state.lost,
            several: &state.several,
            mecs: &state.mecs,
            params: SettleParams {
                states: self.num_states(),
            },
        };
        recording.dispatch(&pass, self.state.over_states());
    }
}
