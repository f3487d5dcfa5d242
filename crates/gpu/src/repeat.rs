//! Recorded loops: the number of iterations, the number of workgroups, and the steps of an
//! iteration.

use std::ops::Range;

use crate::buffer::AnyBuffer;
use crate::call::{Call, Pass};
use crate::error::{Error, Result};
use crate::groups::MAX_WORKGROUPS;
use crate::record::LoopRecord;

/// The maximum number of bytes that [`Recording::repeat_then`](crate::Recording::repeat_then)
/// reads.
pub(crate) const MAX_READ: u64 = 4096;

/// The maximum number of iterations of a loop that the host does not watch.
pub(crate) const MAX_UNWATCHED: u64 = 8;

/// A loop before its body is recorded: its name, its first workgroups, and its options.
///
/// The body runs with the workgroups of its record. An iteration may ask for another one by writing
/// the next record (`loop_again` in `shaders/lib/loop.wgsl`). The loop ends when the product of the
/// three numbers of workgroups in a record is zero. Many iterations are submitted at once; those
/// after the end run without workgroups.
#[derive(Clone, Debug)]
pub struct Repeat {
    name: String,
    start: Start,
    options: LoopOptions,
}

/// The options of a recorded loop, which [`Repeat`] explains.
#[derive(Clone, Debug)]
pub struct LoopOptions {
    /// The number of workgroups of a later record before an iteration writes to it.
    pub fresh: [u32; 3],
    /// The kernels' words of the first record.
    pub words: [u32; LoopRecord::WORDS],
    /// The maximum number of iterations.
    pub at_most: u64,
    /// Whether batches are submitted before the host knows the results of earlier ones.
    pub pipelined: bool,
    /// Whether all iterations have the workgroups of the first one, whatever their records say.
    pub fixed_grid: bool,
    /// Whether the host neither waits for the loop nor learns how it ended.
    pub unwatched: bool,
    /// Whether the host may go on before it knows that the loop has ended.
    pub presumed: bool,
}

impl Default for LoopOptions {
    fn default() -> Self {
        Self {
            fresh: [0, 1, 1],
            words: [0; LoopRecord::WORDS],
            at_most: 1 << 32,
            pipelined: false,
            fixed_grid: false,
            unwatched: false,
            presumed: false,
        }
    }
}

/// The number of workgroups of the first iteration of a loop.
#[derive(Clone, Debug)]
enum Start {
    /// Enough for one invocation per item.
    Over(u64),
    /// This many in x, y and z.
    Groups([u32; 3]),
}

impl Repeat {
    /// Makes a loop whose iterations have one invocation for each of `items` items, but at most
    /// 65,535 workgroups. If there are more items, an invocation handles several of them.
    pub fn over(name: impl Into<String>, items: u64) -> Self {
        Self::starting(name.into(), Start::Over(items))
    }

    /// Makes a loop whose first iteration has this many workgroups in x, y and z.
    pub fn groups(name: impl Into<String>, groups: [u32; 3]) -> Self {
        Self::starting(name.into(), Start::Groups(groups))
    }

    fn starting(name: String, start: Start) -> Self {
        Self {
            name,
            start,
            options: LoopOptions::default(),
        }
    }

    /// Sets the workgroups that a record has before an iteration writes to it. The default is
    /// (0, 1, 1). With (0, 0, 1), a loop continues only as long as kernels ask for both x and y.
    #[must_use]
    pub fn fresh(mut self, groups: [u32; 3]) -> Self {
        self.options.fresh = groups;
        self
    }

    /// Sets the kernels' words of the first record; the default is zeros.
    #[must_use]
    pub fn words(mut self, words: [u32; LoopRecord::WORDS]) -> Self {
        self.options.words = words;
        self
    }

    /// Ends the run with [`Error::LoopLimit`] after this many iterations; the default is 2^32.
    #[must_use]
    pub fn at_most(mut self, iterations: u64) -> Self {
        self.options.at_most = iterations;
        self
    }

    /// Pipelines the loop, which is expected to have many iterations: several batches of iterations
    /// are submitted before the host knows the result of the first batch.
    #[must_use]
    pub fn pipelined(mut self) -> Self {
        self.options.pipelined = true;
        self
    }

    /// Gives all iterations the workgroups of the first one. Then the size of a dispatch does not
    /// depend on a record, so that each dispatch begins sooner; a record only says whether there is
    /// another iteration. The passes of the body also run after the end of the loop, and must then
    /// do nothing.
    #[must_use]
    pub fn fixed_grid(mut self) -> Self {
        self.options.fixed_grid = true;
        self
    }

    /// Submits all iterations at once. There may be up to eight ([`at_most`](Self::at_most)). The
    /// host neither waits for the loop nor learns how it ended, so the outcome of the loop is
    /// undefined.
    #[must_use]
    pub fn unwatched(mut self) -> Self {
        self.options.unwatched = true;
        self
    }

    /// Lets the host go on before it knows that the loop has ended, if the loop took the same
    /// number of iterations in the last two runs. The host also goes past a condition on a word
    /// that [`repeat_then`](crate::Recording::repeat_then) reads, if it held in the last run. If
    /// the loop turns out not to have ended, or the condition not to hold, the whole recording is
    /// run again, and the host waits. So its outcome must not depend on earlier runs, nor on a
    /// partial run of the recording itself in which the loop was cut short.
    #[must_use]
    pub fn presumed(mut self) -> Self {
        self.options.presumed = true;
        self
    }

    /// Makes the loop, with the body that `body` records.
    pub(crate) fn record(self, body: impl FnOnce(&mut Body)) -> Result<Repeated> {
        let mut recorded = Body::default();
        body(&mut recorded);
        let (body, iterations) = match recorded.error {
            Some(error) => return Err(error),
            None => (recorded.calls, recorded.iterations),
        };
        let wrong = |message: &str| Err(Error::validation(self.name.as_str(), message));
        let Some(first) = body.first() else {
            return wrong("the loop has an empty body");
        };
        if !body.iter().any(|call| call.kernel.writes_loop) {
            return wrong("no pass of the body ever asks for another iteration");
        }
        if self.options.unwatched && self.options.at_most > MAX_UNWATCHED {
            return wrong("the loop may take too many iterations to be unwatched");
        }
        let start = match self.start {
            // Items are counted in workgroups of the first pass.
            Start::Over(items) => {
                let groups = items.div_ceil(first.kernel.invocations().into());
                [groups.min(MAX_WORKGROUPS.into()) as u32, 1, 1]
            }
            Start::Groups(groups) => groups,
        };
        for call in &body {
            call.keeps_promises(start)?;
        }
        Ok(Repeated {
            start,
            name: self.name,
            options: self.options,
            then: 0,
            body,
            iterations,
        })
    }
}

/// A loop with its body, for executors.
#[derive(Debug)]
pub struct Repeated {
    /// The name of the loop.
    pub name: String,
    /// The number of workgroups of the first iteration.
    pub start: [u32; 3],
    /// How the loop goes on, and how closely the host follows it.
    pub options: LoopOptions,
    /// The number of steps after the loop that may also run before its end, any number of times.
    pub then: usize,
    /// The calls of each iteration.
    pub body: Vec<Call>,
    /// The iterations in which each of these calls runs.
    pub iterations: Vec<Range<u64>>,
}

impl Repeated {
    /// Returns the buffers that the loop uses.
    pub(crate) fn buffers(&self) -> Vec<&AnyBuffer> {
        self.body.iter().flat_map(|call| &call.buffers).collect()
    }

    /// Returns the calls of an iteration, as indices into the body.
    pub fn calls_in(&self, iteration: u64) -> impl Iterator<Item = usize> {
        let iterations = self.iterations.iter().enumerate();
        iterations.filter_map(move |(at, range)| range.contains(&iteration).then_some(at))
    }

    /// Returns the records of `count` iterations from `first` on, and the record after these, as
    /// they are before any iteration has written to them.
    pub(crate) fn fresh_records(&self, first: u64, count: u64) -> Vec<LoopRecord> {
        let record = |k| match k {
            0 => LoopRecord {
                groups: self.start,
                iteration: 0,
                words: self.options.words,
            },
            _ => LoopRecord {
                groups: self.options.fresh,
                iteration: k as u32,
                words: [0; LoopRecord::WORDS],
            },
        };
        (first..=first + count).map(record).collect()
    }
}

/// The body of a loop while it is recorded.
#[derive(Debug, Default)]
pub struct Body {
    calls: Vec<Call>,
    iterations: Vec<Range<u64>>,
    error: Option<Error>,
}

impl Body {
    /// Runs `pass` in each iteration, with the workgroups of the loop's record.
    pub fn dispatch(&mut self, pass: &impl Pass) -> &mut Self {
        self.dispatch_in(0..u64::MAX, pass)
    }

    /// Runs `pass` only in the iterations with these numbers, from 0. So a loop can change from one
    /// kind of iteration to another without the host. The loop ends after an iteration in which no
    /// pass asks for another one.
    pub fn dispatch_in(&mut self, iterations: Range<u64>, pass: &impl Pass) -> &mut Self {
        let call = pass.call();
        if let Err(error) = call.check() {
            self.error.get_or_insert(error);
        }
        self.calls.push(call);
        self.iterations.push(iterations);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a loop of calls that run in these iterations.
    fn repeated(start: [u32; 3], options: LoopOptions, iterations: Vec<Range<u64>>) -> Repeated {
        Repeated {
            name: "test".to_owned(),
            start,
            options,
            then: 0,
            body: Vec::new(),
            iterations,
        }
    }

    #[test]
    fn a_call_runs_in_its_iterations() {
        let iterations = vec![0..2, 1..u64::MAX, 3..4];
        let repeated = repeated([1, 1, 1], LoopOptions::default(), iterations);
        let calls = |iteration| repeated.calls_in(iteration).collect::<Vec<_>>();
        assert_eq!(
            [0, 1, 2, 3].map(calls),
            [vec![0], vec![0, 1], vec![1], vec![1, 2]]
        );
    }

    #[test]
    fn only_the_first_record_of_a_loop_says_what_it_begins_with() {
        let words = std::array::from_fn(|i| i as u32 + 1);
        let options = LoopOptions {
            fresh: [0, 0, 1],
            words,
            ..LoopOptions::default()
        };
        let repeated = repeated([3, 2, 1], options, Vec::new());
        let record = |groups, iteration, words| LoopRecord {
            groups,
            iteration,
            words,
        };
        let none = [0; LoopRecord::WORDS];
        let first = [record([3, 2, 1], 0, words), record([0, 0, 1], 1, none)];
        assert_eq!(repeated.fresh_records(0, 1), first);
        let later = [record([0, 0, 1], 4, none), record([0, 0, 1], 5, none)];
        assert_eq!(repeated.fresh_records(4, 1), later);
    }
}
