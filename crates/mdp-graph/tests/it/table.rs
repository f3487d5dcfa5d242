//! Tests of tables and stacks, in memory of either kind, and of sets of bits.

use mdp_graph::{BitSet, SharedBits, Stack, Table, ascending, descending};
use proptest::prelude::*;
use std::sync::atomic::Ordering::Relaxed;

proptest! {
    #[test]
    fn a_stack_in_a_table_is_a_stack(
        values in prop::collection::vec(0..100u32, 0..50),
        least in 0..100u32,
    ) {
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
        let mut table: Table<u64> = Table::new(len);
        table.as_atomics()[len - 8].store(7, Relaxed);
        let mut bytes: Table<u8> = Table::new(len);
        bytes.as_atomics()[len - 1].store(7, Relaxed);
        assert_eq!(bytes.last(), Some(&7));
        assert_eq!(table[len - 8], 7);
        table.truncate(len + 1);
        assert_eq!(table.len(), len);
        table.truncate(len - 7);
        assert_eq!(table.last(), Some(&7));
    }
}

proptest! {
    #[test]
    fn sets_of_bits_hold_their_members(
        members in prop::collection::btree_set(0..200_000u32, 0..300),
        len in 0..64usize,
    ) {
        let members: Vec<u32> = members.into_iter().collect();
        let len = members.last().map_or(len, |&last| last as usize + 1 + len);
        let set = BitSet::of_ascending(len, &members);
        let mut expected = BitSet::new(len);
        members.iter().for_each(|&member| {
            expected.insert(member as usize);
        });
        prop_assert_eq!(&set, &expected);
        let is_member = |i: usize| members.binary_search(&(i as u32)).is_ok();
        prop_assert_eq!(BitSet::from_fn(len, is_member), expected);
    }
}

proptest! {
    #[test]
    fn ranges_of_bits_are_added_where_none_is(
        ranges in prop::collection::vec((0..300usize, 0..200usize), 0..6),
    ) {
        let mut set = BitSet::new(500);
        let mut expected = vec![false; 500];
        for (start, len) in ranges {
            let range = start..start + len;
            let are_new = expected[range.clone()].iter().all(|&member| !member);
            prop_assert_eq!(set.insert_range(range.clone()), are_new);
            if are_new {
                expected[range].fill(true);
            }
            prop_assert_eq!(&set, &BitSet::from_fn(500, |i| expected[i]));
        }
    }

    #[test]
    fn shared_sets_hold_their_members(
        members in prop::collection::btree_set(0..300u32, 0..100),
        more in prop::collection::vec((0..300u32, any::<bool>()), 0..100),
    ) {
        let len = 300;
        let all: Vec<u32> = members.iter().copied().collect();
        let mut set = BitSet::of_ascending(len, &all);
        let shared = SharedBits::from(set.clone());
        for (member, alone) in more {
            set.insert_if(member as usize, alone);
            if alone {
                shared.insert_alone(member);
            } else {
                let is_new = set.insert(member as usize);
                prop_assert_eq!(shared.insert(member), is_new);
            }
        }
        let expected: Vec<u32> = (0..len as u32).filter(|&i| set.contains(i as usize)).collect();
        let words = || 0..shared.num_words();
        let up: Vec<u32> = words().flat_map(|word| ascending(word, shared.word(word))).collect();
        prop_assert_eq!(&up, &expected);
        let down = words().rev().flat_map(|word| descending(word, shared.word(word)));
        prop_assert!(down.eq(expected.iter().rev().copied()));
        prop_assert!(shared.descending().eq(expected.iter().rev().copied()));
        prop_assert_eq!((shared.len(), shared.is_empty()), (expected.len(), expected.is_empty()));
        let absent = words().map(|word| shared.absent(word).count_ones() as usize).sum::<usize>();
        prop_assert_eq!(absent, len - expected.len());
    }
}
