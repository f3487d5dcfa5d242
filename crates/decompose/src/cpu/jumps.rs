//! Follows some paths of a functional graph, to find out whether a search along them waits for
//! memory.
//!
//! In such a graph, the state that a search visits next depends on the last one alone. So it does
//! not help that neighbouring states lead to neighbouring states: if paths lead far, a search comes
//! to the neighbours much later.

use std::collections::HashSet;

/// The number of places in the graph at which paths begin, and the number of states that are
/// visited from each place.
const PLACES: usize = 4;
const VISITS: usize = 1 << 10;

/// The data of this many neighbouring states are in a few cache lines.
const CLOSE: usize = 1 << 6;

/// A search along paths waits for memory if at least one in this many steps is a jump.
const JUMP_DIVISOR: usize = 4;

/// Returns whether paths jump: whether many of their steps lead to a state that is not close to any
/// state visited before. A step from one visited state to another is none, because the path ends
/// there; then the next path begins at the next state, as in a search. `successor`: the state to
/// which a state leads, if it leads to one.
pub(super) fn are_frequent(num_states: usize, successor: impl Fn(u32) -> Option<usize>) -> bool {
    let (mut visits, mut jumps) = (0, 0);
    let (mut visited, mut near) = (HashSet::new(), HashSet::new());
    for place in 0..PLACES {
        let mut left = VISITS;
        let first = num_states / PLACES * place;
        for root in (first..num_states).take(VISITS) {
            let mut next = Some(root).filter(|_| left > 0);
            while let Some(state) = next.filter(|&state| visited.insert(state)) {
                left -= 1;
                visits += 1;
                let is_new = near.insert(state / CLOSE);
                jumps += usize::from(is_new && state != root);
                next = successor(state as u32).filter(|&next| left > 0 && next < num_states);
            }
        }
    }
    jumps * JUMP_DIVISOR > visits
}

#[cfg(test)]
mod tests {
    use super::*;

    const N: u32 = 1 << 20;

    fn jump(successor: impl Fn(u32) -> Option<u32>) -> bool {
        are_frequent(N as usize, |state| {
            successor(state).map(|next| next as usize)
        })
    }

    #[test]
    fn paths_jump_if_they_come_to_neighbours_much_later() {
        let reversed = |state: u32| state.reverse_bits() >> 12;
        assert!(jump(|state| Some(reversed((reversed(state) + 1) % N))));
        assert!(jump(|state| Some((state + 300_000) % N)));
        assert!(jump(|state| Some(state.wrapping_mul(0x9e37_79b9) >> 12)));
    }

    /// The graphs: a cycle; cycles of two states that are far apart; a star; short paths; no edges;
    /// windows of 4,096 states, in each of which states are numbered at random.
    #[test]
    fn paths_do_not_jump_if_they_stay_nearby_or_end_soon() {
        let in_window = |state: u32| (1_285 * (state % 4096) + 1) % 4096 + state / 4096 * 4096;
        assert!(!jump(|state| Some((state + 1) % N)));
        assert!(!jump(|state| Some((state + N / 2) % N)));
        assert!(!jump(|_| Some(N / 3)));
        assert!(!jump(|state| (state % 9 < 5).then_some(state + 1)));
        assert!(!jump(|_| None));
        assert!(!jump(|state| Some(in_window(state))));
    }

    /// Such targets are found later, by the search.
    #[test]
    fn targets_that_are_out_of_range_end_paths() {
        assert!(!jump(|_| Some(u32::MAX)));
        (0..200).for_each(|n| assert!(!are_frequent(n, |state| Some(state as usize + n))));
    }
}
