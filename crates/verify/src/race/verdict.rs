//! [`Verdict`]: what is known of a buffer that a kernel writes without atomic operations.

use std::collections::BTreeMap;

use crate::Place;

/// What is known of a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No two invocations race.
    Free,
    /// Not that two invocations do not race; but the kernel declares why they do not.
    Declared(String, Box<Witness>),
    /// Two invocations may race.
    Open(Box<Witness>),
}

/// Two accesses that may be to the same element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// The invocations: workgroup and number within it.
    pub invocations: [String; 2],
    /// The lines, that of a write first.
    pub places: [Place; 2],
}

/// A line about the buffers of a kernel: which are proved to be free of races, and of which the
/// kernel declares why they are.
#[must_use]
pub fn summary(verdicts: &BTreeMap<String, Verdict>) -> String {
    let names = |is_wanted: fn(&Verdict) -> bool| {
        let wanted = verdicts.iter().filter(|(_, verdict)| is_wanted(verdict));
        let names: Vec<String> = wanted.map(|(name, _)| format!("`{name}`")).collect();
        names.join(", ")
    };
    let groups = [
        ("proved", names(|one| matches!(one, Verdict::Free))),
        (
            "declared",
            names(|one| matches!(one, Verdict::Declared(..))),
        ),
        ("**open**", names(|one| matches!(one, Verdict::Open(_)))),
    ];
    let groups = groups.iter().filter(|(_, names)| !names.is_empty());
    let groups: Vec<String> = groups
        .map(|(what, names)| format!("{what} {names}"))
        .collect();
    match groups.is_empty() {
        true => "by its kind".to_owned(),
        false => groups.join("; "),
    }
}
