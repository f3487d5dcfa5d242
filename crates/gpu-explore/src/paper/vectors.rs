//! The states in a table of vectors, without duplicates.

use gpu::kernels::gpuexplore::{BUCKET, OPEN, TAKEN};
use rayon::prelude::*;

/// Returns the states in a table of buckets, in ascending order and without duplicates, and their
/// number. `words` is the number of words of a state.
pub(crate) fn states_of_buckets(table: &[u32], words: usize) -> (Vec<u32>, u64) {
    let buckets = table.par_chunks(BUCKET as usize);
    distinct(
        buckets.flat_map_iter(|bucket| bucket.chunks_exact(words)),
        words,
    )
}

/// Returns the states in a list of vectors, as [`states_of_buckets`].
pub(crate) fn states_of_list(vectors: &[u32], words: usize) -> (Vec<u32>, u64) {
    distinct(vectors.par_chunks_exact(words), words)
}

fn distinct<'a>(vectors: impl ParallelIterator<Item = &'a [u32]>, words: usize) -> (Vec<u32>, u64) {
    match words {
        1 => sorted::<1>(vectors),
        2 => sorted::<2>(vectors),
        3 => sorted::<3>(vectors),
        4 => sorted::<4>(vectors),
        5 => sorted::<5>(vectors),
        6 => sorted::<6>(vectors),
        7 => sorted::<7>(vectors),
        _ => sorted::<8>(vectors),
    }
}

fn sorted<'a, const WORDS: usize>(
    vectors: impl ParallelIterator<Item = &'a [u32]>,
) -> (Vec<u32>, u64) {
    let is_there = |vector: &&[u32]| vector.iter().all(|word| word & TAKEN != 0);
    let state = |vector: &[u32]| -> [u32; WORDS] {
        std::array::from_fn(|word| vector[word] & !(OPEN | TAKEN))
    };
    let mut states: Vec<[u32; WORDS]> = vectors.filter(is_there).map(state).collect();
    states.par_sort_unstable();
    states.dedup();
    let count = states.len() as u64;
    (states.into_flattened(), count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_that_is_stored_twice_or_in_part_counts_once_or_not_at_all() {
        let vector = |one: u32, two: u32| [TAKEN | one, TAKEN | two];
        let list = [
            vector(5, 1),
            [OPEN | TAKEN | 3, TAKEN | 2],
            vector(3, 2),
            [0, 0],
            [TAKEN | 7, 0],
            vector(0, 0),
        ];
        let expected = (vec![0, 0, 3, 2, 5, 1], 3);
        assert_eq!(states_of_list(list.as_flattened(), 2), expected);

        // A bucket of 32 words has room for ten vectors of three words; two words are left over.
        let mut bucket = vec![0; 64];
        bucket[27..30].copy_from_slice(&[TAKEN | 1, TAKEN, TAKEN | 4]);
        bucket[30..32].copy_from_slice(&[u32::MAX; 2]);
        bucket[32..35].copy_from_slice(&[OPEN | TAKEN | 1, TAKEN, TAKEN | 4]);
        assert_eq!(states_of_buckets(&bucket, 3), (vec![1, 0, 4], 1));
    }
}
