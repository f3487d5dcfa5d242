//! Prints diagnostics in the style of rustc: the error, its place, the line with carets, and what
//! was expected.

use crate::args::Color;
use crate::error::diagnostic::{Diagnostic, Excerpt, Place};
use std::fmt::Write as _;
use std::io::{IsTerminal as _, stderr};

/// Whether text is coloured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    pub(crate) colour: bool,
}

impl Style {
    /// Returns the style of standard error. By default, there are colours if it is a terminal that
    /// supports them, unless the environment disables them.
    pub(crate) fn of_messages(color: Color) -> Self {
        let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        let is_dumb = variable("TERM").is_some_and(|term| term == "dumb");
        let are_wanted = || stderr().is_terminal() && !is_dumb && variable("NO_COLOR").is_none();
        Self {
            colour: match color {
                Color::Auto => are_wanted(),
                Color::Always => true,
                Color::Never => false,
            },
        }
    }

    /// Returns `text` in an ANSI style, or plain.
    pub(crate) fn paint(self, ansi: &str, text: &str) -> String {
        match self.colour {
            true => format!("\x1b[{ansi}m{text}\x1b[0m"),
            false => text.to_owned(),
        }
    }
}

/// The styles of errors, warnings, notes, and the frame of an excerpt.
pub(crate) const RED: &str = "1;31";
pub(crate) const YELLOW: &str = "1;33";
const GREEN: &str = "1;32";
const BLUE: &str = "1;34";

/// Returns a text of one line or more without control characters, which names in models and names
/// of files may have.
pub(crate) fn printable_lines(text: &str) -> String {
    let lines = text.split('\n').map(report::printable);
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the message without control characters. The name of a file may even have line ends.
fn message(diagnostic: &Diagnostic) -> String {
    let message = &diagnostic.message;
    match diagnostic
        .file
        .as_deref()
        .filter(|file| file.contains('\n'))
    {
        Some(file) => printable_lines(&message.replace(file, &report::printable(file))),
        None => printable_lines(message),
    }
}

/// Renders an error as text. Notes without a place come below the error's place; the others
/// follow with their own places.
pub(crate) fn error(diagnostic: &Diagnostic, style: Style) -> String {
    let mut text = format!("{}: {}\n", style.paint(RED, "error"), message(diagnostic));
    let place = diagnostic.place.as_ref();
    if let Some(place) = place {
        frame(&mut text, place, RED, style);
    }
    let margin = margin(place);
    let (placed, plain): (Vec<_>, Vec<_>) =
        diagnostic.notes.iter().partition(|n| n.place.is_some());
    for note in plain {
        let sign = style.paint(BLUE, "=");
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{margin} {sign} {}", printable_lines(&note.text));
    }
    for note in placed {
        let note_text = printable_lines(&note.text);
        let _ = writeln!(text, "{}: {note_text}", style.paint(GREEN, "note"));
        if let Some(place) = &note.place {
            frame(&mut text, place, GREEN, style);
        }
    }
    text
}

/// Returns as many blanks as the line number has digits.
fn margin(place: Option<&Place>) -> String {
    match place {
        Some(Place::Text(at)) => " ".repeat(at.line.to_string().len()),
        _ => " ".to_owned(),
    }
}

/// Writes the place and, if it is in a text, the line with carets.
fn frame(text: &mut String, place: &Place, carets: &str, style: Style) {
    let margin = margin(Some(place));
    let arrow = style.paint(BLUE, "-->");
    let shown = place.to_string();
    let _ = writeln!(text, "{margin}{arrow} {}", report::printable(&shown));
    let Place::Text(at) = place else {
        return;
    };
    let Excerpt { indent, width, .. } = at;
    let bar = style.paint(BLUE, "|");
    let number = style.paint(BLUE, &at.line.to_string());
    let carets = style.paint(carets, &"^".repeat(*width));
    let _ = writeln!(text, "{margin} {bar}");
    let _ = writeln!(text, "{number} {bar} {}", at.text);
    let _ = writeln!(text, "{margin} {bar} {}{carets}", " ".repeat(*indent));
}

#[cfg(test)]
mod tests;
