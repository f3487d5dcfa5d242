//! Numbers components by their smallest states: replaces marks, which are equal for the states of a
//! component, by numbers. Also tells which components have several states.
//!
//! One thread needs one pass. Several threads need a few passes, and atomic operations for the
//! components of several states. That saves time if there are many threads and many states.
//!
//! A graph may have nearly as many components as states. Fresh memory is slow, so nothing here
//! takes more than a bit for a component of one state, if its mark is the one of lone states.

mod mark_range;
mod pieces;
mod prediction;

use crate::{BitSet, Table};
use mark_range::PIECE;
pub(crate) use mark_range::{MarkRange, NONE};
use pieces::number_in_pieces;
use rayon::prelude::*;
use std::hint::select_unpredictable;

/// With fewer threads than this, one thread is as fast.
const FEWEST: usize = 8;

/// With fewer states than this, one thread is as fast.
const FEWEST_STATES: usize = 1 << 19;

/// What is known of the marks of states before they are read.
#[derive(Clone, Debug)]
pub(crate) enum Known {
    /// Nothing. States with the mark [`NONE`] are in no component.
    Nothing,
    /// Every state is in one of this many components.
    Count(usize),
    /// Every state is in one of this many components, and each mark of this range occurs.
    Range(MarkRange, usize),
}

impl Known {
    /// Returns the number of components, if it is known. Then no mark is [`NONE`].
    fn count(&self) -> Option<usize> {
        match self {
            Self::Nothing => None,
            Self::Count(count) | Self::Range(_, count) => Some(*count),
        }
    }

    /// Returns the range of the marks, which are read if it is not known.
    fn into_range(self, marks: &[u32]) -> MarkRange {
        match self {
            Self::Range(range, _) => range,
            Self::Nothing | Self::Count(_) => MarkRange::of(marks),
        }
    }
}

/// Replaces each mark except [`NONE`] by the number of its component. Returns the number of
/// components.
pub(crate) fn number(marks: &mut [u32], known: Known) -> usize {
    if let Some(count) = number_without_reading(marks, &known) {
        return count;
    }
    let range = known.into_range(marks);
    match several_are_faster(crate::useful_threads(), marks.len()) {
        false if range.is_hard_to_predict(marks) => {
            in_one_pass_without_branches(marks, &range, |_, _| {})
        }
        false => in_one_pass(marks, &range, |_| {}),
        true => number_in_pieces(marks, &range).bound(),
    }
}

/// As [`number`], but returns which components have several states. The bound of this set is the
/// number of components.
pub(crate) fn number_and_find_several(marks: &mut [u32], known: Known) -> BitSet {
    if let Some(count) = number_without_reading(marks, &known) {
        return BitSet::from_fn(count, |_| count < marks.len());
    }
    let range = known.into_range(marks);
    match several_are_faster(crate::useful_threads(), marks.len()) {
        false => several_in_one_pass(marks, &range),
        true => number_in_pieces(marks, &range),
    }
}

/// Returns whether this many threads are faster than one.
fn several_are_faster(threads: usize, states: usize) -> bool {
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
        && let Known::Range(range, _) = known
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

/// As [`in_one_pass`], but returns which components have several states.
fn several_in_one_pass(marks: &mut [u32], range: &MarkRange) -> BitSet {
    let mut several = BitSet::new(marks.len());
    let len = if range.is_hard_to_predict(marks) {
        in_one_pass_without_branches(marks, range, |number, is_new| {
            several.insert_if(number as usize, !is_new);
        })
    } else {
        in_one_pass(marks, range, |number| {
            several.insert(number as usize);
        })
    };
    several.truncate(len);
    several
}

/// As [`in_one_pass`], for marks of which some may be lone and none is [`NONE`]. It takes the same
/// time for each state, which is less if branches are [hard to predict](prediction). Calls `each`
/// with the component of each state, and whether it is the first state of this component.
fn in_one_pass_without_branches(
    marks: &mut [u32],
    range: &MarkRange,
    mut each: impl FnMut(u32, bool),
) -> usize {
    // Lone states read a slot that is never written, and write one that is never read.
    const LONE_READ: u32 = 0;
    const LONE_WRITTEN: u32 = 1;
    const SLOTS: u32 = 2;
    let mut numbers: Table<u32> = Table::zeroed(range.marks.len() + SLOTS as usize);
    let mut len = 0;
    for mark in marks.iter_mut() {
        let is_lone = *mark == range.lone;
        let own = (*mark).wrapping_sub(range.marks.start).wrapping_add(SLOTS);
        let known = numbers[select_unpredictable(is_lone, LONE_READ, own) as usize];
        let is_new = known == 0;
        len += u32::from(is_new);
        let number = select_unpredictable(is_new, len, known);
        numbers[select_unpredictable(is_lone, LONE_WRITTEN, own) as usize] = number;
        *mark = number - 1;
        each(number - 1, is_new);
    }
    len as usize
}

/// Replaces each mark, which is in the range. Calls `several` with each component of several
/// states, once or more. Returns the number of components.
fn in_one_pass(marks: &mut [u32], range: &MarkRange, mut several: impl FnMut(u32)) -> usize {
    // Numbers are counted from 1 here: 0 is a mark that has not occurred.
    let mut numbers: Table<u32> = Table::zeroed(range.marks.len());
    let mut len = 0;
    // Neighbours are often in one component: they are looked up together.
    let (mut last, mut number, mut first, mut is_new) = (NONE, NONE, 0, true);
    for (state, mark) in (0..).zip(marks.iter_mut()) {
        if *mark != last || *mark == range.lone {
            if last != NONE && (!is_new || state - first > 1) {
                several(number);
            }
            (last, first) = (*mark, state);
            (number, is_new) = match last {
                NONE => (NONE, true),
                lone if lone == range.lone => {
                    len += 1;
                    (len - 1, true)
                }
                _ => {
                    let known = &mut numbers[(last - range.marks.start) as usize];
                    // The number is written in either case: whether a component is new cannot be
                    // predicted if components are small and mixed.
                    let is_new = *known == 0;
                    len += u32::from(is_new);
                    *known = if is_new { len } else { *known };
                    (*known - 1, is_new)
                }
            };
        }
        *mark = number;
    }
    if last != NONE && (!is_new || marks.len() as u32 - first > 1) {
        several(number);
    }
    len as usize
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
        assert!(several_are_faster(FEWEST, many));
        assert!(!several_are_faster(FEWEST - 1, many) && !several_are_faster(99, many - 1));
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
        let several = several_in_one_pass(&mut one, &range);
        assert_eq!(several, several_in_one_pass(&mut separated, &own));
        assert_eq!(one, separated);
        let mut numbered = marks;
        number(&mut numbered, Known::Range(range, several.bound()));
        assert_eq!(one, numbered);
    }

    proptest! {
        #[test]
        fn one_thread_and_several_agree(
            marks in prop::collection::vec(prop_oneof![0..9u32, Just(NONE), 90..500u32], 0..300),
        ) {
            let (mut one, mut several, mut numbered) = (marks.clone(), marks.clone(), marks);
            let range = MarkRange::of(&one);
            let of_one = several_in_one_pass(&mut one, &range);
            let of_several = number_in_pieces(&mut several, &range);
            prop_assert_eq!(in_one_pass(&mut numbered, &range, |_| {}), of_one.bound());
            prop_assert_eq!(of_one, of_several);
            prop_assert_eq!(&one, &several);
            prop_assert_eq!(one, numbered);
        }

        /// The components are the same if lone states share a mark.
        #[test]
        fn lone_states_may_share_a_mark(
            marks in prop::collection::vec(prop_oneof![30..39u32, Just(39), 30..39u32], 0..40),
        ) {
            let range = MarkRange { marks: 28..39, lone: 39 };
            let [mut one, mut alike, mut several] = [(); 3].map(|()| marks.clone());
            let of_one = several_in_one_pass(&mut one, &range);
            let mut of_alike = BitSet::new(of_one.bound());
            let len = in_one_pass_without_branches(&mut alike, &range, |number, is_new| {
                of_alike.insert_if(number as usize, !is_new);
            });
            let of_several = number_in_pieces(&mut several, &range);
            let own = |(own, &mark)| if mark == 39 { own } else { mark };
            let mut distinct: Vec<u32> = (100..).zip(&marks).map(own).collect();
            let range = MarkRange { marks: 0..200, lone: NONE };
            let expected = several_in_one_pass(&mut distinct, &range);
            prop_assert_eq!(len, expected.bound());
            for found in [of_one, of_alike, of_several] {
                prop_assert_eq!(&found, &expected);
            }
            for found in [one, alike, several] {
                prop_assert_eq!(&found, &distinct);
            }
        }
    }
}
