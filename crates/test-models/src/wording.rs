//! Collects the messages for wrong inputs, for snapshots: the texts of errors, and their kinds.

use std::collections::BTreeSet;
use std::fmt::Display;

/// The texts of errors, each after its input, and the kinds of these errors.
#[derive(Debug)]
pub struct Wording<E> {
    text: String,
    kinds: BTreeSet<String>,
    kind: fn(&E) -> String,
}

/// A part of the collection: its name, and the function that adds its errors.
pub type Part<'a, E> = (&'a str, fn(&mut Wording<E>));

impl<E: Display> Wording<E> {
    /// Collects the errors of some parts, each under its name. `kind` formats the kind of an error;
    /// only the first word of the result is used.
    pub fn collect(kind: fn(&E) -> String, parts: &[Part<'_, E>]) -> Self {
        let mut wording = Self {
            text: String::new(),
            kinds: BTreeSet::new(),
            kind,
        };
        for (name, part) in parts {
            wording.text.push_str(&format!("\n== {name}\n"));
            part(&mut wording);
        }
        wording
    }

    /// Adds an error, after a description of its input.
    pub fn add(&mut self, input: &str, error: &E) {
        self.text.push_str(&format!("{input}\n    {error}\n"));
        let kind = (self.kind)(error);
        let name = kind.split(|c: char| !c.is_alphanumeric()).next();
        self.kinds.extend(name.map(str::to_owned));
    }

    /// Returns the inputs and the texts.
    #[must_use]
    pub fn text(&self) -> &str {
        self.text.trim_start()
    }

    /// Returns the names of the kinds, separated by spaces.
    #[must_use]
    pub fn kinds(&self) -> String {
        let names: Vec<&str> = self.kinds.iter().map(String::as_str).collect();
        names.join(" ")
    }
}

/// Formats an input as one line.
#[must_use]
pub fn escaped(input: &[u8]) -> String {
    let shown = input.escape_ascii().to_string();
    shown.replace("\\n", "⏎").replace("\\\"", "\"")
}
