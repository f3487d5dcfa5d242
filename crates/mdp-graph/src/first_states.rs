//! The smallest state of each component. Components are numbered in the order of these states, so a
//! state is the smallest of its component if the number is the next one.

use crate::{BitSet, SharedBits, Table};
use rayon::prelude::*;
use std::ops::Range;

/// The number of states that a thread looks at in a row.
const PIECE: usize = 1 << 14;

/// States that follow one another.
struct Piece<'a> {
    /// The first state.
    start: u32,
    /// The component of each state, or `u32::MAX` for none.
    numbers: &'a [u32],
    /// The components whose smallest states are among these.
    new: Range<u32>,
}

impl Piece<'_> {
    /// Returns the new components, in order, each with its smallest state.
    fn first_states(&self) -> impl Iterator<Item = (u32, u32)> {
        let mut next = self.new.start;
        let states = (self.start..).zip(self.numbers);
        states.filter_map(move |(state, &number)| {
            let is_first = number == next;
            next += u32::from(is_first);
            is_first.then_some((number, state))
        })
    }
}

/// Returns all states in pieces, given the component of each.
fn pieces(numbers: &[u32]) -> impl Iterator<Item = Piece<'_>> {
    // The number after that of no component is 0.
    let end = |end: u32, number: &u32| end.max(number.wrapping_add(1));
    let of_piece = |piece: &[u32]| piece.iter().fold(0, end);
    let ends: Vec<u32> = numbers.par_chunks(PIECE).map(of_piece).collect();
    let mut next = 0;
    let pieces = numbers.chunks(PIECE).zip(ends).enumerate();
    pieces.map(move |(i, (numbers, end))| {
        let new = next..end.max(next);
        next = new.end;
        Piece {
            start: (i * PIECE) as u32,
            numbers,
            new,
        }
    })
}

/// Returns the smallest state of each of `count` components, given the component of each state.
///
/// One thread does this, because several may ask for the table at once, and wait for it. While a
/// thread of a pool waits for others, it may begin a task that asks for the table, too, and would
/// then wait for itself.
pub(crate) fn first_states(numbers: &[u32], count: usize) -> Table<u32> {
    let mut states = Table::any(count);
    let all = Piece {
        start: 0,
        numbers,
        new: 0..count as u32,
    };
    for (slot, (_, state)) in states.iter_mut().zip(all.first_states()) {
        *slot = state;
    }
    states
}

/// Returns the components for which `wanted` holds, which is asked for each component and its
/// smallest state. There are `count` components, given by that of each state. On all threads of the
/// current rayon pool.
pub(crate) fn components_with(
    numbers: &[u32],
    count: usize,
    wanted: impl Fn(usize, u32) -> bool + Sync,
) -> BitSet {
    let found = SharedBits::new(count);
    let pieces: Vec<_> = pieces(numbers).collect();
    pieces.into_par_iter().for_each(|piece| {
        let mut bits = 0;
        for (number, state) in piece.first_states() {
            bits |= u64::from(wanted(number as usize, state)) << (number % 64);
            if number % 64 == 63 {
                found.insert_word(number as usize / 64, bits);
                bits = 0;
            }
        }
        if bits != 0 {
            found.insert_word(piece.new.end as usize / 64, bits);
        }
    });
    found.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn first_states_are_those_of_a_search(
            steps in prop::collection::vec((0..3u32, 0..8u32, 0..9_000usize), 0..12),
            odd: u32,
        ) {
            let mut numbers = Vec::new();
            let mut next = 0;
            for (kind, back, len) in steps {
                for i in 0..len {
                    numbers.push(match kind {
                        0 => u32::MAX,
                        1 if next > 0 => next - 1 - (back + i as u32) % next,
                        _ => next,
                    });
                    next += u32::from(numbers.last() == Some(&next));
                }
            }
            let count = next as usize;
            let mut expected = vec![u32::MAX; count];
            for (state, &number) in (0..).zip(&numbers) {
                if let Some(first) = expected.get_mut(number as usize) {
                    *first = state.min(*first);
                }
            }
            prop_assert_eq!(&*first_states(&numbers, count), &expected[..]);
            let wanted = |number: usize, state: u32| {
                (odd ^ number as u32 ^ state).count_ones() % 2 == 1
            };
            let found = components_with(&numbers, count, wanted);
            let is_wanted = |number| wanted(number, expected[number]);
            prop_assert_eq!(found, BitSet::from_fn(count, is_wanted));
        }
    }
}
