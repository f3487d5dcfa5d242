//! Numbers in place and copied are the same; fractions against 64-bit arithmetic.

use proptest::prelude::*;

use super::*;

fn fractions(numbers: &[(i64, u64)]) -> Vec<u8> {
    let bytes = |&(over, under): &(i64, u64)| [over.to_le_bytes(), under.to_le_bytes()].concat();
    numbers.iter().flat_map(bytes).collect()
}

/// Returns the two's complement of `number * 2^(64 * words)` in `width` words.
fn shifted(number: i64, words: usize, width: usize) -> Vec<u8> {
    let sign = if number < 0 { 0xFF } else { 0 };
    let mut bytes = vec![0; words * 8];
    bytes.extend(number.to_le_bytes());
    bytes.resize(width * 8, sign);
    bytes
}

proptest! {
    #[test]
    fn alignment_changes_nothing(
        numbers in prop::collection::vec(any::<u64>(), 0..9),
        gap in 0..9usize,
    ) {
        let mut bytes = vec![0; gap];
        bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        prop_assert_eq!(&*cast::<u64>(&bytes[gap..]), &numbers[..]);
    }

    #[test]
    fn small_fractions_are_divided(over: i64, under in 1..u64::MAX) {
        let bytes = fractions(&[(over, under)]);
        let fraction = Fractions { bytes: &bytes, size: 16 };
        prop_assert_eq!(fraction.get(0), over as f64 / under as f64);
    }

    #[test]
    fn large_fractions_are_divided(over: i64, under in 1..i64::MAX, words in 0..4usize) {
        // Both are multiplied by the same power of 2, so the value stays.
        let mut bytes = shifted(over, words, 6);
        bytes.extend(shifted(under, words, 6));
        let fraction = Fractions { bytes: &bytes, size: 96 };
        let expected = over as f64 / under as f64;
        let error = (fraction.get(0) - expected).abs();
        prop_assert!(error <= expected.abs() * 1e-15, "{} {expected}", fraction.get(0));
    }
}

/// Returns the intervals that are in some bytes.
fn intervals(kind: Kind, bits: u32, bytes: &[u8], count: u64) -> Result<Intervals, ErrorKind> {
    let value_type = ValueType {
        kind,
        size: Some(bits),
    };
    let read = Intervals::read("entry", bytes, count, value_type, "values");
    read.map_err(|error| error.kind().clone())
}

#[test]
fn intervals_are_pairs_of_bounds() {
    let doubles: Vec<u8> = [0.25f64, 0.5, 0.0, 1.0]
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect();
    let expected = Intervals {
        lower: vec![0.25, 0.0],
        upper: vec![0.5, 1.0],
    };
    assert_eq!(
        intervals(Kind::DoubleInterval, 128, &doubles, 2),
        Ok(expected.clone())
    );
    let quotients = fractions(&[(1, 4), (1, 2), (0, 7), (3, 3)]);
    assert_eq!(
        intervals(Kind::RationalInterval, 256, &quotients, 2),
        Ok(expected)
    );
    let zero = fractions(&[(1, 4), (1, 2), (0, 7), (3, 0)]);
    assert_eq!(
        intervals(Kind::RationalInterval, 256, &zero, 2),
        Err(ErrorKind::ZeroDenominator)
    );
    assert!(intervals(Kind::DoubleInterval, 128, &doubles, 1).is_err());
    assert!(intervals(Kind::DoubleInterval, 64, &doubles, 4).is_err());
    assert!(intervals(Kind::RationalInterval, 128, &doubles, 2).is_err());
    assert!(intervals(Kind::RationalInterval, 0, &[], 0).is_err());
}

/// 1 / 2^1088 is 0 in a double, but an edge with it can be taken.
#[test]
fn small_bounds_stay_above_zero() {
    let mut bytes = Vec::new();
    for _ in 0..2 {
        bytes.extend(shifted(1, 0, 18));
        bytes.extend(shifted(1, 17, 18));
    }
    let tiny = vec![LEAST];
    let expected = Intervals {
        lower: tiny.clone(),
        upper: tiny,
    };
    let bits = 2 * 36 * 64;
    assert_eq!(
        intervals(Kind::RationalInterval, bits, &bytes, 1),
        Ok(expected)
    );
}

#[test]
fn fractions_below_all_normal_doubles_are_not_0() {
    let of = |over: i64, words: usize| {
        let mut bytes = shifted(over, 0, 18);
        bytes.extend(shifted(1, words, 18));
        Fractions {
            bytes: &bytes,
            size: 288,
        }
        .get(0)
    };
    assert_eq!([of(1 << 10, 16), of(-1, 17)], [2f64.powi(-1014), -LEAST]);
    assert_eq!(
        [of(5, 16) / 2f64.powi(-1000), of(0, 17)],
        [5.0 * 2f64.powi(-24), 0.0]
    );
}

#[test]
fn a_power_of_two_apart() {
    let mut bytes = shifted(-3, 2, 4);
    bytes.extend(shifted(4, 1, 4));
    let fraction = Fractions {
        bytes: &bytes,
        size: 64,
    };
    assert_eq!(fraction.get(0), -0.75 * 2f64.powi(64));
}

#[test]
fn zeros_are_found() {
    let bytes = fractions(&[(0, 1), (1, u64::MAX), (0, 0), (1, 0)]);
    let numbers = Numbers::Fractions(Fractions {
        bytes: &bytes,
        size: 16,
    });
    let zeros: Vec<_> = (0..4).map(|i| numbers.is_zero(i)).collect();
    assert_eq!(zeros, [true, false, true, false]);
    assert!(numbers.get(2).is_nan() && numbers.get(3).is_infinite());
}
