//! Access to values: each function expects a certain kind of value, and returns an error for any
//! other.

use super::kind::Kind;
use super::scan::code_unit;
use super::tree::Json;
use crate::error::{Checked, ErrorKind, Fault};
use prism_language::ast::{Ident, Span};
use std::borrow::Cow;

/// A value in a text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Value<'j> {
    json: &'j Json<'j>,
    at: usize,
}

impl<'j> Value<'j> {
    pub(super) fn new(json: &'j Json<'j>, at: usize) -> Self {
        Self { json, at }
    }

    pub(crate) fn kind(self) -> Kind {
        self.json.entries[self.at].kind
    }

    pub(crate) fn span(self) -> Span {
        let entry = &self.json.entries[self.at];
        Span::new(entry.start as usize, entry.end as usize)
    }

    /// Returns the error that this value is not what was `wanted`.
    pub(crate) fn unexpected(self, wanted: impl Into<Cow<'static, str>>) -> Box<Fault> {
        Fault::new(self.span(), ErrorKind::Unexpected).expecting(wanted)
    }

    fn text(self) -> &'j str {
        let span = self.span();
        &self.json.text[span.start()..span.end()]
    }

    /// Returns the characters of a string; `None` if the value is not a string.
    pub(crate) fn as_str(self) -> Option<Cow<'j, str>> {
        (self.kind() == Kind::String).then(|| unescaped(self.text()))
    }

    /// Reads a name.
    pub(crate) fn ident(self, wanted: &'static str) -> Checked<Ident> {
        match self.as_str() {
            Some(name) if name.contains(char::is_control) => {
                Err(Fault::new(self.span(), ErrorKind::ControlCharacter))
            }
            Some(name) if !name.is_empty() => Ok(Ident {
                value: name.into_owned(),
                span: self.span(),
            }),
            _ => Err(self.unexpected(wanted)),
        }
    }

    pub(crate) fn bool(self, wanted: &'static str) -> Checked<bool> {
        match self.kind() {
            Kind::Bool(value) => Ok(value),
            _ => Err(self.unexpected(wanted)),
        }
    }

    /// Returns the number as it is written; `None` if the value is not a number.
    pub(crate) fn as_number(self) -> Option<&'j str> {
        (self.kind() == Kind::Number).then(|| self.text())
    }

    pub(crate) fn integer(self, wanted: &'static str) -> Checked<i64> {
        let number = self.as_number().and_then(|number| number.parse().ok());
        number.ok_or_else(|| self.unexpected(wanted))
    }

    /// Returns the elements of an array.
    pub(crate) fn list(self, wanted: &'static str) -> Checked<impl Iterator<Item = Value<'j>>> {
        match self.kind() {
            Kind::Array => Ok(self.elements()),
            _ => Err(self.unexpected(wanted)),
        }
    }

    /// Returns the values directly in an array or object.
    fn elements(self) -> impl Iterator<Item = Value<'j>> {
        let end = self.at + self.json.entries[self.at].size as usize;
        let mut next = self.at + 1;
        std::iter::from_fn(move || {
            let element = Value::new(self.json, next);
            (next < end).then(|| {
                next += self.json.entries[next].size as usize;
                element
            })
        })
    }

    /// Returns the members of an object, which must be among `known`. `what` is the name of the
    /// object, such as `an edge`. Every object may have a `comment`, and members whose names begin
    /// with `x-` are ignored.
    pub(crate) fn object(
        self,
        what: &'static str,
        known: &'static [&'static str],
    ) -> Checked<Object<'j>> {
        if self.kind() != Kind::Object {
            return Err(self.unexpected(what));
        }
        let mut members: Vec<Option<Value<'j>>> = vec![None; known.len()];
        let mut elements = self.elements();
        while let (Some(name), Some(value)) = (elements.next(), elements.next()) {
            let written = name.as_str().unwrap_or_default();
            let Some(index) = known.iter().position(|known| *known == written) else {
                if written == "comment" || written.starts_with("x-") {
                    continue;
                }
                let kind = ErrorKind::UnknownMember {
                    what,
                    name: shown(&written),
                };
                return Err(Fault::new(name.span(), kind).suggest(&written, known.iter().copied()));
            };
            if let Some(first) = members[index].replace(value) {
                let name_of_member = known[index];
                let kind = ErrorKind::RepeatedMember {
                    name: name_of_member,
                };
                return Err(Fault::new(name.span(), kind).note_at(first.span(), "first here"));
            }
        }
        Ok(Object {
            whole: self,
            what,
            known,
            members,
        })
    }

    /// Returns the first member with this name. The other members are not checked.
    pub(crate) fn member(self, name: &str) -> Option<Value<'j>> {
        if self.kind() != Kind::Object {
            return None;
        }
        let mut elements = self.elements();
        while let (Some(key), Some(value)) = (elements.next(), elements.next()) {
            if key.as_str().is_some_and(|key| key == name) {
                return Some(value);
            }
        }
        None
    }

    /// Returns all values in this one, at any depth, in the order of the text.
    pub(crate) fn within(self) -> impl Iterator<Item = Value<'j>> {
        let end = self.at + self.json.entries[self.at].size as usize;
        (self.at + 1..end).map(move |at| Value::new(self.json, at))
    }

    /// Returns the index, among all values, of the first one after this value.
    pub(crate) fn end(self) -> usize {
        self.at + self.json.entries[self.at].size as usize
    }

    /// Returns the index of this value among all values.
    pub(crate) fn at(self) -> usize {
        self.at
    }
}

/// The members of an object.
#[derive(Debug, Clone)]
pub(crate) struct Object<'j> {
    whole: Value<'j>,
    what: &'static str,
    known: &'static [&'static str],
    members: Vec<Option<Value<'j>>>,
}

impl<'j> Object<'j> {
    /// Returns a member that may be missing. Its name must be among those that the object may have.
    pub(crate) fn get(&self, name: &str) -> Option<Value<'j>> {
        let index = self.known.iter().position(|known| *known == name);
        index.and_then(|index| self.members[index])
    }

    /// Returns a member that must exist.
    pub(crate) fn need(&self, name: &'static str) -> Checked<Value<'j>> {
        self.get(name).ok_or_else(|| {
            let what = self.what;
            Fault::new(self.whole.span(), ErrorKind::MissingMember { what, name })
        })
    }

    /// Returns the elements of an array, which is empty if the member is missing.
    pub(crate) fn list(&self, name: &'static str, wanted: &'static str) -> Checked<Vec<Value<'j>>> {
        match self.get(name) {
            Some(list) => Ok(list.list(wanted)?.collect()),
            None => Ok(Vec::new()),
        }
    }

    pub(crate) fn span(&self) -> Span {
        self.whole.span()
    }
}

/// Returns a string for use in a message: it has one line, whatever its characters are.
pub(crate) fn shown(text: &str) -> String {
    let shown = text.chars().map(|char| match char.is_control() {
        true => char.escape_default().to_string(),
        false => char.to_string(),
    });
    shown.collect()
}

/// Returns the characters between the quotation marks of a valid string.
fn unescaped(quoted: &str) -> Cow<'_, str> {
    let inner = &quoted[1..quoted.len() - 1];
    if !inner.contains('\\') {
        return Cow::Borrowed(inner);
    }
    let mut unescaped = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = rest.find('\\') {
        unescaped.push_str(&rest[..at]);
        rest = &rest[at..];
        let (char, length) = escaped(rest);
        unescaped.push(char);
        rest = &rest[length..];
    }
    unescaped.push_str(rest);
    Cow::Owned(unescaped)
}

/// Returns the character that an escape sequence stands for, and the length of the sequence.
fn escaped(text: &str) -> (char, usize) {
    let bytes = text.as_bytes();
    let char = match bytes[1] {
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => {
            let high = code_unit(bytes).unwrap_or(0xFFFD);
            let (code, length) = match high {
                0xD800..0xDC00 => {
                    let low = code_unit(&bytes[6..]).unwrap_or(0xDC00);
                    (0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00), 12)
                }
                _ => (high, 6),
            };
            return (
                char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER),
                length,
            );
        }
        other => char::from(other),
    };
    (char, 2)
}

#[cfg(test)]
mod tests {
    use super::{shown, unescaped};

    #[test]
    fn escapes_are_characters() {
        assert_eq!(
            unescaped(r#""a\"\\\/\n\u00e9\ud83d\ude00b""#),
            "a\"\\/\né😀b"
        );
        assert_eq!(unescaped(r#""plain ∧""#), "plain ∧");
        assert_eq!(shown("a\n\u{1b}[1m∧\u{85}\\"), "a\\n\\u{1b}[1m∧\\u{85}\\");
    }
}
