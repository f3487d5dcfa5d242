//! Runs loops. A submission has many iterations, and the host does not wait for the end of one
//! submission before it sends the next.
//!
//! Iteration k reads record k and writes record k + 1. It is dispatched indirectly from record k,
//! unless all iterations have the same number of workgroups. Each record of a batch has its own
//! place, which is reset before the batch. So after the end of the loop all further records have no
//! workgroups, and nothing has to be reset during the batch. The last record of a batch is copied
//! to the next batch. A batch that was submitted after the end of the loop has no work, and the
//! host does not wait for it: later submissions run after it.

use std::collections::VecDeque;
use std::ops::Range;
use std::time::Instant;

use wgpu::BufferUsages;

use super::device::Device;
use super::pace::AT_A_TIME;
use super::plan::{Bound, Planned, PlannedLoop, Transfer};
use super::records::{RECORD, Records, UNWATCHED};
use super::schedule::{Schedule, Shape};
use super::submit::Submitter;
use super::timing::MAX_TIMED;
use crate::error::{Error, Result};
use crate::outcome::LoopOutcome;
use crate::record::LoopRecord;
use crate::repeat::Repeated;
use crate::run_options::{Progress, RunOptions};

/// The maximum number of iterations of a loop that is presumed to have ended. Waiting for a longer
/// loop takes a small part of its time.
const MAX_PRESUMED: u64 = 64;

/// Holds the last record of a batch for the next batch.
pub(super) struct Carry(wgpu::Buffer);

impl Carry {
    pub(super) fn new(device: &Device) -> Result<Self> {
        let usage = BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        device.buffer("carried record", RECORD, usage).map(Self)
    }
}

/// A batch in flight.
pub(super) struct Batch {
    submission: wgpu::SubmissionIndex,
    staging: wgpu::Buffer,
    iterations: u64,
    since: Instant,
}

/// A loop whose first batches are in flight.
pub(super) struct Begun {
    schedule: Schedule,
    in_flight: VecDeque<Batch>,
}

/// A loop that is run on its own.
pub(super) struct Loop<'a, 'd> {
    pub(super) planned: &'a PlannedLoop<'a>,
    /// The steps that run after each batch.
    pub(super) then: &'a [Planned<'a>],
    pub(super) submitter: &'a mut Submitter<'d>,
    pub(super) records: &'a mut Records,
    pub(super) carry: &'a Carry,
}

impl Loop<'_, '_> {
    /// Submits the first batches of the loop, which is expected to end after this many iterations.
    pub(super) fn begin(mut self, expected: u64) -> Result<Begun> {
        let mut schedule = self.schedule(expected);
        let mut in_flight = VecDeque::new();
        while let Some((first, count)) = schedule.next(in_flight.len()) {
            in_flight.push_back(self.submit(first, count)?);
        }
        Ok(Begun {
            schedule,
            in_flight,
        })
    }

    /// Runs the loop to its end. Also returns the data that the steps after it have read at that
    /// time.
    pub(super) fn end(
        mut self,
        begun: Begun,
        options: &mut RunOptions<'_>,
    ) -> Result<(LoopOutcome, Vec<u8>)> {
        let repeated = self.planned.repeated;
        let Begun {
            mut schedule,
            mut in_flight,
        } = begun;
        let mut outcome = LoopOutcome::default();
        loop {
            while let Some((first, count)) = schedule.next(in_flight.len()) {
                in_flight.push_back(self.submit(first, count)?);
            }
            let Some(batch) = in_flight.pop_front() else {
                return Err(limit(repeated));
            };
            let (since, count) = (batch.since, batch.iterations);
            let (ran, read) = self.collect(batch)?;
            let live = note(&mut outcome, &ran);
            let is_stopped = report(options, repeated, &outcome, &ran[..live]);
            let is_ended = outcome.last.is_last();
            if is_ended || is_stopped {
                // The batches in flight have no work, or their results are not needed.
                self.submitter.is_idle = is_ended;
                for batch in in_flight {
                    self.records.give_back(batch.staging);
                }
                return match is_ended {
                    true => Ok((within_limit(repeated, outcome)?, read)),
                    false => Err(Error::Cancelled),
                };
            }
            schedule.learn(self.submitter.pace, since, count, live as u64);
        }
    }

    /// Submits as many iterations as the loop is presumed to have. Returns `None` if they are too
    /// many, or if dispatches are timed.
    pub(super) fn presume(mut self, count: u64) -> Result<Option<Batch>> {
        let fit = self
            .submitter
            .pace
            .iterations(bytes_of_iteration(&self.planned.body));
        let most = self
            .planned
            .repeated
            .options
            .at_most
            .min(fit)
            .min(MAX_PRESUMED);
        match count <= most && !self.submitter.is_timed() {
            true => self.submit(0, count).map(Some),
            false => Ok(None),
        }
    }

    /// Waits for the batch of a loop that was presumed to have ended. Returns the outcome of the
    /// loop, and the data that the steps after it have read. Returns `None` if the loop had not
    /// ended.
    pub(super) fn confirm(
        mut self,
        batch: Batch,
        options: &mut RunOptions<'_>,
    ) -> Result<Option<(LoopOutcome, Vec<u8>)>> {
        let (ran, read) = self.collect(batch)?;
        let mut outcome = LoopOutcome::default();
        let live = note(&mut outcome, &ran);
        if report(options, self.planned.repeated, &outcome, &ran[..live]) {
            return Err(Error::Cancelled);
        }
        Ok(outcome.last.is_last().then_some((outcome, read)))
    }

    fn schedule(&self, expected: u64) -> Schedule {
        let dispatches = self.planned.body.len() as u64;
        let is_timed = self.submitter.is_timed();
        let shape = Shape {
            is_pipelined: self.planned.repeated.options.pipelined,
            at_most: self.planned.repeated.options.at_most,
            expected,
            bytes: bytes_of_iteration(&self.planned.body),
            timed: is_timed.then_some((MAX_TIMED.into(), dispatches)),
        };
        Schedule::new(shape, self.submitter.pace)
    }

    /// Encodes and submits `count` iterations, beginning with `first`.
    fn submit(&mut self, first: u64, count: u64) -> Result<Batch> {
        let since = Instant::now();
        let repeated = self.planned.repeated;
        let dispatches = self.planned.body.len() as u64 * count;
        self.submitter.make_room(dispatches as u32)?;
        let device = self.submitter.device;
        let fresh = repeated.fresh_records(first, count);
        self.records.write(device, &repeated.name, &fresh)?;
        let (carried, even) = (&self.carry.0, &self.records.buffers[0]);
        if first > 0 {
            let encoder = self.submitter.commands.encoder();
            encoder.copy_buffer_to_buffer(carried, 0, even, 0, RECORD);
        }
        let iterations = first..first + count;
        iterate(self.submitter, self.records, self.planned, 0, iterations)?;
        let last = self.records.at(count);
        let encoder = self.submitter.commands.encoder();
        encoder.copy_buffer_to_buffer(even, last, carried, 0, RECORD);
        let commands = &mut self.submitter.commands;
        let staging = self.records.copy_out(device, commands, count + 1)?;
        self.encode_then(&staging, self.records.behind(count + 1))?;
        let Some(submission) = self.submitter.submit()? else {
            let name = repeated.name.as_str();
            return Err(Error::validation(name, "nothing was submitted"));
        };
        Ok(Batch {
            submission,
            staging,
            iterations: count,
            since,
        })
    }

    /// Encodes the steps after the loop. The data that they read go to `staging`, from byte `at`
    /// on.
    fn encode_then(&mut self, staging: &wgpu::Buffer, mut at: u64) -> Result<()> {
        for step in self.then {
            let Planned::Read(_, transfer) = step else {
                self.submitter.encode(step)?;
                continue;
            };
            let (from, range) = (transfer.from.clone(), transfer.range.clone());
            let (to, bytes) = (staging.clone(), range.end - range.start);
            let commands = &mut self.submitter.commands;
            commands.copy(&Transfer {
                from,
                range,
                to,
                at,
            });
            at += bytes;
        }
        Ok(())
    }

    /// Waits for a batch. Returns its records, including the record after its last iteration, and
    /// the data that the steps after it have read.
    fn collect(&mut self, batch: Batch) -> Result<(Vec<LoopRecord>, Vec<u8>)> {
        let device = self.submitter.device;
        device.map(&batch.staging, Some(batch.submission))?;
        let bytes = reads(self.then).map(|(_, bytes)| bytes).sum();
        self.records
            .take(batch.staging, batch.iterations + 1, bytes)
    }
}

/// Returns the reads among `steps`: their numbers, and the number of bytes of each.
pub(super) fn reads(steps: &[Planned<'_>]) -> impl Iterator<Item = (usize, u64)> {
    steps.iter().filter_map(|step| match step {
        Planned::Read(number, Transfer { range, .. }) => Some((*number, range.end - range.start)),
        _ => None,
    })
}

/// Returns the number of bytes that an iteration binds.
fn bytes_of_iteration(body: &[Bound]) -> u64 {
    body.iter().map(|call| call.bytes).sum()
}

fn limit(repeated: &Repeated) -> Error {
    Error::LoopLimit {
        what: repeated.name.clone(),
        iterations: repeated.options.at_most,
    }
}

/// Returns the outcome of a loop, or an error if the loop took more iterations than allowed.
fn within_limit(repeated: &Repeated, outcome: LoopOutcome) -> Result<LoopOutcome> {
    match outcome.iterations > repeated.options.at_most {
        true => Err(limit(repeated)),
        false => Ok(outcome),
    }
}

/// Adds iterations to an outcome. `ran` contains their records, and the record after them. Returns
/// the number of these iterations that had workgroups.
fn note(outcome: &mut LoopOutcome, ran: &[LoopRecord]) -> usize {
    let iterations = ran[..ran.len() - 1].iter();
    let live = iterations.take_while(|record| !record.is_last()).count();
    outcome.iterations += live as u64;
    outcome.last = ran[live];
    live
}

/// Reports progress to the observer. Returns whether the observer cancels the run.
fn report(
    options: &mut RunOptions<'_>,
    repeated: &Repeated,
    outcome: &LoopOutcome,
    records: &[LoopRecord],
) -> bool {
    options.report(Progress {
        name: &repeated.name,
        is_compiling: false,
        iterations: outcome.iterations,
        records,
    })
}

/// Encodes a loop that the host does not watch. No watched loop uses its records. Commands reset
/// them before the loop, so that other unwatched loops of the same submission may use them, too.
pub(super) fn encode_unwatched(
    submitter: &mut Submitter<'_>,
    records: &Records,
    planned: &PlannedLoop<'_>,
) -> Result<()> {
    let count = planned.repeated.options.at_most;
    let dispatches = planned.body.len() as u64 * count;
    submitter.begin(dispatches as u32, bytes_of_iteration(&planned.body) * count)?;
    if let Some((fresh, at)) = &planned.fresh {
        let encoder = submitter.commands.encoder();
        for k in 0..=count {
            let to = &records.buffers[(k % 2) as usize];
            let place = records.at(UNWATCHED + k);
            encoder.copy_buffer_to_buffer(fresh, at + k * RECORD, to, place, RECORD);
        }
    }
    iterate(submitter, records, planned, UNWATCHED, 0..count)
}

/// Encodes iterations of a loop, whose records begin at `first`, which is even.
fn iterate(
    submitter: &mut Submitter<'_>,
    records: &Records,
    planned: &PlannedLoop<'_>,
    first: u64,
    iterations: Range<u64>,
) -> Result<()> {
    let repeated = planned.repeated;
    let bytes = bytes_of_iteration(&planned.body);
    let is_long = submitter.pace.expect(bytes) > AT_A_TIME / 2;
    for (k, iteration) in (0..).zip(iterations) {
        if is_long && k > 0 {
            // The host does not wait for this submission.
            submitter.submit()?;
        }
        let parity = (k % 2) as usize;
        let (now, next) = (records.at(first + k), records.at(first + k + 1));
        for bound in repeated.calls_in(iteration).map(|at| &planned.body[at]) {
            let pass = submitter.commands.pass(bound);
            if bound.pipeline.kernel.is_in_loop() {
                let places = [now as u32, next as u32];
                pass.set_bind_group(1, &records.groups[parity], &places);
            }
            match (repeated.options.fixed_grid, repeated.start) {
                (true, [x, y, z]) => pass.dispatch_workgroups(x, y, z),
                (false, _) => pass.dispatch_workgroups_indirect(&records.buffers[parity], now),
            }
        }
    }
    Ok(())
}
