//! Errors in the style of rustc: what is wrong, where, the line with a caret, and what was expected.
//!
//! Input may be anything: lines of any length, text that is not UTF-8, control characters. An
//! excerpt takes only the part around the caret, so that an error is short whatever the file.

use std::fmt::Write as _;

/// How much of a line is shown on each side of the place, in bytes.
const BEFORE: usize = 60;
const AFTER: usize = 40;
/// What stands for the part of a line that is not shown.
const CUT: &str = "...";

/// A place in a file, and the text there.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Excerpt {
    pub(crate) file: String,
    pub(crate) line: u64,
    pub(crate) column: u64,
    /// The line, or the part of it around the place.
    text: String,
    /// How many characters of `text` are before the place.
    indent: usize,
    /// How many characters the place covers; 1 if it is a gap.
    width: usize,
    /// What was expected, and what was found.
    pub(crate) note: Option<String>,
}

impl Excerpt {
    /// The place of `error` in `input`, the text of `file` that it was found in.
    pub(crate) fn new(file: &str, input: &[u8], error: &prism_explicit::Error) -> Option<Self> {
        let position = error.position()?;
        let start = position.offset.min(input.len());
        let end = start.saturating_add(position.length).min(input.len());
        let (before, after) = around(input, start, end);
        let mut before = printable(before);
        if start > BEFORE && !input[start - BEFORE..start].contains(&b'\n') {
            before.insert_str(0, CUT);
        }
        let place = printable(&input[start..end.min(start + AFTER)]);
        let after = printable(after);
        Some(Self {
            file: file.to_owned(),
            line: position.line,
            column: position.column,
            indent: before.chars().count(),
            width: place.trim_end().chars().count().max(1),
            text: format!("{before}{place}{after}").trim_end().to_owned(),
            note: note(error),
        })
    }
}

/// What is expected and found, in one line.
fn note(error: &prism_explicit::Error) -> Option<String> {
    let expected = error.expected()?;
    Some(match error.found() {
        Some(found) => format!("expected {expected}, found {found}"),
        None => format!("expected {expected}"),
    })
}

/// What is before `start` and after `end` on their lines, as far as it is shown.
fn around(input: &[u8], start: usize, end: usize) -> (&[u8], &[u8]) {
    let before = &input[start.saturating_sub(BEFORE)..start];
    let before = match before.iter().rposition(|&byte| byte == b'\n') {
        Some(newline) => &before[newline + 1..],
        None => before,
    };
    // A character that was cut in two is left out, and so is a byte order mark.
    let whole = before.iter().position(|&byte| byte & 0xC0 != 0x80);
    let before = &before[whole.unwrap_or(before.len())..];
    let before = before.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(before);

    let end = end.min(start + AFTER);
    let after = &input[end..input.len().min(end + AFTER)];
    let newline = after.iter().position(|&byte| byte == b'\n');
    let mut after = &after[..newline.unwrap_or(after.len())];
    if newline.is_none() && input.len() > end + AFTER {
        // As on the left: what follows the last start of a character may be cut.
        let cut = after
            .iter()
            .rposition(|&byte| byte < 0x80 || byte & 0xC0 == 0xC0);
        after = &after[..cut.unwrap_or(0)];
    }
    (before, after)
}

/// One visible character for each character of the text, so that carets stand where they should.
fn printable(text: &[u8]) -> String {
    let visible = |c: char| match c {
        '\t' | '\r' | '\n' => ' ',
        c if c.is_control() => char::REPLACEMENT_CHARACTER,
        c => c,
    };
    String::from_utf8_lossy(text).chars().map(visible).collect()
}

/// Whether text is coloured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    pub(crate) colour: bool,
}

impl Style {
    /// `text` in an ANSI style, or plain.
    pub(crate) fn paint(self, ansi: &str, text: &str) -> String {
        match self.colour {
            true => format!("\x1b[{ansi}m{text}\x1b[0m"),
            false => text.to_owned(),
        }
    }
}

/// The style of errors, of warnings, and of what frames an excerpt.
pub(crate) const RED: &str = "1;31";
pub(crate) const YELLOW: &str = "1;33";
const BLUE: &str = "1;34";

/// An error as people see it.
pub(crate) fn error(message: &str, excerpt: Option<&Excerpt>, style: Style) -> String {
    let mut text = format!("{}: {message}\n", style.paint(RED, "error"));
    if let Some(excerpt) = excerpt {
        frame(&mut text, excerpt, style);
    }
    text
}

fn frame(text: &mut String, excerpt: &Excerpt, style: Style) {
    let Excerpt {
        file,
        line,
        column,
        indent,
        width,
        ..
    } = excerpt;
    let number = line.to_string();
    let margin = " ".repeat(number.len());
    let bar = style.paint(BLUE, "|");
    let carets = style.paint(RED, &"^".repeat(*width));
    let arrow = style.paint(BLUE, "-->");
    let number = style.paint(BLUE, &number);
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{margin}{arrow} {file}:{line}:{column}");
    let _ = writeln!(text, "{margin} {bar}");
    let _ = writeln!(text, "{number} {bar} {}", excerpt.text);
    let _ = writeln!(text, "{margin} {bar} {}{carets}", " ".repeat(*indent));
    if let Some(note) = &excerpt.note {
        let _ = writeln!(text, "{margin} {} {note}", style.paint(BLUE, "="));
    }
}
