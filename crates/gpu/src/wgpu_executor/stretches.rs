//! Stretches: as many steps of a recording as can be submitted at once, loops and what comes after them included.
//!
//! How often a loop repeats is not known, but it is mostly about as often as last time. So many iterations are
//! encoded, then a *gate*: a dispatch that finds out whether the loop has ended and, if not, takes the workgroups
//! from all that follows (`shaders/basic/gate.wgsl`). What follows can so be in the same submission, if each of
//! its dispatches is sized by a record. Steps that cannot be gated begin the next stretch. A loop that turns out
//! not to have ended is gone on with on its own (`repeat`), and the next stretch starts behind it.

use std::time::Duration;

use super::foresight::Foresight;
use super::gates::Gates;
use super::pace::AT_A_TIME;
use super::records::Records;
use super::repeat::{self, Carry, Loop};
use super::run::{Plan, Runner};
use super::stretch::{ENDED, Form, Question, Stretch, WITH, WITHOUT, WORD};
use crate::outcome::{Control, LoopOutcome, LoopRecord};
use crate::recording::{Condition, Dispatch, Gate, Groups, Recording, Step};
use crate::repeat::{Repeated, Start};
use crate::{Error, Result};

/// A loop of more dispatches is not worth foreseeing: it takes as long as it takes.
const MAX_FORESEEN: u64 = 64;

/// A stretch ends before a loop that it is less likely to reach.
const LIKELY: f32 = 0.5;

/// What a run of stretches takes beside the commands.
pub(super) struct Stretches<'a> {
    pub(super) recording: &'a Recording,
    pub(super) plan: &'a Plan,
    pub(super) records: &'a mut Records,
    pub(super) gates: &'a mut Gates,
    pub(super) foresight: &'a mut Foresight,
    pub(super) carry: &'a Carry,
    pub(super) arena: &'a wgpu::Buffer,
    pub(super) reads: Option<&'a wgpu::Buffer>,
}

impl Stretches<'_> {
    /// Runs all steps.
    pub(super) fn run(&mut self, runner: &mut Runner<'_>, control: &mut Control<'_>) -> Result<()> {
        let steps = self.recording.steps();
        let mut at = 0;
        while at < steps.len() {
            let stretch = self.next(runner, at);
            at = match &steps[at] {
                Step::Repeat(repeated) if stretch.forms.is_empty() => {
                    self.go_on(runner, at, repeated, None, control)?;
                    at + 1
                }
                _ => self.stretch(runner, &stretch, at, control)?,
            };
        }
        Ok(())
    }

    /// Plans the stretch from step `first` on. It is empty if that is a loop to be run on its own.
    fn next(&self, runner: &Runner<'_>, first: usize) -> Stretch {
        let mut stretch = Stretch::default();
        let mut out_until = first;
        for (at, step) in self.recording.steps().iter().enumerate().skip(first) {
            stretch.close_before(at);
            let form = match at < out_until {
                true => Some(Form::Out),
                false => self.form(runner, &mut stretch, first, at, step),
            };
            let Some(form) = form else { break };
            if let (Form::Out, Step::Gate(gate)) = (form, step)
                && at >= out_until
            {
                out_until = self.end_of(at, gate);
            }
            stretch.forms.push(form);
        }
        stretch.close();
        stretch
    }

    /// The step before which ends what depends on the condition at step `at`.
    fn end_of(&self, at: usize, gate: &Gate) -> usize {
        gate.steps
            .map_or(self.recording.steps().len(), |steps| at + 1 + steps)
    }

    /// How step `at` is encoded in the stretch from `first` on; none if it cannot be part of it.
    fn form(
        &self,
        runner: &Runner<'_>,
        stretch: &mut Stretch,
        first: usize,
        at: usize,
        step: &Step,
    ) -> Option<Form> {
        let is_gated = !stretch.gates.is_empty();
        if is_gated && runner.commands.timer.is_some() {
            // Timed dispatches are to be counted only if they do something.
            return None;
        }
        match step {
            Step::Read(..) => Some(Form::Plain),
            Step::Repeat(repeated) => self.foreseen(runner, stretch, at, repeated),
            Step::Gate(gate) => self.condition(&runner.outcome.loops, stretch, first, at, gate),
            _ if !is_gated => Some(Form::Plain),
            Step::Dispatch(Dispatch {
                groups: Groups::Fixed(groups),
                ..
            }) if stretch.has_room(2, 1) && stretch.takes(self.expected(runner, at)) => {
                stretch.gated += 1;
                let record = LoopRecord {
                    groups: *groups,
                    ..LoopRecord::default()
                };
                Some(Form::Sized(stretch.place(&[record])))
            }
            _ => None,
        }
    }

    /// What an iteration of a loop is expected to take at most, or a dispatch.
    fn expected(&self, runner: &Runner<'_>, at: usize) -> Duration {
        let bytes = repeat::bytes_of_iteration(&self.plan.calls[at]);
        runner.pace.expect(bytes)
    }

    fn foreseen(
        &self,
        runner: &Runner<'_>,
        stretch: &mut Stretch,
        at: usize,
        repeated: &Repeated,
    ) -> Option<Form> {
        let (expected, confidence) = self.foresight.of(&repeated.name);
        let count = expected.min(repeated.at_most.next_multiple_of(2));
        let calls = repeat::num_calls(&self.plan.calls[at], 0, count) as u64;
        let each = self.expected(runner, at);
        if repeated.ahead
            || repeated.alike.is_some()
            || matches!(repeated.start, Start::Record(..))
            || count == 0
            || calls > MAX_FORESEEN
            || 1.0 - stretch.doubt < LIKELY
            || !stretch.has_room(count + 1, calls)
            || each.saturating_mul(count as u32) > AT_A_TIME
            || !stretch.takes(each.saturating_mul(count as u32))
        {
            return None;
        }
        let first = stretch.place(&repeat::fresh(repeated, 0, count));
        stretch.gated += calls as usize;
        stretch.doubt = 1.0 - (1.0 - stretch.doubt) * confidence;
        let ended = Question {
            condition: ENDED,
            first: first as u32,
            iterations: count as u32,
            ..Question::default()
        };
        stretch.gate(ended, None);
        Some(Form::Loop(first, count))
    }

    fn condition(
        &self,
        ended: &[LoopOutcome],
        stretch: &mut Stretch,
        first: usize,
        at: usize,
        gate: &Gate,
    ) -> Option<Form> {
        let until = gate.steps.map(|steps| at + 1 + steps);
        let (condition, ticket, dimension) = match gate.condition {
            Condition::Word(..) if stretch.has_room(2, 1) => {
                let record = stretch.place(&[LoopRecord::default()]);
                let params = Question {
                    condition: WORD,
                    first: record as u32,
                    ..Question::default()
                };
                stretch.gate(params, until);
                return Some(Form::Asked(record));
            }
            Condition::Word(..) => return None,
            Condition::Without(ticket, dimension) => (WITHOUT, ticket, dimension),
            Condition::With(ticket, dimension) => (WITH, ticket, dimension),
        };
        let foreseen = self.plan.loops[ticket.0]
            .checked_sub(first)
            .and_then(|step| stretch.forms.get(step));
        let Some(&Form::Loop(record, count)) = foreseen else {
            // The loop has ended before.
            return Some(match holds(&ended[ticket.0], &gate.condition) {
                true => Form::Plain,
                false => Form::Out,
            });
        };
        let params = Question {
            condition,
            first: record as u32,
            iterations: count as u32,
            dimension: dimension as u32,
            ..Question::default()
        };
        stretch.has_room(0, 1).then(|| {
            stretch.gate(params, until);
            Form::Asked(record)
        })
    }

    /// Encodes, submits and waits; says which step is next.
    fn stretch(
        &mut self,
        runner: &mut Runner<'_>,
        stretch: &Stretch,
        first: usize,
        control: &mut Control<'_>,
    ) -> Result<usize> {
        runner.make_room(stretch.gated as u32 + stretch.gates.len() as u32)?;
        let device = &runner.executor.device;
        if !stretch.records.is_empty() {
            self.records.write(device, "records", &stretch.records)?;
            let gates = stretch.gates.iter().map(|gate| gate.record);
            self.gates.write(device, self.records.stride, gates)?;
        }
        let mut gate = 0;
        for (at, form) in (first..).zip(&stretch.forms) {
            self.encode(runner, at, *form)?;
            if matches!(form, Form::Loop(..) | Form::Asked(_)) {
                let bound = self.gates.bound(runner, self.records, gate)?;
                runner.commands.pass(bound).dispatch_workgroups(1, 1, 1);
                gate += 1;
            }
        }
        let end = first + stretch.forms.len();
        if stretch.gates.is_empty() {
            // Nothing to wait for: the next stretch goes into the same submission.
            return Ok(end);
        }
        let count = stretch.records.len() as u64;
        let staging = self.records.copy_out(runner, count)?;
        let submission = runner.submit()?;
        runner.executor.device.map(&staging, submission)?;
        let records = self.records.take(staging, count)?;
        self.settle(runner, &stretch.forms, first, &records, control)
    }

    fn encode(&mut self, runner: &mut Runner<'_>, at: usize, form: Form) -> Result<()> {
        let step = &self.recording.steps()[at];
        let calls = &self.plan.calls[at];
        match (form, step) {
            (Form::Out, _) | (Form::Plain, Step::Gate(_)) => Ok(()),
            (Form::Plain, Step::Dispatch(dispatch)) => {
                runner.dispatch(&dispatch.groups, &calls[0][0])
            }
            (Form::Plain, _) => runner.copy(step, self.arena, self.plan.places[at], self.reads),
            (Form::Sized(record), _) => {
                let at = self.records.at(record);
                let pass = runner.commands.pass(&calls[0][0]);
                pass.dispatch_workgroups_indirect(&self.records.buffers[0], at);
                Ok(())
            }
            (Form::Loop(record, count), _) => {
                repeat::iterate(runner, self.records, calls, None, (record, 0), count)
            }
            (
                Form::Asked(record),
                Step::Gate(Gate {
                    condition: Condition::Word(buffer, from),
                    ..
                }),
            ) => {
                let (buffer, to) = (runner.executor.held(buffer.id())?, self.records.at(record));
                let encoder = runner.commands.encoder();
                encoder.copy_buffer_to_buffer(&buffer, *from, &self.records.buffers[0], to, 4);
                Ok(())
            }
            (Form::Asked(_), _) => Ok(()),
        }
    }

    /// Takes note of what a stretch did, and goes on with the loop that has not ended, if there is one. Says which
    /// step is next.
    fn settle(
        &mut self,
        runner: &mut Runner<'_>,
        forms: &[Form],
        first: usize,
        records: &[LoopRecord],
        control: &mut Control<'_>,
    ) -> Result<usize> {
        let mut at = first;
        while at < first + forms.len() {
            match (forms[at - first], &self.recording.steps()[at]) {
                (Form::Loop(record, count), Step::Repeat(repeated)) => {
                    let ran = &records[record as usize..=(record + count) as usize];
                    let mut outcome = LoopOutcome::default();
                    let live = repeat::note(&mut outcome, ran);
                    if repeat::report(control, repeated, &outcome, &ran[..live]) {
                        return Err(Error::Cancelled);
                    }
                    if !outcome.last.is_last() {
                        self.go_on(runner, at, repeated, Some((count, outcome.last)), control)?;
                        return Ok(at + 1);
                    }
                    self.note(runner, at, repeated, &outcome)?;
                }
                (Form::Asked(record), Step::Gate(gate)) => {
                    let is_open = match gate.condition {
                        Condition::Word(..) => records[record as usize].groups[0] != 0,
                        Condition::Without(ticket, _) | Condition::With(ticket, _) => {
                            holds(&runner.outcome.loops[ticket.0], &gate.condition)
                        }
                    };
                    if !is_open {
                        at = self.end_of(at, gate);
                        continue;
                    }
                }
                _ => {}
            }
            at += 1;
        }
        Ok(at)
    }

    /// Runs a loop on its own: from its start, or from where its first iterations have left it.
    fn go_on(
        &mut self,
        runner: &mut Runner<'_>,
        at: usize,
        repeated: &Repeated,
        begun: Option<(u64, LoopRecord)>,
        control: &mut Control<'_>,
    ) -> Result<()> {
        let phases = &self.plan.calls[at];
        let carry = self.carry;
        let of = Loop {
            repeated,
            phases,
            carry,
        };
        let outcome = of.run(runner, self.records, begun, control)?;
        self.note(runner, at, repeated, &outcome)
    }

    /// Keeps how a loop ended.
    fn note(
        &mut self,
        runner: &mut Runner<'_>,
        at: usize,
        repeated: &Repeated,
        outcome: &LoopOutcome,
    ) -> Result<()> {
        if outcome.iterations > repeated.at_most {
            return Err(repeat::limit(repeated));
        }
        self.foresight.learn(&repeated.name, outcome.iterations);
        let loops = self.plan.loops.iter();
        for (number, _) in loops.enumerate().filter(|(_, step)| **step == at) {
            runner.outcome.loops[number] = outcome.clone();
        }
        Ok(())
    }
}

/// Whether a condition on how a loop ended holds.
fn holds(outcome: &LoopOutcome, condition: &Condition) -> bool {
    match *condition {
        Condition::Without(_, dimension) => outcome.last.groups[dimension] == 0,
        Condition::With(_, dimension) => outcome.last.groups[dimension] != 0,
        Condition::Word(..) => true,
    }
}
