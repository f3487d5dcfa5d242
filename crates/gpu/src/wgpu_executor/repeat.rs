//! Loops: many iterations a submission, and two submissions ahead of what the host knows.
//!
//! Iteration k is dispatched indirectly from record k, reads record k and writes record k + 1. Even
//! records lie in one buffer and odd ones in another, because a dispatch must not write to the buffer that
//! sizes it. Every record of a batch has a place of its own, made fresh before the batch: after the loop's
//! end the workgroups of all further records are zero, without anything being cleared on the way. The last
//! record of a batch is carried over to the next.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use wgpu::BufferUsages;

use super::device::Device;
use super::lock;
use super::run::{Bound, Runner, take_mapped};
use super::timing::MAX_TIMED;
use crate::outcome::{Control, LoopOutcome, LoopRecord, Progress};
use crate::recording::{Groups, Repeated, Start};
use crate::{Error, Result};

/// Iterations of a loop's first batch: most trimming ends within it.
const FIRST_BATCH: u64 = 8;

/// Iterations of a batch at most. Even, so that a batch starts and ends with an even record.
const MAX_BATCH: u64 = 256;

/// A batch that takes longer is not made any longer, so that a run can be stopped.
const LONG: Duration = Duration::from_millis(100);

/// The bytes of a record.
const RECORD: u64 = size_of::<LoopRecord>() as u64;

/// The records of a batch.
pub(super) struct Records {
    /// Even records, then odd ones.
    buffers: [wgpu::Buffer; 2],
    /// Group 1 for even and for odd iterations.
    groups: Option<[wgpu::BindGroup; 2]>,
    /// The last record of the batch before.
    carry: wgpu::Buffer,
    /// Where batches leave their records for the host; those that no batch in flight uses.
    staging: Vec<wgpu::Buffer>,
    /// The bytes between two records of a buffer.
    stride: u64,
}

impl Records {
    pub(super) fn new(device: &Device) -> Result<Self> {
        let stride = RECORD.next_multiple_of(
            device
                .raw
                .limits()
                .min_storage_buffer_offset_alignment
                .into(),
        );
        let bytes = (MAX_BATCH / 2 + 1) * stride;
        let usage = BufferUsages::STORAGE
            | BufferUsages::INDIRECT
            | BufferUsages::COPY_SRC
            | BufferUsages::COPY_DST;
        let buffers = [
            device.buffer("even records", bytes, usage)?,
            device.buffer("odd records", bytes, usage)?,
        ];
        let carry = device.buffer(
            "carried record",
            RECORD,
            BufferUsages::COPY_SRC | BufferUsages::COPY_DST,
        )?;
        Ok(Self {
            buffers,
            groups: None,
            carry,
            staging: Vec::new(),
            stride,
        })
    }

    fn staging(device: &Device, bytes: u64) -> Result<wgpu::Buffer> {
        device.buffer(
            "records for the host",
            bytes,
            BufferUsages::MAP_READ | BufferUsages::COPY_DST,
        )
    }

    /// The byte of record `index` in its buffer.
    fn at(&self, index: u64) -> u64 {
        index / 2 * self.stride
    }

    /// Where odd records start in what the host gets.
    fn odd_half(&self) -> u64 {
        self.buffers[0].size()
    }

    fn make_groups(&mut self, runner: &Runner<'_>) -> Result<[wgpu::BindGroup; 2]> {
        if let Some(groups) = &self.groups {
            return Ok(groups.clone());
        }
        let device = &runner.executor.device;
        let pipelines = lock(&runner.executor.pipelines);
        let entry = |binding: u32, buffer| wgpu::BindGroupEntry {
            binding,
            resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer,
                offset: 0,
                size: std::num::NonZero::new(RECORD),
            }),
        };
        let group = |now, next| {
            device.raw.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("loop"),
                layout: &pipelines.loop_layout,
                entries: &[entry(0, now), entry(1, next)],
            })
        };
        let [even, odd] = &self.buffers;
        let groups = device.guarded("loop records", (0, 0), || {
            [group(even, odd), group(odd, even)]
        })?;
        self.groups = Some(groups.clone());
        Ok(groups)
    }
}

/// A batch on its way.
struct Batch {
    submission: wgpu::SubmissionIndex,
    staging: wgpu::Buffer,
    iterations: u64,
    since: Instant,
}

/// Runs a loop to its end.
pub(super) fn repeat(
    runner: &mut Runner<'_>,
    records: &mut Records,
    repeated: &Repeated,
    phases: &[Vec<Bound>],
    control: &mut Control<'_>,
) -> Result<LoopOutcome> {
    let groups = records.make_groups(runner)?;
    let limit = || Error::LoopLimit {
        what: repeated.name.clone(),
        iterations: repeated.at_most,
    };
    let longest = longest_batch(runner, phases);
    let mut flight: VecDeque<Batch> = VecDeque::new();
    let mut outcome = LoopOutcome::default();
    // A timer collects each submission before the next.
    let ahead = if runner.commands.timer.is_some() {
        1
    } else {
        2
    };
    let (mut size, mut depth) = match repeated.ahead {
        true => (2 * FIRST_BATCH, ahead),
        false => (FIRST_BATCH, 1),
    };
    let mut encoded = 0;
    loop {
        while flight.len() < depth && encoded < repeated.at_most {
            let left = (repeated.at_most - encoded).next_multiple_of(2);
            let count = size.min(longest).min(left);
            flight.push_back(batch(
                runner,
                records,
                repeated,
                (phases, &groups),
                encoded,
                count,
            )?);
            encoded += count;
        }
        let Some(done) = flight.pop_front() else {
            return Err(limit());
        };
        let since = done.since;
        let ran = collect(runner, records, done)?;
        let live = ran[..ran.len() - 1]
            .iter()
            .take_while(|record| !record.is_last())
            .count();
        outcome.iterations += live as u64;
        outcome.last = ran[live];
        let stopped = control.observer.as_mut().is_some_and(|observer| {
            observer(Progress {
                name: &repeated.name,
                iterations: outcome.iterations,
                records: &ran[..live],
            })
            .is_break()
        });
        let ended = outcome.last.is_last();
        if ended || stopped {
            drain(runner, records, flight)?;
            return match (ended, outcome.iterations > repeated.at_most) {
                (true, false) => Ok(outcome),
                (true, true) => Err(limit()),
                (false, _) => Err(Error::Cancelled),
            };
        }
        if since.elapsed() < LONG {
            size = (size * 2).min(MAX_BATCH);
        }
        depth = ahead;
    }
}

fn longest_batch(runner: &Runner<'_>, phases: &[Vec<Bound>]) -> u64 {
    let calls = phases.iter().map(Vec::len).max().unwrap_or(1).max(1) as u64;
    match runner.commands.timer {
        // Even, and at least one pair.
        Some(_) => (u64::from(MAX_TIMED) / calls / 2 * 2).clamp(2, MAX_BATCH),
        None => MAX_BATCH,
    }
}

/// Encodes and submits iterations `first` to `first + count`.
fn batch(
    runner: &mut Runner<'_>,
    records: &mut Records,
    repeated: &Repeated,
    (phases, groups): (&[Vec<Bound>], &[wgpu::BindGroup; 2]),
    first: u64,
    count: u64,
) -> Result<Batch> {
    let since = Instant::now();
    let calls: usize = (first..first + count)
        .map(|k| phases[(k % phases.len() as u64) as usize].len())
        .sum();
    runner.make_room(calls as u32)?;
    refresh(runner, records, repeated, first, count)?;
    for k in 0..count {
        let parity = (k % 2) as usize;
        let (now, next) = (records.at(k), records.at(k + 1));
        for bound in &phases[((first + k) % phases.len() as u64) as usize] {
            let pass = runner.commands.pass(bound);
            if bound.pipeline.kernel.reads_loop || bound.pipeline.kernel.writes_loop {
                pass.set_bind_group(1, &groups[parity], &[now as u32, next as u32]);
            }
            pass.dispatch_workgroups_indirect(&records.buffers[parity], now);
        }
    }
    let staging = match records.staging.pop() {
        Some(staging) => staging,
        None => Records::staging(&runner.executor.device, 2 * records.odd_half())?,
    };
    let [even, odd] = &records.buffers;
    let encoder = runner.commands.encoder();
    encoder.copy_buffer_to_buffer(even, records.at(count), &records.carry, 0, RECORD);
    encoder.copy_buffer_to_buffer(even, 0, &staging, 0, records.odd_half());
    encoder.copy_buffer_to_buffer(odd, 0, &staging, records.odd_half(), records.odd_half());
    let Some(submission) = runner.submit()? else {
        return Err(Error::validation(
            repeated.name.as_str(),
            "nothing was submitted",
        ));
    };
    staging.map_async(wgpu::MapMode::Read, .., |_| {});
    Ok(Batch {
        submission,
        staging,
        iterations: count,
        since,
    })
}

/// Makes the records of a batch fresh, all but the first: that one is the loop's start, or the last of the
/// batch before.
fn refresh(
    runner: &mut Runner<'_>,
    records: &Records,
    repeated: &Repeated,
    first: u64,
    count: u64,
) -> Result<()> {
    let [x, y, z] = repeated.fresh;
    let mut halves = [Vec::new(), Vec::new()];
    for k in 0..=count {
        let mut record = LoopRecord {
            groups: [x, y, z],
            iteration: (first + k) as u32,
            words: [0; 4],
        };
        if let (0, Start::Groups(Groups::Fixed(groups))) = (first + k, &repeated.start) {
            record.groups = *groups;
        }
        let half = &mut halves[(k % 2) as usize];
        half.resize(records.at(k) as usize, 0);
        half.extend_from_slice(bytemuck::bytes_of(&record));
    }
    let device = &runner.executor.device;
    device.guarded(&repeated.name, (0, 0), || {
        for (buffer, half) in records.buffers.iter().zip(&halves) {
            device.queue.write_buffer(buffer, 0, half);
        }
    })?;
    let even = &records.buffers[0];
    if first > 0 {
        runner
            .commands
            .encoder()
            .copy_buffer_to_buffer(&records.carry, 0, even, 0, RECORD);
    } else if let Start::Record(buffer, at) = &repeated.start {
        let buffer = runner.executor.held(buffer.id())?;
        runner
            .commands
            .encoder()
            .copy_buffer_to_buffer(&buffer, *at, even, 0, RECORD);
    }
    Ok(())
}

/// Waits for a batch; its records, the one after its last iteration included.
fn collect(runner: &Runner<'_>, records: &mut Records, batch: Batch) -> Result<Vec<LoopRecord>> {
    runner.executor.device.wait(batch.submission)?;
    let bytes: Vec<u8> = take_mapped(&batch.staging, 2 * records.odd_half())?;
    records.staging.push(batch.staging);
    let each = (0..=batch.iterations).map(|k| {
        let start = (records.at(k) + k % 2 * records.odd_half()) as usize;
        bytemuck::pod_read_unaligned(&bytes[start..start + RECORD as usize])
    });
    Ok(each.collect())
}

/// Lets the batches that are on their way finish, unseen.
fn drain(runner: &Runner<'_>, records: &mut Records, flight: VecDeque<Batch>) -> Result<()> {
    flight
        .into_iter()
        .try_for_each(|batch| collect(runner, records, batch).map(|_| ()))
}
