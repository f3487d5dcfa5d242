//! The state of a run in progress, and how single steps change it.

use wgpu::BufferUsages;

use super::loops::{Carry, Loop, encode_unwatched};
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
            Planned::Loop(planned) => self.run_loop(planned, control)?,
            // Nothing depends on it.
            Planned::Guard { end, .. } if *end == at + 1 => {}
            Planned::Guard {
                condition,
                end,
                word,
            } => {
                let holds = match word {
                    Some((buffer, byte)) => self.read_word(buffer, *byte)? != 0,
                    None => self.holds(condition),
                };
                if !holds {
                    return Ok(*end);
                }
            }
            other => self.encode(other)?,
        }
        Ok(at + 1)
    }

    /// Encodes a step that is neither a loop nor a condition.
    fn encode(&mut self, step: &Planned<'_>) -> Result<()> {
        match step {
            Planned::Dispatch(groups, bound) => self.submitter.dispatch(*groups, bound)?,
            Planned::Clear(buffer) => {
                let encoder = self.submitter.commands.encoder();
                encoder.clear_buffer(buffer, 0, None);
            }
            Planned::Copy(transfer) | Planned::Read(transfer) => {
                self.submitter.commands.copy(transfer);
            }
            Planned::Loop(_) | Planned::Guard { .. } => {}
        }
        Ok(())
    }

    /// Runs a loop.
    fn run_loop(&mut self, planned: &PlannedLoop<'_>, control: &mut Control<'_>) -> Result<()> {
        let name = &planned.repeated.name;
        let alone = Loop {
            planned,
            submitter: &mut self.submitter,
            records: self.records,
            carry: self.carry,
        };
        let outcome = alone.run(self.predictor.predict(name), control)?;
        self.predictor.learn(name, outcome.iterations);
        self.loops[planned.number] = outcome;
        Ok(())
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
