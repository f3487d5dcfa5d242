//! The state of a run in progress, and how single steps change it.

use wgpu::BufferUsages;

use super::loops::{Carry, Loop, encode_unwatched, reads};
use super::plan::{Plan, Planned, PlannedLoop};
use super::predictor::IterationPredictor;
use super::records::Records;
use super::submit::Submitter;
use crate::control::Control;
use crate::error::Result;
use crate::outcome::LoopOutcome;
use crate::step::Condition;

/// A run under way.
pub(super) struct RunState<'a> {
    pub(super) plan: &'a Plan<'a>,
    pub(super) submitter: Submitter<'a>,
    pub(super) records: &'a mut Records,
    pub(super) carry: &'a Carry,
    pub(super) predictor: &'a mut IterationPredictor,
    /// How each loop ended; without iterations, if it has not run.
    pub(super) loops: Vec<LoopOutcome>,
    /// What reads have brought so far, with their loops.
    pub(super) brought: Vec<Option<Vec<u8>>>,
    /// Whether other reads were encoded.
    pub(super) has_read: bool,
}

impl RunState<'_> {
    /// Does step `at` by itself: encodes it, or, if it is a watched loop or a condition, waits for it.
    /// Returns the next step.
    pub(super) fn step(&mut self, at: usize, control: &mut Control<'_>) -> Result<usize> {
        let plan = self.plan;
        match &plan.steps[at] {
            Planned::Loop(planned) if planned.repeated.unwatched => {
                encode_unwatched(&mut self.submitter, self.records, planned)?;
            }
            Planned::Loop(planned) => return self.run_loop(at, planned, control),
            // Nothing depends on it.
            Planned::Guard { end, .. } if *end == at + 1 => {}
            Planned::Guard {
                condition,
                end,
                word,
                read,
            } => {
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

    /// Runs the loop of step `at`, with the steps that may run before its end. Returns the step after
    /// these.
    fn run_loop(
        &mut self,
        at: usize,
        planned: &PlannedLoop<'_>,
        control: &mut Control<'_>,
    ) -> Result<usize> {
        let name = &planned.repeated.name;
        let end = at + 1 + planned.repeated.then;
        let then = &self.plan.steps[at + 1..end];
        let alone = Loop {
            planned,
            then,
            submitter: &mut self.submitter,
            records: self.records,
            carry: self.carry,
        };
        let (outcome, bytes) = alone.run(self.predictor.predict(name), control)?;
        self.predictor.learn(name, outcome.iterations);
        self.loops[planned.number] = outcome;
        let mut rest = &bytes[..];
        for (number, count) in reads(then) {
            let (own, others) = rest.split_at(count as usize);
            self.brought[number] = Some(own.to_vec());
            rest = others;
        }
        Ok(end)
    }

    /// The word of a condition, if a read has brought it.
    fn known_word(&self, read: Option<(usize, usize)>) -> Option<u32> {
        let (number, at) = read?;
        let bytes = self.brought[number].as_ref()?;
        Some(bytemuck::pod_read_unaligned(&bytes[at..at + 4]))
    }

    /// Whether a condition on how a loop ended holds.
    fn holds(&self, condition: &Condition) -> bool {
        match *condition {
            Condition::Without(ticket, dimension) => {
                self.loops[ticket.0].last.groups[dimension] == 0
            }
            Condition::With(ticket, dimension) => self.loops[ticket.0].last.groups[dimension] != 0,
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
