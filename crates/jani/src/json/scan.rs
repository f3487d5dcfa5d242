//! The tokens of JSON: the beginnings of values, strings, and numbers.

use super::kind::Kind;
use crate::error::{Checked, ErrorKind, Fault, Span};

/// A position in the text. The text before it is valid.
pub(super) struct Scanner<'t> {
    text: &'t [u8],
    at: usize,
}

impl<'t> Scanner<'t> {
    pub(super) fn new(text: &'t [u8], at: usize) -> Self {
        Self { text, at }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    pub(super) fn skip_blanks(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    /// Skips a byte, if it comes next. Returns whether it does.
    pub(super) fn take(&mut self, byte: u8) -> bool {
        let stands = self.peek() == Some(byte);
        self.at += usize::from(stands);
        stands
    }

    /// Skips a byte that must come next.
    pub(super) fn expect(&mut self, byte: u8, what: &'static str) -> Checked<()> {
        match self.take(byte) {
            true => Ok(()),
            false => Err(self.unexpected(what)),
        }
    }

    pub(super) fn expect_close(&mut self, is_object: bool) -> Checked<()> {
        match is_object {
            true => self.expect(b'}', "`,` or `}`"),
            false => self.expect(b']', "`,` or `]`"),
        }
    }

    pub(super) fn expect_end(&self) -> Checked<()> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.unexpected("the end of the file")),
        }
    }

    /// Returns the error at the next word, which was not expected.
    fn unexpected(&self, wanted: &'static str) -> Box<Fault> {
        let is_word = |byte: &&u8| byte.is_ascii_alphanumeric() || !byte.is_ascii();
        let rest = &self.text[self.at..];
        let length = rest.iter().take_while(is_word).count();
        // If it is not a word, the error covers one character.
        let length = length.max(usize::from(!rest.is_empty()));
        let offset = self.at;
        Fault::new(Span { offset, length }, ErrorKind::Syntax).expecting(wanted)
    }

    /// Skips a value that is one token, or the byte that opens an array or object. Returns its kind
    /// and its start.
    pub(super) fn value(&mut self) -> Checked<(Kind, usize)> {
        let start = self.at;
        let kind = match self.peek() {
            Some(b'{') => self.pass(Kind::Object),
            Some(b'[') => self.pass(Kind::Array),
            Some(b'"') => {
                self.string()?;
                Kind::String
            }
            Some(b'-' | b'0'..=b'9') => {
                self.number()?;
                Kind::Number
            }
            _ => self.word()?,
        };
        Ok((kind, start))
    }

    fn pass(&mut self, kind: Kind) -> Kind {
        self.at += 1;
        kind
    }

    fn word(&mut self) -> Checked<Kind> {
        let words = [
            (&b"true"[..], Kind::Bool(true)),
            (b"false", Kind::Bool(false)),
            (b"null", Kind::Null),
        ];
        for (word, kind) in words {
            let rest = &self.text[self.at..];
            let next = rest.get(word.len());
            if rest.starts_with(word) && !next.is_some_and(u8::is_ascii_alphanumeric) {
                self.at += word.len();
                return Ok(kind);
            }
        }
        Err(self.unexpected("a value"))
    }

    /// Skips the name of a member. Returns its start.
    pub(super) fn name(&mut self) -> Checked<usize> {
        let start = self.at;
        match self.peek() {
            Some(b'"') => self.string().map(|()| start),
            _ => Err(self.unexpected("a name in quotation marks")),
        }
    }

    fn string(&mut self) -> Checked<()> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => self.escape()?,
                Some(0..0x20) | None => {
                    let length = self.at - start;
                    let place = Span {
                        offset: start,
                        length,
                    };
                    return Err(Fault::new(place, ErrorKind::OpenString));
                }
                Some(_) => self.at += 1,
            }
        }
    }

    fn escape(&mut self) -> Checked<()> {
        let start = self.at;
        let wrong = |end: usize| {
            let length = end - start;
            let place = Span {
                offset: start,
                length,
            };
            Fault::new(place, ErrorKind::BadEscape)
        };
        let rest = &self.text[start..];
        match rest.get(1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 2,
            Some(b'u') => {
                let end = |length: usize| start + length.min(rest.len());
                let high = code_unit(rest).ok_or_else(|| wrong(end(2)))?;
                self.at += 6;
                match high {
                    0xD800..0xDC00 => match code_unit(&rest[6..]) {
                        Some(0xDC00..0xE000) => self.at += 6,
                        _ => return Err(wrong(end(6))),
                    },
                    0xDC00..0xE000 => return Err(wrong(end(6))),
                    _ => {}
                }
            }
            _ => return Err(wrong(start + 1)),
        }
        Ok(())
    }

    fn number(&mut self) -> Checked<()> {
        self.take(b'-');
        if !self.take(b'0') {
            self.digits()?;
        }
        if self.take(b'.') {
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Checked<()> {
        if !self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            return Err(self.unexpected("a digit"));
        }
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        Ok(())
    }
}

/// Returns the number in an escape sequence such as `\u00e9`.
pub(super) fn code_unit(text: &[u8]) -> Option<u32> {
    let digits = text.strip_prefix(b"\\u")?.get(..4)?;
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}
