//! [`Verdict`]: the result for a buffer that a kernel writes without atomic operations.

use std::collections::BTreeMap;

use crate::Place;

/// The result for a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is proved that no two invocations race.
    Free,
    /// The absence of races is not proved, but the kernel declares why there are none.
    Declared(String, Box<Witness>),
    /// Two invocations may race.
    Open(Box<Witness>),
}

/// Two accesses that may concern the same element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// The invocations: the workgroup, and the index of the invocation in it.
    pub invocations: [String; 2],
    /// The places of the two accesses, the first of which is a write.
    pub places: [Place; 2],
}

/// Makes a line about the buffers of a kernel: those that are proved to be free of races, and those
/// that the kernel declares to be free of races.
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
        true => "all read or atomic".to_owned(),
        false => groups.join("; "),
    }
}
