//! No text causes a panic: real models with pieces cut out, doubled, moved and replaced.

use prism_language::{Program, Visitor, parse};
use proptest::prelude::*;

use crate::samples;
use test_models::sources;

/// Pieces that turn up in wrong places.
const PIECES: [&str; 40] = [
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "'",
    "\"",
    "->",
    "<-",
    "..",
    ":",
    ";",
    ",",
    "?",
    "&",
    "|",
    "!",
    "=",
    "<",
    "-",
    "/",
    "0",
    "9223372036854775807",
    "1e308",
    ".5",
    "true",
    "module",
    "endmodule",
    "x",
    "init",
    "min(",
    "mod(",
    "^",
    "=>",
    "system",
    "endsystem",
    "\"pair\"",
    "ma",
    "\u{e9}",
];

#[derive(Debug, Clone)]
enum Mutation {
    Cut(usize, usize),
    Double(usize, usize),
    Move(usize, usize, usize),
    Insert(usize, &'static str),
    Replace(usize, u8),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let at = || any::<usize>();
    let length = || 1_usize..40;
    prop_oneof![
        (at(), length()).prop_map(|(at, length)| Mutation::Cut(at, length)),
        (at(), length()).prop_map(|(at, length)| Mutation::Double(at, length)),
        (at(), length(), at()).prop_map(|(at, length, to)| Mutation::Move(at, length, to)),
        (at(), prop::sample::select(&PIECES[..])).prop_map(|(at, p)| Mutation::Insert(at, p)),
        (at(), any::<u8>()).prop_map(|(at, byte)| Mutation::Replace(at, byte)),
    ]
}

fn mutate(text: &mut Vec<u8>, mutation: &Mutation) {
    let place = |at: usize, text: &[u8]| at % text.len().max(1);
    let piece = |at: usize, length: usize, text: &[u8]| {
        let start = place(at, text);
        start..(start + length).min(text.len())
    };
    match *mutation {
        Mutation::Cut(at, length) => drop(text.drain(piece(at, length, text))),
        Mutation::Double(at, length) => {
            let range = piece(at, length, text);
            let copy = text[range.clone()].to_vec();
            text.splice(range.end..range.end, copy);
        }
        Mutation::Move(at, length, to) => {
            let moved: Vec<u8> = text.drain(piece(at, length, text)).collect();
            let to = place(to, text);
            text.splice(to..to, moved);
        }
        Mutation::Insert(at, inserted) => {
            let at = place(at, text);
            text.splice(at..at, inserted.bytes());
        }
        Mutation::Replace(at, byte) => {
            let at = place(at, text);
            if let Some(place) = text.get_mut(at) {
                *place = byte;
            }
        }
    }
}

/// Calls every function of the crate on a text and, for some states, on the program.
fn exercise(text: &[u8]) {
    let Ok(model) = parse(text) else { return };
    let printed = model.to_string();
    assert!(
        parse(printed.as_bytes()).is_ok_and(|again| again == model),
        "{printed}"
    );
    let open = model
        .constants
        .iter()
        .filter(|constant| constant.value.is_none());
    let given: Vec<_> = open
        .map(|constant| (constant.name.value.clone(), "1"))
        .collect();
    let given: Vec<_> = given
        .iter()
        .map(|(name, value)| (name.as_str(), *value))
        .collect();
    if let Ok(program) = model.compile(&given) {
        run(&program);
    }
}

#[derive(Default)]
struct Found(Vec<Vec<u64>>);

impl Visitor for Found {
    fn choice(&mut self, _: Option<prism_language::ActionId>) {}

    fn branch(&mut self, weight: f64, target: &[u64]) {
        assert!(weight > 0.0 && weight.is_finite());
        if self.0.len() < 100 {
            self.0.push(target.to_vec());
        }
    }
}

fn run(program: &Program) {
    // `init ... endinit` may have to look at every valuation.
    if program.bits() > 40 {
        return;
    }
    let mut found = Found::default();
    let initial = program.initial_states(|state| {
        found.0.push(state.to_vec());
        std::ops::ControlFlow::Break(())
    });
    let mut scratch = program.scratch();
    let mut next = 0;
    while let (Ok(_), Some(state)) = (&initial, found.0.get(next).cloned()) {
        for label in program.labels() {
            let _ = program.has_label(label, &mut scratch, &state);
        }
        let _ = program.successors(&mut scratch, &state, &mut found);
        next += 1;
    }
}

fn texts() -> Vec<Vec<u8>> {
    let mut texts: Vec<Vec<u8>> = samples::ALL
        .iter()
        .map(|(text, _)| text.as_bytes().to_vec())
        .collect();
    // Small ones, so that most cases reach the end.
    let real = sources().unwrap_or_default().into_iter();
    texts.extend(real.map(|(_, text)| text).filter(|text| text.len() < 4000));
    texts
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    #[test]
    fn no_text_panics(
        text in prop::sample::select(texts()),
        mutations in prop::collection::vec(mutation(), 1..6),
    ) {
        let mut text = text;
        for mutation in &mutations {
            mutate(&mut text, mutation);
        }
        exercise(&text);
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        exercise(&bytes);
    }

    #[test]
    fn no_pieces_panic(pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..60)) {
        exercise(pieces.join(" ").as_bytes());
    }
}
