//! Goes from policy to policy, until no policy is better or the host continues.

use super::doubling::{self, Expected};
use super::passes::{Passes, PolicyHandles};
use super::steps;
use super::upload::{Buffers, Edges, Evaluation, Shape, Upload};
use crate::answer::{PassTime, Work};
use crate::howard::MAX_POLICIES;
use crate::region::Regions;
use crate::search::Ticker;
use crate::{Error, Options};
use ::gpu::{Gpu, LoopHandle, Outcome, Recording, RunOptions};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// The last policies of all components. States are numbered over all components.
pub(super) struct Last {
    /// The number of the edge of each state.
    pub(super) choices: Vec<u32>,
    values: Vec<[u32; 2]>,
    /// The leader of the best cycle of each component.
    pub(super) best: Vec<u32>,
    /// For each component, the number of the policy that resulted from its last change.
    changed: Vec<u32>,
    /// The number of the unfinished policy, if there is one.
    unfinished: Option<u32>,
    pub(super) work: Work,
}

impl Last {
    /// Returns whether the policy of a component cannot be improved.
    pub(super) fn is_done(&self, component: usize) -> bool {
        self.unfinished
            .is_none_or(|number| self.changed[component] < number)
    }

    /// Returns the sum of q weight - p time from a state to the leader of the best cycle, where p/q
    /// is the value of that cycle, not in lowest terms.
    pub(super) fn value(&self, state: usize) -> i64 {
        let [low, high] = self.values[state];
        (u64::from(high) << 32 | u64::from(low)) as i64
    }

    /// Returns the number of policies of a component before its last one.
    pub(super) fn policies(&self, component: usize) -> u32 {
        self.changed[component]
    }
}

/// The search for the best cycle is recorded without a loop if it is expected to take at most this
/// many levels.
const MAX_RECORDED: u64 = 64;

/// Goes from policy to policy on a device, and evaluates them in this way.
///
/// A search that leads states to the best cycle of their component may take as many levels as the
/// options say. If it needs more, the policies of its iteration are unfinished. So are those after
/// [`MAX_POLICIES`]: from there on, another algorithm takes turns on the host.
pub(super) fn run<A: Upload>(
    gpu: &Gpu,
    regions: &Regions<A>,
    evaluation: Evaluation,
    options: &Options<'_>,
    ticker: &Ticker<'_>,
) -> Result<Last, Error> {
    let kernels = ::gpu::kernels::ALL.iter();
    for kernel in kernels.filter(|kernel| kernel.name.starts_with("cycle_mean/")) {
        gpu.info().can_run(kernel)?;
    }
    let begin = Instant::now();
    let (buffers, shape) = Buffers::new(gpu, regions, evaluation)?;
    let uploaded = Instant::now();
    let mut search = PolicySearch {
        gpu,
        buffers: &buffers,
        shape,
        most_levels: options.most_levels,
        time_passes: options.time_passes,
        ticker,
        expected: None,
        needed: Vec::new(),
        failed: None,
        attempts: 0,
        work: Work::default(),
    };
    let unfinished = search.run()?;
    let work = Work {
        upload: uploaded - begin,
        search: uploaded.elapsed(),
        ..search.work
    };
    last(gpu, &buffers, shape, unfinished, work)
}

/// A search from policy to policy.
struct PolicySearch<'a> {
    gpu: &'a Gpu,
    buffers: &'a Buffers,
    shape: Shape,
    most_levels: u32,
    time_passes: bool,
    ticker: &'a Ticker<'a>,
    /// The expected lengths of the loops of the next evaluation, if they are known.
    expected: Option<Expected>,
    /// The lengths that the last evaluations would have needed.
    needed: Vec<Expected>,
    /// The expected lengths of the last evaluation that had too few passes.
    failed: Option<Expected>,
    /// The number of evaluations that were recorded without loops.
    attempts: u32,
    work: Work,
}

/// The outcome of the evaluation of a policy.
enum End {
    /// The policy was improved.
    Improved,
    /// The policy cannot be improved.
    Optimal,
    /// There were not enough passes.
    Failed,
    /// The search for the best cycle was too deep.
    Unfinished,
}

impl<'a> PolicySearch<'a> {
    /// Runs the search. Returns the number of the unfinished policy, if there is one.
    fn run(&mut self) -> Result<Option<u32>, Error> {
        let mut recording = Recording::new();
        self.passes(0).cheapest(&mut recording);
        loop {
            let end = match self.expected {
                Some(expected) => self.attempt(recording, expected)?,
                None => self.evaluate(recording)?,
            };
            recording = Recording::new();
            match end {
                End::Failed => {
                    self.work.repeated += 1;
                    self.failed = self.expected.take();
                    self.passes(0).take_back(&mut recording);
                    continue;
                }
                End::Improved => {
                    self.work.policies += 1;
                    if self.work.policies == MAX_POLICIES {
                        return Ok(Some(MAX_POLICIES));
                    }
                }
                End::Optimal | End::Unfinished => {
                    self.work.policies += 1;
                    let number = self.work.policies - 1;
                    return Ok(matches!(end, End::Unfinished).then_some(number));
                }
            }
        }
    }

    fn passes(&self, attempt: u32) -> Passes<'a> {
        Passes {
            buffers: self.buffers,
            shape: self.shape,
            most_levels: self.most_levels,
            attempt,
        }
    }

    /// Evaluates and improves a policy with as many passes as are expected to be enough, so that
    /// the host waits for the device only once.
    fn attempt(&mut self, mut recording: Recording, expected: Expected) -> Result<End, Error> {
        self.attempts += 1;
        let (attempt, number) = (self.attempts, self.work.policies);
        let passes = self.passes(attempt);
        passes.start(&mut recording, number);
        doubling::evaluate_as_expected(expected, &passes, &mut recording, number);
        let handles = passes.lead_and_improve_as_expected(&mut recording, number, expected.levels);
        let outcome = self.wait(&recording)?;
        self.work.doublings += doubling::PER_ITERATION * (expected.walks + expected.sums);
        self.work.levels += u64::from(expected.levels);
        let [changed, failed, way, level] = outcome.get(handles.changed)[..] else {
            return Ok(End::Failed);
        };
        if failed == attempt {
            return Ok(End::Failed);
        }
        let needed = Expected::of_way(way, level);
        // With wide edges, the lengths of ways are not counted.
        self.expect(match self.buffers.edges {
            Edges::Narrow(_) => needed,
            Edges::Wide(_) => Expected {
                levels: needed.levels,
                ..expected
            },
        });
        Ok(match changed == number {
            true => End::Optimal,
            false => End::Improved,
        })
    }

    /// Expects lengths for the next evaluation that are enough for this one and the last ones:
    /// repeating an evaluation takes longer than some passes.
    fn expect(&mut self, needed: Expected) {
        const REMEMBERED: usize = 8;
        self.needed.push(needed);
        let last = self.needed.iter().rev().take(REMEMBERED).copied();
        self.expected = last.reduce(Expected::max);
    }

    /// Evaluates and improves a policy by loops. The host waits for the end of each loop.
    fn evaluate(&mut self, mut recording: Recording) -> Result<End, Error> {
        let number = self.work.policies;
        let passes = self.passes(0);
        passes.start(&mut recording, number);
        let evaluation = match &self.buffers.entries {
            Some(entries) => steps::evaluate(&passes, entries, &mut recording, number),
            None => doubling::evaluate_in_loops(&passes, &mut recording, number),
        };
        let handles = passes.lead_and_improve_in_loop(&mut recording, number);
        let outcome = self.wait(&recording)?;
        self.learn(&outcome, evaluation, &handles);
        let levels = handles.levels.map(|handle| &outcome[handle]);
        if levels.is_some_and(|levels| levels.last.groups[0] > 0) {
            return Ok(End::Unfinished);
        }
        // A change would have resulted in the next policy.
        Ok(match outcome.get(handles.changed)[0] == number {
            true => End::Optimal,
            false => End::Improved,
        })
    }

    /// Stores the lengths of the loops, from which those of the next ones are predicted.
    fn learn(&mut self, outcome: &Outcome, evaluation: [LoopHandle; 2], handles: &PolicyHandles) {
        let [first, second] = evaluation.map(|handle| outcome[handle].iterations);
        let levels = handles
            .levels
            .map_or(0, |handle| outcome[handle].iterations);
        self.work.levels += levels;
        if self.buffers.entries.is_some() {
            self.work.levels += first + second;
            return;
        }
        self.work.doublings += doubling::PER_ITERATION * (first + second);
        let most = MAX_RECORDED.min(self.most_levels.into());
        // An evaluation that had too few passes of one kind may have needed those of the other
        // kind.
        let [walks, sums] = self.failed.take().map_or([0; 2], |of| [of.walks, of.sums]);
        self.needed.clear();
        if levels <= most {
            self.expect(Expected {
                walks: first.max(walks),
                sums: second.max(sums),
                levels: levels as u32,
            });
        }
    }

    /// Runs a recording, under the observer, and adds the times of its passes.
    fn wait(&mut self, recording: &Recording) -> Result<Outcome, Error> {
        let outcome = self.gpu.run_with(
            recording,
            &mut RunOptions {
                observer: Some(&mut |_| match self.ticker.check() {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(_) => ControlFlow::Break(()),
                }),
                time_passes: self.time_passes,
            },
        )?;
        // Without loops, the observer was not called.
        self.ticker.check()?;
        for timed in &outcome.times {
            let passes = &mut self.work.passes;
            let known = passes.iter().position(|pass| pass.name == timed.name);
            let place = known.unwrap_or(passes.len());
            if known.is_none() {
                let (name, time) = (timed.name.clone(), Duration::ZERO);
                passes.push(PassTime {
                    name,
                    calls: 0,
                    time,
                });
            }
            passes[place].calls += timed.calls;
            passes[place].time += Duration::from_nanos(timed.nanoseconds);
        }
        Ok(outcome)
    }
}

/// Reads the last policy.
fn last(
    gpu: &Gpu,
    buffers: &Buffers,
    shape: Shape,
    unfinished: Option<u32>,
    work: Work,
) -> Result<Last, Error> {
    let mut changed = gpu.read(&buffers.changed)?;
    changed.truncate(shape.components as usize);
    let choices = match unfinished {
        // States that were led to the best cycle have to be led there again.
        Some(_) => &buffers.kept_choices,
        None => &buffers.choices,
    };
    Ok(Last {
        choices: gpu.read(choices)?,
        values: gpu.read(&buffers.values)?,
        best: gpu.read(&buffers.best)?,
        changed,
        unfinished,
        work,
    })
}
