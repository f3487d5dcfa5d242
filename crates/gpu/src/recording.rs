//! Recordings: the steps that a device is to run, in order.
//!
//! If host code makes a mistake while recording, the recording keeps it, and
//! [`Gpu::run`](crate::Gpu::run) returns it. So host code needs no error handling at each step, and
//! reads like the algorithm.

use std::ops::Range;

use bytemuck::Pod;

use crate::buffer::{AnyBuffer, Buffer};
use crate::call::Pass;
use crate::error::Error;
use crate::groups::Groups;
use crate::handle::{LoopHandle, ReadHandle};
use crate::kernels;
use crate::repeat::{Body, MAX_READ, Repeat, Repeated};
use crate::step::{Condition, Dispatch, Guard, Step};

/// Passes, transfers and loops, which a device runs in order.
#[derive(Debug, Default)]
pub struct Recording {
    pub(crate) steps: Vec<Step>,
    pub(crate) error: Option<Error>,
    loops: usize,
    reads: usize,
    /// Whether a loop or a condition was recorded.
    waits: bool,
}

impl Recording {
    /// Makes an empty recording.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the steps, for executors.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Records a dispatch of `pass` with `groups`.
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
        let groups = groups.of(kernel.invocations());
        if let Err(error) = call.keeps_promises(groups) {
            return self.fail(error);
        }
        self.push(Step::Dispatch(Dispatch { call, groups }))
    }

    /// Records that every word of `buffer` is set to `word`.
    pub fn fill<T: Pod>(&mut self, buffer: &Buffer<T>, word: u32) -> &mut Self {
        // A transfer cannot depend on earlier steps of the same submission, but a dispatch can.
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

    /// Records a copy of `range` of `from` to the elements of `to` from `at` on.
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

    /// Records a write of `data` to the elements of `to` from `at` on. The data are copied now, so
    /// they should be small. For large data, use [`Gpu::write`](crate::Gpu::write).
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

    /// Records a read of `range` of `from`, as it is at this point. The data come to the host with
    /// the outcome, without an additional round trip.
    pub fn read<T: Pod>(&mut self, from: &Buffer<T>, range: Range<u64>) -> ReadHandle<T> {
        let handle = ReadHandle::new(self.reads);
        self.reads += 1;
        match from.bytes_of(&range) {
            Ok(bytes) => self.push(Step::Read(from.erased(), bytes)),
            Err(error) => self.fail(error),
        };
        handle
    }

    /// Records a loop that repeats `body` until no iteration asks for another one.
    pub fn repeat(&mut self, how: Repeat, body: impl FnOnce(&mut Body)) -> LoopHandle {
        let handle = LoopHandle(self.loops);
        self.loops += 1;
        self.waits = true;
        match how.record(body) {
            Ok(repeated) => self.push(Step::Repeat(repeated)),
            Err(error) => self.fail(error),
        };
        handle
    }

    /// Records a loop as [`repeat`](Self::repeat), and then the steps of `then`, which may be
    /// dispatches, copies, and reads of a few bytes. The device also runs these steps between
    /// iterations. So the host learns at the same time that the loop has ended and what the steps
    /// have read. Their results must not depend on how often they run, and they must not write to
    /// buffers that the loop binds.
    pub fn repeat_then<R>(
        &mut self,
        how: Repeat,
        body: impl FnOnce(&mut Body),
        then: impl FnOnce(&mut Self) -> R,
    ) -> (LoopHandle, R) {
        let at = self.steps.len();
        let handle = self.repeat(how, body);
        let result = then(self);
        let Some((Step::Repeat(repeated), steps)) = self.steps[at..].split_first_mut() else {
            // The loop was refused.
            return (handle, result);
        };
        repeated.then = steps.len();
        if let Err(error) = may_run_early(repeated, steps) {
            self.fail(error);
        }
        (handle, result)
    }

    /// Records steps that run only if `condition` holds. If it does not hold, loops have no
    /// iterations, and the data of reads are undefined.
    pub fn when(&mut self, condition: Condition, body: impl FnOnce(&mut Self)) -> &mut Self {
        let at = self.steps.len();
        self.guard(condition);
        body(self);
        let count = self.steps.len() - at - 1;
        if let Some(Step::Guard(guard)) = self.steps.get_mut(at) {
            guard.steps = Some(count);
        }
        self
    }

    /// Records that all later steps are skipped if the word at `index` of `buffer` is zero at this
    /// point, as with [`when`](Self::when).
    pub fn stop_if_zero(&mut self, buffer: &Buffer<u32>, index: u64) -> &mut Self {
        match buffer.bytes_of(&(index..index.saturating_add(1))) {
            Ok(bytes) => self.guard(Condition::Word(buffer.erased(), bytes.start)),
            Err(error) => self.fail(error),
        }
    }

    fn guard(&mut self, condition: Condition) -> &mut Self {
        self.waits = true;
        let steps = None;
        self.push(Step::Guard(Guard { condition, steps }))
    }

    fn push(&mut self, step: Step) -> &mut Self {
        self.steps.push(step);
        self
    }

    fn fail(&mut self, error: Error) -> &mut Self {
        self.error.get_or_insert(error);
        self
    }

    /// Returns all buffers that the recording uses.
    pub(crate) fn buffers(&self) -> impl Iterator<Item = &AnyBuffer> {
        self.steps.iter().flat_map(Step::buffers)
    }
}

/// Checks whether steps may run between the iterations of a loop.
fn may_run_early(repeated: &Repeated, steps: &[Step]) -> Result<(), Error> {
    let wrong = |message| Err(Error::validation(repeated.name.as_str(), message));
    let bound = repeated.buffers();
    let mut read = 0;
    for step in steps {
        match step {
            Step::Repeat(_) | Step::Guard(_) => {
                return wrong("a loop or a condition cannot be done between iterations");
            }
            Step::Read(_, bytes) => read += bytes.end - bytes.start,
            _ => {}
        }
        let mut written = step.written();
        if written.any(|buffer| bound.iter().any(|other| other.id() == buffer.id())) {
            return wrong("what is done between its iterations writes to a buffer that it binds");
        }
    }
    match read > MAX_READ {
        true => wrong("what is read between its iterations is too large"),
        false => Ok(()),
    }
}
