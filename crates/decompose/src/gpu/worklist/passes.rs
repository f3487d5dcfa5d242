//! The kernels of the worklist engine as recorded passes.
//!
//! This file defines the buffers and parameters of each kernel. It does not decide when a kernel
//! runs.

use super::loop_control::ResumePoint;
use super::profile::Measured;
use super::upload::WorklistGraph;
use ::gpu::kernels::WorklistParams;
use ::gpu::kernels::worklist::{self, DONE, END_COMPONENT};
use mdp_graph::ComponentKind;

/// A pass of a loop: the buffers that all passes bind, and those that only this one binds.
macro_rules! pass {
    (
        $pass:ident of $graph:ident, $shard:expr, $start:expr, $measured:expr;
        $($own:ident: $value:expr),*
    ) => {
        worklist::$pass {
            offsets: &$graph.forward.offsets,
            targets: $graph.forward.targets($shard),
            back_offsets: &$graph.backward.offsets,
            back_targets: $graph.backward.targets($shard),
            regions: &$graph.state.regions,
            reached: &$graph.state.reached,
            pivots: &$graph.state.pivots,
            queue: &$graph.state.queue,
            hubs: &$graph.state.hubs,
            params: $graph.params($shard, $start),
            visited_edges: ($measured == Measured::TimesAndEdges).then_some(&$graph.state.visited),
            counted: $measured == Measured::TimesAndEdges,
            $($own: $value),*
        }
    };
}

impl WorklistGraph<'_> {
    fn params(&self, shard: usize, start: &ResumePoint) -> WorklistParams {
        let tuning = &self.tuning;
        WorklistParams {
            rows: [self.forward.range(shard), self.backward.range(shard)],
            states: self.state.states,
            capacity: self.state.queue.len() as u32,
            hub_capacity: (self.state.hubs.len() / 2) as u32,
            stages: start.stages.bits(),
            is_first_shard: u32::from(shard == 0),
            share: tuning.share,
            most_groups: tuning.most_groups,
            hops: tuning.hops,
            search_hops: tuning.search_hops,
            most_thin: start.division_limits.thin,
            most_left: start.division_limits.left,
            most_slow_rounds: start.division_limits.slow_rounds,
            // If most edges are scattered, states are numbered in no order.
            mixes_keys: u32::from(self.problem.sample.is_scattered()),
            most_propagations: start.division_limits.propagations,
            narrow: tuning.narrow,
            spill_limit: tuning.spill_limit,
            wide: tuning.wide,
            wide_states: tuning.wide_states,
            hub_degree: tuning.hub_degree,
            by_degree: u32::from(tuning.by_degree),
            number_bits: u32::BITS - self.state.states.leading_zeros(),
            one_component_mark: match self.host.kind() {
                ComponentKind::Mec => DONE | END_COMPONENT,
                ComponentKind::Scc | ComponentKind::Bscc => DONE,
            },
        }
    }

    pub(super) fn one_component(
        &self,
        shard: usize,
        start: &ResumePoint,
        measured: Measured,
    ) -> worklist::OneComponent<'_> {
        pass!(OneComponent of self, shard, start, measured;)
    }

    pub(super) fn step(
        &self,
        shard: usize,
        start: &ResumePoint,
        measured: Measured,
    ) -> worklist::Step<'_> {
        let choices = self.choices.as_ref();
        pass!(Step of self, shard, start, measured;
            degrees: &self.state.degrees,
            edge_choices: self.forward.choices(shard),
            back_edge_choices: self.backward.choices(shard),
            removed: choices.map(|choices| &choices.removed),
            removed_snapshot: choices.map(|choices| &choices.removed_snapshot),
            retained: choices.map(|choices| &choices.retained),
            choices: choices.is_some(),
            inline_rows: self.inline_rows.as_ref(),
            inline: self.inline_rows.is_some()
        )
    }

    pub(super) fn colouring(
        &self,
        shard: usize,
        start: &ResumePoint,
        measured: Measured,
    ) -> worklist::Colouring<'_> {
        let choices = self.choices.as_ref();
        worklist::Colouring {
            offsets: &self.forward.offsets,
            targets: self.forward.targets(shard),
            back_offsets: &self.backward.offsets,
            back_targets: self.backward.targets(shard),
            regions: &self.state.regions,
            degrees: &self.state.degrees,
            pivots: &self.state.pivots,
            queue: &self.state.queue,
            hubs: &self.state.hubs,
            colours: &self.state.colours,
            edge_choices: self.forward.choices(shard),
            back_edge_choices: self.backward.choices(shard),
            removed: choices.map(|choices| &choices.removed),
            removed_snapshot: choices.map(|choices| &choices.removed_snapshot),
            retained: choices.map(|choices| &choices.retained),
            choices: choices.is_some(),
            params: self.params(shard, start),
            visited_edges: (measured == Measured::TimesAndEdges).then_some(&self.state.visited),
            counted: measured == Measured::TimesAndEdges,
        }
    }
}
