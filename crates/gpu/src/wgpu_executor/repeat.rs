//! Loops: many iterations a submission, and two submissions ahead of what the host knows.
//!
//! Iteration k is dispatched indirectly from record k, unless all are alike, reads record k and writes record k + 1. Every record of
//! a batch has a place of its own, made fresh before the batch: after the loop's end the workgroups of all
//! further records are zero, without anything being cleared on the way. The last record of a batch is carried
//! over to the next. A batch that was submitted beyond the loop's end has nothing to do, and nobody waits for it:
//! whatever is submitted later comes behind it.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use wgpu::BufferUsages;

use super::device::Device;
use super::pace::AT_A_TIME;
use super::records::{RECORD, Records};
use super::run::{Bound, Runner};
use super::timing::MAX_TIMED;
use crate::outcome::{Control, LoopOutcome, LoopRecord, Progress};
use crate::recording::Groups;
use crate::repeat::{Repeated, Start};
use crate::{Error, Result};

/// Iterations of a loop's first batch: most trimming ends within it.
pub(super) const FIRST_BATCH: u64 = 8;

/// The iterations of the first batches of a loop that runs ahead of the host, all submitted before any is waited for: so few
/// that the device soon begins, and then no more than can be encoded while it is busy with those before. Together they are as
/// many as most short searches take.
const AHEAD: [u64; 3] = [4, 12, 20];

/// Iterations of a batch at most. Even, so that a batch starts and ends with an even record.
const MAX_BATCH: u64 = 256;

/// Batches that take longer are made shorter, so that a run can be stopped.
const LONG: Duration = Duration::from_millis(100);

/// What the device is given to do at a time in a loop that runs ahead of the host, at least, if it pays.
const PACE: Duration = Duration::from_millis(2);

/// Iterations of a later batch that always pay.
const LATER: u64 = 24;

/// How many iterations after a loop's end take as long as a submission: thirty microseconds on an H200.
const SUBMISSION: u64 = 5;

/// Where the last record of a batch waits for the next.
pub(super) struct Carry(wgpu::Buffer);

impl Carry {
    pub(super) fn new(device: &Device) -> Result<Self> {
        let usage = BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        device.buffer("carried record", RECORD, usage).map(Self)
    }
}

/// A batch on its way.
struct Batch {
    submission: wgpu::SubmissionIndex,
    staging: wgpu::Buffer,
    iterations: u64,
    since: Instant,
}

/// A loop that is run on its own.
pub(super) struct Loop<'a> {
    pub(super) repeated: &'a Repeated,
    pub(super) phases: &'a [Vec<Bound>],
    pub(super) carry: &'a Carry,
}

impl Loop<'_> {
    /// The error of a loop that does not end.
    fn limit(&self) -> Error {
        limit(self.repeated)
    }

    /// Runs the loop to its end; from the start, or after so many iterations, the last of which left a record.
    pub(super) fn run(
        &self,
        runner: &mut Runner<'_>,
        records: &mut Records,
        begun: Option<(u64, LoopRecord)>,
        control: &mut Control<'_>,
    ) -> Result<LoopOutcome> {
        let most = self.repeated.at_most;
        let longest = longest_batch(runner, self.phases);
        let bytes = bytes_of_iteration(self.phases);
        let mut flight: VecDeque<Batch> = VecDeque::new();
        let mut outcome = LoopOutcome::default();
        let mut first = begun.map(|(_, record)| record);
        let planned: &[u64] = match begun {
            None if self.repeated.ahead && runner.pace.allows_ahead(AHEAD.iter().sum(), bytes) => {
                &AHEAD
            }
            _ => &[],
        };
        let mut planned = planned.iter();
        // A timer collects each submission before the next.
        let is_timed = runner.commands.timer.is_some();
        let mut depth = if is_timed { 1 } else { planned.len().max(1) };
        let mut size = FIRST_BATCH.min(runner.pace.iterations(bytes));
        let begin = Instant::now();
        let mut last = begin;
        let mut encoded = 0;
        if let Some((iterations, _)) = begun {
            (outcome.iterations, encoded) = (iterations, iterations);
            size = (2 * iterations)
                .clamp(FIRST_BATCH, MAX_BATCH)
                .min(runner.pace.iterations(bytes));
        }
        loop {
            while flight.len() < depth && encoded < most {
                let count = (*planned.next().unwrap_or(&size))
                    .min(longest)
                    .min((most - encoded).next_multiple_of(2));
                flight.push_back(self.batch(runner, records, first.take(), encoded, count)?);
                encoded += count;
            }
            let Some(done) = flight.pop_front() else {
                return Err(self.limit());
            };
            let (since, count) = (done.since, done.iterations);
            let ran = collect(runner, records, done)?;
            let live = note(&mut outcome, &ran);
            let stopped = report(control, self.repeated, &outcome, &ran[..live]);
            let ended = outcome.last.is_last();
            if ended || stopped {
                // What is still in flight finds nothing to do, or is of no use to anyone.
                runner.is_idle = ended;
                for batch in flight {
                    records.give_back(batch.staging);
                }
                return match (ended, outcome.iterations > most) {
                    (true, false) => Ok(outcome),
                    (true, true) => Err(self.limit()),
                    (false, _) => Err(Error::Cancelled),
                };
            }
            let now = Instant::now();
            let took = now - since.max(last);
            last = now;
            runner.pace.learn_of_loop(bytes * live as u64, took);
            let each = took / count as u32;
            size = match self.repeated.ahead {
                true => paced(each, now - begin, encoded),
                false => longer(each, size),
            };
            depth = if is_timed || took > LONG { 1 } else { 2 };
        }
    }

    /// Encodes and submits iterations `first` to `first + count`. They start with `record`, if it is given.
    fn batch(
        &self,
        runner: &mut Runner<'_>,
        records: &mut Records,
        record: Option<LoopRecord>,
        first: u64,
        count: u64,
    ) -> Result<Batch> {
        let since = Instant::now();
        runner.make_room(num_calls(self.phases, first, count) as u32)?;
        let mut fresh = fresh(self.repeated, first, count);
        if let Some(record) = record {
            fresh[0] = record;
        }
        records.write(&runner.executor.device, &self.repeated.name, &fresh)?;
        let carried = match &self.repeated.start {
            _ if record.is_some() => None,
            _ if first > 0 => Some((self.carry.0.clone(), 0)),
            Start::Record(buffer, at) => Some((runner.executor.held(buffer.id())?, *at)),
            Start::Groups(_) => None,
        };
        if let Some((buffer, at)) = carried {
            let encoder = runner.commands.encoder();
            encoder.copy_buffer_to_buffer(&buffer, at, &records.buffers[0], 0, RECORD);
        }
        let alike = self.repeated.alike;
        iterate(runner, records, self.phases, alike, (0, first), count)?;
        let encoder = runner.commands.encoder();
        let last = records.at(count);
        encoder.copy_buffer_to_buffer(&records.buffers[0], last, &self.carry.0, 0, RECORD);
        let staging = records.copy_out(runner, count + 1)?;
        let Some(submission) = runner.submit()? else {
            return Err(Error::validation(
                self.repeated.name.as_str(),
                "nothing was submitted",
            ));
        };
        Ok(Batch {
            submission,
            staging,
            iterations: count,
            since,
        })
    }
}

/// The iterations of the next batch of a loop whose iterations take `each` of late: the longer the loop has taken
/// `so_far`, the less matters what is submitted beyond its end. Submitted by `s` at a time, half of the last ones are in vain; that and
/// the submissions of `n` iterations together take least for s² = 2n · [`SUBMISSION`].
pub(super) fn paced(each: Duration, so_far: Duration, n: u64) -> u64 {
    let wanted = (PACE + so_far / 4).min(LONG).as_nanos() / each.as_nanos().max(1);
    let pays = (2 * n * SUBMISSION).isqrt().max(LATER);
    (wanted as u64)
        .min(pays)
        .next_multiple_of(2)
        .clamp(2, MAX_BATCH)
}

/// The iterations of the batch after one of `size`, of which each took so long: twice as many, unless these take
/// too long.
pub(super) fn longer(each: Duration, size: u64) -> u64 {
    let fit = LONG.as_nanos() / each.as_nanos().max(1);
    (2 * size).min(fit as u64 / 2 * 2).clamp(2, MAX_BATCH)
}

/// How many bytes an iteration binds at most.
pub(super) fn bytes_of_iteration(phases: &[Vec<Bound>]) -> u64 {
    let each = phases
        .iter()
        .map(|phase| phase.iter().map(|call| call.bytes).sum());
    each.max().unwrap_or(0)
}

pub(super) fn limit(repeated: &Repeated) -> Error {
    Error::LoopLimit {
        what: repeated.name.clone(),
        iterations: repeated.at_most,
    }
}

/// Takes the records of further iterations into account, that of the first to the one after the last; how many
/// iterations had workgroups.
pub(super) fn note(outcome: &mut LoopOutcome, ran: &[LoopRecord]) -> usize {
    let iterations = ran[..ran.len() - 1].iter();
    let live = iterations.take_while(|record| !record.is_last()).count();
    outcome.iterations += live as u64;
    outcome.last = ran[live];
    live
}

/// Tells the observer what has been done; whether it wants to stop.
pub(super) fn report(
    control: &mut Control<'_>,
    repeated: &Repeated,
    outcome: &LoopOutcome,
    records: &[LoopRecord],
) -> bool {
    control.observer.as_mut().is_some_and(|observer| {
        let progress = Progress {
            name: &repeated.name,
            is_compiling: false,
            iterations: outcome.iterations,
            records,
        };
        observer(progress).is_break()
    })
}

/// The calls of iterations `first` to `first + count`.
pub(super) fn num_calls(phases: &[Vec<Bound>], first: u64, count: u64) -> usize {
    let each = (first..first + count).map(|k| phases[(k % phases.len() as u64) as usize].len());
    each.sum()
}

fn longest_batch(runner: &Runner<'_>, phases: &[Vec<Bound>]) -> u64 {
    let calls = phases.iter().map(Vec::len).max().unwrap_or(1).max(1) as u64;
    match runner.commands.timer {
        // Even, and at least one pair.
        Some(_) => (u64::from(MAX_TIMED) / calls / 2 * 2).clamp(2, MAX_BATCH),
        None => MAX_BATCH,
    }
}

/// The records of iterations `first` to `first + count`, and the one after these, before anyone has written.
pub(super) fn fresh(repeated: &Repeated, first: u64, count: u64) -> Vec<LoopRecord> {
    let record = |k| LoopRecord {
        groups: match (k, &repeated.start) {
            (0, Start::Groups(Groups::Fixed(groups))) => *groups,
            _ => repeated.fresh,
        },
        iteration: k as u32,
        words: match k {
            0 => repeated.words,
            _ => [0; LoopRecord::WORDS],
        },
    };
    (first..=first + count).map(record).collect()
}

/// Encodes `count` iterations, the first of which is number `iteration` and has the record `record`, an even one; of so many
/// workgroups if they are all alike.
pub(super) fn iterate(
    runner: &mut Runner<'_>,
    records: &mut Records,
    phases: &[Vec<Bound>],
    alike: Option<[u32; 3]>,
    (record, iteration): (u64, u64),
    count: u64,
) -> Result<()> {
    let groups = records.groups(runner)?;
    let is_long = runner.pace.expect(bytes_of_iteration(phases)) > AT_A_TIME / 2;
    for k in 0..count {
        if is_long && k > 0 {
            // Another submission, for which nobody waits.
            runner.submit()?;
        }
        let parity = (k % 2) as usize;
        let (now, next) = (records.at(record + k), records.at(record + k + 1));
        for bound in &phases[((iteration + k) % phases.len() as u64) as usize] {
            let pass = runner.commands.pass(bound);
            if bound.pipeline.kernel.reads_loop || bound.pipeline.kernel.writes_loop {
                pass.set_bind_group(1, &groups[parity], &[now as u32, next as u32]);
            }
            match alike {
                Some([x, y, z]) => pass.dispatch_workgroups(x, y, z),
                None => pass.dispatch_workgroups_indirect(&records.buffers[parity], now),
            }
        }
    }
    Ok(())
}

/// Waits for a batch; its records, the one after its last iteration included.
fn collect(runner: &Runner<'_>, records: &mut Records, batch: Batch) -> Result<Vec<LoopRecord>> {
    let device = &runner.executor.device;
    device.map(&batch.staging, Some(batch.submission))?;
    records.take(batch.staging, batch.iterations + 1)
}
