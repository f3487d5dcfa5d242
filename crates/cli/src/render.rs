//! Errors in the style of rustc: what is wrong, where, the line with a caret, and what was expected.
//!
//! Input may be anything: lines of any length, text that is not UTF-8, control characters. An
//! excerpt takes only the part around the caret, so that an error is short whatever the file.

use prism_explicit::Position;
use std::fmt::Write as _;

/// How much of a line is shown on each side of the place, in bytes.
const BEFORE: usize = 60;
const AFTER: usize = 40;
/// What stands for the part of a line that is not shown.
const CUT: &str = "...";
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

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
        Some(Self::at(file, input, position, note(error)))
    }

    fn at(file: &str, input: &[u8], position: Position, note: Option<String>) -> Self {
        let start = position.offset.min(input.len());
        let end = start.saturating_add(position.length).min(input.len());
        let shown_end = end.min(start + AFTER);
        let before = before(&input[..start]);
        let place = printable(&input[start..shown_end]);
        let after = after(&input[shown_end..]);
        Self {
            file: file.to_owned(),
            line: position.line,
            column: position.column,
            indent: before.chars().count(),
            width: place.trim_end().chars().count().max(1),
            text: format!("{before}{place}{after}").trim_end().to_owned(),
            note,
        }
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

/// The end of `text` that is on its last line, as far as it is shown.
fn before(text: &[u8]) -> String {
    let shown = &text[text.len().saturating_sub(BEFORE)..];
    if let Some(newline) = shown.iter().rposition(|&byte| byte == b'\n') {
        return printable(&shown[newline + 1..]);
    }
    if shown.len() < text.len() {
        // A character that was cut in two is left out.
        let whole = shown.iter().position(|&byte| byte & 0xC0 != 0x80);
        return CUT.to_owned() + &printable(&shown[whole.unwrap_or(shown.len())..]);
    }
    printable(shown.strip_prefix(BYTE_ORDER_MARK).unwrap_or(shown))
}

/// The start of `text` that is on its first line, as far as it is shown.
fn after(text: &[u8]) -> String {
    let shown = &text[..text.len().min(AFTER)];
    if let Some(newline) = shown.iter().position(|&byte| byte == b'\n') {
        return printable(&shown[..newline]);
    }
    if shown.len() < text.len() {
        let cut = shown.iter().rposition(|&byte| byte & 0xC0 != 0x80);
        return printable(&shown[..cut.unwrap_or(0)]) + CUT;
    }
    printable(shown)
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

#[cfg(test)]
mod tests;
