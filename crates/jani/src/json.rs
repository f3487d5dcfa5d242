//! A JSON parser (RFC 8259) that records the place of each value. It converts a text into a list of
//! values, in the order in which they begin. Each value has the number of values that it contains.
//! Nothing is recursive, so deep nesting cannot overflow the stack.

mod kind;
mod scan;
mod tree;
mod value;

pub(crate) use kind::Kind;
pub(crate) use tree::Json;
pub(crate) use value::{Object, Value, shown};

use crate::error::{BOM, Checked, ErrorKind, Fault, Span};
use scan::Scanner;
use tree::Entry;

/// An array or object whose end has not been read yet.
struct Open {
    entry: usize,
    is_object: bool,
}

impl<'t> Json<'t> {
    /// Reads a text that consists of one value, optionally after a byte order mark.
    pub(crate) fn parse(bytes: &'t [u8]) -> Checked<Self> {
        if let Some((place, archive)) = parse_error::ArchiveKind::find(bytes) {
            return Err(Fault::new(place, ErrorKind::Compressed { archive }));
        }
        if let Some(encoding) = parse_error::wide_encoding(bytes) {
            return Err(Fault::placeless(ErrorKind::WideEncoding { encoding }));
        }
        if u32::try_from(bytes.len()).is_err() {
            return Err(Fault::placeless(ErrorKind::TextTooLong));
        }
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let (offset, length) = (error.valid_up_to(), error.error_len().unwrap_or(1));
            Fault::new(Span { offset, length }, ErrorKind::NotUtf8)
        })?;
        let start = if bytes.starts_with(BOM) { BOM.len() } else { 0 };
        let mut json = Self {
            text,
            entries: Vec::new(),
        };
        json.read(&mut Scanner::new(bytes, start))?;
        Ok(json)
    }

    /// Returns the outermost value.
    pub(crate) fn root(&self) -> Value<'_> {
        Value::new(self, 0)
    }

    fn read(&mut self, scanner: &mut Scanner<'_>) -> Checked<()> {
        let mut open: Vec<Open> = Vec::new();
        loop {
            // A value begins here.
            scanner.skip_blanks();
            let (kind, start) = scanner.value()?;
            let is_object = kind == Kind::Object;
            self.push(kind, start, scanner.at());
            if matches!(kind, Kind::Array | Kind::Object) {
                scanner.skip_blanks();
                let entry = self.entries.len() - 1;
                if !scanner.take(if is_object { b'}' } else { b']' }) {
                    open.push(Open { entry, is_object });
                    if is_object {
                        self.name(scanner)?;
                    }
                    continue;
                }
                self.close(entry, scanner.at());
            }
            // A value ends here, and perhaps some of the values that contain it.
            loop {
                scanner.skip_blanks();
                let Some(&Open { entry, is_object }) = open.last() else {
                    return scanner.expect_end();
                };
                if scanner.take(b',') {
                    if is_object {
                        scanner.skip_blanks();
                        self.name(scanner)?;
                    }
                    break;
                }
                scanner.expect_close(is_object)?;
                open.pop();
                self.close(entry, scanner.at());
            }
        }
    }

    /// Reads the name of a member, and the colon.
    fn name(&mut self, scanner: &mut Scanner<'_>) -> Checked<()> {
        let start = scanner.name()?;
        self.push(Kind::String, start, scanner.at());
        scanner.skip_blanks();
        scanner.expect(b':', "`:`")
    }

    fn push(&mut self, kind: Kind, start: usize, end: usize) {
        self.entries.push(Entry {
            kind,
            // The text is smaller than 4 GiB.
            start: start as u32,
            end: end as u32,
            size: 1,
        });
    }

    fn close(&mut self, entry: usize, end: usize) {
        let size = self.entries.len() - entry;
        self.entries[entry].end = end as u32;
        self.entries[entry].size = size as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::{Json, Kind};

    fn shape(text: &str) -> Result<Vec<(Kind, u32)>, String> {
        let json = Json::parse(text.as_bytes());
        let json = json.map_err(|fault| fault.locate(text.as_bytes()).to_string())?;
        Ok(json.entries.iter().map(|e| (e.kind, e.size)).collect())
    }

    #[test]
    fn values_know_their_sizes() {
        let shape = shape(r#" {"a": [1, true, null], "b": {}, "c": "x"} "#).expect("JSON");
        let sizes: Vec<u32> = shape.iter().map(|(_, size)| *size).collect();
        assert_eq!(sizes, [10, 1, 4, 1, 1, 1, 1, 1, 1, 1]);
        assert_eq!(shape[3].0, Kind::Number);
    }

    #[test]
    fn depth_is_not_limited() {
        let depth = 200_000;
        let text = "[".repeat(depth) + &"]".repeat(depth);
        assert_eq!(shape(&text).expect("JSON").len(), depth);
        let message = shape(&"[".repeat(depth)).expect_err("not closed");
        assert!(message.contains("expected a value"), "{message}");
    }

    #[test]
    fn what_is_no_json_is_refused() {
        for text in [
            "",
            "{",
            "[1,]",
            "[1 2]",
            "{\"a\" 1}",
            "{\"a\":1,}",
            "{a:1}",
            "01",
            "1.",
            "1e",
            "-",
            "+1",
            ".5",
            "nul",
            "truee",
            "\"a",
            "\"\\x\"",
            "\"\\u12\"",
            "\"\\ud800\"",
            "\"\t\"",
            "1 1",
            "]",
            "[}",
            "{\"a\":1]",
            "\u{feff}\u{feff}1",
            "'a'",
            "NaN",
            "\"\\udc00\"",
        ] {
            assert!(shape(text).is_err(), "{text}");
        }
    }
}
