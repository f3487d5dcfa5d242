//! Decomposes functional graphs on a device: graphs in which no state leads to two others, or in
//! which no two states lead to the same other one.
//!
//! This file records the kernels of `shaders/functional/`; `walk.wgsl` there describes the search.

use super::monitor::SearchMonitor;
use super::profile::Measured;
use super::rows::DeviceRows;
use super::upload::WorklistGraph;
use crate::Error;
use ::gpu::kernels::worklist::{DEAD, DONE, END_COMPONENT};
use ::gpu::kernels::{FunctionalParams, functional};
use ::gpu::{Buffer, Groups, Recording, RunOptions};

impl WorklistGraph<'_> {
    /// Decomposes the graph if it is functional. Returns whether it has done so; otherwise, no
    /// state has a component yet.
    pub(super) fn search_functional(&self, monitor: &mut SearchMonitor<'_>) -> Result<bool, Error> {
        let Some(rows) = self.functional_rows() else {
            return Ok(false);
        };
        let passes = Passes::of(self, rows)?;
        let mut recording = Recording::new();
        passes.record(&mut recording);
        let count = recording.steps().len();
        let given_up = recording.read(&passes.given_up, 0..1);
        let mut run_options = RunOptions {
            observer: None,
            time_passes: monitor.measured != Measured::Nothing,
        };
        let outcome = self.gpu.run_with(&recording, &mut run_options)?;
        let profile = &mut monitor.profile;
        profile.submissions += outcome.submissions;
        profile.add_passes("functional", count, &outcome.dispatch_times);
        Ok(outcome.get(given_up) == [0])
    }

    /// Returns rows of at most one edge each, if the graph is functional in a direction that
    /// determines its components. No choice has several other targets then.
    pub(super) fn functional_rows(&self) -> Option<&DeviceRows> {
        if self.num_shards() > 1 || self.state.states < self.tuning.functional_states {
            return None;
        }
        // Backward, a state may have choices that leave its cycle.
        let backward = self.choices.is_none().then_some(&self.backward);
        [Some(&self.forward), backward]
            .into_iter()
            .flatten()
            .find(|rows| rows.longer_than(2) == 0)
    }
}

/// The kernels with the buffers that they take. Most of these belong to the other searches, which
/// have not begun.
struct Passes<'a> {
    graph: &'a WorklistGraph<'a>,
    rows: &'a DeviceRows,
    params: FunctionalParams,
    given_up: Buffer<u32>,
}

impl<'a> Passes<'a> {
    fn of(graph: &'a WorklistGraph<'_>, rows: &'a DeviceRows) -> Result<Self, Error> {
        let states = graph.state.states;
        let params = FunctionalParams {
            states,
            blocks: states.div_ceil(functional::BLOCK),
            component_mark: graph
                .choices
                .as_ref()
                .map_or(DONE, |_| DONE | END_COMPONENT),
            dead: DEAD,
            most_steps: graph.tuning.walk_steps,
        };
        let given_up = graph.gpu.zeroed("given up", 1)?;
        Ok(Self {
            graph,
            rows,
            params,
            given_up,
        })
    }

    fn record(&self, recording: &mut Recording) {
        let state = &self.graph.state;
        let over_states = Groups::Over(self.params.states.into());
        let over_blocks = Groups::Over(self.params.blocks.into());
        recording
            .dispatch(&self.successors(), over_states)
            .dispatch(&self.walk(), over_blocks);
        let mut ahead = [self.ahead(), &state.pivots];
        // After this many passes, the pointers reach further than the number of splitters.
        for _ in 0..u32::BITS - self.params.blocks.leading_zeros() {
            let double = functional::Double {
                ahead: ahead[0],
                further: ahead[1],
                params: self.params,
            };
            recording.dispatch(&double, over_blocks);
            ahead.swap(0, 1);
        }
        let mark = functional::MarkCycles {
            ahead: ahead[0],
            on_cycle: self.on_cycle(),
            params: self.params,
        };
        recording
            .dispatch(&mark, over_blocks)
            .dispatch(&self.name_cycles(ahead[0]), over_blocks)
            .dispatch(&self.short_cycles(), over_states);
    }

    fn next(&self) -> &Buffer<u32> {
        &self.graph.state.colours
    }

    fn marks(&self) -> &Buffer<u32> {
        &self.graph.state.degrees
    }

    /// Returns the buffer of pointers ahead, with two words for each block.
    fn ahead(&self) -> &Buffer<u32> {
        &self.graph.state.queue
    }

    /// Returns one word for each block.
    fn on_cycle(&self) -> &Buffer<u32> {
        &self.graph.state.reached
    }

    fn successors(&self) -> functional::Successors<'_> {
        let choices = self.graph.choices.as_ref();
        functional::Successors {
            offsets: &self.rows.offsets,
            targets: self.rows.targets(0),
            successors: self.next(),
            visited: self.marks(),
            regions: &self.graph.state.regions,
            counts: choices.map(|choices| &choices.all),
            choices: choices.is_some(),
            params: self.params,
        }
    }

    fn walk(&self) -> functional::Walk<'_> {
        functional::Walk {
            regions: &self.graph.state.regions,
            successors: self.next(),
            given_up: &self.given_up,
            ahead: self.ahead(),
            on_cycle: self.on_cycle(),
            visited: self.marks(),
            params: self.params,
        }
    }

    fn name_cycles<'b>(&'b self, ahead: &'b Buffer<u32>) -> functional::NameCycles<'b> {
        functional::NameCycles {
            regions: &self.graph.state.regions,
            successors: self.next(),
            ahead,
            on_cycle: self.on_cycle(),
            params: self.params,
        }
    }

    fn short_cycles(&self) -> functional::ShortCycles<'_> {
        functional::ShortCycles {
            regions: &self.graph.state.regions,
            successors: self.next(),
            given_up: &self.given_up,
            visited: self.marks(),
            params: self.params,
        }
    }
}
