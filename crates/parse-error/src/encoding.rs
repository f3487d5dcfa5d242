//! Texts that are not in UTF-8, recognised by their first bytes, and texts whose lines end in
//! carriage returns.

/// The number of characters without a byte order mark that have to be those of a text.
const CHECKED: usize = 16;

/// Returns the encoding of a text whose characters have two or four bytes, by its name in `iconv`.
///
/// Such a text begins with a byte order mark or, as every format of this project does, with an
/// ASCII character. No UTF-8 text begins with such bytes: the marks are not UTF-8, and a text has
/// no zero bytes. Without a mark, the first characters must be those of a text, because other files
/// may have zeros at the same places.
#[must_use]
pub fn wide_encoding(input: &[u8]) -> Option<&'static str> {
    let (encoding, is_text) = match input {
        [0xFF, 0xFE, 0, 0, ..] | [0, 0, 0xFE, 0xFF, ..] => return Some("UTF-32"),
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => return Some("UTF-16"),
        [1..=0x7F, 0, 0, 0, ..] => ("UTF-32LE", begins_in_utf32(input, u32::from_le_bytes)),
        [0, 0, 0, 1..=0x7F, ..] => ("UTF-32BE", begins_in_utf32(input, u32::from_be_bytes)),
        [1..=0x7F, 0, ..] => ("UTF-16LE", begins_in_utf16(input, u16::from_le_bytes)),
        [0, 1..=0x7F, ..] => ("UTF-16BE", begins_in_utf16(input, u16::from_be_bytes)),
        _ => return None,
    };
    is_text.then_some(encoding)
}

/// Returns whether the first characters of a text in UTF-32 are those of a text.
fn begins_in_utf32(input: &[u8], unit: fn([u8; 4]) -> u32) -> bool {
    let (units, _) = input.as_chunks();
    let mut characters = units.iter().take(CHECKED).map(|&bytes| unit(bytes));
    characters.all(|unit| char::from_u32(unit).is_some_and(is_of_text))
}

/// Returns whether the first characters of a text in UTF-16 are those of a text. The last unit may
/// be the first half of a character.
fn begins_in_utf16(input: &[u8], unit: fn([u8; 2]) -> u16) -> bool {
    let (units, _) = input.as_chunks();
    let units = units.iter().take(CHECKED).map(|&bytes| unit(bytes));
    let units: Vec<u16> = units.collect();
    let whole = match &units[..] {
        [whole @ .., 0xD800..=0xDBFF] => whole,
        all => all,
    };
    let mut characters = char::decode_utf16(whole.iter().copied());
    characters.all(|character| character.is_ok_and(is_of_text))
}

fn is_of_text(character: char) -> bool {
    !character.is_control() || matches!(character, '\t' | '\n' | '\r')
}

/// Returns whether the lines of a text end in carriage returns alone, as they did on old computers.
/// Every format of this project has line feeds, after carriage returns or without them, so the
/// whole text would be one line.
#[must_use]
pub fn has_carriage_returns_only(input: &[u8]) -> bool {
    let first = input.iter().position(|&byte| matches!(byte, b'\r' | b'\n'));
    let Some(end) = first.filter(|&end| input[end] == b'\r') else {
        return false;
    };
    // One line may have one end of any kind.
    !input[end..].trim_ascii().is_empty() && !input.contains(&b'\n')
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

    #[test]
    fn zeros_alone_do_not_make_a_text() {
        for input in [
            &b"a\0\0\0\0\0\0\0"[..],
            b"a\0\x01\0",
            b"\x01\0b\0",
            b"\0a\0\0",
            b"a\0\0\xDC",
            b"a\0\0\0\0\0\x11\0",
            b"\0\0\0a\0\0\0\0",
        ] {
            assert_eq!(wide_encoding(input), None, "{input:?}");
        }
        // Half a character, because the others are not looked at.
        let long = [&b"a\0".repeat(CHECKED - 1)[..], b"\x3D\xD8\x00\xDE"].concat();
        assert_eq!(wide_encoding(&long), Some("UTF-16LE"));
    }

    #[test]
    fn carriage_returns_alone_are_recognised() {
        for (text, expected) in [
            ("# a\r1 1\r", true),
            ("\r\r1 1", true),
            ("1 1\r", false),
            ("1 1\r\n0 0 1\r\n", false),
            ("1 1\r\r", false),
            ("1 1\n0 0\r1", false),
            ("1 1\r0 0\n", false),
            ("1 1", false),
            ("", false),
        ] {
            assert_eq!(
                has_carriage_returns_only(text.as_bytes()),
                expected,
                "{text:?}"
            );
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
