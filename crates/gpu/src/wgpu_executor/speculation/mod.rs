//! Speculation: steps that are submitted before it is known whether they are needed.
//!
//! A host that waits for the end of each loop waits for the bus each time. But a loop mostly
//! repeats about as often as last time. So as many iterations are encoded as the *iteration
//! predictor* expects, and then a *predicate*: a dispatch that finds out whether the loop has ended
//! and, if not, takes the workgroups from all that follows. So what follows can be in the same
//! submission, if each of its dispatches is sized by a record. A *speculative batch* is as many
//! steps as can share a submission in this way. A loop that has not ended as predicted is resumed
//! on its own, and the next batch starts behind it.
//!
//! The rest of the executor does not depend on any of this: without it, each loop and each
//! condition is waited for ([`RunState::step`]).

mod batch;
mod planner;
mod predicate;
mod predictor;

use super::device::Device;
use super::loops::{ResumePoint, iterate, note, report};
use super::plan::{Planned, PlannedLoop};
use super::resources::Resources;
use super::state::RunState;
use crate::control::Control;
use crate::error::{Error, Result};
use crate::outcome::LoopOutcome;
use crate::record::LoopRecord;
use crate::step::Condition;
use batch::{SpeculativeBatch, StepEncoding};
use planner::Planner;
use predicate::PredicateKernel;
use predictor::IterationPredictor;

/// What speculation keeps from run to run.
pub(super) struct Speculation {
    predictor: IterationPredictor,
    kernel: PredicateKernel,
}

impl Speculation {
    pub(super) fn new(device: &Device) -> Result<Self> {
        Ok(Self {
            predictor: IterationPredictor::default(),
            kernel: PredicateKernel::new(device)?,
        })
    }

    /// Runs as many steps from `first` on as one submission can hold. Returns the next step; `None`
    /// if step `first` is to be done by itself.
    pub(super) fn advance(
        &mut self,
        resources: &Resources,
        state: &mut RunState<'_>,
        first: usize,
        control: &mut Control<'_>,
    ) -> Result<Option<usize>> {
        if !may_begin(&state.plan.steps[first]) {
            return Ok(None);
        }
        let batch = Planner::plan(state, &self.predictor, first);
        if !batch.is_speculative() {
            return Ok(None);
        }
        let records = self.submit(resources, state, &batch, first)?;
        self.settle(state, &batch, first, &records, control)
            .map(Some)
    }

    /// Learns from step `at`, which was done by itself.
    pub(super) fn learn(&mut self, state: &RunState<'_>, at: usize) {
        if let Planned::Loop(planned) = &state.plan.steps[at] {
            let iterations = state.loops[planned.number].iterations;
            self.predictor.learn(&planned.repeated.name, iterations);
        }
    }

    /// Encodes and submits a batch, and waits for it. Returns its records.
    fn submit(
        &mut self,
        resources: &Resources,
        state: &mut RunState<'_>,
        batch: &SpeculativeBatch,
        first: usize,
    ) -> Result<Vec<LoopRecord>> {
        let device = &resources.device;
        let dispatches = batch.dispatches + batch.predicates.len();
        state.submitter.make_room(dispatches as u32)?;
        state.records.write(device, "records", &batch.records)?;
        let predicates = batch.predicates.iter().map(|placed| placed.record);
        self.kernel
            .write(device, state.records.stride, predicates)?;
        let mut asked = 0;
        for (step, encoding) in state.plan.steps[first..].iter().zip(&batch.encodings) {
            encode(state, step, *encoding)?;
            if let StepEncoding::Loop { .. } | StepEncoding::Predicate { .. } = encoding {
                let bound = self.kernel.bound(resources, state.records, asked)?;
                let pass = state.submitter.commands.pass(bound);
                pass.dispatch_workgroups(1, 1, 1);
                asked += 1;
            }
        }
        let count = batch.records.len() as u64;
        let commands = &mut state.submitter.commands;
        let staging = state.records.copy_out(device, commands, count)?;
        let submission = state.submitter.submit()?;
        device.map(&staging, submission)?;
        state.records.take(staging, count)
    }

    /// Takes note of what a batch did, and resumes the loop that has not ended, if there is one.
    /// Returns the next step.
    fn settle(
        &mut self,
        state: &mut RunState<'_>,
        batch: &SpeculativeBatch,
        first: usize,
        records: &[LoopRecord],
        control: &mut Control<'_>,
    ) -> Result<usize> {
        let plan = state.plan;
        let mut at = first;
        while let Some(encoding) = batch.encodings.get(at - first) {
            match (*encoding, &plan.steps[at]) {
                (StepEncoding::Loop { first, count }, Planned::Loop(planned)) => {
                    let ran = &records[first as usize..=(first + count) as usize];
                    let has_ended = settle_loop(state, planned, ran, control)?;
                    self.learn(state, at);
                    if !has_ended {
                        return Ok(at + 1);
                    }
                }
                (StepEncoding::Predicate { record }, Planned::Guard { condition, end, .. }) => {
                    let holds = match condition {
                        Condition::Word(..) => records[record as usize].groups[0] != 0,
                        Condition::Without(..) | Condition::With(..) => state.holds(condition),
                    };
                    if !holds {
                        at = *end;
                        continue;
                    }
                }
                _ => {}
            }
            at += 1;
        }
        Ok(at)
    }
}

/// Whether a batch may begin with a step: others need not be waited for.
fn may_begin(step: &Planned<'_>) -> bool {
    matches!(
        step,
        Planned::Loop(_) | Planned::Guard { word: Some(_), .. }
    )
}

/// Encodes a step of a batch, without its predicate.
fn encode(state: &mut RunState<'_>, step: &Planned<'_>, encoding: StepEncoding) -> Result<()> {
    let commands = &mut state.submitter.commands;
    match (encoding, step) {
        (StepEncoding::AsRecorded, _) => state.encode(step)?,
        (StepEncoding::Sized { record }, Planned::Dispatch(_, bound)) => {
            let at = state.records.at(record);
            let pass = commands.pass(bound);
            pass.dispatch_workgroups_indirect(&state.records.buffers[0], at);
        }
        (StepEncoding::Loop { first, count }, Planned::Loop(planned)) => {
            iterate(&mut state.submitter, state.records, planned, first, count)?;
        }
        (
            StepEncoding::Predicate { record },
            Planned::Guard {
                word: Some((buffer, byte)),
                ..
            },
        ) => {
            let (even, to) = (&state.records.buffers[0], state.records.at(record));
            let encoder = commands.encoder();
            encoder.copy_buffer_to_buffer(buffer, *byte, even, to, 4);
        }
        _ => {}
    }
    Ok(())
}

/// Takes note of a loop in a batch, with its records, and resumes it if it has not ended. Returns
/// whether it had.
fn settle_loop(
    state: &mut RunState<'_>,
    planned: &PlannedLoop<'_>,
    ran: &[LoopRecord],
    control: &mut Control<'_>,
) -> Result<bool> {
    let mut outcome = LoopOutcome::default();
    let live = note(&mut outcome, ran);
    if report(control, planned.repeated, &outcome, &ran[..live]) {
        return Err(Error::Cancelled);
    }
    let has_ended = outcome.last.is_last();
    match has_ended {
        true => state.end_loop(planned, outcome)?,
        false => {
            let resume = ResumePoint {
                iterations: ran.len() as u64 - 1,
                record: outcome.last,
            };
            state.run_loop(planned, Some(resume), control)?;
        }
    }
    Ok(has_ended)
}
