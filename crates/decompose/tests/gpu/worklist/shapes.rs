//! Graphs of shapes that are hard for one part of the engine or another.

use mdp_graph::{ChunkBuilder, Deadlocks, MdpGraph, StateId, assemble};
use proptest::prelude::*;
use test_models::{draws, shuffled};

/// Returns the graph whose states have these targets.
pub(crate) fn digraph(rows: &[Vec<u32>]) -> MdpGraph {
    let mut chunk = ChunkBuilder::default();
    for (state, row) in rows.iter().enumerate().filter(|(_, row)| !row.is_empty()) {
        chunk.push_choice(StateId::from_index(state), StateId::cast_slice(row));
    }
    assemble(rows.len() as u32, vec![chunk.finish()], Deadlocks::Keep)
        .expect("the rows are well formed")
        .graph
}

/// Returns graphs of up to `most` states in random numberings: chains of small cycles, chains of
/// cycles of very different sizes, paths that lead on and back, trees that end in a cycle, layers
/// that lead back to the first one, and hubs.
pub(crate) fn any(most: u32) -> impl Strategy<Value = MdpGraph> {
    (2..most, 0..6u32, 1..40u32, any_seed()).prop_map(|(n, shape, width, seed)| {
        let mut draw = draws(seed);
        let mut rows: Vec<Vec<u32>> = vec![Vec::new(); n as usize];
        for s in 0..n {
            let next = (s + 1).min(n - 1);
            let row = match shape {
                0 => vec![next, s / width * width],
                1 => {
                    let long = if s % 97 == 0 { s / 2 } else { s };
                    vec![next, long]
                }
                2 => vec![next, s.saturating_sub(1)],
                3 => vec![(2 * s + 1) % n, (2 * s + 2).min(n - 1)],
                4 => (0..3)
                    .map(|_| (s / width + 1) * width % n + draw() % width)
                    .map(|t| t % n)
                    .collect(),
                _ => vec![draw() % width % n, draw() % n],
            };
            rows[s as usize] = row;
        }
        digraph(&renumbered(&rows, &mut draw))
    })
}

fn any_seed() -> impl Strategy<Value = u64> {
    1..u64::MAX
}

/// Returns the same graph with its states in a random order. Its rows are ascending and without
/// duplicates.
pub(crate) fn renumbered(rows: &[Vec<u32>], draw: &mut impl FnMut() -> u32) -> Vec<Vec<u32>> {
    let order = shuffled(rows.len() as u32, draw);
    let mut new = vec![Vec::new(); rows.len()];
    for (state, row) in rows.iter().enumerate() {
        let mut row: Vec<u32> = row.iter().map(|&target| order[target as usize]).collect();
        row.sort_unstable();
        row.dedup();
        new[order[state] as usize] = row;
    }
    new
}
