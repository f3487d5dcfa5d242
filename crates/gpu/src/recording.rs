//! Recordings: what an algorithm wants done on a device, in order, before any device sees it.
//!
//! Knows no device. A mistake made while recording is kept and comes out of
//! [`Gpu::run`](crate::Gpu::run), so that host code reads like the algorithm it runs.

use std::marker::PhantomData;
use std::ops::Range;

use bytemuck::Pod;

use crate::buffer::{AnyBuffer, Buffer};
use crate::kernel::{Call, Pass};
use crate::repeat::{Body, Repeat, Repeated, Start};
use crate::{Error, kernels};

/// The most workgroups that every adapter runs in one dimension.
pub const MAX_WORKGROUPS: u32 = 65_535;

/// Passes, transfers and loops to be run in order.
#[derive(Debug, Default)]
pub struct Recording {
    pub(crate) steps: Vec<Step>,
    pub(crate) error: Option<Error>,
    loops: usize,
    reads: usize,
    /// Whether a loop or a condition was recorded.
    waits: bool,
}

/// One step of a [`Recording`], for executors.
#[derive(Debug)]
pub enum Step {
    /// Run a kernel.
    Dispatch(Dispatch),
    /// Set every byte to zero.
    Clear(AnyBuffer),
    /// Copy bytes between two buffers.
    Copy {
        /// The source, and the bytes of it.
        from: (AnyBuffer, Range<u64>),
        /// The destination, and where in it.
        to: (AnyBuffer, u64),
    },
    /// Write bytes that were recorded.
    Write {
        /// The destination, and where in it.
        to: (AnyBuffer, u64),
        /// The bytes.
        data: Vec<u8>,
    },
    /// Bring bytes to the host; the next read of the outcome.
    Read(AnyBuffer, Range<u64>),
    /// Run a body until its record says that nothing is left; the next loop of the outcome.
    Repeat(Repeated),
    /// Leave steps out, unless a condition holds.
    Gate(Gate),
}

/// A condition and how many of the following steps depend on it, for executors.
#[derive(Debug)]
pub struct Gate {
    /// What has to hold.
    pub condition: Condition,
    /// How many steps; all that follow, if not set.
    pub steps: Option<usize>,
}

/// What can be asked on the device, without the host.
#[derive(Clone, Debug)]
pub enum Condition {
    /// The word at this byte of a buffer is not zero.
    Word(AnyBuffer, u64),
    /// The record that ended the loop has no workgroups in this dimension.
    Without(LoopTicket, usize),
    /// The record that ended the loop has workgroups in this dimension.
    With(LoopTicket, usize),
}

/// A kernel and how often to run it, for executors.
#[derive(Debug)]
pub struct Dispatch {
    /// The kernel and what it is bound to.
    pub call: Call,
    /// The workgroups.
    pub groups: Groups,
}

/// How many workgroups a dispatch has.
#[derive(Clone, Debug)]
pub enum Groups {
    /// This many in x, y and z.
    Fixed([u32; 3]),
    /// Enough for an invocation an item. Past 65,535 workgroups they are folded into two dimensions, and
    /// up to a row of them too many: kernels find their place by `lib/grid.wgsl`, and check it.
    Over(u64),
    /// Three words on the device, at this byte.
    Indirect(AnyBuffer, u64),
}

impl Groups {
    /// The workgroups given by the three words at `index` of `buffer`.
    #[must_use]
    pub fn indirect(buffer: &Buffer<u32>, index: u64) -> Self {
        Self::Indirect(buffer.erased(), index * 4)
    }

    /// Workgroups for `items`, `size` invocations each.
    fn over(items: u64, size: u32) -> [u32; 3] {
        let groups = items.div_ceil(u64::from(size));
        let rows = groups.div_ceil(u64::from(MAX_WORKGROUPS));
        let columns = groups.div_ceil(rows.max(1));
        [columns as u32, rows as u32, 1]
    }
}

/// Stands for what a [`Recording::read`] will bring.
#[derive(Debug)]
pub struct Ticket<T> {
    pub(crate) index: usize,
    element: PhantomData<fn() -> T>,
}

impl<T> Clone for Ticket<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Ticket<T> {}

/// Stands for how a [`Recording::repeat`] will have ended.
#[derive(Clone, Copy, Debug)]
pub struct LoopTicket(pub(crate) usize);

impl Recording {
    /// An empty recording.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The steps, for executors.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Runs `pass` with `groups`.
    pub fn dispatch(&mut self, pass: &impl Pass, groups: Groups) -> &mut Self {
        let call = pass.call();
        let kernel = call.kernel;
        if let Err(error) = call.check() {
            return self.fail(error);
        }
        if kernel.is_in_loop() {
            return self.fail(Error::validation(
                kernel.label(),
                "uses a loop's record, outside a loop",
            ));
        }
        let groups = match groups {
            Groups::Over(items) => Groups::Fixed(Groups::over(items, kernel.invocations())),
            groups => groups,
        };
        self.push(Step::Dispatch(Dispatch { call, groups }))
    }

    /// Sets every word of `buffer` to `word`.
    pub fn fill<T: Pod>(&mut self, buffer: &Buffer<T>, word: u32) -> &mut Self {
        // A transfer cannot depend on what came before in the same submission, but a dispatch can.
        if word == 0 && !self.waits {
            return self.push(Step::Clear(buffer.erased()));
        }
        let words = buffer.words();
        let pass = kernels::basic::Fill {
            target_words: &words,
            params: kernels::FillParams { value: word },
        };
        self.dispatch(&pass, Groups::Over(words.len()))
    }

    /// Copies `range` of `from` to the elements of `to` from `at` on.
    pub fn copy<T: Pod>(
        &mut self,
        from: &Buffer<T>,
        range: Range<u64>,
        to: &Buffer<T>,
        at: u64,
    ) -> &mut Self {
        let count = range.end.saturating_sub(range.start);
        let checked = from.bytes_of(&range).and_then(|bytes| {
            let target = to.bytes_of(&(at..at.saturating_add(count)))?;
            if from.any().id() == to.any().id() {
                return Err(Error::validation(from.name(), "is copied onto itself"));
            }
            Ok((bytes, target.start))
        });
        match checked {
            Ok((bytes, _)) if bytes.is_empty() => self,
            Ok((bytes, at)) => self.push(Step::Copy {
                from: (from.erased(), bytes),
                to: (to.erased(), at),
            }),
            Err(error) => self.fail(error),
        }
    }

    /// Writes a little data, recorded here and now, to the elements of `to` from `at` on. Large data goes
    /// through [`Gpu::write`](crate::Gpu::write).
    pub fn write<T: Pod>(&mut self, to: &Buffer<T>, at: u64, data: &[T]) -> &mut Self {
        match to.bytes_of(&(at..at.saturating_add(data.len() as u64))) {
            Ok(bytes) if bytes.is_empty() => self,
            Ok(bytes) => {
                let data = bytemuck::cast_slice(data).to_vec();
                self.push(Step::Write {
                    to: (to.erased(), bytes.start),
                    data,
                })
            }
            Err(error) => self.fail(error),
        }
    }

    /// Brings `range` of `from`, as it is at this point, to the host, without a round trip of its own.
    pub fn read<T: Pod>(&mut self, from: &Buffer<T>, range: Range<u64>) -> Ticket<T> {
        let ticket = Ticket {
            index: self.reads,
            element: PhantomData,
        };
        self.reads += 1;
        match from.bytes_of(&range) {
            Ok(bytes) => self.push(Step::Read(from.erased(), bytes)),
            Err(error) => self.fail(error),
        };
        ticket
    }

    /// Repeats what `body` records until nothing is left to do. `body` is called once a phase, with the
    /// phase's number.
    pub fn repeat(&mut self, how: Repeat, mut body: impl FnMut(usize, &mut Body)) -> LoopTicket {
        let ticket = LoopTicket(self.loops);
        self.loops += 1;
        self.waits = true;
        match how.record(&mut body) {
            Ok(repeated) => self.push(Step::Repeat(repeated)),
            Err(error) => self.fail(error),
        };
        ticket
    }

    /// Records what is done only if `condition` holds. A loop that is left out has no iterations, a read
    /// brings anything.
    pub fn when(&mut self, condition: Condition, body: impl FnOnce(&mut Self)) -> &mut Self {
        let at = self.steps.len();
        self.gate(condition);
        body(self);
        let count = self.steps.len() - at - 1;
        if let Some(Step::Gate(gate)) = self.steps.get_mut(at) {
            gate.steps = Some(count);
        }
        self
    }

    /// Leaves out all that is recorded from here on, if the word at `index` of `buffer` is zero then; as
    /// [`when`](Self::when).
    pub fn stop_if_zero(&mut self, buffer: &Buffer<u32>, index: u64) -> &mut Self {
        match buffer.bytes_of(&(index..index.saturating_add(1))) {
            Ok(bytes) => self.gate(Condition::Word(buffer.erased(), bytes.start)),
            Err(error) => self.fail(error),
        }
    }

    fn gate(&mut self, condition: Condition) -> &mut Self {
        self.waits = true;
        let steps = None;
        self.push(Step::Gate(Gate { condition, steps }))
    }

    fn push(&mut self, step: Step) -> &mut Self {
        self.steps.push(step);
        self
    }

    fn fail(&mut self, error: Error) -> &mut Self {
        self.error.get_or_insert(error);
        self
    }

    /// All buffers it touches.
    pub(crate) fn buffers(&self) -> Vec<&AnyBuffer> {
        let mut all = Vec::new();
        for step in &self.steps {
            match step {
                Step::Dispatch(Dispatch { call, groups }) => {
                    all.extend(&call.buffers);
                    if let Groups::Indirect(buffer, _) = groups {
                        all.push(buffer);
                    }
                }
                Step::Gate(gate) => {
                    if let Condition::Word(buffer, _) = &gate.condition {
                        all.push(buffer);
                    }
                }
                Step::Clear(buffer)
                | Step::Read(buffer, _)
                | Step::Write {
                    to: (buffer, _), ..
                } => all.push(buffer),
                Step::Copy { from, to } => all.extend([&from.0, &to.0]),
                Step::Repeat(repeated) => {
                    all.extend(
                        repeated
                            .phases
                            .iter()
                            .flatten()
                            .flat_map(|call| &call.buffers),
                    );
                    if let Start::Record(buffer, _) = &repeated.start {
                        all.push(buffer);
                    }
                }
            }
        }
        all
    }
}
