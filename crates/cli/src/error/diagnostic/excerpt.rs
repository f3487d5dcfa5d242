//! The part of a text that an error message shows.
//!
//! The input may have lines of any length, bytes that are not UTF-8, and control characters. An
//! excerpt has only the text around the place, so that every error message is short.

use parse_error::{BOM, Position};

/// The number of bytes of a line that are shown on each side of the place.
const BEFORE: usize = 60;
const AFTER: usize = 40;
/// The mark for a part of a line that is not shown.
const CUT: &str = "...";

/// A place in a file, and the text there.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Excerpt {
    pub(crate) file: String,
    pub(crate) line: u64,
    pub(crate) column: u64,
    /// The line, or the part of it around the place.
    pub(crate) text: String,
    /// The number of characters of `text` before the place.
    pub(crate) indent: usize,
    /// The number of characters of `text` in the place; 1 if the place is empty.
    pub(crate) width: usize,
}

impl Excerpt {
    /// Returns the excerpt of `input`, the text of `file`, around a place. If the place has several
    /// lines, the excerpt shows the first.
    pub(crate) fn at(file: &str, input: &[u8], position: Position) -> Self {
        let start = position.offset.min(input.len());
        let end = start.saturating_add(position.length).min(input.len());
        let end = match input[start..end].iter().position(|&byte| byte == b'\n') {
            Some(newline) => start + newline,
            None => end,
        };
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
        }
    }
}

/// Returns the part of the last line of `text` that is shown.
fn before(text: &[u8]) -> String {
    let shown = &text[text.len().saturating_sub(BEFORE)..];
    if let Some(newline) = shown.iter().rposition(|&byte| byte == b'\n') {
        return printable(&shown[newline + 1..]);
    }
    if shown.len() < text.len() {
        // A character whose beginning was cut off is left out.
        let whole = shown.iter().position(|&byte| byte & 0xC0 != 0x80);
        return CUT.to_owned() + &printable(&shown[whole.unwrap_or(shown.len())..]);
    }
    printable(shown.strip_prefix(BOM).unwrap_or(shown))
}

/// Returns the part of the first line of `text` that is shown.
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

/// Returns the text with one visible character for each character, so that carets are in the right
/// columns.
fn printable(text: &[u8]) -> String {
    report::printable(&String::from_utf8_lossy(text)).into_owned()
}

#[cfg(test)]
mod tests;
