//! The kernels of the worklist engine as recorded passes.
//!
//! Knows which buffers a kernel binds, and what it is told; not when it runs.

use super::profile::Measured;
use super::resume::ResumePoint;
use super::state::{DONE, FALLEN};
use super::upload::WorklistGraph;
use ::gpu::kernels::{FastParams, worklist};

/// A pass of a loop, with what all of them bind, and what it calls otherwise.
macro_rules! pass {
    ($pass:ident of $graph:ident, $shard:expr, $start:expr, $measured:expr; $($own:ident: $value:expr),*) => {
        worklist::$pass {
            offsets: &$graph.forward.offsets,
            targets: $graph.forward.targets($shard),
            back_offsets: &$graph.backward.offsets,
            back_targets: $graph.backward.targets($shard),
            regions: &$graph.state.regions,
            reached: &$graph.state.reached,
            pivots: &$graph.state.pivots,
            queue: &$graph.state.queue,
            heavy: &$graph.state.heavy,
            params: $graph.params($shard, $start),
            touched_edges: ($measured == Measured::TimesAndEdges).then_some(&$graph.state.touched),
            counted: $measured == Measured::TimesAndEdges,
            $($own: $value),*
        }
    };
}

impl WorklistGraph<'_> {
    fn params(&self, shard: usize, start: &ResumePoint) -> FastParams {
        let tuning = &self.tuning;
        FastParams {
            rows: [self.forward.range(shard), self.backward.range(shard)],
            states: self.state.states,
            capacity: self.state.queue.len() as u32,
            heavy_capacity: (self.state.heavy.len() / 2) as u32,
            stages: start.stages.bits(),
            leads: u32::from(shard == 0),
            share: tuning.share,
            most_groups: tuning.most_groups,
            hops: tuning.hops,
            search_hops: tuning.search_hops,
            most_rounds: start.most_rounds,
            spreads: tuning.spreads,
            narrow: tuning.narrow,
            handover: tuning.handover,
            heavy_degree: tuning.heavy_degree,
            by_degree: u32::from(tuning.by_degree),
            number_bits: u32::BITS - self.state.states.leading_zeros(),
            whole_mark: self.choices.as_ref().map_or(DONE, |_| DONE | FALLEN),
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
            absent: choices.map(|choices| &choices.absent),
            retained: choices.map(|choices| &choices.retained),
            choices: choices.is_some(),
            heads: self.heads.as_ref(),
            headed: self.heads.is_some()
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
            queue: &self.state.queue,
            heavy: &self.state.heavy,
            signatures: &self.state.signatures,
            edge_choices: self.forward.choices(shard),
            back_edge_choices: self.backward.choices(shard),
            absent: choices.map(|choices| &choices.absent),
            retained: choices.map(|choices| &choices.retained),
            choices: choices.is_some(),
            params: self.params(shard, start),
            touched_edges: (measured == Measured::TimesAndEdges).then_some(&self.state.touched),
            counted: measured == Measured::TimesAndEdges,
        }
    }
}
