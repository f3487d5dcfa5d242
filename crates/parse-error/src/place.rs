//! Places in a text: spans of bytes, lines and columns, and the text there.

/// The byte order mark that some editors put before UTF-8 text. It has no column.
pub const BOM: &[u8] = b"\xEF\xBB\xBF";

/// A place in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    /// The number of bytes before the place.
    pub offset: usize,
    /// The length of the offending text in bytes; 0 if something is missing.
    pub length: usize,
    /// The line, counted from 1. Lines end at `\n`.
    pub line: u64,
    /// The column in characters (Unicode scalar values), counted from 1.
    pub column: u64,
}

/// A range of a text, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The number of bytes before the range.
    pub offset: usize,
    /// The length of the range.
    pub length: usize,
}

/// The positions of the lines of a text, for callers that need many positions.
#[derive(Debug)]
pub struct Lines<'a> {
    text: &'a [u8],
    /// The position after each `\n`.
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    /// Finds the lines of a text.
    #[must_use]
    pub fn new(text: &'a [u8]) -> Self {
        let bytes = text.iter().enumerate();
        let newlines = bytes.filter(|&(_, &byte)| byte == b'\n');
        Self {
            text,
            starts: newlines.map(|(at, _)| at + 1).collect(),
        }
    }

    /// Returns the text.
    #[must_use]
    pub fn text(&self) -> &'a [u8] {
        self.text
    }

    /// Returns the line and column of a place.
    #[must_use]
    pub fn position(&self, place: Span) -> Position {
        let lines_before = self.starts.partition_point(|&start| start <= place.offset);
        let line_start = lines_before.checked_sub(1).map(|line| self.starts[line]);
        on_line(self.text, place, lines_before, line_start.unwrap_or(0))
    }
}

/// Returns the line and column of a place. This takes time proportional to the number of bytes
/// before it.
pub(crate) fn position(text: &[u8], place: Span) -> Position {
    let before = &text[..place.offset];
    let is_newline = |&&byte: &&u8| byte == b'\n';
    let lines_before = before.iter().filter(is_newline).count();
    let newline = before.iter().rposition(|byte| is_newline(&byte));
    on_line(text, place, lines_before, newline.map_or(0, |at| at + 1))
}

/// Returns the position of a place on the line that begins at `line_start`.
fn on_line(text: &[u8], place: Span, lines_before: usize, line_start: usize) -> Position {
    let mut columns = &text[line_start..place.offset];
    if line_start == 0 {
        columns = columns.strip_prefix(BOM).unwrap_or(columns);
    }
    Position {
        offset: place.offset,
        length: place.length,
        line: lines_before as u64 + 1,
        column: columns.iter().filter(|&&b| b & 0xC0 != 0x80).count() as u64 + 1,
    }
}

/// The description of the end of the text.
pub(crate) const END_OF_FILE: &str = "the end of the file";

/// Returns the offending text in backticks, shortened, or a description of what is missing.
pub(crate) fn quote(text: &[u8], place: Span) -> String {
    const LONGEST: usize = 40;
    /// Text with more control characters than this is no text.
    const MOST_STRANGE: usize = 3;
    if place.length == 0 {
        let rest = &text[place.offset..];
        let at_line_end = rest.starts_with(b"\n") || rest.starts_with(b"\r\n");
        let name = match at_line_end {
            true => "the end of the line",
            false => END_OF_FILE,
        };
        return name.to_owned();
    }
    let text = String::from_utf8_lossy(&text[place.offset..place.offset + place.length]);
    let strange = |char: &char| char.is_control() && !char.is_whitespace();
    if text.chars().take(LONGEST).filter(strange).count() > MOST_STRANGE {
        return "binary data: this is not a text file".to_owned();
    }
    let is_cut = text.chars().nth(LONGEST).is_some();
    let mut quoted = String::from("`");
    for char in text.chars().take(LONGEST) {
        match char.is_control() {
            true => quoted.extend(char.escape_default()),
            false => quoted.push(char),
        }
    }
    quoted + if is_cut { "...`" } else { "`" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn place(offset: usize, length: usize) -> Span {
        Span { offset, length }
    }

    #[test]
    fn text_is_quoted() {
        assert_eq!(quote(b"a bc d", place(2, 2)), "`bc`");
        assert_eq!(quote(b"a\tb\xFF", place(1, 3)), "`\\tb\u{FFFD}`");
        assert_eq!(
            quote(&[b'x'; 50], place(0, 40)),
            format!("`{}`", "x".repeat(40))
        );
        assert_eq!(
            quote(&[b'x'; 50], place(0, 41)),
            format!("`{}...`", "x".repeat(40))
        );
    }

    #[test]
    fn what_is_missing_has_a_name() {
        assert_eq!(quote(b"a\nb", place(1, 0)), "the end of the line");
        assert_eq!(quote(b"a\r\nb", place(1, 0)), "the end of the line");
        assert_eq!(quote(b"a", place(1, 0)), "the end of the file");
    }

    #[test]
    fn a_byte_order_mark_has_no_column() {
        assert_eq!(position(b"\xEF\xBB\xBFab", place(4, 1)).column, 2);
        assert_eq!(position(b"\n\xEF\xBB\xBFab", place(5, 1)).column, 3);
    }

    proptest! {
        /// Lines and columns are those that a reader counts, and both ways to find them agree.
        #[test]
        fn positions_are_counted(text in "[a\u{e9}\n\r\u{feff}]{0,12}", at in 0usize..13) {
            let before: String = text.chars().take(at).collect();
            let line = before.matches('\n').count() as u64 + 1;
            let on_line = before.rsplit('\n').next().unwrap_or_default();
            let mark = line == 1 && on_line.starts_with('\u{feff}');
            let column = (on_line.chars().count() + 1 - usize::from(mark)) as u64;
            let expected = Position { offset: before.len(), length: 0, line, column };
            let place = place(before.len(), 0);
            prop_assert_eq!(position(text.as_bytes(), place), expected);
            prop_assert_eq!(Lines::new(text.as_bytes()).position(place), expected);
        }
    }
}
