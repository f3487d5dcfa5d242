//! Transposing compressed sparse rows, in parallel and without atomics.
//!
//! Each thread owns a range of columns, reads all entries, and keeps those of its columns. Reading
//! is sequential, and each thread writes only to its part of the result. So this is faster than a
//! scatter over the whole result, although every thread reads every entry.

use rayon::prelude::*;

/// Transposes a sparse 0-1 matrix: for each of `num_columns` columns, the rows that have it, in
/// ascending order. `row_ends[r]` is the end of row `r` in `columns`. Returns `num_columns + 1`
/// offsets and the rows. On all threads of the current rayon pool.
///
/// Every column must be below `num_columns`.
///
/// # Panics
/// If `row_ends` decreases or passes the end of `columns`.
///
/// ```
/// // 0 -> 1, 0 -> 2, 1 -> 2 becomes 1 <- 0, 2 <- 0, 2 <- 1.
/// let (offsets, sources) = mdp_graph::transpose(&[2, 3, 3], &[1, 2, 2], 3);
/// assert_eq!(offsets, [0, 0, 1, 3]);
/// assert_eq!(sources, [0, 0, 1]);
/// ```
pub fn transpose(row_ends: &[u32], columns: &[u32], num_columns: usize) -> (Vec<u32>, Vec<u32>) {
    debug_assert!(
        columns
            .iter()
            .all(|&column| (column as usize) < num_columns)
    );
    let mut counts = vec![0u32; num_columns];
    let width = num_columns.div_ceil(rayon::current_num_threads()).max(1);
    counts
        .par_chunks_mut(width)
        .enumerate()
        .for_each(|(i, counts)| {
            let first = i * width;
            for &column in columns {
                if let Some(count) = counts.get_mut((column as usize).wrapping_sub(first)) {
                    *count += 1;
                }
            }
        });

    let mut offsets = Vec::with_capacity(num_columns + 1);
    let mut end = 0;
    offsets.push(0);
    offsets.extend(counts.iter().map(|count| {
        end += count;
        end
    }));
    drop(counts);

    let mut rows = vec![0; columns.len()];
    let mut parts = Vec::new();
    let mut rest = &mut rows[..];
    for first in (0..num_columns).step_by(width) {
        let last = (first + width).min(num_columns);
        let size = (offsets[last] - offsets[first]) as usize;
        parts.push((first, last, rest.split_off_mut(..size).unwrap_or_default()));
    }
    parts.into_par_iter().for_each(|(first, last, part)| {
        let base = offsets[first];
        let mut next: Vec<u32> = offsets[first..last].iter().map(|o| o - base).collect();
        let mut entry = 0;
        for (row, &end) in row_ends.iter().enumerate() {
            for &column in &columns[entry..end as usize] {
                if let Some(next) = next.get_mut((column as usize).wrapping_sub(first)) {
                    part[*next as usize] = row as u32;
                    *next += 1;
                }
            }
            entry = end as usize;
        }
    });
    (offsets, rows)
}
