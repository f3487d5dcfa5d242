//! The steps of the MEC algorithm beyond those of a search, as recorded passes.
//!
//! This file defines which kernels of `shaders/fbt/` make up a step, and on which buffers they run.
//! It does not decide when a step runs.

use super::passes::{RowKind, repeat};
use super::rows::DeviceRows;
use super::state::MecState;
use super::upload::FbtGraph;
use ::gpu::kernels::fbt::{self, BLOCK, SIZE};
use ::gpu::kernels::{SettleParams, StarveParams, StatesParams};
use ::gpu::{Groups, LoopHandle, Recording};

impl FbtGraph {
    /// Names the regions that a search from candidates has left over, each after one of its states.
    pub(super) fn name_left_over(&self, recording: &mut Recording, round: u64) {
        let unlock = fbt::MecUnlock {
            results: &self.state.results,
            params: StatesParams {
                states: self.num_states(),
            },
        };
        recording.dispatch(&unlock, self.state.over_states());
        self.name_regions(recording, None, round);
        recording.dispatch(&unlock, self.state.over_states());
    }

    /// Removes the choices that leave their component (Algorithm 7), then the states without a
    /// choice and the choices that may lead to them, and so on.
    pub(super) fn remove_leaving(&self, state: &MecState, recording: &mut Recording) -> LoopHandle {
        recording
            .fill(&state.lost, 0)
            .fill(&state.several, 0)
            .fill(&state.candidates, 0)
            .fill(&self.state.checks, 0);
        let (name, most) = ("attractors", self.most_iterations());
        let Some(backward) = &self.backward else {
            let how = repeat(name, self.items(SIZE), SIZE, most);
            return recording.repeat(how, |body| {
                for (shard, kind) in self.shards_by_row_kind() {
                    body.dispatch(&self.leaving(state, shard, kind));
                }
                body.dispatch(&self.starve(state));
            });
        };
        for shard in 0..self.forward.shards.len() {
            let pass = self.leaving(state, shard, RowKind::Short);
            let states = pass.rows.end_state - pass.rows.first_state;
            recording.dispatch(&pass, Groups::Over(u64::from(states)));
            if self.forward.has_long {
                let pass = self.leaving(state, shard, RowKind::Long);
                let pieces = u64::from(self.forward.num_pieces());
                recording.dispatch(&pass, Groups::Over(pieces * u64::from(SIZE)));
            }
        }
        let how = repeat(name, self.num_states(), BLOCK, most);
        recording.repeat(how, |body| {
            body.dispatch(&self.starve(state));
            for shard in 0..backward.shards.len() {
                body.dispatch(&self.attract(state, backward, shard));
            }
        })
    }

    fn leaving<'a>(
        &'a self,
        state: &'a MecState,
        shard: usize,
        kind: RowKind,
    ) -> fbt::MecLeaving<'a> {
        let rows = &self.forward;
        fbt::MecLeaving {
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
            pull: self.backward.is_none(),
            long: kind == RowKind::Long,
        }
    }

    fn starve<'a>(&'a self, state: &'a MecState) -> fbt::MecStarve<'a> {
        fbt::MecStarve {
            choice_offsets: &state.choices.offsets,
            removed: &state.choices.removed,
            results: &self.state.results,
            checks: &self.state.checks,
            tells: Some(&self.state.frontiers),
            params: StarveParams {
                states: self.num_states(),
                long_choices: self.long_choices(state.choices.most),
            },
            tell: self.backward.is_some(),
        }
    }

    /// Returns the number of choices above which all invocations of a workgroup share the choices
    /// of a state; the greatest number if no state has so many. `most` is the largest number of
    /// choices.
    fn long_choices(&self, most: u32) -> u32 {
        let long_row = self.options.long_row;
        if most > long_row { long_row } else { u32::MAX }
    }

    fn attract<'a>(
        &'a self,
        state: &'a MecState,
        rows: &'a DeviceRows,
        shard: usize,
    ) -> fbt::MecAttract<'a> {
        fbt::MecAttract {
            offsets: &rows.offsets,
            entries: rows.entries(shard),
            groups: rows.groups(shard),
            choice_offsets: &state.choices.offsets,
            removed: &state.choices.removed,
            tells: &self.state.frontiers,
            candidates: &state.candidates,
            checks: &self.state.checks,
            rows: rows.range(shard),
            lanes: rows.lanes,
            long: rows.has_long,
        }
    }

    /// Marks the components that lost nothing, and makes regions of the others.
    pub(super) fn settle(&self, state: &MecState, recording: &mut Recording) {
        let pass = fbt::MecSettle {
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
