//! Fractions and decimals as text, read without rounding.

use crate::Ratio;
use std::str::FromStr;

/// The text is not a fraction or a decimal, or it has too many digits for a [`Ratio`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a decimal, such as -1.25, or a fraction, such as 7/3")]
pub struct NotANumber;

/// Reads texts such as `7`, `-1.25` and `7/3`.
impl FromStr for Ratio {
    type Err = NotANumber;

    fn from_str(text: &str) -> Result<Self, NotANumber> {
        let (is_negative, magnitude) = match text.as_bytes().first() {
            Some(b'-') => (true, &text[1..]),
            Some(b'+') => (false, &text[1..]),
            _ => (false, text),
        };
        let fraction = match magnitude.split_once('/') {
            Some((numerator, denominator)) => {
                let denominator = whole(denominator).and_then(|value| u64::try_from(value).ok());
                let denominator = denominator.filter(|&value| value > 0).ok_or(NotANumber)?;
                Self::new(whole(numerator).ok_or(NotANumber)?, denominator)
            }
            None => decimal(magnitude).ok_or(NotANumber)?,
        };
        Ok(if is_negative {
            fraction.negated()
        } else {
            fraction
        })
    }
}

/// Reads a number that consists of digits only.
fn whole(digits: &str) -> Option<i128> {
    let is_whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_whole.then(|| digits.parse().ok()).flatten()
}

/// Reads a number with digits before the decimal point and, if there is one, after it.
fn decimal(text: &str) -> Option<Ratio> {
    let Some((before, behind)) = text.split_once('.') else {
        return Some(Ratio::new(whole(text)?, 1));
    };
    let (before, digits) = (whole(before)?, whole(behind)?);
    let power = 10u64.checked_pow(behind.len() as u32)?;
    let numerator = before.checked_mul(power.into())?.checked_add(digits)?;
    Some(Ratio::new(numerator, power))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_without_rounding() {
        let read = |text: &str| text.parse::<Ratio>().map(|ratio| ratio.to_string());
        let shown = |text: &str| Ok(text.to_owned());
        assert_eq!(read("7"), shown("7"));
        assert_eq!(read("-0.10"), shown("-1/10"));
        assert_eq!(read("+14/6"), shown("7/3"));
        assert_eq!(
            read("0.1000000000000000001"),
            shown("1000000000000000001/10000000000000000000")
        );
        for wrong in [
            "", "-", ".5", "5.", "1/0", "1/-2", "--1", "1e3", "tau", "1 ", "1/2/3", "\u{bd}",
        ] {
            assert_eq!(read(wrong), Err(NotANumber), "{wrong}");
        }
        assert_eq!(read(&"9".repeat(40)), Err(NotANumber));
        assert_eq!(read(&format!("0.{}", "1".repeat(20))), Err(NotANumber));
    }
}
