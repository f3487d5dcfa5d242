//! The limits of a search, and its reports of progress.

use super::Explorer;
use crate::choices::Halt;
use crate::chunk::{Chunk, Failure, Lookup};
use crate::counts::Counts;
use crate::states::Width;
use crate::{Error, Progress, System};
use mdp_graph::{BuildError, Deadlocks, MAX_COUNT, StateId, check_room, free_unused, unused_bytes};
use std::ops::Add;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The time between two reports of progress.
const PROGRESS_EVERY: Duration = Duration::from_millis(200);

impl<S: System, W: Width> Explorer<'_, S, W> {
    /// Reports the progress to the observer, and asks whether to continue.
    pub(super) fn report(&mut self) -> Result<(), Error<S::Error>> {
        if self.options.observer.is_cancelled() {
            let reached = self.progress();
            return Err(Error::Cancelled { reached });
        }
        let elapsed = self.began.elapsed();
        if elapsed >= self.reported + PROGRESS_EVERY {
            self.reported = elapsed;
            self.options.observer.progress(self.progress(), elapsed);
        }
        Ok(())
    }

    /// Returns the progress of the search.
    fn progress(&self) -> Progress {
        Progress {
            states: self.states.len() as u64,
            expanded: u64::from(self.expanded),
            choices: self.rows.counts.choices,
            branches: self.rows.counts.branches,
            bytes: self.bytes(),
        }
    }

    /// Returns the memory held, in bytes.
    fn bytes(&self) -> u64 {
        let chunks: usize = self.chunks.iter().map(Chunk::bytes).sum();
        let lookups: usize = self.lookups.iter().map(Lookup::bytes).sum();
        let states = self.states.packed().len() * 8;
        let held = self.set.bytes() + chunks + lookups + states;
        self.rows.bytes(self.rows.counts) + held as u64 + self.scratch_bytes()
    }

    /// Returns the memory of all scratches, in bytes.
    fn scratch_bytes(&self) -> u64 {
        let bytes = |scratch: &Mutex<S::Scratch>| {
            let scratch = scratch.lock().unwrap_or_else(PoisonError::into_inner);
            self.system.scratch_bytes(&scratch) as u64
        };
        self.scratches.iter().map(bytes).sum()
    }

    /// Returns the maximum number of branches of a chunk.
    pub(super) fn max_chunk_branches(&self) -> usize {
        let countable = MAX_COUNT - self.rows.counts.branches;
        let Some(limit) = self.options.limits.memory else {
            return countable as usize;
        };
        // A branch has a target, the number of the target, a copy of this number in the rows, a
        // probability, and a pending entry. A choice has two copies of its end, and an action.
        let bytes = self.width.words() as u64 * 8 + 4 + 4 + 8 + 8 + 12;
        (limit.saturating_sub(self.bytes()) / bytes).min(countable) as usize
    }

    /// Returns the first failure of the chunks, or an error if their results exceed a limit.
    pub(super) fn check_expanded(&mut self, used: usize) -> Result<(), Error<S::Error>> {
        let held = self.rows.counts;
        let counts = self.chunks[..used]
            .iter()
            .map(Chunk::counts)
            .fold(held, Counts::add);
        let choices_fit = fits("choices", counts.choices);
        let branches_fit = fits("branches", counts.branches);
        for outcome in &mut self.outcomes[..used] {
            match std::mem::replace(outcome, Ok(())) {
                Ok(()) => {}
                Err(Failure::System(error)) => return Err(Error::System(error)),
                Err(Failure::Graph(error)) => return Err(Error::Graph(error)),
                Err(Failure::Halted { halt, place }) => {
                    return Err(self.halted(halt, place, choices_fit.and(branches_fit)));
                }
            }
        }
        choices_fit?;
        branches_fit?;
        let rows = self.rows.bytes(counts) - self.rows.bytes(held);
        // Each target has a number, and may have a pending entry.
        let branches = counts.branches - held.branches;
        let found = branches * if used > 1 { 4 + 8 } else { 4 };
        let growth = self.set.growth(branches as usize) as u64;
        self.check_memory(rows + found + growth)?;
        self.check_room(counts, growth as usize, 0)
    }

    /// Returns the error for an expansion that was abandoned, at a state and action if a single
    /// state is to blame. `fit` says whether a graph can hold the choices and branches found so
    /// far, including those of this state.
    fn halted(
        &self,
        halt: Halt,
        place: Option<(StateId, u32)>,
        fit: Result<(), BuildError>,
    ) -> Error<S::Error> {
        let reached = self.progress();
        let error = match (halt, fit) {
            (Halt::Cancelled, _) => return Error::Cancelled { reached },
            (Halt::States, _) => self.too_many_states(),
            (Halt::NoRoom(missing), _) => Error::OutOfMemory { missing, reached },
            (Halt::Overflow, Err(error)) => error.into(),
            (Halt::Overflow, Ok(())) => self.out_of_memory(),
        };
        match place {
            None => error,
            Some((state, action)) => Error::InState {
                state: self.states.get(state).into(),
                action,
                error: Box::new(error),
            },
        }
    }

    /// Returns an error if there are too many new states.
    pub(super) fn check_states(&self, added: u32) -> Result<(), Error<S::Error>> {
        let states = self.states.len() as u64 + u64::from(added);
        fits("states", states)?;
        if self
            .options
            .limits
            .states
            .is_some_and(|limit| states > limit)
        {
            return Err(self.too_many_states());
        }
        // Each new state is stored twice: by its chunk, and in the list of all states.
        let words = added as usize * self.width.words();
        self.check_memory(words as u64 * 16)?;
        self.check_room(self.rows.counts, 0, words)
    }

    /// Returns an error if there is no memory for this many rows, a larger set, and this many words
    /// of states.
    fn check_room(&self, rows: Counts, set: usize, words: usize) -> Result<(), Error<S::Error>> {
        let mut tables = vec![set, self.states.growth(words)];
        tables.extend(self.rows.growth(rows));
        if tables.iter().all(|&bytes| bytes == 0) {
            return Ok(());
        }
        check_room("the states and the graph", &tables).map_err(|missing| {
            let reached = self.progress();
            Error::OutOfMemory { missing, reached }
        })
    }

    /// Returns an error if this many more bytes exceed the limit. If they would exceed it together
    /// with the pages that are kept for the next tables, such as those of smaller hash tables,
    /// frees these pages.
    fn check_memory(&self, more: u64) -> Result<(), Error<S::Error>> {
        let Some(limit) = self.options.limits.memory else {
            return Ok(());
        };
        let needed = self.bytes() + more;
        if needed > limit {
            return Err(self.out_of_memory());
        }
        if needed + unused_bytes() as u64 > limit {
            free_unused();
        }
        Ok(())
    }

    fn too_many_states(&self) -> Error<S::Error> {
        Error::TooManyStates {
            limit: self.options.limits.states.unwrap_or(u64::MAX),
            reached: self.progress(),
        }
    }

    fn out_of_memory(&self) -> Error<S::Error> {
        Error::MemoryLimit {
            limit: self.options.limits.memory.unwrap_or(u64::MAX),
            reached: self.progress(),
        }
    }

    /// Returns an error if there are deadlocks, and the options do not allow them.
    pub(super) fn refuse_deadlocks(&self) -> Result<(), Error<S::Error>> {
        match self.first_deadlock {
            Some(first) if self.options.deadlocks == Deadlocks::Refuse => {
                let (count, state) = (self.deadlocks, self.states.get(first).to_vec());
                Err(Error::Deadlock {
                    first,
                    count,
                    state,
                })
            }
            _ => Ok(()),
        }
    }
}

/// Returns an error if a count is more than a graph can hold.
fn fits(what: &'static str, count: u64) -> Result<(), BuildError> {
    let limit = MAX_COUNT;
    if count > limit {
        return Err(BuildError::TooMany { what, count, limit });
    }
    Ok(())
}
