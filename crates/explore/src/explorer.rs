//! The search: batch after batch from the front of the queue, each through all phases.

mod limits;

use crate::choices::Choices;
use crate::chunk::{Chunk, Failure};
use crate::rows::{Counts, Rows};
use crate::shard::Shard;
use crate::states::{Any, Fixed, Known, States, Width};
use crate::{Error, Options, System};
use mdp_graph::{MdpGraph, StateId};
use rayon::prelude::*;
use std::ops::Range;
use std::time::{Duration, Instant};

/// What [`explore()`] found.
#[derive(Clone, Debug)]
pub struct Exploration {
    /// The states that can be reached, their choices and where these lead.
    pub graph: MdpGraph,
    /// The states, packed.
    pub states: States,
    /// So many states are initial: the first ones, in the order in which the system named them.
    pub num_initial: usize,
    /// The action of each choice, if asked for.
    pub actions: Option<Vec<u32>>,
    /// The probability of each branch, if asked for.
    pub probabilities: Option<Vec<f64>>,
    /// How many states had no choice, whatever became of them.
    pub deadlocks: u64,
    /// How many branches were dropped because their probability was 0.
    pub dropped_branches: u64,
}

/// Finds all states of `system` that can be reached.
///
/// Runs on the threads of the [`rayon`] pool that it is called in.
///
/// # Errors
/// Every [`Error`]. The memory limit is checked before memory is taken.
pub fn explore<S: System>(
    system: &S,
    options: &Options<'_>,
) -> Result<Exploration, Error<S::Error>> {
    explore_tuned(system, options, &Tuning::default())
}

/// Sizes that change the time an exploration takes, and nothing else.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tuning {
    /// About so many branches are taken through the phases together.
    pub(crate) batch_branches: u64,
    /// Fewer states than this are expanded by the calling thread alone.
    pub(crate) thin: u32,
    /// So many chunks a thread, which share out what is uneven.
    pub(crate) chunks_per_thread: usize,
    /// The number of shards, a power of 2 from 2 to 256.
    pub(crate) shards: usize,
}

impl Default for Tuning {
    fn default() -> Self {
        let threads = rayon::current_num_threads();
        Self {
            batch_branches: 1 << 17,
            thin: 256,
            chunks_per_thread: 4,
            shards: (4 * threads).next_power_of_two().clamp(8, 256),
        }
    }
}

pub(crate) fn explore_tuned<S: System>(
    system: &S,
    options: &Options<'_>,
    tuning: &Tuning,
) -> Result<Exploration, Error<S::Error>> {
    match system.words() {
        1 => Explorer::new(system, Fixed::<1>, options, tuning).run(),
        2 => Explorer::new(system, Fixed::<2>, options, tuning).run(),
        words => Explorer::new(system, Any(words), options, tuning).run(),
    }
}

/// What calls the system for a chunk.
struct Worker<S: System> {
    scratch: S::Scratch,
    outcome: Result<(), Failure<S::Error>>,
}

impl<S: System> Worker<S> {
    fn new(system: &S) -> Self {
        Self {
            scratch: system.scratch(),
            outcome: Ok(()),
        }
    }
}

struct Explorer<'a, S: System, W> {
    system: &'a S,
    width: W,
    options: &'a Options<'a>,
    tuning: &'a Tuning,
    /// All states found; those from `expanded` on are the queue.
    states: States,
    expanded: u32,
    /// How many states were known before the batch that is at work.
    known: u32,
    rows: Rows,
    shards: Vec<Shard>,
    chunks: Vec<Chunk>,
    /// One for each chunk.
    workers: Vec<Worker<S>>,
    deadlocks: u64,
    first_deadlock: Option<StateId>,
    dropped_branches: u64,
    began: Instant,
    reported: Duration,
}

impl<'a, S: System, W: Width> Explorer<'a, S, W> {
    fn new(system: &'a S, width: W, options: &'a Options<'a>, tuning: &'a Tuning) -> Self {
        let choices = || {
            Choices::new(
                width.words(),
                tuning.shards,
                options.actions,
                options.probabilities,
            )
        };
        let chunks = rayon::current_num_threads() * tuning.chunks_per_thread;
        Self {
            system,
            width,
            options,
            tuning,
            states: States::new(width.words()),
            expanded: 0,
            known: 0,
            rows: Rows::new(options.actions, options.probabilities),
            shards: (0..tuning.shards).map(|_| Shard::new()).collect(),
            chunks: (0..chunks).map(|_| Chunk::new(choices())).collect(),
            workers: (0..chunks).map(|_| Worker::new(system)).collect(),
            deadlocks: 0,
            first_deadlock: None,
            dropped_branches: 0,
            began: Instant::now(),
            reported: Duration::ZERO,
        }
    }

    fn run(mut self) -> Result<Exploration, Error<S::Error>> {
        self.initial_states()?;
        let num_initial = self.states.len();
        while (self.expanded as usize) < self.states.len() {
            self.report()?;
            let batch = self.next_batch();
            let used = self.expand(&batch)?;
            self.look_up(used)?;
            self.number(used);
            self.patch(used);
            self.write(used);
            self.expanded = batch.end;
        }
        self.refuse_deadlocks()?;
        let finished = self.rows.finish(
            self.states,
            num_initial,
            self.deadlocks,
            self.dropped_branches,
        )?;
        Ok(finished)
    }

    /// Finds the initial states, with a chunk that has no rows.
    fn initial_states(&mut self) -> Result<(), Error<S::Error>> {
        let max_branches = self.max_chunk_branches();
        let observer = self.options.observer;
        let (chunk, worker) = (&mut self.chunks[0], &mut self.workers[0]);
        chunk.clear(max_branches);
        let is_cancelled = || observer.is_cancelled();
        worker.outcome = chunk.expand_initial(self.system, &mut worker.scratch, is_cancelled);
        self.check_expanded(1)?;
        self.look_up(1)?;
        self.number(1);
        self.patch(1);
        Ok(())
    }

    /// The states to expand next. Depends on what was found, but not on the number of threads.
    fn next_batch(&self) -> Range<u32> {
        let pending = self.states.len() as u64 - u64::from(self.expanded);
        let expanded = u64::from(self.expanded).max(1);
        let branches = (self.rows.counts.branches).max(1);
        let wanted = self.tuning.batch_branches * expanded / branches;
        let size = wanted.clamp(1, pending) as u32;
        self.expanded..self.expanded + size
    }

    /// Calls the system. Returns the number of chunks that were needed.
    fn expand(&mut self, batch: &Range<u32>) -> Result<usize, Error<S::Error>> {
        let used = if batch.end - batch.start < self.tuning.thin {
            1
        } else {
            self.chunks.len()
        };
        let max_branches = self.max_chunk_branches();
        let (system, states, options) = (self.system, &self.states, self.options);
        let pairs = self.chunks[..used].iter_mut().zip(&mut self.workers);
        let mut pairs: Vec<_> = pairs.collect();
        let mut expand = || {
            for_each(used > 1, &mut pairs, |index, (chunk, worker)| {
                chunk.clear(max_branches);
                worker.outcome = if options.observer.is_cancelled() {
                    Err(Failure::Cancelled)
                } else {
                    let run = part(batch, index, used);
                    chunk.expand(system, &mut worker.scratch, states, run, options.deadlocks)
                };
            });
        };
        // Meanwhile, the rows of the batch before are copied.
        let rows = &mut self.rows;
        if used > 1 {
            rayon::join(expand, || rows.copy_pending(true));
        } else {
            expand();
            rows.copy_pending(false);
        }
        self.check_expanded(used)?;
        for chunk in &self.chunks[..used] {
            self.deadlocks += chunk.deadlocks;
            self.first_deadlock = self.first_deadlock.or(chunk.first_deadlock);
            self.dropped_branches += chunk.choices.dropped;
        }
        Ok(used)
    }

    /// Finds the targets of all chunks in the shards.
    fn look_up(&mut self, used: usize) -> Result<(), Error<S::Error>> {
        let known = Known::new(self.width, &self.states);
        self.known = known.len;
        let chunks = &self.chunks[..used];
        for_each(used > 1, &mut self.shards, |index, shard| {
            let targets = || chunks.iter().map(|c| &c.choices.targets[index]);
            let words: usize = targets().map(Vec::len).sum();
            shard.begin(words / known.width.words());
            for targets in targets() {
                shard.look_up(known, targets);
            }
        });
        let fresh: u64 = self.shards.iter().map(|s| u64::from(s.num_fresh())).sum();
        self.check_states(u64::from(known.len) + fresh)
    }

    /// Numbers the new states.
    fn number(&mut self, used: usize) {
        let (shards, known) = (&self.shards, self.known);
        for_each(used > 1, &mut self.chunks[..used], |index, chunk| {
            // The number of new states that chunks before this one saw first.
            let before: u32 = shards.iter().map(|s| s.starts[index].fresh).sum();
            chunk.number(index, shards, known, known + before);
        });
    }

    /// Tells the shards the numbers of their new states, and writes these states down.
    fn patch(&mut self, used: usize) {
        let chunks = &self.chunks[..used];
        for_each(used > 1, &mut self.shards, |index, shard| {
            for chunk in chunks {
                shard.patch(&chunk.fresh_numbers[index]);
            }
        });
        for chunk in chunks {
            self.states.extend(&chunk.fresh);
        }
    }

    /// Writes the rows of the expanded states.
    fn write(&mut self, used: usize) {
        let (shards, known) = (&self.shards, self.known);
        let mut before = self.rows.counts;
        let chunks = self.chunks[..used].iter_mut().map(|chunk| {
            let start = before;
            before = before + chunk.counts();
            (chunk, start)
        });
        let mut chunks: Vec<(&mut Chunk, Counts)> = chunks.collect();
        for_each(used > 1, &mut chunks, |_, (chunk, before)| {
            chunk.write(shards, known, *before);
        });
        for chunk in &mut self.chunks[..used] {
            self.rows.hand_over(&mut chunk.rows);
        }
    }
}

/// Calls `work` with each item and its index, on all threads or on this one.
fn for_each<T: Send>(parallel: bool, items: &mut [T], work: impl Fn(usize, &mut T) + Sync + Send) {
    if parallel {
        let items = items.par_iter_mut().with_max_len(1).enumerate();
        items.for_each(|(index, item)| work(index, item));
    } else {
        let items = items.iter_mut().enumerate();
        items.for_each(|(index, item)| work(index, item));
    }
}

/// The `index`-th of `parts` parts of a run of states, which differ by at most one state.
fn part(run: &Range<u32>, index: usize, parts: usize) -> Range<u32> {
    let len = u64::from(run.end - run.start);
    let cut = |index: usize| run.start + (len * index as u64 / parts as u64) as u32;
    cut(index)..cut(index + 1)
}

#[cfg(test)]
mod tests;
