//! Numbers components by several threads, each of which takes pieces of the states.
//!
//! Besides the marks and an [entry](Entries) for each mark of the range, this touches only a bit
//! for each state.

use super::mark_range::{MarkRange, NONE, PIECE};
use crate::{BitSet, SharedBits, Table, ascending};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The number of marks whose entries are looked up together. A thread that looks up one entry and
/// writes it before it looks up the next one takes six times as long (16 threads of a Xeon).
const TOGETHER: usize = 32;

/// Replaces each mark, which is in the range. Returns which components have several states.
pub(super) fn number_in_pieces(marks: &mut [u32], range: &MarkRange) -> BitSet {
    let mut table: Table<u32> = Table::any(range.marks.len());
    table.par_chunks_mut(PIECE).for_each(|piece| piece.fill(0));
    let entries = Entries {
        of_marks: table.as_atomics(),
        range,
        num_states: marks.len() as u32,
    };
    entries.enter_first_states(marks);
    // One bit for each state, because marks are looked up in a large table.
    let are_first = BitSet::from_fn(marks.len(), |i| entries.is_first(i as u32, marks[i]));
    let count = |words: &[u64]| words.iter().map(|word| word.count_ones()).sum::<u32>();
    let mut next_numbers: Vec<u32> = words_of_pieces(&are_first).map(count).collect();
    let mut count = 0;
    for next in &mut next_numbers {
        count += std::mem::replace(next, count);
    }
    entries.enter_numbers(marks, &are_first, &next_numbers);
    entries.renumber(marks, &are_first, &next_numbers, count)
}

/// Returns the bits of the states of each piece.
fn words_of_pieces(states: &BitSet) -> impl IndexedParallelIterator<Item = &[u64]> {
    states.words().par_chunks(PIECE / 64)
}

/// An entry for each mark of the range: how many states there are from the first one with this mark
/// on, and later the number of its component. Lone states have no entry.
struct Entries<'a> {
    of_marks: &'a [AtomicU32],
    range: &'a MarkRange,
    num_states: u32,
}

impl Entries<'_> {
    fn of(&self, mark: u32) -> &AtomicU32 {
        &self.of_marks[(mark - self.range.marks.start) as usize]
    }

    /// Raises the entry of each mark to the number of states from its first one on.
    fn enter_first_states(&self, marks: &[u32]) {
        // If lone states have no mark of their own, this excludes NONE twice.
        let has_entry = |mark: u32| mark != NONE && mark != self.range.lone;
        let pieces = marks.par_chunks(PIECE).enumerate();
        pieces.for_each(|(i, piece)| {
            let starts = ((i * PIECE) as u32..).step_by(TOGETHER);
            for (start, marks) in starts.zip(piece.chunks(TOGETHER)) {
                let mut known = [NONE; TOGETHER];
                let marked = known.iter_mut().zip(marks);
                for (known, &mark) in marked.filter(|(_, mark)| has_entry(**mark)) {
                    *known = self.of(mark).load(Relaxed);
                }
                for ((state, &mark), known) in (start..).zip(marks).zip(known) {
                    let from_here = self.num_states - state;
                    // Nearly all states are not the first of their component. The entry of a state
                    // that may be is looked up again: a state before it may be in the same one.
                    if known < from_here && self.of(mark).load(Relaxed) < from_here {
                        self.of(mark).fetch_max(from_here, Relaxed);
                    }
                }
            }
        });
    }

    /// Returns whether a state with this mark is the first one of a component.
    fn is_first(&self, state: u32, mark: u32) -> bool {
        match mark {
            NONE => false,
            _ if mark == self.range.lone => true,
            _ => self.of(mark).load(Relaxed) == self.num_states - state,
        }
    }

    /// Replaces the entry of each mark by the number of its component. `next_numbers`: the number
    /// of the first component that begins in each piece.
    fn enter_numbers(&self, marks: &[u32], are_first: &BitSet, next_numbers: &[u32]) {
        let pieces = words_of_pieces(are_first).zip(next_numbers).enumerate();
        pieces.for_each(|(i, (words, &next))| {
            let words = (i * PIECE / 64..).zip(words);
            let states = words.flat_map(|(word, &bits)| ascending(word, bits));
            for (number, state) in (next..).zip(states) {
                let mark = marks[state as usize];
                if mark != self.range.lone {
                    self.of(mark).store(number, Relaxed);
                }
            }
        });
    }

    /// Replaces each mark by the number of its component. Returns which of the `count` components
    /// have several states.
    fn renumber(
        &self,
        marks: &mut [u32],
        are_first: &BitSet,
        next_numbers: &[u32],
        count: u32,
    ) -> BitSet {
        let several = SharedBits::new(count as usize);
        let pieces = marks.par_chunks_mut(PIECE).zip(words_of_pieces(are_first));
        pieces
            .zip(next_numbers)
            .for_each(|((piece, words), &next)| {
                let mut next = next;
                for (marks, bits) in piece.chunks_mut(64).zip(words) {
                    let marked = (0..).zip(marks).filter(|(_, mark)| **mark != NONE);
                    for (bit, mark) in marked {
                        if bits >> bit & 1 == 1 {
                            *mark = next;
                            next += 1;
                        } else {
                            *mark = self.of(*mark).load(Relaxed);
                            several.insert(*mark);
                        }
                    }
                }
            });
        several.into()
    }
}
