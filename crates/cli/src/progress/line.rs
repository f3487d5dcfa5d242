//! The line of progress on the terminal, which is redrawn repeatedly; messages are printed above
//! it.
//!
//! The cursor stays after the text, where the terminal echoes input such as `^C`. The next output
//! first erases the line, and as many additional columns as such an echo takes.

use std::fmt::Write as _;
use std::io::{self, Write as _, stderr};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The number of columns that the echo of `^C` takes.
const ECHO: usize = 2;
/// The assumed width of a terminal whose width is unknown.
const USUAL_WIDTH: usize = 80;

/// The line that is on the terminal now.
struct Line {
    /// The text, which is empty if there is no line.
    text: String,
    /// Whether the line is never to be shown again.
    is_closed: bool,
}

static LINE: Mutex<Line> = Mutex::new(Line {
    text: String::new(),
    is_closed: false,
});

fn line() -> MutexGuard<'static, Line> {
    LINE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Replaces the line with `text`, which must be ASCII.
pub(crate) fn show(text: &str) {
    let mut line = line();
    if !line.is_closed {
        let text = cut(text, width());
        put(redrawn(&line.text, text));
        text.clone_into(&mut line.text);
    }
}

/// Erases the line.
pub(crate) fn clear() {
    let mut line = line();
    put(erased(&line.text));
    line.text.clear();
}

/// Erases the line for good, because the program is about to end.
pub(crate) fn close() {
    let mut line = line();
    put(erased(&line.text));
    line.text.clear();
    line.is_closed = true;
}

/// Erases the line, calls `print`, which prints whole lines, and draws the line again.
pub(crate) fn aside<T>(print: impl FnOnce() -> T) -> T {
    let line = line();
    put(erased(&line.text));
    let result = print();
    put(&line.text);
    result
}

/// Standard error, for messages of whole lines. If it fails, they are dropped: the result must not
/// be lost because of that.
pub(crate) struct Messages;

impl io::Write for Messages {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        aside(|| put(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the number of columns of the terminal.
fn width() -> usize {
    let size = terminal_size::terminal_size_of(stderr());
    size.map_or(USUAL_WIDTH, |(width, _)| width.0.into())
}

/// Returns the beginning of `text` that fits a terminal of this width, with room for an echo and
/// the cursor.
fn cut(text: &str, width: usize) -> &str {
    let room = width.saturating_sub(ECHO + 1);
    &text[..text.len().min(room)]
}

/// Returns the characters that erase a line and move the cursor to its beginning.
fn erased(shown: &str) -> String {
    match shown.len() {
        0 => String::new(),
        length => format!("\r{:1$}\r", "", length + ECHO),
    }
}

/// Returns the characters that replace the line with `text`.
fn redrawn(shown: &str, text: &str) -> String {
    let mut drawing = match text.len() < shown.len() {
        true => erased(shown),
        false => "\r".to_owned(),
    };
    // Writing to a string cannot fail.
    let _ = write!(drawing, "{text}");
    drawing
}

/// Writes to standard error, and ignores errors, because nobody may be reading.
fn put(bytes: impl AsRef<[u8]>) {
    let bytes = bytes.as_ref();
    if !bytes.is_empty() {
        let _ = stderr().write_all(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::{cut, erased, redrawn};

    #[test]
    fn a_longer_text_is_written_over_a_shorter_one_and_a_shorter_one_after_blanks() {
        assert_eq!(redrawn("", "1 of 10"), "\r1 of 10");
        assert_eq!(redrawn("1 of 10", "10 of 10"), "\r10 of 10");
        assert_eq!(redrawn("99 s", "1 s"), "\r      \r1 s");
        assert_eq!(erased(""), "");
    }

    #[test]
    fn the_line_leaves_room_for_an_echo_and_the_cursor() {
        let text = "0123456789";
        for (width, cut_to) in [(0, ""), (3, ""), (4, "0"), (12, "012345678"), (80, text)] {
            assert_eq!(cut(text, width), cut_to);
        }
    }
}
