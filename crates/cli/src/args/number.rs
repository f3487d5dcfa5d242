//! Numbers on the command line.

use std::str::FromStr;

/// Reads a whole number that must fit the type.
pub(super) fn number<T: FromStr>(text: &str) -> Result<T, String> {
    let expected = match text.parse::<u128>() {
        Ok(0) => "expected a whole number above 0",
        Ok(_) => "the number is too large",
        Err(_) => "expected a whole number, such as 1000",
    };
    text.parse().map_err(|_| expected.to_owned())
}

/// Reads a number above 0.
pub(super) fn positive(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok();
    let positive = number.filter(|number| number.is_finite() && *number > 0.0);
    positive.ok_or_else(|| "expected a number above 0, such as 1e-6".to_owned())
}
