//! Amounts of memory on the command line.

/// A number of bytes: digits, then `K`, `M` or `G` for a power of 1024.
pub(super) fn bytes(text: &str) -> Result<u64, String> {
    let (digits, shift) = match text.as_bytes().last().map(u8::to_ascii_uppercase) {
        Some(b'K') => (&text[..text.len() - 1], 10),
        Some(b'M') => (&text[..text.len() - 1], 20),
        Some(b'G') => (&text[..text.len() - 1], 30),
        _ => (text, 0),
    };
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number {
        return Err("expected a number of bytes, such as 65536, 64K, 128M or 2G".to_owned());
    }
    let number = digits.parse::<u64>().ok();
    let bytes = number.and_then(|number| number.checked_mul(1 << shift));
    bytes.ok_or_else(|| format!("at most {} bytes can be asked for", u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn bytes_have_suffixes() {
        let ok = [
            ("0", 0),
            ("65536", 65536),
            ("64k", 65536),
            ("3M", 3 << 20),
            ("2G", 2 << 30),
        ];
        for (text, number) in ok {
            assert_eq!(bytes(text), Ok(number));
        }
        for text in ["", "K", "-1", "+1", "1.5M", "1KB", "1 K", "é", "16E"] {
            assert!(bytes(text).unwrap_err().starts_with("expected"), "{text}");
        }
        for text in ["18446744073709551616", "17179869184G"] {
            assert!(bytes(text).unwrap_err().starts_with("at most"), "{text}");
        }
    }
}
