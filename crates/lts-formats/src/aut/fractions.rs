//! Probabilities as fractions. They are read exactly, unless they are very long, and are written so
//! that reading them again results in the same numbers.

use super::exact::{self, Ratio, quotient};
use crate::error::ErrorKind;
use num_bigint::BigUint;

/// A fraction above 0.
#[derive(Debug, Clone)]
pub(super) struct Fraction {
    value: f64,
    /// The numerator and the denominator, unless they are too long.
    exact: Option<Ratio>,
}

impl Fraction {
    /// Returns the fraction of two numbers that are given as decimal digits; `None` if one of them
    /// is 0.
    pub(super) fn new(numerator: &[u8], denominator: &[u8]) -> Option<Self> {
        let is_zero = |digits: &[u8]| digits.iter().all(|&digit| digit == b'0');
        if is_zero(numerator) || is_zero(denominator) {
            return None;
        }
        let exact = number(numerator).zip(number(denominator));
        let exact = exact.map(|(numerator, denominator)| Ratio {
            numerator,
            denominator,
        });
        let value = match &exact {
            Some(ratio) => ratio.to_double(),
            None => {
                // Both numbers are divided by the same power of ten, so that they are finite.
                let longest = numerator.len().max(denominator.len());
                let exponent = longest.saturating_sub(FINITE_DIGITS);
                let value = float(numerator, exponent) / float(denominator, exponent);
                value.max(f64::from_bits(1))
            }
        };
        Some(Self { value, exact })
    }

    /// Returns the nearest double, which is not 0.
    pub(super) fn value(&self) -> f64 {
        self.value
    }
}

/// Longer numbers are not read exactly: that takes time quadratic in the number of digits.
const MAX_DIGITS: usize = 10_000;

fn number(digits: &[u8]) -> Option<BigUint> {
    // Numbers of 19 digits have 64 bits.
    if digits.len() <= 19 {
        let digits = digits.iter().map(|digit| u64::from(digit - b'0'));
        return Some(digits.fold(0, |number, digit| 10 * number + digit).into());
    }
    (digits.len() <= MAX_DIGITS)
        .then(|| BigUint::parse_bytes(digits, 10))
        .flatten()
}

/// The largest number of digits of an integer that is surely a finite double.
const FINITE_DIGITS: usize = 300;

/// Returns a number that is given as decimal digits, divided by a power of ten.
fn float(digits: &[u8], exponent: usize) -> f64 {
    // This is a number that `f64` can parse.
    let text = std::str::from_utf8(digits).map(|digits| format!("{digits}e-{exponent}"));
    text.map_or(f64::NAN, |text| text.parse().unwrap_or(f64::NAN))
}

/// Doubles whose sum is this near to 1 do not tell whether anything is left.
const DOUBT: f64 = 1e-9;

/// Returns the difference between 1 and the sum of these fractions.
///
/// # Errors
/// [`ErrorKind::BadSum`] if their sum is 1 or more, and [`ErrorKind::LongFractions`] if they are
/// too long to find out.
pub(super) fn rest_of_one(fractions: &[Fraction]) -> Result<f64, ErrorKind> {
    let sum: f64 = fractions.iter().map(|fraction| fraction.value).sum();
    let exact: Option<Vec<&Ratio>> = fractions.iter().map(|own| own.exact.as_ref()).collect();
    let rest = match exact {
        Some(all) => exact::rest_of_one(all).map_err(|()| ErrorKind::BadSum { sum })?,
        None => None,
    };
    match rest.map(|rest| rest.to_double()) {
        Some(rest) if rest > 0.0 => Ok(rest),
        None if sum < 1.0 - DOUBT => Ok(1.0 - sum),
        None if sum <= 1.0 + DOUBT => Err(ErrorKind::LongFractions { sum }),
        _ => Err(ErrorKind::BadSum { sum }),
    }
}

/// The least number such that it and all larger ones have fractions that fit, with all of their 53
/// bits above a power of 2.
const SURELY_FITS: f64 = 1.0 / (1_u128 << 74) as f64;

/// Returns whether a probability can be written to an Aldebaran file, as a fraction whose numerator
/// and denominator are below 2^128, and which is read as the same probability.
#[must_use]
pub fn has_fraction(probability: f64) -> bool {
    probability >= SURELY_FITS || fraction_of(probability).is_some()
}

/// Returns a short fraction that is read as this number in (0, 1]: a convergent of its continued
/// fraction, its shortest decimals, or its binary digits. `None` if none of these fits into 128
/// bits, as for numbers below 10^-38.
pub(super) fn fraction_of(value: f64) -> Option<(u128, u128)> {
    let convergent = convergent(value);
    let convergent = convergent.map(|(above, below)| (above.into(), below.into()));
    convergent
        .or_else(|| decimal(value))
        .or_else(|| binary(value))
}

/// Returns the shortest decimals that represent a number as a fraction, if this is read as the same
/// number.
fn decimal(value: f64) -> Option<(u128, u128)> {
    let text = format!("{value:e}");
    let (digits, exponent) = text.split_once('e')?;
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let places = part.len() as i32 - exponent.parse::<i32>().ok()?;
    let numerator: u128 = format!("{whole}{part}").parse().ok()?;
    let denominator = 10_u128.checked_pow(u32::try_from(places).ok()?)?;
    is_read_as(value, numerator, denominator)
}

/// Returns the binary digits of a number as a fraction over a power of 2.
fn binary(value: f64) -> Option<(u128, u128)> {
    let mut places = 0;
    let mut digits = value;
    // Doubling is exact.
    while digits.fract() != 0.0 {
        digits *= 2.0;
        places += 1;
    }
    is_read_as(value, digits as u128, 1_u128.checked_shl(places)?)
}

fn is_read_as(value: f64, numerator: u128, denominator: u128) -> Option<(u128, u128)> {
    let ratio = Ratio::new(numerator, denominator);
    (ratio.to_double() == value).then_some((numerator, denominator))
}

/// Returns the fraction with the smallest denominator that is read as this number, among the
/// convergents of its continued fraction; `None` if no such fraction fits into 64 bits.
fn convergent(value: f64) -> Option<(u64, u64)> {
    /// A number of 53 bits has fewer convergents.
    const MAX: usize = 64;
    let (mut before, mut last) = ((0_u64, 1_u64), (1_u64, 0_u64));
    let mut rest = value;
    for _ in 0..MAX {
        let whole = rest.floor();
        if whole >= u64::MAX as f64 {
            return None;
        }
        let next = |last: u64, before: u64| last.checked_mul(whole as u64)?.checked_add(before);
        let convergent = (next(last.0, before.0)?, next(last.1, before.1)?);
        (before, last) = (last, convergent);
        if last.1 > 0 && quotient(last.0, last.1) == value {
            return Some(last);
        }
        rest = 1.0 / (rest - whole);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fraction(text: &str) -> Fraction {
        let (numerator, denominator) = text.split_once('/').expect("a fraction");
        Fraction::new(numerator.as_bytes(), denominator.as_bytes()).expect("above 0")
    }

    fn rest(texts: &[&str]) -> Result<f64, ErrorKind> {
        let fractions: Vec<Fraction> = texts.iter().map(|text| fraction(text)).collect();
        rest_of_one(&fractions)
    }

    #[test]
    fn what_is_left_is_exact() {
        assert_eq!(rest(&[]), Ok(1.0));
        assert_eq!(rest(&["1/3", "1/3"]), Ok(1.0 / 3.0));
        assert_eq!(rest(&["1/10", "2/10"]), Ok(0.7));
        assert_eq!(rest(&["1/2", "1/2"]), Err(ErrorKind::BadSum { sum: 1.0 }));
        assert_eq!(rest(&["3/2"]), Err(ErrorKind::BadSum { sum: 1.5 }));
        let long = format!("1{0}/3{0}", "0".repeat(50));
        assert_eq!(rest(&[&long]), Ok(2.0 / 3.0));
        for places in [30, 100, 300, 320] {
            let all_but_one = format!("{}/1{}", "9".repeat(places), "0".repeat(places));
            let left = format!("1e-{places}").parse().expect("a double");
            assert_eq!(rest(&[&all_but_one]), Ok(left));
            let one = format!("1/1{}", "0".repeat(places));
            let nothing = Err(ErrorKind::BadSum { sum: 1.0 });
            assert_eq!(rest(&[&all_but_one, &one]), nothing);
        }
    }

    #[test]
    fn what_is_left_is_not_guessed() {
        let long = |digit: &str| format!("{}/1{}", digit.repeat(20_000), "0".repeat(20_000));
        assert!((rest(&[&long("3")]).expect("two thirds") - 2.0 / 3.0).abs() < 1e-15);
        let unknown = Err(ErrorKind::LongFractions { sum: 1.0 });
        assert_eq!(rest(&[&long("9")]), unknown);
        let above = rest(&[&long("9"), "1/2"]);
        assert_eq!(above, Err(ErrorKind::BadSum { sum: 1.5 }));
    }

    #[test]
    fn no_fraction_is_rounded_to_0() {
        for places in [330, 400, 20_000] {
            let least = fraction(&format!("1/1{}", "0".repeat(places))).value();
            assert_eq!(least, f64::from_bits(1));
        }
        assert_eq!(
            rest(&[&format!("1{}/1", "0".repeat(400))]),
            Err(ErrorKind::BadSum { sum: f64::INFINITY })
        );
    }

    #[test]
    fn fractions_that_are_no_probabilities_are_refused() {
        for (numerator, denominator) in [("0", "3"), ("1", "0"), ("0", "0")] {
            assert!(Fraction::new(numerator.as_bytes(), denominator.as_bytes()).is_none());
        }
    }

    #[test]
    fn fractions_of_any_length_are_divided() {
        let (ones, threes) = ("1".repeat(2000), "3".repeat(2000));
        assert_eq!(fraction(&format!("{ones}/{threes}")).value(), 1.0 / 3.0);
        let small = fraction(&format!("{}/{}", "1".repeat(300), "3".repeat(600))).value();
        assert!((small * 1e300 - 1.0 / 3.0).abs() < 1e-15, "{small}");
    }

    #[test]
    fn short_fractions_are_found() {
        assert_eq!(fraction_of(1.0 / 3.0), Some((1, 3)));
        assert_eq!(fraction_of(0.7), Some((7, 10)));
        assert_eq!(fraction_of(99.0 / 100.0), Some((99, 100)));
        assert_eq!(fraction_of(1e-20), Some((1, 10_u128.pow(20))));
        assert_eq!(fraction_of(f64::MIN_POSITIVE), None);
        assert!(!has_fraction(1e-60));
    }

    #[test]
    fn fractions_are_read_as_what_was_written() {
        let mut value = 0.9_f64;
        while value > 1e-22 {
            value *= 0.937;
            let (numerator, denominator) = fraction_of(value).expect("it fits");
            assert_eq!(
                fraction(&format!("{numerator}/{denominator}")).value(),
                value
            );
        }
    }
}
