//! Texts that are not in UTF-8, recognised by their first bytes.

/// Returns the encoding of a text whose characters have two or four bytes, by its name in `iconv`.
///
/// Such a text begins with a byte order mark or, as every format of this project does, with an
/// ASCII character. No UTF-8 text begins with such bytes: the marks are not UTF-8, and a text has
/// no zero bytes.
#[must_use]
pub fn wide_encoding(input: &[u8]) -> Option<&'static str> {
    match input {
        [0xFF, 0xFE, 0, 0, ..] | [0, 0, 0xFE, 0xFF, ..] => Some("UTF-32"),
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => Some("UTF-16"),
        [1..=0x7F, 0, 0, 0, ..] => Some("UTF-32LE"),
        [0, 0, 0, 1..=0x7F, ..] => Some("UTF-32BE"),
        [1..=0x7F, 0, ..] => Some("UTF-16LE"),
        [0, 1..=0x7F, ..] => Some("UTF-16BE"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the bytes of a text in an encoding.
    fn encoded(text: &str, encoding: &str) -> Vec<u8> {
        let (name, is_little) = match encoding.strip_suffix("LE") {
            Some(name) => (name, true),
            None => (encoding.trim_end_matches("BE"), false),
        };
        let turned = |mut unit: Vec<u8>| {
            if is_little {
                unit.reverse();
            }
            unit
        };
        match name {
            "UTF-16" => text
                .encode_utf16()
                .flat_map(|unit| turned(unit.to_be_bytes().to_vec()))
                .collect(),
            _ => text
                .chars()
                .flat_map(|unit| turned(u32::from(unit).to_be_bytes().to_vec()))
                .collect(),
        }
    }

    proptest! {
        /// Texts that begin with a mark or with a character of ASCII are recognised; those in UTF-8
        /// never are.
        #[test]
        fn encodings_are_recognised(text in "[ -~][a-z\n\u{e9}\u{4e2d}\u{1f600}]{0,8}") {
            prop_assert_eq!(wide_encoding(text.as_bytes()), None);
            for encoding in ["UTF-16LE", "UTF-16BE", "UTF-32LE", "UTF-32BE"] {
                let bytes = encoded(&text, encoding);
                prop_assert_eq!(wide_encoding(&bytes), Some(encoding));
                let bytes = encoded(&format!("\u{feff}{text}"), encoding);
                prop_assert_eq!(wide_encoding(&bytes), Some(&encoding[..6]));
            }
        }

        #[test]
        fn marks_of_utf_8_are_none_of_others(text in "\u{feff}?.{0,4}") {
            prop_assume!(!text.contains('\0'));
            prop_assert_eq!(wide_encoding(text.as_bytes()), None);
        }
    }
}
