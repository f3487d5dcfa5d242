//! Large transfers: a ring of staging buffers between the host's memory and the device's.
//!
//! One thread cannot copy as fast as the bus. So several workers fill and empty the slots of the
//! ring, while only the calling thread uses the queue. Slots stay allocated, and stay mapped while
//! they are not in use, because a new slot has to be zeroed.

use std::collections::VecDeque;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread;

use wgpu::{BufferUsages, BufferView, BufferViewMut, MapMode};

use super::device::{Demand, Device};
use super::sync::lock;
use crate::error::{Error, Result};

/// The size of a slot, in bytes. It is so large that a submission for each slot takes little time,
/// and so small that the first slots are soon submitted and that a ring is soon allocated (a driver
/// takes longer to pin memory than to fill it).
const SLOT_BYTES: usize = 2 << 20;

/// The maximum number of workers. More of them are faster than the bus.
const MAX_WORKERS: usize = 12;

/// Up to this many bytes, wgpu's own staging is as fast.
const SMALL: usize = 256 << 10;

/// An event of a slot.
enum Event {
    /// The host may use the slot.
    Mapped { slot: usize },
    /// A worker has copied the chunk that begins at byte `start` of the transfer, from or to the
    /// slot.
    Copied { slot: usize, start: usize },
}

/// What is sent about a slot: an event, or the error of a slot that could not be mapped because the
/// device is lost.
type Sent = std::result::Result<Event, wgpu::BufferAsyncError>;

/// A place on the device: a buffer and a byte offset.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) buffer: &'a wgpu::Buffer,
    pub(super) at: u64,
}

impl Place<'_> {
    fn after(self, bytes: usize) -> Self {
        let at = self.at + bytes as u64;
        Self { at, ..self }
    }
}

/// The ring of staging buffers for transfers in one direction.
pub(super) struct Ring {
    mode: MapMode,
    slots: Vec<wgpu::Buffer>,
    /// Free slots.
    free: Vec<usize>,
    /// The submissions that use slots, oldest first.
    sent: VecDeque<wgpu::SubmissionIndex>,
    events: (Sender<Sent>, Receiver<Sent>),
}

impl Ring {
    /// Makes a ring for uploads.
    pub(super) fn upload() -> Self {
        Self::new(MapMode::Write)
    }

    /// Makes a ring for downloads.
    pub(super) fn download() -> Self {
        Self::new(MapMode::Read)
    }

    fn new(mode: MapMode) -> Self {
        Self {
            mode,
            slots: Vec::new(),
            free: Vec::new(),
            sent: VecDeque::new(),
            events: mpsc::channel(),
        }
    }

    /// Copies `data` to `target` on the device.
    pub(super) fn write(&mut self, device: &Device, target: Place<'_>, data: &[u8]) -> Result<()> {
        if data.len() <= SMALL {
            return device.allocating("an upload", Demand::of(data.len() as u64), || {
                device.queue.write_buffer(target.buffer, target.at, data);
                device.queue.submit([]);
            });
        }
        let written = self.write_chunks(device, target, data);
        self.unless_failed(written)
    }

    /// Starts a new ring after a failed transfer, because slots of the old ring may be in flight.
    fn unless_failed(&mut self, transferred: Result<()>) -> Result<()> {
        if transferred.is_err() {
            *self = Self::new(self.mode);
        }
        transferred
    }

    fn write_chunks(&mut self, device: &Device, target: Place<'_>, data: &[u8]) -> Result<()> {
        let mut chunks = data.chunks(SLOT_BYTES).enumerate();
        let copy = |(mut view, chunk): (BufferViewMut, &[u8])| view.copy_from_slice(chunk);
        thread::scope(|scope| {
            let jobs = workers(scope, data.len(), &self.events.0, copy);
            let (mut left, mut copying) = (data.len().div_ceil(SLOT_BYTES), 0);
            while left > 0 {
                while chunks.len() > 0 {
                    let Some(slot) = self.free_slot(device)? else {
                        break;
                    };
                    let Some((index, chunk)) = chunks.next() else {
                        break;
                    };
                    let view = self.slots[slot].get_mapped_range_mut(..chunk.len() as u64);
                    let view =
                        view.map_err(|error| Error::validation("an upload", error.to_string()))?;
                    let _ = jobs.send(Job {
                        slot,
                        start: index * SLOT_BYTES,
                        work: (view, chunk),
                    });
                    copying += 1;
                }
                if let Event::Copied { slot, start } = self.next(device, copying > 0)? {
                    (left, copying) = (left - 1, copying - 1);
                    let bytes = SLOT_BYTES.min(data.len() - start) as u64;
                    self.send(device, slot, target.after(start), bytes)?;
                }
            }
            Ok(())
        })
    }

    /// Submits the copy of a filled slot, and requests that the slot is mapped again afterwards.
    fn send(&mut self, device: &Device, slot: usize, target: Place<'_>, bytes: u64) -> Result<()> {
        self.submit(device, "an upload", slot, bytes, |encoder, staging| {
            staging.unmap();
            encoder.copy_buffer_to_buffer(staging, 0, target.buffer, target.at, bytes);
        })
    }

    /// Submits the copy to a slot, and requests that the slot is mapped afterwards.
    fn fetch(&mut self, device: &Device, slot: usize, source: Place<'_>, bytes: u64) -> Result<()> {
        self.submit(device, "a download", slot, bytes, |encoder, staging| {
            encoder.copy_buffer_to_buffer(source.buffer, source.at, staging, 0, bytes);
        })
    }

    /// Submits commands that use a slot, and requests that the slot is mapped afterwards.
    fn submit(
        &mut self,
        device: &Device,
        what: &str,
        slot: usize,
        bytes: u64,
        record: impl FnOnce(&mut wgpu::CommandEncoder, &wgpu::Buffer),
    ) -> Result<()> {
        let sent = device.allocating(what, Demand::of(bytes), || {
            let mut encoder = device.encoder();
            record(&mut encoder, &self.slots[slot]);
            let sent = device.queue.submit([encoder.finish()]);
            self.map(slot);
            sent
        })?;
        self.note(sent);
        Ok(())
    }

    /// Stores a submission that uses a slot. At most as many submissions are stored as there are
    /// slots.
    fn note(&mut self, sent: wgpu::SubmissionIndex) {
        self.sent.push_back(sent);
        if self.sent.len() > self.slots.len() {
            self.sent.pop_front();
        }
    }

    /// Copies the bytes from `source` on the device to `data`.
    pub(super) fn read(
        &mut self,
        device: &Device,
        source: Place<'_>,
        data: &mut [u8],
    ) -> Result<()> {
        let read = self.read_chunks(device, source, data);
        self.unless_failed(read)
    }

    fn read_chunks(&mut self, device: &Device, source: Place<'_>, data: &mut [u8]) -> Result<()> {
        let bytes = data.len();
        let copy = |(view, chunk): (BufferView, &mut [u8])| chunk.copy_from_slice(&view);
        let mut chunks: Vec<Option<&mut [u8]>> = data.chunks_mut(SLOT_BYTES).map(Some).collect();
        // The chunk that is copied to each slot.
        let mut holds = [0; MAX_WORKERS * 2];
        let (mut asked, mut left, mut copying) = (0, chunks.len(), 0);
        thread::scope(|scope| {
            let jobs = workers(scope, bytes, &self.events.0, copy);
            while left > 0 {
                while asked < chunks.len()
                    && let Some(slot) = self.free_slot(device)?
                {
                    let start = asked * SLOT_BYTES;
                    let count = SLOT_BYTES.min(bytes - start) as u64;
                    self.fetch(device, slot, source.after(start), count)?;
                    holds[slot] = asked;
                    asked += 1;
                }
                match self.next(device, copying > 0)? {
                    Event::Mapped { slot } => {
                        let Some(chunk) = chunks[holds[slot]].take() else {
                            continue;
                        };
                        let view = self.slots[slot].get_mapped_range(..chunk.len() as u64);
                        let view = view
                            .map_err(|error| Error::validation("a download", error.to_string()))?;
                        // The slot is free again when the worker is done.
                        self.free.retain(|free| *free != slot);
                        let _ = jobs.send(Job {
                            slot,
                            start: holds[slot] * SLOT_BYTES,
                            work: (view, chunk),
                        });
                        copying += 1;
                    }
                    Event::Copied { slot, .. } => {
                        (left, copying) = (left - 1, copying - 1);
                        self.slots[slot].unmap();
                        self.free.push(slot);
                    }
                }
            }
            Ok(())
        })
    }

    /// Returns a free slot, or a new one if the ring may grow.
    fn free_slot(&mut self, device: &Device) -> Result<Option<usize>> {
        if let Some(slot) = self.free.pop() {
            return Ok(Some(slot));
        }
        if self.slots.len() >= 2 * worker_count(usize::MAX) {
            return Ok(None);
        }
        let usage = match self.mode {
            MapMode::Write => BufferUsages::MAP_WRITE | BufferUsages::COPY_SRC,
            MapMode::Read => BufferUsages::MAP_READ | BufferUsages::COPY_DST,
        };
        let buffer = device.buffer("staging", SLOT_BYTES as u64, usage)?;
        self.slots.push(buffer);
        let slot = self.slots.len() - 1;
        match self.mode {
            MapMode::Read => Ok(Some(slot)),
            MapMode::Write => {
                self.map(slot);
                device.poll_now()?;
                Ok(self.free.pop())
            }
        }
    }

    fn map(&self, slot: usize) {
        let events = self.events.0.clone();
        self.slots[slot].map_async(self.mode, .., move |result| {
            let _ = events.send(result.map(|()| Event::Mapped { slot }));
        });
    }

    /// Waits for the next event. A slot for uploads that was mapped becomes free. `copying` says
    /// whether workers are copying.
    fn next(&mut self, device: &Device, copying: bool) -> Result<Event> {
        let Ok(event) = self.wait(device, copying)? else {
            device.alive()?;
            return Err(Error::DeviceLost {
                reason: "a staging buffer could not be mapped".to_owned(),
            });
        };
        if let Event::Mapped { slot } = event
            && self.mode == MapMode::Write
        {
            self.free.push(slot);
        }
        Ok(event)
    }

    /// Waits for an event. `copying` says whether workers are copying.
    fn wait(&mut self, device: &Device, copying: bool) -> Result<Sent> {
        loop {
            device.poll_now()?;
            if let Ok(event) = self.events.1.try_recv() {
                return Ok(event);
            }
            // Slots that workers have filled are sent at once; slots that the device has filled are
            // passed to workers at once.
            if copying && self.mode == MapMode::Write {
                break;
            }
            // Waits for one submission at a time: workers empty the first slot while the last one
            // is filled.
            match self.sent.pop_front() {
                Some(oldest) => device.wait(Some(oldest))?,
                None => break,
            }
        }
        if !copying {
            device.wait(None)?;
        }
        let gone = |_| Error::DeviceLost {
            reason: "no event from the staging ring".to_owned(),
        };
        self.events.1.recv().map_err(gone)
    }
}

/// A mapped slot and the memory to copy to or from.
struct Job<W> {
    slot: usize,
    /// The first byte of the chunk in the transfer.
    start: usize,
    work: W,
}

fn worker_count(bytes: usize) -> usize {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    cores.min(MAX_WORKERS).min(bytes.div_ceil(SLOT_BYTES))
}

/// Starts workers that `copy` what they are sent, and end when the sender is dropped.
fn workers<'scope, W: Send + 'scope>(
    scope: &'scope thread::Scope<'scope, '_>,
    bytes: usize,
    events: &Sender<Sent>,
    copy: impl Fn(W) + Copy + Send + 'scope,
) -> Sender<Job<W>> {
    let (sender, receiver) = mpsc::channel::<Job<W>>();
    let receiver = Arc::new(Mutex::new(receiver));
    for _ in 0..worker_count(bytes) {
        let (receiver, events) = (receiver.clone(), events.clone());
        scope.spawn(move || {
            loop {
                // The lock is released before the copy, not after.
                let job = lock(&receiver).recv();
                let Ok(Job { slot, start, work }) = job else {
                    return;
                };
                copy(work);
                let _ = events.send(Ok(Event::Copied { slot, start }));
            }
        });
    }
    sender
}
