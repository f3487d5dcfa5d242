//! Tests of the layout. `tests/it/messages.rs` tests the texts.

use super::*;
use crate::error::diagnostic::Note;
use parse_error::Position;

#[test]
fn colours_do_not_change_the_text() {
    let place = |offset| {
        let (length, line, column) = (1, 1, offset as u64 + 1);
        let position = Position {
            offset,
            length,
            line,
            column,
        };
        Some(Place::Text(Excerpt::at("f", b"0 0 x 1\n", position)))
    };
    let note = Note {
        text: "first here".to_owned(),
        place: place(2),
    };
    let mut diagnostic = Diagnostic::new("unexpected text").note("expected a state");
    diagnostic.place = place(4);
    diagnostic.notes.push(note);

    let plain = error(&diagnostic, Style { colour: false });
    let coloured = error(&diagnostic, Style { colour: true });
    assert_ne!(coloured, plain);
    let mut bare = coloured;
    for code in [RED, GREEN, BLUE] {
        bare = bare.replace(&format!("\x1b[{code}m"), "");
    }
    assert_eq!(bare.replace("\x1b[0m", ""), plain);
}
