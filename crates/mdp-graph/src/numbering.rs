//! Numbers components by their smallest states: replaces marks, which are equal for the states of a
//! component, by numbers.
//!
//! One thread needs one pass. Several threads need a few passes, and an atomic operation for each
//! component. That pays if there are many threads and many states.

mod prediction;

use crate::{BitSet, Table, ascending};
use rayon::prelude::*;
use std::hint::select_unpredictable;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The component of a state that is in none.
pub(crate) const NONE: u32 = u32::MAX;

/// With fewer threads than this, one thread is as fast.
const FEWEST: usize = 8;

/// With fewer states than this, one thread is as fast.
const FEWEST_STATES: usize = 1 << 19;

/// The number of marks that a thread takes at a time: small enough that no thread waits long for
/// the last piece.
const PIECE: usize = 1 << 14;

/// The number of marks whose entries are looked up together. A thread that looks up one entry and
/// writes it before it looks up the next one takes six times as long (16 threads of a Xeon).
const TOGETHER: usize = 32;

/// What is known of the marks of states before they are read.
#[derive(Clone, Debug)]
pub(crate) enum Known {
    /// Nothing. States with the mark [`NONE`] are in no component.
    Nothing,
    /// Every state is in one of this many components.
    Count(usize),
    /// Every state is in one of as many components as there are marks in this range.
    Range(MarkRange),
}

impl Known {
    /// Returns the number of components, if it is known. Then no mark is [`NONE`].
    fn count(&self) -> Option<usize> {
        match self {
            Self::Nothing => None,
            Self::Count(count) => Some(*count),
            Self::Range(range) => Some(range.marks.len()),
        }
    }

    /// Returns the range of the marks, which are read if it is not known.
    fn into_range(self, marks: &[u32]) -> MarkRange {
        match self {
            Self::Range(range) => range,
            Self::Nothing | Self::Count(_) => MarkRange::of(marks),
        }
    }
}

/// The marks that states may have.
#[derive(Clone, Debug)]
pub(crate) struct MarkRange {
    /// All marks except [`NONE`] are in this range, or are `lone`.
    pub(crate) marks: Range<u32>,
    /// The mark of states each of which is a component by itself, or [`NONE`] if there is no such
    /// mark.
    pub(crate) lone: u32,
}

impl MarkRange {
    /// Returns the range from the smallest mark to the greatest one.
    fn of(marks: &[u32]) -> Self {
        Self {
            marks: range(marks),
            lone: NONE,
        }
    }

    /// Returns whether [`in_one_pass_without_branches`] is faster than [`in_one_pass`]. It is only
    /// for marks of which some may be lone.
    fn is_hard_to_predict(&self, marks: &[u32]) -> bool {
        self.lone != NONE && prediction::is_hard(marks, self.lone)
    }

    /// Gives each lone state a mark of its own. Returns the range of all marks.
    fn separate(self, marks: &mut [u32]) -> Range<u32> {
        if self.lone == NONE {
            return self.marks;
        }
        // There are at most 2^31 states, and as many numbers in the range at most.
        let (n, start) = (marks.len() as u32, self.marks.start);
        let states = marks.par_chunks_mut(PIECE).enumerate();
        states.for_each(|(i, piece)| {
            for (state, mark) in ((i * PIECE) as u32..).zip(piece) {
                *mark = if *mark == self.lone {
                    state
                } else {
                    n + (*mark - start)
                };
            }
        });
        0..n + self.marks.len() as u32
    }
}

/// Replaces each mark except [`NONE`] by the number of its component. Returns the number of
/// components.
pub(crate) fn number(marks: &mut [u32], known: Known) -> usize {
    if let Some(count) = number_without_reading(marks, &known) {
        return count;
    }
    let range = known.into_range(marks);
    match several_pay(crate::useful_threads(), marks.len()) {
        false if range.is_hard_to_predict(marks) => {
            in_one_pass_without_branches(marks, &range, |_, _, _| {})
        }
        false => in_one_pass(marks, &range, |_| {}, |_, _| {}),
        true => {
            let range = range.separate(marks);
            number_in_pieces(marks, range)
        }
    }
}

/// As [`number`], but returns for each component its smallest state and its size.
pub(crate) fn number_with_sizes(marks: &mut [u32], known: Known) -> (Table<u32>, Table<u32>) {
    if let Some(count) = number_without_reading(marks, &known) {
        let mut smallest = Table::new(count);
        count_up(&mut smallest);
        let each = marks.len().checked_div(count).unwrap_or_default();
        return (smallest, vec![each as u32; count].into());
    }
    let range = known.into_range(marks);
    match several_pay(crate::useful_threads(), marks.len()) {
        false => sizes_in_one_pass(marks, &range),
        true => {
            let range = range.separate(marks);
            sizes_in_pieces(marks, range)
        }
    }
}

/// Returns whether this many threads are faster than one.
fn several_pay(threads: usize, states: usize) -> bool {
    threads >= FEWEST && states >= FEWEST_STATES
}

/// Replaces the marks without reading them, if it is known that there is one component, or that
/// each state is one. Then returns the number of components.
fn number_without_reading(marks: &mut [u32], known: &Known) -> Option<usize> {
    let count = known.count()?;
    if count == 1 {
        marks.fill(0);
    } else if count == marks.len() {
        count_up(marks);
    } else {
        return None;
    }
    Some(count)
}

/// Replaces marks such that they are equal for the states of a component and for no others.
pub(crate) fn distinguish(marks: &mut [u32], known: Known) {
    if number_without_reading(marks, &known).is_none()
        && let Known::Range(range) = known
    {
        range.separate(marks);
    }
}

/// Writes the numbers from 0 on.
fn count_up(numbers: &mut [u32]) {
    let pieces = numbers.par_chunks_mut(PIECE).enumerate();
    pieces.for_each(|(i, piece)| {
        let states = (i * PIECE) as u32..;
        piece
            .iter_mut()
            .zip(states)
            .for_each(|(number, state)| *number = state);
    });
}

/// As [`in_one_pass`], but returns for each component its smallest state and its size.
fn sizes_in_one_pass(marks: &mut [u32], range: &MarkRange) -> (Table<u32>, Table<u32>) {
    let (mut smallest, mut sizes) = (Table::new(marks.len()), Table::<u32>::new(marks.len()));
    let len = if range.is_hard_to_predict(marks) {
        in_one_pass_without_branches(marks, range, |number, state, len| {
            // The last state that is written is the one that makes the component known.
            smallest[len] = state;
            sizes[number as usize] += 1;
        })
    } else {
        let mut len = 0;
        let begin = |state| {
            smallest[len] = state;
            len += 1;
        };
        in_one_pass(marks, range, begin, |number, states| {
            sizes[number as usize] += states;
        })
    };
    smallest.truncate(len);
    sizes.truncate(len);
    (smallest, sizes)
}

/// As [`in_one_pass`], for marks of which some may be lone and none is [`NONE`]. It takes the same
/// time for each state, which is less if branches are [hard to predict](prediction). Calls `each`
/// with the component of each state, the state, and the number of components before it.
fn in_one_pass_without_branches(
    marks: &mut [u32],
    range: &MarkRange,
    mut each: impl FnMut(u32, u32, usize),
) -> usize {
    // Lone states read a slot that is never written, and write one that is never read.
    const LONE_READ: u32 = 0;
    const LONE_WRITTEN: u32 = 1;
    const SLOTS: u32 = 2;
    let mut numbers: Table<u32> = Table::zeroed(range.marks.len() + SLOTS as usize);
    let mut len = 0;
    for (state, mark) in (0..).zip(marks.iter_mut()) {
        let is_lone = *mark == range.lone;
        let own = (*mark).wrapping_sub(range.marks.start).wrapping_add(SLOTS);
        let known = numbers[select_unpredictable(is_lone, LONE_READ, own) as usize];
        let is_new = known == 0;
        let before = len;
        len += u32::from(is_new);
        let number = select_unpredictable(is_new, len, known);
        numbers[select_unpredictable(is_lone, LONE_WRITTEN, own) as usize] = number;
        *mark = number - 1;
        each(number - 1, state, before as usize);
    }
    len as usize
}

/// Replaces each mark, which is in the range. Calls `begin` with the first state of each component,
/// in order, and `count` with a component and a number of its states that follow one another.
/// Returns the number of components.
fn in_one_pass(
    marks: &mut [u32],
    range: &MarkRange,
    mut begin: impl FnMut(u32),
    mut count: impl FnMut(u32, u32),
) -> usize {
    // Numbers are counted from 1 here: 0 is a mark that has not occurred.
    let mut numbers: Table<u32> = Table::zeroed(range.marks.len());
    let mut len = 0;
    // Neighbours are often in one component: they are looked up together.
    let (mut last, mut number, mut first) = (NONE, NONE, 0);
    for (state, mark) in (0..).zip(marks.iter_mut()) {
        if *mark != last || *mark == range.lone {
            if last != NONE {
                count(number, state - first);
            }
            (last, first) = (*mark, state);
            number = match last {
                NONE => NONE,
                lone if lone == range.lone => {
                    begin(state);
                    len += 1;
                    len - 1
                }
                _ => {
                    let known = &mut numbers[(last - range.marks.start) as usize];
                    // The number is written in either case: whether a component is new cannot be
                    // predicted if components are small and mixed.
                    let is_new = *known == 0;
                    if is_new {
                        begin(state);
                    }
                    len += u32::from(is_new);
                    *known = if is_new { len } else { *known };
                    *known - 1
                }
            };
        }
        *mark = number;
    }
    if last != NONE {
        count(number, marks.len() as u32 - first);
    }
    len as usize
}

/// As [`number_in_pieces`], but returns for each component its smallest state and its size.
fn sizes_in_pieces(marks: &mut [u32], range: Range<u32>) -> (Table<u32>, Table<u32>) {
    let (table, smallest) = smallest_states(marks, range.clone());
    let number = |mark| table[(mark - range.start) as usize];
    let sizes = renumber(marks, number, smallest.len());
    (smallest, sizes)
}

/// Replaces each mark, which is in the range. Returns the number of components.
fn number_in_pieces(marks: &mut [u32], range: Range<u32>) -> usize {
    let (table, smallest) = smallest_states(marks, range.clone());
    marks.par_chunks_mut(PIECE).for_each(|piece| {
        for mark in piece.iter_mut().filter(|mark| **mark != NONE) {
            *mark = table[(*mark - range.start) as usize];
        }
    });
    smallest.len()
}

/// Returns the number of each mark of a range, and the smallest state of each component.
fn smallest_states(marks: &[u32], range: Range<u32>) -> (Table<u32>, Table<u32>) {
    let n = marks.len() as u32;
    // For each mark, the number of states from its first one on; later, its number.
    let mut numbers: Table<u32> = Table::any(range.len());
    (numbers.par_chunks_mut(PIECE)).for_each(|piece| piece.fill(0));
    let table = numbers.as_atomics();
    let entry = |mark: u32| &table[(mark - range.start) as usize];
    pieces(marks).for_each(|(start, piece)| {
        for (i, marks) in piece.chunks(TOGETHER).enumerate() {
            let first = start + (i * TOGETHER) as u32;
            let mut known = [NONE; TOGETHER];
            for (known, &mark) in known
                .iter_mut()
                .zip(marks)
                .filter(|(_, mark)| **mark != NONE)
            {
                *known = entry(mark).load(Relaxed);
            }
            for ((state, &mark), known) in (first..).zip(marks).zip(known) {
                // Nearly all states are not the first of their component. The entry of a state that
                // may be is looked up again: a state before it may be in the same component.
                if known < n - state && entry(mark).load(Relaxed) < n - state {
                    entry(mark).fetch_max(n - state, Relaxed);
                }
            }
        }
    });
    let is_first = |state: u32, mark: u32| entry(mark).load(Relaxed) == n - state;
    let smallest = collect(marks, is_first);
    let numbered = smallest.par_iter().enumerate().with_min_len(PIECE);
    numbered.for_each(|(number, &state)| {
        entry(marks[state as usize]).store(number as u32, Relaxed);
    });
    (numbers, smallest)
}

/// Returns the range from the smallest mark to the one after the largest.
fn range(marks: &[u32]) -> Range<u32> {
    let of_piece = |piece: &[u32]| {
        let bounds = (NONE, 0);
        // The number after NONE is 0.
        (piece.iter()).fold(bounds, |(start, end), &mark| {
            (start.min(mark), end.max(mark.wrapping_add(1)))
        })
    };
    let (start, end) = marks
        .par_chunks(PIECE)
        .map(of_piece)
        .reduce(|| (NONE, 0), |a, b| (a.0.min(b.0), a.1.max(b.1)));
    start.min(end)..end
}

/// Returns the marks in pieces, each with its first state.
fn pieces(marks: &[u32]) -> impl IndexedParallelIterator<Item = (u32, &[u32])> {
    let pieces = marks.par_chunks(PIECE).enumerate();
    pieces.map(|(i, piece)| ((i * PIECE) as u32, piece))
}

/// Returns the states that are in a component and are `wanted` for their marks, in order.
fn collect(marks: &[u32], wanted: impl Fn(u32, u32) -> bool + Sync) -> Table<u32> {
    // One bit for each state, because `wanted` looks up the mark in a large table.
    let are_wanted = BitSet::from_fn(marks.len(), |state| {
        let mark = marks[state];
        mark != NONE && wanted(state as u32, mark)
    });
    let words = || are_wanted.words().par_chunks(PIECE / 64);
    let counts: Vec<usize> = words()
        .map(|piece| piece.iter().map(|word| word.count_ones() as usize).sum())
        .collect();
    let mut states = Table::any(counts.iter().sum());
    let mut rest = &mut states[..];
    let slots = counts.iter().map(|&count| rest.split_off_mut(..count));
    let slots: Vec<_> = slots.map(Option::unwrap_or_default).collect();
    let filled = words().enumerate().zip(slots);
    filled.for_each(|((i, piece), slots)| {
        let words = (i * PIECE / 64..).zip(piece);
        let states = words.flat_map(|(word, &bits)| ascending(word, bits));
        slots
            .iter_mut()
            .zip(states)
            .for_each(|(slot, state)| *slot = state);
    });
    states
}

/// Replaces each mark by the number that belongs to it. Returns the number of states with each
/// number.
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

    /// Returns a number below 4096 that looks random. (A product alone would nearly repeat.)
    pub(super) fn scrambled(state: u32) -> u32 {
        let product = state.wrapping_mul(0x9e37_79b1);
        (product ^ product >> 15).wrapping_mul(0x85eb_ca77) >> 20
    }

    #[test]
    fn one_thread_numbers_few_states() {
        let many = FEWEST_STATES;
        assert!(several_pay(FEWEST, many));
        assert!(!several_pay(FEWEST - 1, many) && !several_pay(99, many - 1));
    }

    /// Whatever the sample says, the numbers and sizes are the same.
    #[test]
    fn states_that_are_hard_to_predict_are_numbered_like_others() {
        let mark = |state| [7, state % 7][scrambled(state) as usize % 2];
        let marks: Vec<u32> = (0..100_000).map(mark).collect();
        let range = MarkRange {
            marks: 0..7,
            lone: 7,
        };
        assert!(range.is_hard_to_predict(&marks));
        let mut separated = marks.clone();
        let own = MarkRange {
            marks: range.clone().separate(&mut separated),
            lone: NONE,
        };
        // Without lone states there is no other code.
        assert!(!own.is_hard_to_predict(&marks));
        let mut one = marks.clone();
        assert_eq!(
            sizes_in_one_pass(&mut one, &range),
            sizes_in_one_pass(&mut separated, &own)
        );
        assert_eq!(one, separated);
        let mut numbered = marks;
        number(&mut numbered, Known::Range(range));
        assert_eq!(one, numbered);
    }

    proptest! {
        #[test]
        fn one_thread_and_several_agree(
            marks in prop::collection::vec(prop_oneof![0..9u32, Just(NONE), 90..500u32], 0..300),
        ) {
            let (mut one, mut several, mut numbered) = (marks.clone(), marks.clone(), marks);
            let range = MarkRange::of(&one);
            let of_one = sizes_in_one_pass(&mut one, &range);
            let of_several = sizes_in_pieces(&mut several, range.marks.clone());
            let count = number_in_pieces(&mut numbered, range.marks);
            prop_assert_eq!(of_one.0.len(), count);
            prop_assert_eq!(of_one, of_several);
            prop_assert_eq!(&one, &several);
            prop_assert_eq!(one, numbered);
        }

        /// The components are the same if lone states share a mark.
        #[test]
        fn lone_states_may_share_a_mark(
            marks in prop::collection::vec(prop_oneof![30..39u32, Just(39), 30..39u32], 0..40),
        ) {
            let range = || MarkRange { marks: 28..39, lone: 39 };
            let (mut one, mut numbered) = (marks.clone(), marks.clone());
            let of_one = sizes_in_one_pass(&mut one, &range());
            let count = in_one_pass(&mut numbered, &range(), |_| {}, |_, _| {});
            let mut alike = marks.clone();
            let (mut smallest, mut sizes) = ([0; 41], [0; 40]);
            let len = in_one_pass_without_branches(&mut alike, &range(), |number, state, len| {
                smallest[len] = state;
                sizes[number as usize] += 1;
            });
            prop_assert_eq!(&smallest[..len], &of_one.0[..]);
            prop_assert_eq!(&sizes[..len], &of_one.1[..]);
            let mut several = marks.clone();
            let separated = range().separate(&mut several);
            let of_several = sizes_in_pieces(&mut several, separated);
            let own = |(own, &mark)| if mark == 39 { own } else { mark };
            let mut distinct: Vec<u32> = (100..).zip(&marks).map(own).collect();
            let range = MarkRange { marks: 0..200, lone: NONE };
            let expected = sizes_in_one_pass(&mut distinct, &range);
            prop_assert_eq!(count, expected.0.len());
            prop_assert_eq!(&of_one, &expected);
            prop_assert_eq!(of_several, expected);
            for found in [one, numbered, alike, several] {
                prop_assert_eq!(&found, &distinct);
            }
        }
    }
}
