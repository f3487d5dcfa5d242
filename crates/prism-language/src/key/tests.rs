//! States have the same key exactly if what it keeps of them is the same, and not if what is read
//! of them differs.

use super::{Key, NARROW, Reads};
use crate::ast::Model;
use crate::code::Seen;
use crate::ir::Slot;
use crate::variables::{Variable, Variables, variables};
use crate::widths::Widths;
use proptest::prelude::*;

/// Variables with this many values each.
fn with_values(values: &[u64]) -> Variables {
    let lines = values
        .iter()
        .enumerate()
        .map(|(i, values)| format!("x{i} : [3..{}];", 2 + values));
    let text = format!("module m {} endmodule", lines.collect::<String>());
    let model: Model = crate::parse(text.as_bytes()).expect("a model");
    variables(&model, &mut crate::ir::Scope::default(), &Widths::default()).expect("they are right")
}

/// How a variable is read: its value, or which of some sets it is in.
#[derive(Debug, Clone)]
enum Sight {
    Value,
    Sets(Vec<u64>),
}

fn sight() -> impl Strategy<Value = Sight> {
    let sets = prop_oneof![Just(0b1), Just(0b1001), any::<u64>()];
    prop_oneof![
        Just(Sight::Value),
        prop::collection::vec(sets, 0..3).prop_map(Sight::Sets)
    ]
}

/// What is read of a value, counted from the lowest.
fn seen(sight: &Sight, value: u64) -> Vec<u64> {
    match sight {
        Sight::Value => vec![value],
        Sight::Sets(sets) => sets.iter().map(|set| set >> value & 1).collect(),
    }
}

/// Half by tests and half by tables, in two parts that are then united.
fn reads(sights: &[Sight], all: &[Variable]) -> Reads {
    let mut parts = [Reads::default(), Reads::default()];
    for (slot, (sight, variable)) in (0..).zip(sights.iter().zip(all)) {
        let Sight::Sets(sets) = sight else {
            parts[0].add(slot, variable, Seen::Value);
            continue;
        };
        for (i, &set) in sets.iter().enumerate() {
            let table: Vec<u64> = (0..64).map(|value| set >> value & 1).collect();
            parts[i % 2].add(slot, variable, Seen::Test(set));
            parts[1].add(slot, variable, Seen::Table(&table));
        }
    }
    parts[0].union(&parts[1], all)
}

/// Returns whether all bits of a variable that is read count, although it may be read by classes:
/// because the key is narrow, or because the classes would take as many bits.
fn keeps_all(reads: &Reads, slot: usize, variable: &Variable, is_narrow: bool) -> bool {
    let read = reads.0.get(&(slot as Slot));
    read.is_some_and(|read| is_narrow || read.bits(variable) == variable.bits())
}

proptest! {
    #[test]
    fn keys_tell_apart_what_is_read_differently(
        read in prop::collection::vec((1_u64..=64, sight()), 1..9),
        states in prop::collection::vec(prop::collection::vec(any::<u64>(), 9), 2..20),
    ) {
        let (values, sights): (Vec<u64>, Vec<Sight>) = read.into_iter().unzip();
        let Variables { all, words, .. } = with_values(&values);
        let reads = reads(&sights, &all);
        let key = Key::new(&reads, &all, words).expect("at most 54 bits");
        let is_narrow = reads.all_bits(&all) <= NARROW;
        let known: Vec<(Vec<u64>, Vec<u64>, u64)> = states.iter().map(|drawn| {
            let mut state = vec![0; words];
            let (mut read, mut kept) = (Vec::new(), Vec::new());
            for (slot, (variable, drawn)) in all.iter().zip(drawn).enumerate() {
                let value = drawn % values[slot];
                variable.set(&mut state, variable.low() + value as i64);
                let seen = seen(&sights[slot], value);
                kept.extend(match keeps_all(&reads, slot, variable, is_narrow) {
                    true => vec![value],
                    false => seen.clone(),
                });
                read.extend(seen);
            }
            (read, kept, key.of(&state))
        }).collect();
        for (read_of_a, kept_of_a, key_of_a) in &known {
            for (read_of_b, kept_of_b, key_of_b) in &known {
                prop_assert!(read_of_a == read_of_b || key_of_a != key_of_b);
                prop_assert_eq!(kept_of_a == kept_of_b, key_of_a == key_of_b);
            }
        }
        prop_assert!(reads.bits(&all) <= reads.all_bits(&all));
    }
}

#[test]
fn what_is_only_tested_takes_few_bits() {
    let Variables { all, words, .. } = with_values(&[16, 16, 16, 16, 300]);
    let mut reads = Reads::default();
    for slot in 0..4 {
        reads.add(
            slot,
            &all[usize::from(slot)],
            Seen::Test(0b10_0000_0000_0001),
        );
    }
    assert_eq!(reads.bits(&all), 4);
    reads.add(0, &all[0], Seen::Test(0b10));
    assert_eq!(reads.bits(&all), 5);
    reads.add_all(1);
    assert_eq!(reads.bits(&all), 8);
    // More values than are looked up.
    reads.tell_apart(4, &all[4], |value| value > 100);
    assert_eq!(reads.bits(&all), 17);
    assert!(Key::new(&reads, &all, words).is_some());
}
