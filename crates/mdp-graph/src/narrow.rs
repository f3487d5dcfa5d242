//! Numbers of 64 bits as numbers of 32 bits.

use crate::Table;
use rayon::prelude::*;

/// How many numbers a thread takes at a time.
const PIECE: usize = 1 << 14;

/// The same numbers in 32 bits each, on all threads of the current rayon pool. `None` if one of
/// them has more.
///
/// ```
/// assert_eq!(mdp_graph::narrowed(&[7, 1]).as_deref(), Some(&[7, 1][..]));
/// assert_eq!(mdp_graph::narrowed(&[7, 1 << 32]), None);
/// ```
#[must_use]
pub fn narrowed(wide: &[u64]) -> Option<Table<u32>> {
    let mut narrow: Table<u32> = Table::new(wide.len());
    let pieces = narrow.par_chunks_mut(PIECE).zip(wide.par_chunks(PIECE));
    let all_fit = pieces.map(|(narrow, wide)| {
        let numbers = narrow.iter_mut().zip(wide);
        let bits = numbers.fold(0, |bits, (low, &number)| {
            *low = number as u32;
            bits | number
        });
        bits <= u64::from(u32::MAX)
    });
    // All pieces are filled in any case: to stop early would take longer than it saves.
    all_fit.reduce(|| true, |a, b| a && b).then_some(narrow)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_pieces_are_narrowed_and_looked_at() {
        for len in [0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE + 7] {
            let mut wide: Vec<u64> = (0..len as u64).map(|i| i * 0x1_2345 % (1 << 32)).collect();
            let expected: Vec<u32> = wide.iter().map(|&number| number as u32).collect();
            assert_eq!(narrowed(&wide).as_deref(), Some(&expected[..]));
            for wrong in [0, len / 2, len.saturating_sub(1)] {
                let Some(number) = wide.get_mut(wrong) else {
                    continue;
                };
                let right = std::mem::replace(number, u64::MAX);
                assert_eq!(narrowed(&wide), None);
                wide[wrong] = right;
            }
        }
    }
}
