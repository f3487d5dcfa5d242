//! Tests excerpts of unusual texts.

use super::*;
use proptest::prelude::*;

/// Returns the excerpt of `text` at the first occurrence of `what`.
fn excerpt(text: &[u8], what: &[u8]) -> Excerpt {
    let offset = text.windows(what.len()).position(|w| w == what).unwrap();
    let position = Position {
        offset,
        length: what.len(),
        line: 1,
        column: 1,
    };
    Excerpt::at("f", text, position)
}

/// Returns the line, with carets below it.
fn drawn(text: &[u8], what: &[u8]) -> String {
    let Excerpt {
        text,
        indent,
        width,
        ..
    } = excerpt(text, what);
    format!("{text}\n{}{}", " ".repeat(indent), "^".repeat(width))
}

#[test]
fn carets_are_below_the_place() {
    assert_eq!(drawn(b"0 0 x 1\n", b"x"), "0 0 x 1\n    ^");
    assert_eq!(drawn(b"1\n0\tno\r\n2", b"no"), "0 no\n  ^^");
    assert_eq!(drawn("é ü no".as_bytes(), b"no"), "é ü no\n    ^^");
    assert_eq!(drawn(b"\xEF\xBB\xBFno", b"no"), "no\n^^");
    assert_eq!(drawn(b"\xFF\xFE no", b"no"), "\u{FFFD}\u{FFFD} no\n   ^^");
}

#[test]
fn long_lines_are_cut_on_both_sides() {
    let text = ["a".repeat(100), "no".to_owned(), "b".repeat(100)].concat();
    let expected = format!("...{}no{}...", "a".repeat(60), "b".repeat(39));
    assert_eq!(excerpt(text.as_bytes(), b"no").text, expected);
}

#[test]
fn the_first_of_several_lines_is_shown() {
    assert_eq!(
        drawn(b"a [] x\n  -> y;\nb", b"[] x\n  -> y;"),
        "a [] x\n  ^^^^"
    );
}

proptest! {
    /// Whatever the text and the place, also after its end, an excerpt is one short line.
    #[test]
    fn any_text_has_an_excerpt(
        text in proptest::collection::vec(any::<u8>(), 0..400),
        offset in 0..500usize,
        length in 0..500usize,
    ) {
        let position = Position { offset, length, line: 1, column: 1 };
        let excerpt = Excerpt::at("f", &text, position);
        let length = excerpt.text.chars().count();
        prop_assert!(!excerpt.text.contains(char::is_control));
        prop_assert!(length <= BEFORE + 2 * AFTER + 2 * CUT.len());
        prop_assert!(excerpt.indent <= BEFORE + CUT.len());
    }
}
