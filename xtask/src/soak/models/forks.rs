//! Paths that begin at forks. A fork has one choice, which leads to either of two paths: one ends
//! in a cycle, the other in a state without choices. So the fork dies, and nothing leads to its
//! first path any more, unless something else does. A search that trims many states of a path at
//! once has to determine from which side each of them is trimmed.

use super::Rows;
use crate::rng::Rng;

/// Draws a model with at least this many states.
pub(super) fn draw(rng: &mut Rng, size: u32) -> Rows {
    let longest = rng.magnitude(2, 64);
    let mut rows = Rows::new();
    while rows.len() < size as usize {
        fork(rng, &mut rows, longest);
    }
    rows
}

/// Adds a fork, its two paths, and the states that lead to it.
fn fork(rng: &mut Rng, rows: &mut Rows, longest: u32) {
    let fork = rows.len() as u32;
    rows.push(Vec::new());
    let [to_cycle, to_dead_end] = [(); 2].map(|()| rng.between(1, longest));
    let first = path(rows, to_cycle);
    // The cycle leads back to the fork or to a state of the path, and sometimes to a state of
    // another fork.
    let (end, back) = (rows.len() as u32 - 1, rng.below(to_cycle) + first);
    rows[end as usize] = match rng.below(8) {
        0 => vec![vec![rng.below(end + 1)]],
        1 => vec![vec![back], vec![rng.below(end + 1)]],
        _ => vec![vec![back]],
    };
    let dead = path(rows, to_dead_end);
    if rng.one_in(2) {
        // This path is numbered from its end.
        let states = dead..rows.len() as u32;
        states.clone().for_each(|state| {
            rows[state as usize] = match state == dead {
                true => Vec::new(),
                false => vec![vec![state - 1]],
            }
        });
        rows[fork as usize] = vec![vec![first, states.end - 1]];
    } else {
        rows[fork as usize] = vec![vec![first, dead]];
    }
    for _ in 0..rng.below(4) {
        rows.push(vec![vec![fork]]);
    }
}

/// Adds a path to a state without choices. Returns its first state.
fn path(rows: &mut Rows, states: u32) -> u32 {
    let first = rows.len() as u32;
    rows.extend((first + 1..first + states).map(|next| vec![vec![next]]));
    rows.push(Vec::new());
    first
}
