//! Amounts of memory on the command line.

/// The letters of units, and the powers of two that they stand for.
const UNITS: [(char, u32); 4] = [('K', 10), ('M', 20), ('G', 30), ('T', 40)];

/// The largest number of decimals that can matter: a byte is more than 10^-13 of any unit.
const MAX_DECIMALS: usize = 18;

/// Reads a number of bytes. It may have a fraction and a unit, which is `K`, `M`, `G` or `T` for a
/// power of 1024 and may be followed by `B` or `iB`. A fraction of a byte is dropped.
pub(super) fn bytes(text: &str) -> Result<u64, String> {
    let expected = || "expected a number of bytes, such as 65536, 64K, 128M or 1.5G".to_owned();
    let (number, shift) = split(text);
    let (whole, decimals) = match number.split_once('.') {
        Some((whole, decimals)) if shift > 0 && !decimals.is_empty() => (whole, decimals),
        Some(_) => return Err(expected()),
        None => (number, ""),
    };
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_number(whole) || !is_number(decimals) {
        return Err(expected());
    }
    let bytes = whole.parse::<u64>().ok();
    let bytes = bytes.and_then(|number| number.checked_mul(1 << shift));
    let bytes = bytes.and_then(|bytes| bytes.checked_add(fraction(decimals, shift)));
    bytes.ok_or_else(|| format!("at most {} bytes are possible", u64::MAX))
}

/// Splits `text` into a number and the power of two of the unit after it.
fn split(text: &str) -> (&str, u32) {
    let short = text.strip_suffix("iB").unwrap_or(text);
    let unit = UNITS.iter().find_map(|&(letter, shift)| {
        let number = short.strip_suffix([letter, letter.to_ascii_lowercase()])?;
        Some((number, shift))
    });
    unit.unwrap_or((text, 0))
}

/// Returns the number of whole bytes in a fraction of a unit that has these decimals.
fn fraction(decimals: &str, shift: u32) -> u64 {
    let decimals = &decimals[..decimals.len().min(MAX_DECIMALS)];
    // Without decimals, the fraction is 0.
    let numerator = decimals.parse::<u128>().unwrap_or(0);
    // Below 10^18 * 2^40, which is below 2^100; the result is below a unit.
    ((numerator << shift) / 10_u128.pow(decimals.len() as u32)) as u64
}

#[cfg(test)]
mod tests {
    use super::bytes;
    use proptest::prelude::*;

    #[test]
    fn bytes_have_units() {
        let ok = [
            ("0", 0),
            ("65536", 65536),
            ("64k", 65536),
            ("3M", 3 << 20),
            ("2G", 2 << 30),
            ("2GiB", 2 << 30),
            ("1T", 1 << 40),
            ("1.5G", 3 << 29),
            ("1.5GiB", 3 << 29),
            ("0.0009K", 0),
            ("0.001K", 1),
            ("0.1G", 107_374_182),
            ("00.50K", 512),
            ("16777215.99999999999999999999T", u64::MAX),
        ];
        for (text, number) in ok {
            assert_eq!(bytes(text), Ok(number), "{text}");
        }
        let wrong = [
            "", "K", "-1", "+1", "1.5", "1.", ".5G", "1.G", "1KB", "1 K", "1iB", "é", "16E",
            "1.5.2G", "1e3K", "1,5G",
        ];
        for text in wrong {
            assert!(bytes(text).unwrap_err().starts_with("expected"), "{text}");
        }
        for text in ["18446744073709551616", "17179869184G", "16777216T"] {
            assert!(bytes(text).unwrap_err().starts_with("at most"), "{text}");
        }
    }

    proptest! {
        #[test]
        fn fractions_are_rounded_down(whole in 0..1_000_000_u64, thousandths in 0..1000_u64) {
            let exact = (u128::from(whole * 1000 + thousandths) << 30) / 1000;
            prop_assert_eq!(bytes(&format!("{whole}.{thousandths:03}G")), Ok(exact as u64));
        }
    }
}
