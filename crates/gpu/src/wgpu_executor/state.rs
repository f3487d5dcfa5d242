//! The state of a run in progress, and how single steps change it.

use wgpu::BufferUsages;

use super::loops::{Batch, Carry, Loop, encode_unwatched, reads};
use super::plan::{Plan, Planned, PlannedLoop};
use super::predictor::IterationPredictor;
use super::records::Records;
use super::submit::Submitter;
use crate::error::Result;
use crate::outcome::LoopOutcome;
use crate::run_options::RunOptions;
use crate::step::Condition;

/// A run in progress.
pub(super) struct RunState<'a> {
    pub(super) plan: &'a Plan<'a>,
    pub(super) submitter: Submitter<'a>,
    pub(super) records: &'a mut Records,
    pub(super) carry: &'a Carry,
    pub(super) predictor: &'a mut IterationPredictor,
    /// The outcome of each loop. It has no iterations if the loop has not run.
    pub(super) loops: Vec<LoopOutcome>,
    /// The data of the reads that loops have returned so far.
    pub(super) brought: Vec<Option<Vec<u8>>>,
    /// Whether other reads were encoded.
    pub(super) has_read: bool,
    /// Whether the run may go on before a loop is known to have ended.
    pub(super) may_presume: bool,
    /// The step of the loop that was presumed to have ended, and the batch that was submitted for
    /// it.
    pub(super) presumed: Option<(usize, Batch)>,
}

impl<'a> RunState<'a> {
    /// Runs all steps.
    pub(super) fn run(&mut self, options: &mut RunOptions<'_>) -> Result<()> {
        let mut at = 0;
        loop {
            while at < self.plan.steps.len() {
                at = self.step(at, options)?;
            }
            if self.confirm(options)? {
                return Ok(());
            }
            at = self.restart();
        }
    }

    /// Runs step `at` by itself: encodes it or, if it is a watched loop or a condition, waits for
    /// it. Returns the number of the next step.
    fn step(&mut self, at: usize, options: &mut RunOptions<'_>) -> Result<usize> {
        let plan = self.plan;
        match &plan.steps[at] {
            Planned::Loop(planned) if planned.repeated.options.unwatched => {
                encode_unwatched(&mut self.submitter, self.records, planned)?;
            }
            Planned::Loop(planned) => {
                return match self.presume(at, planned)? {
                    Some(next) => Ok(next),
                    None => self.run_loop(at, planned, options),
                };
            }
            // No step depends on it.
            Planned::Guard { end, .. } if *end == at + 1 => {}
            Planned::Guard {
                condition,
                end,
                word,
                read,
            } => {
                if !self.confirm(options)? {
                    return Ok(self.restart());
                }
                let holds = match (word, self.known_word(*read)) {
                    (_, Some(word)) => word != 0,
                    (Some((buffer, byte)), None) => self.read_word(buffer, *byte)? != 0,
                    (None, None) => self.holds(condition),
                };
                if !holds {
                    return Ok(*end);
                }
            }
            other => {
                self.has_read |= matches!(other, Planned::Read(..));
                self.submitter.encode(other)?;
            }
        }
        Ok(at + 1)
    }

    /// Returns the loop of step `at`, to be run on its own.
    fn alone<'s>(&'s mut self, at: usize, planned: &'s PlannedLoop<'s>) -> Loop<'s, 'a> {
        Loop {
            planned,
            then: &self.plan.steps[at + 1..at + 1 + planned.repeated.then],
            submitter: &mut self.submitter,
            records: self.records,
            carry: self.carry,
        }
    }

    /// Runs the loop of step `at`, with the steps that may run before its end. Returns the number
    /// of the step after these.
    fn run_loop(
        &mut self,
        at: usize,
        planned: &PlannedLoop<'_>,
        options: &mut RunOptions<'_>,
    ) -> Result<usize> {
        let expected = self.predictor.predict(&planned.repeated.name);
        let begun = self.alone(at, planned).begin(expected)?;
        // The device is busy meanwhile.
        if !self.confirm(options)? {
            return Ok(self.restart());
        }
        let (outcome, bytes) = self.alone(at, planned).end(begun, options)?;
        self.note(at, planned, outcome, &bytes);
        Ok(at + 1 + planned.repeated.then)
    }

    /// Stores the outcome of the loop of step `at`, and the data that the steps after it have read.
    /// If a condition on these data follows, returns whether it holds.
    fn note(
        &mut self,
        at: usize,
        planned: &PlannedLoop<'_>,
        outcome: LoopOutcome,
        bytes: &[u8],
    ) -> bool {
        let end = at + 1 + planned.repeated.then;
        let mut rest = bytes;
        for (number, count) in reads(&self.plan.steps[at + 1..end]) {
            let (own, others) = rest.split_at(count as usize);
            self.brought[number] = Some(own.to_vec());
            rest = others;
        }
        let goes_on = match self.plan.steps.get(end) {
            Some(Planned::Guard { read, .. }) => self.known_word(*read) != Some(0),
            _ => true,
        };
        let iterations = outcome.iterations;
        self.predictor
            .learn(&planned.repeated.name, iterations, goes_on);
        self.loops[planned.number] = outcome;
        goes_on
    }

    /// If the loop of step `at` can be presumed to end as predicted, goes on after it, and after a
    /// condition on the data that are read with it. Returns the number of the next step, or `None`.
    fn presume(&mut self, at: usize, planned: &PlannedLoop<'_>) -> Result<Option<usize>> {
        let name = &planned.repeated.name;
        let is_possible =
            planned.repeated.options.presumed && self.may_presume && self.presumed.is_none();
        if !is_possible || !self.predictor.is_sure(name) {
            return Ok(None);
        }
        let expected = self.predictor.predict(name);
        let Some(batch) = self.alone(at, planned).presume(expected)? else {
            return Ok(None);
        };
        self.presumed = Some((at, batch));
        let end = at + 1 + planned.repeated.then;
        Ok(Some(match self.plan.steps.get(end) {
            Some(Planned::Guard { read: Some(_), .. }) => end + 1,
            _ => end,
        }))
    }

    /// Waits for the loop that was presumed to have ended, if there is one. Returns whether this
    /// was right.
    fn confirm(&mut self, options: &mut RunOptions<'_>) -> Result<bool> {
        let plan = self.plan;
        let Some((at, batch)) = self.presumed.take() else {
            return Ok(true);
        };
        let Planned::Loop(planned) = &plan.steps[at] else {
            return Ok(true);
        };
        let confirmed = self.alone(at, planned).confirm(batch, options)?;
        Ok(confirmed.is_some_and(|(outcome, bytes)| self.note(at, planned, outcome, &bytes)))
    }

    /// Discards all results after a wrong presumption. Returns the number of the next step.
    fn restart(&mut self) -> usize {
        self.may_presume = false;
        self.loops.fill(LoopOutcome::default());
        self.brought.fill(None);
        self.has_read = false;
        0
    }

    /// Returns the word of a condition, if a loop has returned the read that includes it.
    fn known_word(&self, read: Option<(usize, usize)>) -> Option<u32> {
        let (number, at) = read?;
        let bytes = self.brought[number].as_ref()?;
        Some(bytemuck::pod_read_unaligned(&bytes[at..at + 4]))
    }

    /// Returns whether a condition on the outcome of a loop holds.
    fn holds(&self, condition: &Condition) -> bool {
        match *condition {
            Condition::Without(handle, dimension) => {
                self.loops[handle.0].last.groups[dimension] == 0
            }
            Condition::With(handle, dimension) => self.loops[handle.0].last.groups[dimension] != 0,
            Condition::Word(..) => true,
        }
    }

    /// Waits for everything that was encoded, and reads a word.
    fn read_word(&mut self, buffer: &wgpu::Buffer, byte: u64) -> Result<u32> {
        let device = self.submitter.device;
        let usage = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
        let staging = device.buffer("condition", 4, usage)?;
        let encoder = self.submitter.commands.encoder();
        encoder.copy_buffer_to_buffer(buffer, byte, &staging, 0, 4);
        self.submitter.submit()?;
        Ok(device.read_back::<u32>(&staging, 1)?[0])
    }
}
