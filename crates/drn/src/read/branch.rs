//! The fast path for the most frequent line, a branch such as `\t\t17 : 0.25`. It reports no
//! errors: it leaves every other line to the slow path, which gives the same result for the lines
//! that the fast path accepts.

/// The powers of ten that a double represents exactly.
const POWERS_OF_TEN: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// The largest number of digits such that a double represents every number with so many digits
/// exactly.
const EXACT_DIGITS: usize = 15;

/// Reads the line at `at`. Returns the target, the value, and the start of the next line.
#[inline(always)]
pub(super) fn branch(input: &[u8], mut at: usize) -> Option<(u32, f64, usize)> {
    while matches!(input.get(at)?, b'\t' | b' ') {
        at += 1;
    }
    let (target, digits) = digits(&input[at..]);
    // A longer number might not fit into 32 bits.
    if digits == 0 || digits > 9 {
        return None;
    }
    at += digits;
    if !input[at..].starts_with(b" : ") {
        return None;
    }
    let (value, length) = value(&input[at + 3..])?;
    at += 3 + length;
    (*input.get(at)? == b'\n').then_some((target as u32, value, at + 1))
}

/// Returns the number that the leading digits form, and the number of these digits. If there are
/// more than 19 digits, the number is wrong.
#[inline(always)]
fn digits(text: &[u8]) -> (u64, usize) {
    let mut number = 0u64;
    let mut count = 0;
    for byte in text {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        number = number.wrapping_mul(10).wrapping_add(digit.into());
        count += 1;
    }
    (number, count)
}

/// Returns a finite value of at least 0, and the length of its text.
#[inline(always)]
fn value(text: &[u8]) -> Option<(f64, usize)> {
    let (whole, whole_digits) = digits(text);
    if whole_digits == 0 || whole_digits > EXACT_DIGITS {
        return None;
    }
    match *text.get(whole_digits)? {
        b'\n' => return Some((whole as f64, whole_digits)),
        b'.' => {}
        _ => return long_value(text),
    }
    let (decimals, count) = digits(&text[whole_digits + 1..]);
    let length = whole_digits + 1 + count;
    if whole_digits + count > EXACT_DIGITS || count == 0 || text.get(length) != Some(&b'\n') {
        return long_value(text);
    }
    // Both numbers are exact, so the quotient is rounded correctly.
    let number = whole * POWERS_OF_TEN[count] as u64 + decimals;
    Some((number as f64 / POWERS_OF_TEN[count], length))
}

#[inline(never)]
fn long_value(text: &[u8]) -> Option<(f64, usize)> {
    // Values in real files are not longer than this. A longer one is left to the slow path, so that
    // it is not scanned twice.
    let token = &text[..text.len().min(64)];
    let (value, length) = fast_float2::parse_partial::<f64, _>(token).ok()?;
    // The slow path finds out whether a value was rounded to 0.
    (value.is_finite() && value != 0.0).then_some((value, length))
}

#[cfg(test)]
mod tests {
    use super::super::number::{natural, reward, weight};
    use super::branch;
    use proptest::prelude::*;

    /// What the slow path reads.
    fn slowly(line: &str) -> Option<(u32, f64)> {
        let (target, value) = line.trim().split_once(':')?;
        let target = natural(target.trim().as_bytes(), u32::MAX.into()).ok()?;
        let value = reward(value.trim().as_bytes()).and_then(weight).ok()?;
        Some((target as u32, value))
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4_000, ..ProptestConfig::default() })]

        #[test]
        fn both_paths_agree(
            target in prop_oneof!["[0-9]{1,11}", "[0-9a:]{0,3}"],
            value in prop_oneof![
                "[0-9]{1,17}",
                "[0-9]{1,3}\\.[0-9]{0,18}",
                "[0-9]{0,2}\\.?[0-9]{0,3}e-?[0-9]{1,3}",
                "[-+0-9./e$]{0,6}",
                any::<f64>().prop_map(|value| value.to_string()),
            ],
            end in prop_oneof!["\n", "\r\n", " \n", ""],
        ) {
            let line = format!("\t\t{target} : {value}{end}");
            if let Some((target, value, next)) = branch(line.as_bytes(), 0) {
                prop_assert_eq!(next, line.len());
                prop_assert_eq!(Some((target, value.abs())), slowly(&line));
                prop_assert!(value >= 0.0 || slowly(&line).is_none());
            }
        }

        #[test]
        fn what_storm_writes_is_fast(target in 0..1_000_000_000_u32, value in 0..=1_000_000_u32) {
            let value = f64::from(value) / 1e6;
            let line = format!("\t\t{target} : {value}\n");
            prop_assert_eq!(branch(line.as_bytes(), 0), Some((target, value, line.len())));
        }
    }
}
