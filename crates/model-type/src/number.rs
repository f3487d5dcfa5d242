//! Decimals and fractions in text as doubles. Whether a branch exists depends on whether its
//! probability is 0. So a number in a text is 0 only if all of its digits are.

/// The double nearest to 0 that is not 0.
pub const LEAST: f64 = f64::from_bits(1);

/// Returns `value`, which was read from the decimal `text`. But if it was rounded to 0, it becomes
/// the nearest double that is not 0.
///
/// ```
/// use model_type::number::{LEAST, unless_rounded_to_0};
///
/// // What `str::parse` returns for these texts.
/// assert_eq!(unless_rounded_to_0(b"0.5", 0.5), 0.5);
/// assert_eq!(unless_rounded_to_0(b"1e-400", 0.0), LEAST);
/// assert_eq!(unless_rounded_to_0(b"0e-400", 0.0), 0.0);
/// ```
#[must_use]
#[inline]
pub fn unless_rounded_to_0(text: &[u8], value: f64) -> f64 {
    let has_digit = || {
        let exponent = text.iter().position(|byte| matches!(byte, b'e' | b'E'));
        let digits = &text[..exponent.unwrap_or(text.len())];
        digits.iter().any(|byte| matches!(byte, b'1'..=b'9'))
    };
    if value == 0.0 && has_digit() {
        LEAST.copysign(value)
    } else {
        value
    }
}

/// Returns the quotient of two natural numbers of any length, which are given as decimal digits. It
/// is correct to about 15 digits, and 0 only if `over` is. If `under` is 0, it is infinite or not a
/// number.
#[must_use]
pub fn quotient(over: &[u8], under: &[u8]) -> f64 {
    let ((over, over_tens), (under, under_tens)) = (leading_digits(over), leading_digits(under));
    // One power of ten may be out of the range of doubles where two are not.
    let tens = over_tens.saturating_sub(under_tens).clamp(-600, 600);
    let quotient = over / under * 10_f64.powi(tens / 2) * 10_f64.powi(tens - tens / 2);
    if quotient == 0.0 && over > 0.0 {
        LEAST
    } else {
        quotient
    }
}

/// Returns a natural number as `digits * 10^tens`. Only the first 19 digits are exact; the others
/// are dropped.
fn leading_digits(digits: &[u8]) -> (f64, i32) {
    const MAX: usize = 19;
    let zeros = digits.iter().take_while(|&&digit| digit == b'0').count();
    let digits = &digits[zeros..];
    let (leading, cut) = digits.split_at(digits.len().min(MAX));
    let add = |number: u64, digit: &u8| number * 10 + u64::from(digit - b'0');
    let number = leading.iter().fold(0, add);
    (number as f64, i32::try_from(cut.len()).unwrap_or(i32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_zeros_are_0() {
        let read = |text: &str| unless_rounded_to_0(text.as_bytes(), text.parse().expect(text));
        assert_eq!([read("0.25"), read("0"), read("0.00E-9")], [0.25, 0.0, 0.0]);
        let least = format!("0.{}1", "0".repeat(400));
        assert_eq!([read(&least), read("1E-400")], [LEAST, LEAST]);
        assert_eq!(read("-1e-400"), -LEAST);
    }

    #[test]
    fn quotients_are_0_only_if_the_numerator_is() {
        let power = |zeros: usize| format!("1{}", "0".repeat(zeros));
        let of = |over: &str, under: &str| quotient(over.as_bytes(), under.as_bytes());
        assert_eq!([of("1", "3"), of("0", "3")], [1.0 / 3.0, 0.0]);
        assert_eq!(of(&power(400), &power(400)), 1.0);
        assert_eq!(of("1", &power(340)), LEAST);
        assert_eq!(of("1", &power(9999)), LEAST);
        assert_eq!(of(&power(400), "1"), f64::INFINITY);
        assert!(of("1", "0").is_infinite() && of("0", "0").is_nan());
        let small = of("3", &power(320));
        assert!((small / 3e-320 - 1.0).abs() < 1e-3, "{small}");
    }
}
