//! The search: takes batches from the front of the queue, and runs all phases on each of them.

mod goal;
mod limits;

use crate::choices::{Choices, Halt};
use crate::chunk::{Chunk, Failure, Lookup};
use crate::options::Details;
use crate::rows::Rows;
use crate::set::{Alone, Set, Shared};
use crate::states::{Any, Fixed, Known, States, Width};
use crate::{Error, Exploration, Options, System};
use mdp_graph::StateId;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Finds all reachable states of `system`.
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

/// A batch of this many branches fits the cache of a core.
const BRANCHES_IN_CACHE: u64 = 1 << 14;

/// Sizes that affect only the time of an exploration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tuning {
    /// The approximate number of branches in a batch.
    pub(crate) batch_branches: u64,
    /// Fewer states than this are expanded by the calling thread alone.
    pub(crate) thin: u32,
    /// The number of chunks in a batch. Several chunks per thread balance uneven work.
    pub(crate) chunks: usize,
}

impl Default for Tuning {
    fn default() -> Self {
        match rayon::current_num_threads() {
            1 => Self {
                batch_branches: BRANCHES_IN_CACHE,
                thin: 256,
                chunks: 1,
            },
            // Threads wait for one another several times per batch, so batches should be large; but
            // batches take memory.
            threads => Self {
                batch_branches: ((threads as u64) << 16).min(1 << 19),
                thin: 256,
                chunks: 4 * threads,
            },
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

struct Explorer<'a, S: System, W> {
    system: &'a S,
    width: W,
    options: &'a Options<'a>,
    tuning: &'a Tuning,
    /// All states found. Those from `expanded` on form the queue.
    states: States,
    expanded: u32,
    /// The maximum number of states in a batch.
    most: u32,
    rows: Rows,
    set: Set,
    /// The bits that are set in some state, if states have one word.
    bits: u64,
    chunks: Vec<Chunk<'a>>,
    /// The results of the look-up, one for each chunk.
    lookups: Vec<Lookup>,
    outcomes: Vec<Result<(), Failure<S::Error>>>,
    /// The working memory: one for each thread of the pool, which only this thread locks, and one
    /// for threads outside the pool.
    scratches: Vec<Mutex<S::Scratch>>,
    deadlocks: u64,
    first_deadlock: Option<StateId>,
    dropped_branches: u64,
    began: Instant,
    reported: Duration,
}

impl<'a, S: System, W: Width> Explorer<'a, S, W> {
    fn new(system: &'a S, width: W, options: &'a Options<'a>, tuning: &'a Tuning) -> Self {
        let details = Details::of(options);
        let choices = || {
            Choices::new(width.words(), details).watched(options.observer, options.limits.states)
        };
        let scratches = 0..=rayon::current_num_threads();
        let chunks = 0..tuning.chunks;
        Self {
            system,
            width,
            options,
            tuning,
            states: States::new(width.words()),
            expanded: 0,
            most: u32::MAX,
            rows: Rows::new(details),
            set: Set::new(),
            bits: 0,
            chunks: chunks.clone().map(|_| Chunk::new(choices())).collect(),
            lookups: chunks.clone().map(|_| Lookup::default()).collect(),
            outcomes: chunks.map(|_| Ok(())).collect(),
            scratches: scratches.map(|_| Mutex::new(system.scratch())).collect(),
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
        let mut is_over = self.is_met(0, &(0..0), 0);
        while (self.expanded as usize) < self.states.len() && !is_over {
            self.report()?;
            let (batch, known) = (self.next_batch(), self.states.len() as u32);
            let Some(used) = self.expand_in_order(&batch)? else {
                continue;
            };
            self.count_dead_ends(used);
            self.look_up(used)?;
            is_over = self.is_met(used, &batch, known);
            self.hand_over(used);
            self.expanded = batch.end;
        }
        self.refuse_deadlocks()?;
        let Self {
            rows,
            states,
            deadlocks,
            dropped_branches,
            set,
            ..
        } = self;
        let finish = || rows.finish(states, num_initial, deadlocks, dropped_branches);
        let (finished, ()) = rayon::join(finish, || drop(set));
        Ok(finished?)
    }

    /// Finds the initial states, with a chunk that has no rows.
    fn initial_states(&mut self) -> Result<(), Error<S::Error>> {
        let (usual, max_branches) = (self.usual_branches(), self.max_chunk_branches());
        let chunk = &mut self.chunks[0];
        chunk.clear(usual, max_branches);
        let mut scratch = lock_own(&self.scratches);
        self.outcomes[0] = chunk.expand_initial(self.system, &mut scratch);
        drop(scratch);
        self.check_expanded(1)?;
        self.look_up(1)
    }

    /// Returns the states to expand next.
    fn next_batch(&self) -> Range<u32> {
        let pending = self.states.len() as u64 - u64::from(self.expanded);
        let expanded = u64::from(self.expanded).max(1);
        let branches = (self.rows.counts.branches).max(1);
        // The memory of a batch on many threads should be small compared with that of the graph.
        let little = (branches / 32).max(BRANCHES_IN_CACHE);
        let wanted = self.tuning.batch_branches.min(little) * expanded / branches;
        let size = wanted.clamp(1, pending.min(self.most.into())) as u32;
        self.expanded..self.expanded + size
    }

    /// Returns the approximate number of branches of a chunk.
    fn usual_branches(&self) -> usize {
        self.tuning.batch_branches as usize / self.chunks.len() + 1
    }

    /// Computes the choices of a batch. Returns the number of chunks that were needed.
    fn expand(&mut self, batch: &Range<u32>) -> Result<usize, Error<S::Error>> {
        let used = if batch.end - batch.start < self.tuning.thin {
            1
        } else {
            self.chunks.len()
        };
        let (usual, max_branches) = (self.usual_branches(), self.max_chunk_branches());
        let (system, states, options) = (self.system, &self.states, self.options);
        let scratches = &self.scratches;
        let mut work: Vec<_> = self.chunks[..used]
            .iter_mut()
            .zip(&mut self.outcomes)
            .collect();
        let mut expand = || {
            for_each(used > 1, &mut work, |index, (chunk, outcome)| {
                chunk.clear(usual, max_branches);
                let scratch = &mut lock_own(scratches);
                **outcome = if options.observer.is_cancelled() {
                    Err(Halt::Cancelled.into())
                } else {
                    let run = part(batch, index, used);
                    chunk.expand(system, scratch, states, run, options.deadlocks)
                };
            });
        };
        // At the same time, the rows of the previous batch are copied.
        let rows = &mut self.rows;
        if used > 1 {
            rayon::join(expand, || rows.copy_pending(true));
        } else {
            expand();
            rows.copy_pending(false);
        }
        self.check_expanded(used)?;
        Ok(used)
    }

    /// Counts the deadlocks of a batch, and the branches that it dropped.
    fn count_dead_ends(&mut self, used: usize) {
        for chunk in &self.chunks[..used] {
            self.deadlocks += chunk.deadlocks;
            self.first_deadlock = self.first_deadlock.or(chunk.first_deadlock);
            self.dropped_branches += chunk.choices.found.dropped;
        }
    }

    /// Finds the numbers of all targets, and numbers and stores the new states.
    fn look_up(&mut self, used: usize) -> Result<(), Error<S::Error>> {
        let chunks = &self.chunks[..used];
        let branches: usize = chunks.iter().map(|c| c.choices.num_branches()).sum();
        self.bits = chunks
            .iter()
            .fold(self.bits, |all, c| all | c.choices.found.bits);
        self.set.reserve(branches);
        let (usual, words) = (self.usual_branches(), self.width.words());
        self.lookups[..used]
            .iter_mut()
            .for_each(|found| found.clear(usual, words));
        // Provisional numbers must fit.
        let known = self.states.len();
        if used > 1 && known + branches < u32::MAX as usize {
            self.look_up_together(used)
        } else {
            self.look_up_alone(used)
        }
    }

    /// Looks up the targets of a batch on this thread.
    fn look_up_alone(&mut self, used: usize) -> Result<(), Error<S::Error>> {
        let known = Known::new(self.width, &self.states);
        let are_narrow = self.bits >> 32 == 0;
        let slots = self.set.slots();
        let mut fresh = std::mem::take(&mut self.lookups[0].fresh);
        let mut newcomers = Alone::new(known, &mut fresh);
        for (chunk, found) in self.chunks[..used].iter().zip(&mut self.lookups) {
            let targets = &chunk.choices.found.targets;
            let numbers = &mut found.numbers;
            slots.look_up(known, are_narrow, targets, &mut newcomers, numbers);
        }
        let added = newcomers.len();
        self.lookups[0].fresh = fresh;
        self.check_states(added)?;
        self.set.count(added as usize);
        self.states.extend(&self.lookups[0].fresh);
        Ok(())
    }

    /// Looks up the targets of a batch on all threads.
    fn look_up_together(&mut self, used: usize) -> Result<(), Error<S::Error>> {
        let known = Known::new(self.width, &self.states);
        let are_narrow = self.bits >> 32 == 0;
        let slots = self.set.slots();
        let lookups = &mut self.lookups[..used];
        let chunks = self.chunks[..used].iter();
        let targets: Vec<&[u64]> = chunks.clone().map(|c| &*c.choices.found.targets).collect();
        let starts = sums(chunks.map(|c| c.choices.num_branches() as u32));
        for_each(true, lookups, |index, found| {
            let Lookup {
                numbers, pending, ..
            } = found;
            let mut newcomers = Shared::new(known, index, &targets, &starts, pending);
            slots.look_up(known, are_narrow, targets[index], &mut newcomers, numbers);
        });
        for_each(true, lookups, |_, found| found.find_first(slots));
        let starts = sums(lookups.iter().map(Lookup::num_first));
        self.check_states(starts[used])?;

        let known = self.states.len() as u32;
        let slots = self.set.slots();
        let lookups = &mut self.lookups[..used];
        for_each(true, lookups, |index, found| {
            found.number_first(slots, known + starts[index], targets[index]);
        });
        let states = &mut self.states;
        lookups.iter().for_each(|found| states.extend(&found.fresh));
        for_each(true, lookups, |_, found| found.number_rest(slots));
        self.set.count(starts[used] as usize);
        Ok(())
    }

    /// Passes the rows of the expanded states to `rows`.
    fn hand_over(&mut self, used: usize) {
        for (chunk, found) in self.chunks[..used].iter_mut().zip(&mut self.lookups) {
            self.rows.hand_over(chunk, found);
        }
    }
}

/// Locks the working memory of this thread.
fn lock_own<T>(scratches: &[Mutex<T>]) -> MutexGuard<'_, T> {
    let last = scratches.len() - 1;
    let own = rayon::current_thread_index().map_or(last, |index| index.min(last));
    scratches[own]
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
}

/// Returns the prefix sums of the numbers, from 0 to the total.
fn sums(numbers: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut sum = 0;
    let sums = numbers.map(|number| {
        sum += number;
        sum
    });
    std::iter::once(0).chain(sums).collect()
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

/// Returns the `index`-th of `parts` parts of a run of states. The sizes of the parts differ by at
/// most one.
fn part(run: &Range<u32>, index: usize, parts: usize) -> Range<u32> {
    let len = u64::from(run.end - run.start);
    let cut = |index: usize| run.start + (len * index as u64 / parts as u64) as u32;
    cut(index)..cut(index + 1)
}

#[cfg(test)]
mod tests;
