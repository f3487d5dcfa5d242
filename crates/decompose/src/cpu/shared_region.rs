//! The search for maximal end components in a region by all threads at once.
//!
//! Each thread searches as [`mod@super::mec`] does, from roots that it takes in turns with the
//! others. All states of a search that comes to an open state of another thread are released
//! ([`super::mec::shared`]), and what the thread has closed before stays closed. So states are
//! closed at the same time in many places of a region in which most components are small: the
//! components that are left when the choices that leave are gone. Where most states are in one
//! component, or paths are long, the threads soon meet one another. Then the search is given up,
//! and one thread searches the states that are left.
//!
//! A part that is in doubt counts as closed for all threads, like a component. Once all roots are
//! visited, each thread searches its parts again.

use super::mec::{Doubtful, Frame, MecSearch, Model, PATIENCE, Region};
use super::strategy::SharedLimits;
use super::threads;
use super::ticker::{PERIOD, Ticker, Watch};
use crate::Error;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicUsize};

/// The number of states that a thread takes as roots at a time.
const BLOCK: usize = 1 << 10;

/// The number of groups of parts for each thread. They take different times, so one is not enough.
const GROUPS_EACH: usize = 4;

/// The search is given up once more states were released than closed, and one in this many of all.
const RELEASED_DIVISOR: usize = 32;

/// What a search by all threads has left, besides unvisited states.
#[derive(Default)]
pub(super) struct Left {
    /// The parts that must be searched in lockstep.
    pub(super) parts: Vec<Vec<u32>>,
    /// The number of states that were closed or are in these parts.
    pub(super) num_closed: usize,
}

/// Returns the memory that several threads take for parts that are in doubt, in bytes, besides what
/// one thread takes: lists of states, which are joined and divided.
pub(super) fn room(num_states: usize) -> [usize; 2] {
    [4 * num_states; 2]
}

/// Searches a region of `size` states. `path` and `open` have room for these. Roots are taken in
/// ascending or in descending order.
pub(super) fn search(
    model: Model<'_>,
    region: Region,
    size: usize,
    limits: SharedLimits,
    ascends: bool,
    (path, open): (&mut [Frame], &mut [u32]),
    watch: &Watch<'_>,
) -> Result<Left, Error> {
    let threads = threads::useful();
    // Each thread has as many numbers as it has room.
    let room = size / threads.max(limits.open);
    if size < limits.states || room == 0 {
        return Ok(Left::default());
    }
    let shared = SharedSearch {
        model,
        region,
        size,
        ascends,
        block: (model.index.len() / (16 * threads)).clamp(1, BLOCK),
        num_taken: AtomicUsize::new(0),
        num_closed: AtomicUsize::new(0),
        num_released: AtomicUsize::new(0),
        stop: AtomicBool::new(false),
        watch,
    };
    let first = |number: usize| region.unvisited + 1 + (number * room) as u32;
    let found = (path.par_chunks_mut(room).zip(open.par_chunks_mut(room)))
        .take(threads)
        .enumerate()
        .with_max_len(1)
        .map(|(number, (path, open))| shared.search(first(number), path, open));
    let parts: Vec<Doubtful> = found.collect::<Result<_, _>>()?;
    let num_closed = shared.num_closed.into_inner();
    let num_released = shared.num_released.into_inner();
    tracing::debug!(
        size,
        num_closed,
        num_released,
        "all threads searched a region"
    );
    let parts = Doubtful::joined(parts);
    Ok(Left {
        num_closed,
        parts: again(model, region, &parts, (path, open), watch)?,
    })
}

/// Searches parts of a region again, on all threads. `path` and `open` have room for all of them.
/// Returns the parts that are left when repeated searches take too long.
pub(super) fn again(
    model: Model<'_>,
    region: Region,
    parts: &Doubtful,
    (mut path, mut open): (&mut [Frame], &mut [u32]),
    watch: &Watch<'_>,
) -> Result<Vec<Vec<u32>>, Error> {
    let least = parts.states.len() / (GROUPS_EACH * threads::useful());
    let mut groups = Vec::new();
    let (mut begin, mut first) = (0, 0);
    for (next, &end) in (1..).zip(&parts.ends) {
        let len = end - begin;
        if len < least && next < parts.ends.len() {
            continue;
        }
        let states = &parts.states[begin..end];
        let ends = parts.ends[first..next].iter().map(|end| end - begin);
        let doubtful = Doubtful {
            states: states.to_vec(),
            ends: ends.collect(),
        };
        // Each group has as many numbers as states, and one for unvisited states. That of the
        // region belongs to states that nobody has visited.
        let unvisited = region.unvisited + 1 + (begin + groups.len()) as u32;
        let region = Region {
            unvisited,
            span: len as u32,
            ..region
        };
        let path = path.split_off_mut(..len).unwrap_or_default();
        let open = open.split_off_mut(..len).unwrap_or_default();
        groups.push((doubtful, region, path, open));
        (begin, first) = (end, next);
    }
    let left = groups.into_par_iter().with_max_len(1);
    let left = left.map(|(parts, region, path, open)| {
        let search = MecSearch::shared(model, region, region.unvisited + 1, path, open);
        group_again(search, parts, watch)
    });
    let left: Vec<Vec<Vec<u32>>> = left.collect::<Result<_, Error>>()?;
    Ok(left.into_iter().flatten().collect())
}

/// Searches parts again, on this thread. Returns those that are left when this takes too long.
fn group_again(
    mut search: MecSearch<'_, true>,
    parts: Doubtful,
    watch: &Watch<'_>,
) -> Result<Vec<Vec<u32>>, Error> {
    let quiet = watch.quiet();
    let len = parts.states.len();
    let mut ticker = Ticker::new(&quiet, len);
    let branches = parts.states.iter().map(|&state| search.branches_of(state));
    let patience = PATIENCE * (len + branches.sum::<usize>());
    search.doubtful = parts;
    let is_done = search.again(patience, &mut ticker)?;
    watch.add(len);
    Ok(match is_done {
        true => Vec::new(),
        false => search.take_parts(),
    })
}

/// The data that all threads share in the search of a region.
struct SharedSearch<'a> {
    model: Model<'a>,
    region: Region,
    size: usize,
    ascends: bool,
    /// The number of states that a thread takes as roots at a time, and the number of such blocks
    /// taken so far.
    block: usize,
    num_taken: AtomicUsize,
    num_closed: AtomicUsize,
    num_released: AtomicUsize,
    stop: AtomicBool,
    watch: &'a Watch<'a>,
}

impl SharedSearch<'_> {
    /// Searches from all roots, block by block, until the search is given up. Returns the parts
    /// that are in doubt.
    fn search(&self, first: u32, path: &mut [Frame], open: &mut [u32]) -> Result<Doubtful, Error> {
        let quiet = self.watch.quiet();
        let mut ticker = Ticker::new(&quiet, self.size);
        let mut search = MecSearch::shared(self.model, self.region, first, path, open);
        let mut reported = [0; 3];
        while let Some(block) = self.take_block() {
            let len = block.len() as u32;
            for place in 0..len {
                let place = if self.ascends { place } else { len - 1 - place };
                let before = search.num_released();
                search.visit(&[block.start + place], &mut ticker)?;
                if search.num_released() > before {
                    // The other thread may be waiting for a core.
                    std::thread::yield_now();
                }
                if search.is_full() || search.num_released() - reported[2] > PERIOD as usize / 4 {
                    self.report(&search, &mut reported);
                }
                if self.stop.load(Relaxed) {
                    break;
                }
            }
            self.report(&search, &mut reported);
        }
        Ok(search.doubtful)
    }

    fn take_block(&self) -> Option<Range<u32>> {
        if self.stop.load(Relaxed) {
            return None;
        }
        let all = self.model.index.len();
        let begin = self.num_taken.fetch_add(1, Relaxed) * self.block;
        let end = all.min(begin + self.block);
        let (begin, end) = match self.ascends {
            true => (begin, end),
            false => (all - end, all.saturating_sub(begin)),
        };
        (begin < end).then_some(begin as u32..end as u32)
    }

    /// Adds to the shared counts what a search has done since the last report: states that it has
    /// closed, left in doubt, and released.
    fn report(&self, search: &MecSearch<'_, true>, reported: &mut [usize; 3]) {
        let now = search.counts();
        let before = std::mem::replace(reported, now);
        let [closed, doubtful, released] = [0, 1, 2].map(|i| now[i] - before[i]);
        self.watch.add(closed);
        let more = closed + doubtful;
        let all_closed = self.num_closed.fetch_add(more, Relaxed) + more;
        let all_released = self.num_released.fetch_add(released, Relaxed) + released;
        let slack = self.size / RELEASED_DIVISOR;
        if search.is_full() || all_released > all_closed + slack {
            self.stop.store(true, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests;
