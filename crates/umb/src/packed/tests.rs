//! Packed numbers against bits that are taken one by one.

use proptest::prelude::*;

use super::*;

/// Returns the bits of `bytes`, the lowest of each byte first.
fn bits(bytes: &[u8]) -> Vec<bool> {
    let of_byte = |&byte: &u8| (0..8).map(move |bit| byte >> bit & 1 == 1);
    bytes.iter().flat_map(of_byte).collect()
}

proptest! {
    #[test]
    fn a_number_is_read_bit_by_bit(
        bytes in prop::collection::vec(any::<u8>(), 1..24),
        seed: (u64, u32),
    ) {
        let all = bits(&bytes);
        let at = seed.0 % all.len() as u64;
        let width = seed.1 % 65u32.min((all.len() as u64 - at) as u32 + 1);
        let naive = all[at as usize..][..width as usize]
            .iter()
            .rev()
            .fold(0u64, |number, &bit| number << 1 | u64::from(bit));
        prop_assert_eq!(get(&bytes, at, width), naive);
    }

    #[test]
    fn numbers_side_by_side_are_read_back(
        numbers in prop::collection::vec((any::<u64>(), 1..=64u32), 1..9),
    ) {
        let numbers: Vec<_> = numbers.iter().map(|&(n, width)| (n & mask(width), width)).collect();
        let total: u32 = numbers.iter().map(|&(_, width)| width).sum();
        let mut bytes = vec![0; total.div_ceil(8) as usize];
        let mut at = 0;
        for &(number, width) in &numbers {
            // What lies above the width makes no difference.
            put(&mut bytes, at, width, number | !mask(width));
            at += u64::from(width);
        }
        at = 0;
        for &(number, width) in &numbers {
            prop_assert_eq!(get(&bytes, at, width), number);
            at += u64::from(width);
        }
    }
}

#[test]
fn widths_are_least() {
    let widths = [0, 1, 2, 3, 4, 255, 256, u64::MAX].map(width_of);
    assert_eq!(widths, [1, 1, 2, 2, 3, 8, 9, 64]);
}
