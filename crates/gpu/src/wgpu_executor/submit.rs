//! Submits steps to the device: decides which commands share a submission, and counts submissions.

use std::time::Instant;

use super::device::Device;
use super::encode::Commands;
use super::pace::{AT_A_TIME, Pace};
use super::plan::{Bound, Planned};
use super::timing::Timer;
use crate::error::Result;
use crate::outcome::{DispatchTime, PassTime};

/// The submissions of a run.
pub(super) struct Submitter<'a> {
    pub(super) device: &'a Device,
    pub(super) commands: Commands<'a>,
    pub(super) pace: &'a mut Pace,
    /// The number of submissions so far.
    pub(super) submissions: u64,
    /// Whether everything that was submitted is done, or has nothing to do.
    pub(super) is_idle: bool,
    /// The number of bytes that are bound by dispatches outside watched loops that were not
    /// submitted yet.
    pending_bytes: u64,
    /// The number of bytes that all dispatches of the run outside watched loops bind.
    all_bytes: u64,
    /// The time of the first submission.
    since: Option<Instant>,
}

/// The times of each kernel, and of each dispatch.
type Times = (Vec<PassTime>, Vec<DispatchTime>);

impl<'a> Submitter<'a> {
    /// Dispatches are timed if `is_timed`, and the adapter has timestamps.
    pub(super) fn new(device: &'a Device, pace: &'a mut Pace, is_timed: bool) -> Result<Self> {
        let timer = match is_timed {
            true => Timer::new(device)?,
            false => None,
        };
        Ok(Self {
            device,
            commands: Commands::new(device, timer),
            pace,
            submissions: 0,
            is_idle: true,
            pending_bytes: 0,
            all_bytes: 0,
            since: None,
        })
    }

    /// Returns whether dispatches are timed. If so, the times of each submission are collected
    /// before the next.
    pub(super) fn is_timed(&self) -> bool {
        self.commands.timer.is_some()
    }

    /// Encodes a step that is neither a loop nor a condition.
    pub(super) fn encode(&mut self, step: &Planned<'_>) -> Result<()> {
        match step {
            Planned::Dispatch(groups, bound) => self.dispatch(*groups, bound)?,
            Planned::Clear(buffer) => {
                let encoder = self.commands.encoder();
                encoder.clear_buffer(buffer, 0, None);
            }
            Planned::Copy(transfer) | Planned::Read(_, transfer) => {
                self.commands.copy(transfer);
            }
            Planned::Loop(_) | Planned::Guard { .. } => {}
        }
        Ok(())
    }

    /// Encodes a dispatch outside loops.
    fn dispatch(&mut self, [x, y, z]: [u32; 3], bound: &Bound) -> Result<()> {
        self.begin(1, bound.bytes)?;
        self.commands.pass(bound).dispatch_workgroups(x, y, z);
        Ok(())
    }

    /// Prepares for dispatches outside watched loops, which bind this many bytes. If they would
    /// take too long together with the pending ones, the pending ones are submitted first.
    pub(super) fn begin(&mut self, dispatches: u32, bytes: u64) -> Result<()> {
        self.make_room(dispatches)?;
        let together = self.pending_bytes + bytes;
        if self.pending_bytes > 0 && self.pace.expect(together) > AT_A_TIME {
            // The host does not wait for this submission.
            self.submit()?;
        }
        self.pending_bytes += bytes;
        self.all_bytes += bytes;
        Ok(())
    }

    /// Submits the pending commands, if this many more dispatches could not be timed in the same
    /// submission.
    pub(super) fn make_room(&mut self, dispatches: u32) -> Result<()> {
        let timer = self.commands.timer.as_ref();
        if timer.is_some_and(|timer| !timer.has_room(dispatches)) {
            self.submit()?;
        }
        Ok(())
    }

    /// Submits the pending commands. In a timed run, waits for them, and adds their times.
    pub(super) fn submit(&mut self) -> Result<Option<wgpu::SubmissionIndex>> {
        self.pending_bytes = 0;
        let now = Instant::now();
        let submission = self.commands.submit()?;
        if submission.is_some() {
            self.since.get_or_insert(now);
            self.submissions += 1;
            self.is_idle = false;
        }
        if let Some(timer) = &mut self.commands.timer {
            timer.collect(self.device)?;
        }
        Ok(submission)
    }

    /// Submits the rest, waits for everything, and returns the times. A run without loops shows the
    /// speed of the device.
    pub(super) fn finish(&mut self, has_loops: bool) -> Result<Times> {
        self.submit()?;
        if !self.is_idle {
            self.device.wait(None)?;
            if let (Some(since), false) = (self.since, has_loops) {
                self.pace.learn(self.all_bytes, since.elapsed());
            }
        }
        let timer = self.commands.timer.take();
        Ok(timer.map_or_else(Times::default, |timer| timer.finish(self.device)))
    }
}
