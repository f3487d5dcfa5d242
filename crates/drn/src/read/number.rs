//! Parses numbers: natural numbers, probabilities and rates, and rewards.

use crate::error::{BadValue, ErrorKind};
use model_type::{Reward, number};

/// Parses a whole token as a natural number up to `limit`.
pub(super) fn natural(token: &[u8], limit: u64) -> Result<u64, ErrorKind> {
    if token.is_empty() || !token.iter().all(u8::is_ascii_digit) {
        return Err(ErrorKind::Syntax);
    }
    let add = |number: u64, digit: &u8| {
        let number = number.checked_mul(10)?;
        number.checked_add(u64::from(digit - b'0'))
    };
    let number = token.iter().try_fold(0, add);
    number
        .filter(|&number| number <= limit)
        .ok_or(ErrorKind::NumberTooLarge { limit })
}

/// Parses a whole token as a reward: a finite number of either sign. A fraction whose numbers fit
/// into 64 bits is not rounded.
pub(super) fn reward(token: &[u8]) -> Result<Reward, ErrorKind> {
    if token.starts_with(b"[") {
        return Err(ErrorKind::Interval);
    }
    let (sign, digits) = match token {
        [b'-', digits @ ..] => (-1.0, digits),
        [b'+', digits @ ..] => (1.0, digits),
        digits => (1.0, digits),
    };
    let Some(slash) = memchr::memchr(b'/', digits) else {
        return Ok(Reward::Decimal(sign * decimal(digits)?));
    };
    let (over, under) = (&digits[..slash], &digits[slash + 1..]);
    let fits = |part: &[u8]| natural(part, i64::MAX as u64);
    match (fits(over), fits(under)) {
        (Err(ErrorKind::Syntax), _) | (_, Err(ErrorKind::Syntax)) => Err(ErrorKind::Syntax),
        (_, Ok(0)) => Err(ErrorKind::BadValue(BadValue::NotANumber)),
        (Ok(over), Ok(under)) => {
            let over = over as i64;
            Ok(Reward::Fraction(
                if sign < 0.0 { -over } else { over },
                under,
            ))
        }
        _ => Ok(Reward::Decimal(
            sign * check_finite(number::quotient(over, under))?,
        )),
    }
}

/// The largest amount by which a lower bound may be above the upper one, because of rounding: PRISM
/// computes the bounds that it writes. Such bounds are treated as equal.
const ROUNDING: f64 = 1e-12;

/// The bounds of a probability. Those of a number are both the number itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bounds {
    pub(super) lower: f64,
    pub(super) upper: f64,
}

/// Parses a whole token that begins with a bracket as an interval.
pub(super) fn interval(token: &[u8]) -> Result<Bounds, ErrorKind> {
    let inner = match token {
        [b'[', inner @ .., b']'] => inner,
        [b'(', _, ..] | [b'[', .., b')'] => return Err(ErrorKind::OpenInterval),
        _ => return Err(ErrorKind::Syntax),
    };
    let comma = memchr::memchr(b',', inner).ok_or(ErrorKind::Syntax)?;
    let bound = |text: &[u8]| reward(text.trim_ascii()).and_then(weight);
    let (lower, upper) = (bound(&inner[..comma])?, bound(&inner[comma + 1..])?);
    match lower <= upper + ROUNDING {
        true => Ok(Bounds {
            lower: lower.min(upper),
            upper,
        }),
        false => Err(ErrorKind::EmptyInterval {
            low: lower,
            high: upper,
        }),
    }
}

/// Checks that a number is a probability or a rate, which is not negative, and converts it.
pub(super) fn weight(number: Reward) -> Result<f64, ErrorKind> {
    match number.to_f64() {
        value if value < 0.0 => Err(ErrorKind::BadValue(BadValue::Negative)),
        value => Ok(value.abs()), // -0 is 0
    }
}

/// Parses a decimal number without a sign. It is rounded, but only to 0 if it is 0.
fn decimal(digits: &[u8]) -> Result<f64, ErrorKind> {
    if matches!(digits.first(), Some(b'+' | b'-')) {
        return Err(ErrorKind::Syntax);
    }
    let value: f64 = fast_float2::parse(digits).map_err(|_| ErrorKind::Syntax)?;
    check_finite(number::unless_rounded_to_0(digits, value))
}

fn check_finite(value: f64) -> Result<f64, ErrorKind> {
    match value {
        value if value.is_nan() => Err(ErrorKind::BadValue(BadValue::NotANumber)),
        value if value.is_infinite() => Err(ErrorKind::BadValue(BadValue::Infinite)),
        value => Ok(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rewards_of_every_form() {
        let decimal = |token: &str, value| {
            assert_eq!(
                reward(token.as_bytes()),
                Ok(Reward::Decimal(value)),
                "{token}"
            );
        };
        decimal("0.5", 0.5);
        decimal("-1e3", -1000.0);
        decimal("+.5", 0.5);
        decimal("1e-400", number::LEAST);
        decimal("-1e-400", -number::LEAST);
        assert_eq!(reward(b"-2/6"), Ok(Reward::Fraction(-2, 6)));
        let long = format!("1{}/2{}", "0".repeat(400), "0".repeat(400));
        decimal(&long, 0.5);
        for (token, kind) in [
            ("", ErrorKind::Syntax),
            ("--1", ErrorKind::Syntax),
            ("1/", ErrorKind::Syntax),
            ("1/-2", ErrorKind::Syntax),
            ("p*q", ErrorKind::Syntax),
            ("1/0", ErrorKind::BadValue(BadValue::NotANumber)),
            ("nan", ErrorKind::BadValue(BadValue::NotANumber)),
            ("-inf", ErrorKind::BadValue(BadValue::Infinite)),
            ("1e999", ErrorKind::BadValue(BadValue::Infinite)),
            ("[0.1,", ErrorKind::Interval),
        ] {
            assert_eq!(reward(token.as_bytes()), Err(kind), "{token}");
        }
    }

    #[test]
    fn intervals_of_every_form() {
        let bounds = |lower, upper| Ok(Bounds { lower, upper });
        for (token, expected) in [
            ("[0.25, 0.5]", bounds(0.25, 0.5)),
            ("[0,1]", bounds(0.0, 1.0)),
            ("[ 1/4 ,\t1/2 ]", bounds(0.25, 0.5)),
            ("[1, 1]", bounds(1.0, 1.0)),
            (
                "[0.5, 0.4999999999999999]",
                bounds(0.4999999999999999, 0.4999999999999999),
            ),
            ("(0, 1]", Err(ErrorKind::OpenInterval)),
            ("[0, 1)", Err(ErrorKind::OpenInterval)),
            ("(", Err(ErrorKind::Syntax)),
            ("[]", Err(ErrorKind::Syntax)),
            ("[1]", Err(ErrorKind::Syntax)),
            ("[0, 0.5, 1]", Err(ErrorKind::Syntax)),
            ("[[0, 1], 1]", Err(ErrorKind::Interval)),
            ("[0, -1]", Err(ErrorKind::BadValue(BadValue::Negative))),
            ("[0, inf]", Err(ErrorKind::BadValue(BadValue::Infinite))),
        ] {
            assert_eq!(interval(token.as_bytes()), expected, "{token}");
        }
        let empty = interval(b"[0.5, 0.25]");
        let (low, high) = (0.5, 0.25);
        assert_eq!(empty, Err(ErrorKind::EmptyInterval { low, high }));
    }

    #[test]
    fn quotients_that_overflow_are_infinite() {
        let token = format!("1{}/1", "0".repeat(400));
        let infinite = ErrorKind::BadValue(BadValue::Infinite);
        assert_eq!(reward(token.as_bytes()), Err(infinite));
    }
}
