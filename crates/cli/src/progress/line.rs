//! The one line on the terminal that is drawn again and again, and how everything else is printed above it.
//!
//! The cursor stays behind the text. There the terminal echoes what is typed, such as `^C`; whatever follows first
//! erases the line and as many columns more as such an echo takes.

use std::fmt::Write as _;
use std::io::{self, Write as _, stderr};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The columns that `^C` takes where it is typed behind the line.
const ECHO: usize = 2;
/// The width of a terminal that does not tell.
const USUAL_WIDTH: usize = 80;

/// What is on the terminal now.
struct Line {
    /// Empty if there is none.
    text: String,
    /// Whether nothing is to be shown any more.
    is_closed: bool,
}

static LINE: Mutex<Line> = Mutex::new(Line {
    text: String::new(),
    is_closed: false,
});

fn line() -> MutexGuard<'static, Line> {
    LINE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Shows `text`, which is ASCII, in place of what the line says now.
pub(crate) fn show(text: &str) {
    let mut line = line();
    if !line.is_closed {
        let text = cut(text, width());
        put(&redrawn(&line.text, text));
        text.clone_into(&mut line.text);
    }
}

/// Takes the line away.
pub(crate) fn clear() {
    let mut line = line();
    put(&erased(&line.text));
    line.text.clear();
}

/// Takes the line away for good: the program is about to end.
pub(crate) fn close() {
    let mut line = line();
    put(&erased(&line.text));
    line.text.clear();
    line.is_closed = true;
}

/// Prints something while the line is out of its way. What is printed ends in a new line.
pub(crate) fn aside<T>(print: impl FnOnce() -> T) -> T {
    let line = line();
    put(&erased(&line.text));
    let result = print();
    put(&line.text);
    result
}

/// Standard error, for messages of whole lines.
pub(crate) struct Messages;

impl io::Write for Messages {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        aside(|| stderr().write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        stderr().flush()
    }
}

/// The columns of the terminal.
fn width() -> usize {
    let size = terminal_size::terminal_size_of(stderr());
    size.map_or(USUAL_WIDTH, |(width, _)| width.0.into())
}

/// As much of `text` as leaves room for an echo, and for the cursor, in a terminal of so many columns.
fn cut(text: &str, width: usize) -> &str {
    let room = width.saturating_sub(ECHO + 1);
    &text[..text.len().min(room)]
}

/// What erases a line, and leaves the cursor where it began.
fn erased(shown: &str) -> String {
    match shown.len() {
        0 => String::new(),
        length => format!("\r{:1$}\r", "", length + ECHO),
    }
}

/// What puts `text` in place of what is shown.
fn redrawn(shown: &str, text: &str) -> String {
    let mut drawing = match text.len() < shown.len() {
        true => erased(shown),
        false => "\r".to_owned(),
    };
    // Writing to a string cannot fail.
    let _ = write!(drawing, "{text}");
    drawing
}

/// Writes to standard error. If it is closed, nobody looks.
fn put(text: &str) {
    if !text.is_empty() {
        let _ = stderr().write_all(text.as_bytes());
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
    fn there_is_room_behind_the_text_for_an_echo_and_the_cursor() {
        let text = "0123456789";
        for (width, cut_to) in [(0, ""), (3, ""), (4, "0"), (12, "012345678"), (80, text)] {
            assert_eq!(cut(text, width), cut_to);
        }
    }
}
