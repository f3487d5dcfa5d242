//! Probabilities, rates and rewards: decimals, fractions and intervals.

use nom::Parser;
use nom::branch::alt;
use nom::bytes::complete::tag_no_case;
use nom::character::complete::{char, digit0, digit1, one_of};
use nom::combinator::{eof, opt, recognize};
use nom::sequence::terminated;

use super::Parsed;
use crate::error::{BadValue, ErrorKind};
use model_type::ModelType;
use model_type::{Reward, number};

/// The largest amount by which a lower bound may be above the upper one, because of rounding: PRISM
/// computes the bounds that it writes. Such bounds are treated as equal.
const ROUNDING: f64 = 1e-12;

/// The bounds of a value. Those of a number are both the number itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bounds {
    pub(crate) lower: f64,
    pub(crate) upper: f64,
}

/// Parses a sequence of bytes without blanks, except between the brackets of an interval.
pub(super) fn token(line: &[u8]) -> Parsed<'_, &[u8]> {
    let bracket = match line {
        [b'[', rest @ ..] => memchr::memchr(b']', rest).map_or(0, |place| place + 1),
        _ => 0,
    };
    let (left, behind) = super::token(&line[bracket..])?;
    Ok((left, &line[..bracket + behind.len()]))
}

/// Parses a whole token as a value, or as an interval if the model may have intervals.
pub(super) fn bounds(text: &[u8], model_type: ModelType) -> Result<Bounds, ErrorKind> {
    let [b'[', inner @ ..] = text else {
        return value(text).map(|value| Bounds {
            lower: value,
            upper: value,
        });
    };
    if !model_type.has_intervals() {
        return Err(ErrorKind::Interval { model_type });
    }
    let inner = inner.strip_suffix(b"]").ok_or(ErrorKind::Syntax)?;
    let comma = memchr::memchr(b',', inner).ok_or(ErrorKind::Syntax)?;
    let lower = value(inner[..comma].trim_ascii())?;
    let upper = value(inner[comma + 1..].trim_ascii())?;
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

/// Parses a whole token as a value: finite, and at least 0.
pub(super) fn value(text: &[u8]) -> Result<f64, ErrorKind> {
    let mut token = terminated(alt((fraction, special, decimal)), eof);
    let (_, number) = token.parse(text).map_err(|_| ErrorKind::Syntax)?;
    match number {
        number if number.is_nan() => Err(ErrorKind::BadValue(BadValue::NotANumber)),
        number if number < 0.0 => Err(ErrorKind::BadValue(BadValue::Negative)),
        number if number.is_infinite() => Err(ErrorKind::BadValue(BadValue::Infinite)),
        number => Ok(number.abs()), // -0 is 0
    }
}

/// Parses a whole token as a reward: a finite number of either sign. Fractions are not rounded.
pub(super) fn reward(text: &[u8]) -> Result<Reward, ErrorKind> {
    if let Some(slash) = text.iter().position(|&byte| byte == b'/') {
        return fraction_of_integers(&text[..slash], &text[slash + 1..]);
    }
    let mut token = terminated(alt((special, decimal)), eof);
    let (_, number) = token.parse(text).map_err(|_| ErrorKind::Syntax)?;
    match number {
        number if number.is_nan() => Err(ErrorKind::BadValue(BadValue::NotANumber)),
        number if number.is_infinite() => Err(ErrorKind::BadValue(BadValue::Infinite)),
        number => Ok(Reward::Decimal(number)),
    }
}

/// Parses a fraction such as `1/3` whose numbers fit into 64 bits.
fn fraction_of_integers(over: &[u8], under: &[u8]) -> Result<Reward, ErrorKind> {
    let digits = over
        .strip_prefix(b"-")
        .or(over.strip_prefix(b"+"))
        .unwrap_or(over);
    let limit = i64::MAX as u64;
    let magnitude = super::natural_number(digits, limit)? as i64;
    let sign = if over.starts_with(b"-") { -1 } else { 1 };
    match super::natural_number(under, limit)? {
        0 => Err(ErrorKind::BadValue(BadValue::NotANumber)),
        under => Ok(Reward::Fraction(sign * magnitude, under)),
    }
}

type Number<'a> = nom::IResult<&'a [u8], f64, ()>;

/// Parses a decimal such as `0.5`, `1`, `.5`, `1.` or `+2.5e-3`, correctly rounded, but only to 0
/// if it is 0.
fn decimal(text: &[u8]) -> Number<'_> {
    let sign = || opt(one_of("+-"));
    let digits = alt((
        recognize((digit1, opt((char('.'), digit0)))),
        recognize((char('.'), digit1)),
    ));
    let exponent = (one_of("eE"), sign(), digit1);
    let (rest, decimal) = recognize((sign(), digits, opt(exponent))).parse(text)?;
    let number = fast_float2::parse(decimal).map_err(|_| nom::Err::Error(()))?;
    Ok((rest, number::unless_rounded_to_0(decimal, number)))
}

/// Parses a fraction such as `2/5`: two natural numbers of any length, after an optional sign.
fn fraction(text: &[u8]) -> Number<'_> {
    let (rest, (sign, over, _, under)) =
        (opt(one_of("+-")), digit1, char('/'), digit1).parse(text)?;
    let ratio = number::quotient(over, under);
    Ok((rest, if sign == Some('-') { -ratio } else { ratio }))
}

/// Returns whether a token is a word for infinity or for no number. Such words are identifiers,
/// too.
pub(crate) fn is_special(token: &[u8]) -> bool {
    terminated(special, eof).parse(token).is_ok()
}

/// Parses the words for floating-point values that are not finite.
fn special(text: &[u8]) -> Number<'_> {
    let infinity = alt((tag_no_case("infinity"), tag_no_case("inf"))).map(|_: &[u8]| f64::INFINITY);
    let nan = tag_no_case("nan").map(|_: &[u8]| f64::NAN);
    let (rest, (sign, number)) = (opt(one_of("+-")), alt((infinity, nan))).parse(text)?;
    Ok((rest, if sign == Some('-') { -number } else { number }))
}
