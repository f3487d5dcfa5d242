//! A recording turned into commands: planned once, then encoded and submitted.

use std::ops::Range;
use std::time::Instant;

use bytemuck::{Pod, Zeroable};
use wgpu::BufferUsages;

use super::compile::compile;
use super::device::Device;
use super::foresight::Foresight;
use super::gates::Gates;
use super::pace::{AT_A_TIME, Pace};
use super::pipelines::{Pipeline, Source};
use super::records::Records;
use super::repeat::Carry;
use super::stretches::Stretches;
use super::timing::Timer;
use super::{WgpuExecutor, lock};
use crate::kernel::Call;
use crate::outcome::{Control, LoopOutcome, Outcome};
use crate::recording::{Dispatch, Groups, Recording, Step};
use crate::{Error, Result};

/// What runs share.
pub(super) struct Machinery {
    records: Records,
    gates: Gates,
    foresight: Foresight,
    carry: Carry,
    arena: Arena,
    pace: Pace,
}

impl Machinery {
    pub(super) fn new(device: &Device) -> Result<Self> {
        Ok(Self {
            records: Records::new(device)?,
            gates: Gates::new(device)?,
            foresight: Foresight::default(),
            carry: Carry::new(device)?,
            arena: Arena::new(device, 64 << 10)?,
            pace: Pace::default(),
        })
    }
}

/// The small data of a run: parameters, at the alignment of uniforms, and what was recorded to be written.
struct Arena {
    buffer: wgpu::Buffer,
    /// Counts the buffers the arena has had, from 1.
    generation: u64,
    alignment: usize,
    bytes: Vec<u8>,
}

impl Arena {
    fn new(device: &Device, size: u64) -> Result<Self> {
        let limits = device.raw.limits();
        let alignment = limits.min_uniform_buffer_offset_alignment.max(4) as usize;
        Ok(Self {
            buffer: Self::buffer(device, size)?,
            generation: 1,
            alignment,
            bytes: Vec::new(),
        })
    }

    fn buffer(device: &Device, size: u64) -> Result<wgpu::Buffer> {
        let usage = BufferUsages::UNIFORM | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        device.buffer("parameters", size, usage)
    }

    /// Adds data; the byte it lies at.
    fn push(&mut self, data: &[u8]) -> u64 {
        let at = self.bytes.len().next_multiple_of(self.alignment);
        self.bytes.resize(at, 0);
        self.bytes.extend_from_slice(data);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        at as u64
    }

    /// Hands everything to the device, into a larger buffer if need be.
    fn send(&mut self, executor: &WgpuExecutor) -> Result<()> {
        let needed = self.bytes.len() as u64;
        if needed > self.buffer.size() {
            self.buffer = Self::buffer(&executor.device, needed.next_power_of_two())?;
            self.generation += 1;
            lock(&executor.pipelines).forget_arenas_before(self.generation);
        }
        executor.device.guarded("parameters", (needed, 0), || {
            executor
                .device
                .queue
                .write_buffer(&self.buffer, 0, &self.bytes);
        })
    }
}

/// A call ready to be encoded.
pub(super) struct Bound {
    pub(super) pipeline: Pipeline,
    pub(super) group: wgpu::BindGroup,
    /// Where its parameters lie.
    pub(super) params: Option<u32>,
    /// How many bytes it binds.
    pub(super) bytes: u64,
}

/// What has to be known of a recording's steps, in their order, before any is encoded.
#[derive(Default)]
pub(super) struct Plan {
    /// The calls of each dispatch and each loop's phases.
    pub(super) calls: Vec<Vec<Vec<Bound>>>,
    /// Where a write's data lie in the arena, or those of a read among the reads.
    pub(super) places: Vec<u64>,
    /// The step of each loop.
    pub(super) loops: Vec<usize>,
    /// The bytes of each read among those of all.
    reads: Vec<Range<u64>>,
}

fn calls(step: &Step) -> Vec<Vec<&Call>> {
    match step {
        Step::Dispatch(Dispatch { call, .. }) => vec![vec![call]],
        Step::Repeat(repeated) => repeated
            .phases
            .iter()
            .map(|phase| phase.iter().collect())
            .collect(),
        _ => Vec::new(),
    }
}

fn plan(
    executor: &WgpuExecutor,
    arena: &mut Arena,
    recording: &Recording,
    control: &mut Control<'_>,
) -> Result<Plan> {
    arena.bytes.clear();
    let mut offsets = Vec::new();
    let mut plan = Plan::default();
    for (at, step) in recording.steps().iter().enumerate() {
        for call in calls(step).into_iter().flatten() {
            offsets.push(call.kernel.params.map(|_| arena.push(&call.params) as u32));
        }
        let mut place = 0;
        match step {
            Step::Write { data, .. } => place = arena.push(data),
            Step::Read(_, range) => {
                place = plan.reads.last().map_or(0, |last| last.end);
                plan.reads.push(place..place + range.end - range.start);
            }
            Step::Repeat(_) => plan.loops.push(at),
            _ => {}
        }
        plan.places.push(place);
    }
    arena.send(executor)?;

    let mut pipelines = lock(&executor.pipelines);
    let steps = recording.steps().iter();
    let all = steps.flat_map(calls).flatten();
    compile(
        &executor.device,
        &mut pipelines,
        all.map(Source::of).collect(),
        control,
    )?;
    let mut offsets = offsets.into_iter();
    let mut bind = |call: &Call| {
        let pipeline = pipelines.pipeline(&executor.device, call)?;
        let group =
            pipelines.group(executor, call, &pipeline, (&arena.buffer, arena.generation))?;
        Ok(Bound {
            pipeline,
            group,
            params: offsets.next().flatten(),
            bytes: call.buffers.iter().map(crate::AnyBuffer::bytes).sum(),
        })
    };
    for step in recording.steps() {
        let phases = calls(step)
            .into_iter()
            .map(|phase| phase.into_iter().map(&mut bind).collect());
        plan.calls.push(phases.collect::<Result<_>>()?);
    }
    Ok(plan)
}

/// Runs `recording`; see [`crate::executor::Executor::run`].
pub(super) fn run(
    executor: &WgpuExecutor,
    machinery: &mut Machinery,
    recording: &Recording,
    control: &mut Control<'_>,
) -> Result<Outcome> {
    let plan = plan(executor, &mut machinery.arena, recording, control)?;
    let timer = if control.time_passes {
        Timer::new(&executor.device)?
    } else {
        None
    };
    let usage = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
    let read_bytes = plan.reads.last().map_or(0, |last| last.end);
    let reads = match read_bytes {
        0 => None,
        bytes => Some(executor.device.buffer("reads", bytes, usage)?),
    };
    let mut runner = Runner {
        executor,
        commands: Commands::new(executor, timer),
        outcome: Outcome {
            loops: vec![LoopOutcome::default(); plan.loops.len()],
            ..Outcome::default()
        },
        is_idle: true,
        pace: &mut machinery.pace,
        bound: 0,
        since: None,
        plain: 0,
    };
    let mut stretches = Stretches {
        recording,
        plan: &plan,
        records: &mut machinery.records,
        gates: &mut machinery.gates,
        foresight: &mut machinery.foresight,
        carry: &machinery.carry,
        arena: &machinery.arena.buffer,
        reads: reads.as_ref(),
    };
    stretches.run(&mut runner, control)?;
    let mut outcome = runner.finish()?;
    let bytes = match &reads {
        Some(reads) => read_back::<u32>(&executor.device, reads, read_bytes / 4)?,
        None => Vec::new(),
    };
    let bytes: &[u8] = bytemuck::cast_slice(&bytes);
    let each = plan.reads.iter();
    outcome.reads = each
        .map(|range| bytes[range.start as usize..range.end as usize].to_vec())
        .collect();
    Ok(outcome)
}

/// Waits for a staging buffer to be filled, and takes its first `count` elements.
pub(super) fn read_back<T: Pod + Zeroable>(
    device: &Device,
    staging: &wgpu::Buffer,
    count: u64,
) -> Result<Vec<T>> {
    device.map(staging, None)?;
    take_mapped(staging, count)
}

/// Takes the first `count` elements of a staging buffer that has been mapped, and unmaps it.
pub(super) fn take_mapped<T: Pod>(staging: &wgpu::Buffer, count: u64) -> Result<Vec<T>> {
    let lost = |error: wgpu::MapRangeError| Error::DeviceLost {
        reason: error.to_string(),
    };
    let view = staging
        .get_mapped_range(..count * size_of::<T>() as u64)
        .map_err(lost)?;
    let data = bytemuck::pod_collect_to_vec(&view);
    drop(view);
    staging.unmap();
    Ok(data)
}

/// The commands of the next submission.
pub(super) struct Commands<'a> {
    executor: &'a WgpuExecutor,
    encoder: Option<wgpu::CommandEncoder>,
    pass: Option<wgpu::ComputePass<'static>>,
    pub(super) timer: Option<Timer>,
}

impl<'a> Commands<'a> {
    fn new(executor: &'a WgpuExecutor, timer: Option<Timer>) -> Self {
        Self {
            executor,
            encoder: None,
            pass: None,
            timer,
        }
    }

    /// The encoder, outside any pass.
    pub(super) fn encoder(&mut self) -> &mut wgpu::CommandEncoder {
        self.pass = None;
        self.encoder
            .get_or_insert_with(|| self.executor.device.encoder())
    }

    /// The pass for a dispatch of `bound`, with its pipeline and buffers set. Timed dispatches have a pass
    /// each, others share one.
    pub(super) fn pass(&mut self, bound: &Bound) -> &mut wgpu::ComputePass<'static> {
        if self.timer.is_some() {
            self.pass = None;
        }
        let encoder = self
            .encoder
            .get_or_insert_with(|| self.executor.device.encoder());
        let pass = self.pass.get_or_insert_with(|| {
            let timestamp_writes = self
                .timer
                .as_mut()
                .and_then(|timer| timer.stamps(bound.pipeline.kernel));
            let descriptor = wgpu::ComputePassDescriptor {
                label: None,
                timestamp_writes,
            };
            encoder.begin_compute_pass(&descriptor).forget_lifetime()
        });
        pass.set_pipeline(&bound.pipeline.raw);
        pass.set_bind_group(0, &bound.group, bound.params.as_slice());
        pass
    }

    /// Hands over what was encoded since the last time.
    pub(super) fn submit(&mut self) -> Result<Option<wgpu::SubmissionIndex>> {
        self.pass = None;
        let Some(mut encoder) = self.encoder.take() else {
            return Ok(None);
        };
        if let Some(timer) = &self.timer {
            timer.resolve(&mut encoder);
        }
        let device = &self.executor.device;
        device.guarded("a recording", (0, 0), || {
            Some(device.queue.submit([encoder.finish()]))
        })
    }
}

/// A run under way.
pub(super) struct Runner<'a> {
    pub(super) executor: &'a WgpuExecutor,
    pub(super) commands: Commands<'a>,
    pub(super) outcome: Outcome,
    /// Whether all that was submitted is done, or has nothing to do.
    pub(super) is_idle: bool,
    pub(super) pace: &'a mut Pace,
    /// The bytes that plain dispatches bind which were not submitted yet.
    bound: u64,
    /// When the first submission of the run was handed over.
    since: Option<Instant>,
    /// The bytes that all plain dispatches of the run bind.
    plain: u64,
}

impl Runner<'_> {
    pub(super) fn dispatch(&mut self, groups: &Groups, bound: &Bound) -> Result<()> {
        self.make_room(1)?;
        if self.bound > 0 && self.pace.expect(self.bound + bound.bytes) > AT_A_TIME {
            // Another submission, for which nobody waits.
            self.submit()?;
        }
        self.bound += bound.bytes;
        self.plain += bound.bytes;
        match groups {
            Groups::Fixed([x, y, z]) => self.commands.pass(bound).dispatch_workgroups(*x, *y, *z),
            Groups::Indirect(buffer, at) => {
                let buffer = self.executor.held(buffer.id())?;
                self.commands
                    .pass(bound)
                    .dispatch_workgroups_indirect(&buffer, *at);
            }
            Groups::Over(_) => {
                return Err(Error::validation(
                    bound.pipeline.kernel.label(),
                    "items were not counted",
                ));
            }
        }
        Ok(())
    }

    /// Encodes a step that moves bytes; writes come from `place` in the arena, reads go to there in `reads`.
    pub(super) fn copy(
        &mut self,
        step: &Step,
        arena: &wgpu::Buffer,
        place: u64,
        reads: Option<&wgpu::Buffer>,
    ) -> Result<()> {
        let held = |buffer: &crate::AnyBuffer| self.executor.held(buffer.id());
        match step {
            Step::Clear(buffer) => {
                let buffer = held(buffer)?;
                self.commands.encoder().clear_buffer(&buffer, 0, None);
            }
            Step::Copy {
                from: (from, range),
                to: (to, at),
            } => {
                let (from, to) = (held(from)?, held(to)?);
                let bytes = range.end - range.start;
                self.commands
                    .encoder()
                    .copy_buffer_to_buffer(&from, range.start, &to, *at, bytes);
            }
            Step::Write {
                to: (to, start),
                data,
            } => {
                let to = held(to)?;
                self.commands.encoder().copy_buffer_to_buffer(
                    arena,
                    place,
                    &to,
                    *start,
                    data.len() as u64,
                );
            }
            Step::Read(from, range) if !range.is_empty() => {
                let from = held(from)?;
                if let Some(reads) = reads {
                    let bytes = range.end - range.start;
                    self.commands.encoder().copy_buffer_to_buffer(
                        &from,
                        range.start,
                        reads,
                        place,
                        bytes,
                    );
                }
            }
            Step::Read(..) | Step::Dispatch(_) | Step::Repeat(_) | Step::Gate(_) => {}
        }
        Ok(())
    }

    /// Submits, if timing so many more dispatches would not fit.
    pub(super) fn make_room(&mut self, dispatches: u32) -> Result<()> {
        if self
            .commands
            .timer
            .as_ref()
            .is_some_and(|timer| !timer.has_room(dispatches))
        {
            self.submit()?;
        }
        Ok(())
    }

    /// Submits; timed runs wait, and add up what they timed.
    pub(super) fn submit(&mut self) -> Result<Option<wgpu::SubmissionIndex>> {
        self.bound = 0;
        let now = Instant::now();
        let submission = self.commands.submit()?;
        if submission.is_some() {
            self.since.get_or_insert(now);
            self.outcome.submissions += 1;
            self.is_idle = false;
        }
        if let Some(timer) = &mut self.commands.timer {
            timer.collect(&self.executor.device)?;
        }
        Ok(submission)
    }

    fn finish(mut self) -> Result<Outcome> {
        self.submit()?;
        if !self.is_idle {
            self.executor.device.wait(None)?;
            if let Some(since) = self.since
                && self.outcome.loops.is_empty()
            {
                self.pace.learn(self.plain, since.elapsed());
            }
        }
        if let Some(timer) = self.commands.timer.take() {
            let (times, each) = timer.finish(&self.executor.device);
            self.outcome.times = times;
            self.outcome.dispatch_times = each;
        }
        Ok(self.outcome)
    }
}
