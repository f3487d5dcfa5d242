//! Names as they are printed: without control characters, which a terminal would carry out.

use std::borrow::Cow;

/// Returns a text with one visible character for each control character: a blank for a tab and for
/// an end of line, and U+FFFD for all others. Names in models may have such characters, and a
/// terminal would move its cursor or change its colours.
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    let visible = |c: char| match c {
        '\t' | '\r' | '\n' => ' ',
        c if c.is_control() => char::REPLACEMENT_CHARACTER,
        c => c,
    };
    match text.contains(char::is_control) {
        true => Cow::Owned(text.chars().map(visible).collect()),
        false => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::printable;

    #[test]
    fn control_characters_are_replaced() {
        assert_eq!(printable("toß ∞"), "toß ∞");
        let shown = printable("a\x1b[31m\x07b\tc\r\nd\u{9b}e\x7f");
        assert_eq!(shown, "a\u{fffd}[31m\u{fffd}b c  d\u{fffd}e\u{fffd}");
    }
}
