//! Numbers on the command line.

use std::str::FromStr;

/// A whole number.
pub(super) fn number<T: FromStr>(text: &str) -> Result<T, String> {
    let number = text.parse::<T>();
    number.map_err(|_| "expected a whole number, such as 1000".to_owned())
}

/// A number above 0.
pub(super) fn positive(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok();
    let positive = number.filter(|number| number.is_finite() && *number > 0.0);
    positive.ok_or_else(|| "expected a number above 0, such as 1e-6".to_owned())
}
