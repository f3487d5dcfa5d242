//! Marks become numbers: components are numbered by their smallest states.
//!
//! One thread does it in one pass. Several need a few, and an atomic operation for each component,
//! which several threads repay where there are many.

use crate::Table;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The component of a state that is in none.
pub(crate) const NONE: u32 = u32::MAX;

/// With fewer threads than these, one is as fast.
const FEWEST: usize = 4;

/// How many marks a thread takes at a time.
const PIECE: usize = 1 << 16;

/// Replaces each mark but [`NONE`] by the number of its component. Returns for each component its
/// smallest state and its size.
pub(crate) fn name(marks: &mut [u32]) -> (Table<u32>, Table<u32>) {
    match crate::useful_threads() {
        ..FEWEST => in_one_pass(marks),
        _ => in_pieces(marks),
    }
}

fn in_one_pass(marks: &mut [u32]) -> (Table<u32>, Table<u32>) {
    let range = range(marks);
    // Numbers are counted from 1 here: 0 is a mark that has not occurred.
    let mut numbers: Table<u32> = Table::new(range.len());
    let most = range.len().min(marks.len());
    let (mut smallest, mut sizes) = (Table::new(most), Table::new(most));
    let mut len = 0;
    for (state, mark) in marks.iter_mut().enumerate() {
        if *mark == NONE {
            continue;
        }
        let number = &mut numbers[(*mark - range.start) as usize];
        if *number == 0 {
            smallest[len] = state as u32;
            len += 1;
            *number = len as u32;
        }
        *mark = *number - 1;
        sizes[*mark as usize] += 1;
    }
    smallest.truncate(len);
    sizes.truncate(len);
    (smallest, sizes)
}

fn in_pieces(marks: &mut [u32]) -> (Table<u32>, Table<u32>) {
    let (range, n) = (range(marks), marks.len() as u32);
    // For each mark how many states there are from its first one on; later its number.
    let mut table: Table<u32> = Table::new(range.len());
    let table = table.as_atomics();
    let entry = |mark: u32| &table[(mark - range.start) as usize];
    marked(marks).for_each(|piece| {
        for (state, mark) in piece {
            // Nearly all come later than another.
            if entry(mark).load(Relaxed) < n - state {
                entry(mark).fetch_max(n - state, Relaxed);
            }
        }
    });
    let is_first = |&(state, mark): &(u32, u32)| entry(mark).load(Relaxed) == n - state;
    let smallest = collect(marks, is_first);
    let numbered = smallest.par_iter().enumerate().with_min_len(PIECE);
    numbered.for_each(|(number, &state)| {
        entry(marks[state as usize]).store(number as u32, Relaxed);
    });
    let number = |mark| entry(mark).load(Relaxed);
    let sizes = renumber(marks, number, smallest.len());
    (smallest, sizes)
}

/// From the smallest mark to past the largest.
fn range(marks: &[u32]) -> Range<u32> {
    let of_piece = |piece: &[u32]| {
        let bounds = (NONE, 0);
        piece.iter().fold(bounds, |(start, end), &mark| match mark {
            NONE => (start, end),
            _ => (start.min(mark), end.max(mark + 1)),
        })
    };
    let (start, end) = marks
        .par_chunks(PIECE)
        .map(of_piece)
        .reduce(|| (NONE, 0), |a, b| (a.0.min(b.0), a.1.max(b.1)));
    start.min(end)..end
}

/// The states that are in a component, with their marks, in pieces.
fn marked(
    marks: &[u32],
) -> impl IndexedParallelIterator<Item = impl Iterator<Item = (u32, u32)> + '_> {
    marks.par_chunks(PIECE).enumerate().map(|(i, piece)| {
        let states = (i * PIECE) as u32..;
        states
            .zip(piece.iter().copied())
            .filter(|&(_, mark)| mark != NONE)
    })
}

/// The states that are in a component and are `wanted` for their marks, in order.
fn collect(marks: &[u32], wanted: impl Fn(&(u32, u32)) -> bool + Sync) -> Table<u32> {
    let counts: Vec<usize> = marked(marks)
        .map(|piece| piece.filter(&wanted).count())
        .collect();
    let mut states = Table::new(counts.iter().sum());
    let mut rest = &mut states[..];
    let slots = counts.iter().map(|&count| rest.split_off_mut(..count));
    let slots: Vec<_> = slots.map(Option::unwrap_or_default).collect();
    marked(marks).zip(slots).for_each(|(piece, slots)| {
        for (slot, (state, _)) in slots.iter_mut().zip(piece.filter(&wanted)) {
            *slot = state;
        }
    });
    states
}

/// Replaces each mark by the number that belongs to it. Returns how many states have each number.
fn renumber(marks: &mut [u32], number: impl Fn(u32) -> u32 + Sync, count: usize) -> Table<u32> {
    let mut table: Table<u32> = Table::new(count);
    let sizes = table.as_atomics();
    marks.par_chunks_mut(PIECE).for_each(|piece| {
        let mut counts = Counts::new(sizes);
        // Neighbours are often in one component: they are counted together.
        for run in piece
            .chunk_by_mut(|a, b| a == b)
            .filter(|run| run[0] != NONE)
        {
            let own = number(run[0]);
            counts.add(own, run.len() as u32);
            run.fill(own);
        }
        counts.finish();
    });
    table
}

/// Sizes that a thread adds to. It keeps those of a few components for a while, as many threads
/// that count the same large component would wait for one another.
struct Counts<'a> {
    sizes: &'a [AtomicU32],
    /// Components, and what is to be added to their sizes.
    held: [(u32, u32); 64],
}

impl<'a> Counts<'a> {
    fn new(sizes: &'a [AtomicU32]) -> Self {
        Self {
            sizes,
            held: [(0, 0); 64],
        }
    }

    #[inline]
    fn add(&mut self, component: u32, states: u32) {
        let slot = &mut self.held[component as usize % 64];
        if slot.0 == component {
            slot.1 += states;
        } else {
            let (old, count) = std::mem::replace(slot, (component, states));
            if count > 0 {
                self.sizes[old as usize].fetch_add(count, Relaxed);
            }
        }
    }

    fn finish(self) {
        for (component, count) in self.held {
            if count > 0 {
                self.sizes[component as usize].fetch_add(count, Relaxed);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn one_thread_and_several_agree(
            marks in prop::collection::vec(prop_oneof![0..9u32, Just(NONE), 90..500u32], 0..300),
        ) {
            let (mut one, mut several) = (marks.clone(), marks);
            let names = [in_one_pass(&mut one), in_pieces(&mut several)];
            prop_assert_eq!(&names[0], &names[1]);
            prop_assert_eq!(one, several);
        }
    }
}
