//! Plans speculative batches: which steps are in one, and how each is encoded.

use std::time::Duration;

use super::batch::{SpeculativeBatch, StepEncoding};
use super::predicate::Question;
use super::predictor::IterationPredictor;
use crate::record::LoopRecord;
use crate::step::Condition;
use crate::ticket::LoopTicket;
use crate::wgpu_executor::loops::{bytes_of_iteration, fresh};
use crate::wgpu_executor::pace::AT_A_TIME;
use crate::wgpu_executor::plan::{Planned, PlannedLoop};
use crate::wgpu_executor::state::RunState;

/// A loop of more dispatches is not worth predicting: it takes as long as it takes.
const MAX_PREDICTED: u64 = 64;

/// A batch ends before a loop that it is less likely to reach.
const LIKELY: f32 = 0.5;

/// Plans one batch.
pub(super) struct Planner<'p, 'a> {
    state: &'p RunState<'a>,
    predictor: &'p IterationPredictor,
    /// The first step of the batch.
    first: usize,
    batch: SpeculativeBatch,
}

impl<'p, 'a> Planner<'p, 'a> {
    /// The batch from step `first` on. It is empty if that step cannot begin one.
    pub(super) fn plan(
        state: &'p RunState<'a>,
        predictor: &'p IterationPredictor,
        first: usize,
    ) -> SpeculativeBatch {
        let mut planner = Self {
            state,
            predictor,
            first,
            batch: SpeculativeBatch::default(),
        };
        planner.steps();
        planner.batch.finish();
        planner.batch
    }

    /// Adds steps until one cannot be part of the batch.
    fn steps(&mut self) {
        let steps = &self.state.plan.steps;
        let mut skipped_until = self.first;
        for (at, step) in steps.iter().enumerate().skip(self.first) {
            self.batch.begin_step(at);
            let encoding = match at < skipped_until {
                true => Some(StepEncoding::Skipped),
                false => self.encoding(step),
            };
            let Some(encoding) = encoding else { return };
            if let (StepEncoding::Skipped, Planned::Guard { end, .. }) = (encoding, step) {
                skipped_until = skipped_until.max(*end);
            }
            self.batch.encodings.push(encoding);
        }
    }

    /// How a step is encoded; `None` if it cannot be part of the batch.
    fn encoding(&mut self, step: &Planned<'_>) -> Option<StepEncoding> {
        let is_first = self.batch.predicates.is_empty();
        if !is_first && self.state.submitter.is_timed() {
            // Timed dispatches are to be counted only if they do something.
            return None;
        }
        match step {
            Planned::Read(_) => Some(StepEncoding::AsRecorded),
            Planned::Loop(planned) => self.predicted(planned),
            Planned::Guard { condition, end, .. } => self.predicate(condition, *end),
            Planned::Dispatch(groups, bound) => {
                let expected = self.state.submitter.pace.expect(bound.bytes);
                self.sized(*groups, expected)
            }
            Planned::Clear(_) | Planned::Copy(_) => None,
        }
    }

    /// A dispatch whose workgroups can be taken away.
    fn sized(&mut self, groups: [u32; 3], expected: Duration) -> Option<StepEncoding> {
        if !self.batch.has_room(2, 1) || !self.batch.expect(expected) {
            return None;
        }
        self.batch.dispatches += 1;
        let record = self.batch.place(&[LoopRecord {
            groups,
            ..LoopRecord::default()
        }]);
        Some(StepEncoding::Sized { record })
    }

    /// As many iterations of a loop as it is likely to take, and the question whether these were
    /// enough.
    fn predicted(&mut self, planned: &PlannedLoop<'_>) -> Option<StepEncoding> {
        let repeated = planned.repeated;
        let (prediction, confidence) = self.predictor.predict(&repeated.name);
        let count = prediction.min(repeated.at_most.next_multiple_of(2));
        let dispatches = planned.body.len() as u64 * count;
        let bytes = bytes_of_iteration(&planned.body);
        let each = self.state.submitter.pace.expect(bytes);
        let all = each.saturating_mul(count as u32);
        if repeated.pipelined
            || repeated.fixed_grid
            || count == 0
            || dispatches > MAX_PREDICTED
            || self.batch.likelihood() < LIKELY
            || !self.batch.has_room(count + 1, dispatches)
            || all > AT_A_TIME
            || !self.batch.expect(all)
        {
            return None;
        }
        let first = self.batch.place(&fresh(repeated, 0, count));
        self.batch.dispatches += dispatches as usize;
        self.batch.rely_on(confidence);
        self.batch.ask(Question::Ended, (first, count), None);
        Some(StepEncoding::Loop { first, count })
    }

    /// A condition on which steps up to `end` depend.
    fn predicate(&mut self, condition: &Condition, end: usize) -> Option<StepEncoding> {
        let end = (end < self.state.plan.steps.len()).then_some(end);
        let (question, ticket) = match *condition {
            Condition::Word(..) => return self.word(end),
            Condition::Without(ticket, dimension) => (Question::Without(dimension as u32), ticket),
            Condition::With(ticket, dimension) => (Question::With(dimension as u32), ticket),
        };
        let Some((first, count)) = self.records_of(ticket) else {
            // The loop has ended before.
            return Some(match self.state.holds(condition) {
                true => StepEncoding::AsRecorded,
                false => StepEncoding::Skipped,
            });
        };
        if !self.batch.has_room(0, 1) {
            return None;
        }
        self.batch.ask(question, (first, count), end);
        Some(StepEncoding::Predicate { record: first })
    }

    /// The condition that a word, which is copied to a record, is not zero.
    fn word(&mut self, end: Option<usize>) -> Option<StepEncoding> {
        if !self.batch.has_room(2, 1) {
            return None;
        }
        let record = self.batch.place(&[LoopRecord::default()]);
        self.batch.ask(Question::Word, (record, 0), end);
        Some(StepEncoding::Predicate { record })
    }

    /// The first record of a loop in this batch, and how many iterations are encoded.
    fn records_of(&self, ticket: LoopTicket) -> Option<(u64, u64)> {
        let step = self.state.plan.loops[ticket.0].checked_sub(self.first)?;
        match self.batch.encodings.get(step)? {
            StepEncoding::Loop { first, count } => Some((*first, *count)),
            _ => None,
        }
    }
}
