//! Tables and stacks, in memory of either kind, and sets of bits.

use mdp_graph::{BitSet, Stack, Table};
use proptest::prelude::*;
use std::sync::atomic::Ordering::Relaxed;

proptest! {
    #[test]
    fn a_stack_in_a_table_is_a_stack(values in prop::collection::vec(0..100u32, 0..50), least in 0..100u32) {
        let mut table = Table::new(values.len());
        let mut stack = Stack::new(&mut table);
        values.iter().for_each(|&value| stack.push(value));
        let kept = values.iter().rposition(|&value| value < least).map_or(0, |last| last + 1);
        prop_assert_eq!(stack.pop_while(|value| value >= least).to_vec(), values[kept..].to_vec());
        for &value in values[..kept].iter().rev() {
            prop_assert_eq!(stack.pop(), Some(value));
        }
        prop_assert_eq!(stack.pop(), None);
    }
}

#[test]
fn tables_small_and_large_are_zero_and_hold_what_is_written() {
    for len in [0, 1, 1000, 3_000_001] {
        let mut table: Table<[u32; 3]> = Table::new(len);
        assert_eq!(table.len(), len);
        assert!(table.iter().all(|&value| value == [0; 3]));
        if let Some(last) = table.last_mut() {
            *last = [1, 2, 3];
            assert_eq!(table[len - 1], [1, 2, 3]);
        }
    }
}

#[test]
fn tables_can_be_shared_and_cut_short() {
    for len in [10, 3_000_001_usize] {
        let mut table: Table<u32> = Table::new(len);
        table.as_atomics()[len - 8].store(7, Relaxed);
        assert_eq!(table[len - 8], 7);
        table.truncate(len + 1);
        assert_eq!(table.len(), len);
        table.truncate(len - 7);
        assert_eq!(table.last(), Some(&7));
    }
}

proptest! {
    #[test]
    fn sets_of_bits_hold_their_members(members in prop::collection::btree_set(0..200_000u32, 0..300), len in 0..64usize) {
        let members: Vec<u32> = members.into_iter().collect();
        let len = members.last().map_or(len, |&last| last as usize + 1 + len);
        let set = BitSet::of_ascending(len, &members);
        let mut expected = BitSet::new(len);
        members.iter().for_each(|&member| {
            expected.insert(member as usize);
        });
        prop_assert_eq!(&set, &expected);
        prop_assert_eq!(BitSet::from_fn(len, |i| members.binary_search(&(i as u32)).is_ok()), expected);
    }
}
