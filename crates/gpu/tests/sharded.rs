//! Tests of cutting rows into pieces, which is compared with a cut that is made one row at a time.

use proptest::prelude::*;
use std::cell::Cell;

/// Returns the pieces of a greedy walk, which are as few as possible, or `None` if a row is too
/// large.
fn walk(offsets: &[u64], capacity: u64) -> Option<Vec<gpu::Piece>> {
    let rows = offsets.len() - 1;
    let mut pieces = Vec::new();
    let mut first = 0;
    for row in 0..rows {
        if offsets[row + 1] - offsets[row] > capacity {
            return None;
        }
        if offsets[row + 1] - offsets[first] > capacity {
            pieces.push((first as u32..row as u32, offsets[first]..offsets[row]));
            first = row;
        }
    }
    pieces.push((first as u32..rows as u32, offsets[first]..offsets[rows]));
    Some(pieces)
}

proptest! {
    #[test]
    fn a_cut_is_the_greedy_one(
        lengths in prop::collection::vec(0_u64..9, 0..50),
        capacity in 1_u64..30,
    ) {
        let mut offsets = vec![0];
        for length in lengths {
            offsets.push(offsets[offsets.len() - 1] + length);
        }
        let rows = offsets.len() as u32 - 1;
        let cut = gpu::cut(rows, |row| offsets[row as usize], capacity);
        prop_assert_eq!(cut.ok(), walk(&offsets, capacity));
    }
}

#[test]
fn a_cut_reads_few_starts_and_returns_the_error_of_any() {
    let asked = Cell::new(0);
    let cut = |failing| {
        asked.set(0);
        let start = |row: u32| {
            asked.set(asked.get() + 1);
            match asked.get() == failing {
                true => Err(gpu::Error::Cancelled),
                false => Ok(row.into()),
            }
        };
        gpu::try_cut(1 << 30, start, 1 << 29)
    };
    assert_eq!(cut(0).expect("no start fails").len(), 2);
    let all = asked.get();
    assert!(all < 80, "{all}");
    for failing in 1..=all {
        assert!(matches!(cut(failing), Err(gpu::Error::Cancelled)));
    }
}
