//! [`Names`]: the names of things of one kind.

use crate::error::{Checked, ErrorKind, Fault};
use prism_language::ast::{Ident, Span};
use std::collections::HashMap;

/// Unique names, with their indices.
pub(crate) struct Names<'n> {
    what: &'static str,
    numbers: HashMap<&'n str, (usize, Span)>,
}

impl<'n> Names<'n> {
    /// Collects names. `what` is the kind of things that they name, such as `location`.
    pub(crate) fn new(
        what: &'static str,
        names: impl IntoIterator<Item = &'n Ident>,
    ) -> Checked<Self> {
        let mut numbers = HashMap::new();
        for (number, name) in names.into_iter().enumerate() {
            let Some((_, first)) = numbers.insert(name.value.as_str(), (number, name.span)) else {
                continue;
            };
            let kind = ErrorKind::DuplicateName {
                what,
                name: name.value.clone(),
            };
            return Err(Fault::new(name.span, kind).note_at(first, "first here"));
        }
        Ok(Self { what, numbers })
    }

    /// Returns the index of a name.
    pub(crate) fn find(&self, name: &Ident) -> Checked<usize> {
        let found = self.numbers.get(name.value.as_str());
        found.map(|&(number, _)| number).ok_or_else(|| {
            let kind = ErrorKind::UnknownName {
                what: self.what,
                name: name.value.clone(),
            };
            Fault::new(name.span, kind).suggest(&name.value, self.numbers.keys().copied())
        })
    }
}
