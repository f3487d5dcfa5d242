//! Lines, and the words on them.

use crate::error::{Checked, ErrorKind, Fault, Span};
use std::ops::Range;

/// A line of the input.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'i> {
    pub(super) input: &'i [u8],
    /// The position of the first byte that is not a blank, or of the end of the line if there is
    /// none.
    pub(super) start: usize,
    /// The position after the last byte that is not a blank.
    pub(super) end: usize,
    /// The start of the next line.
    pub(super) next: usize,
}

impl<'i> Line<'i> {
    /// Returns the line that starts at `at`.
    pub(super) fn at(input: &'i [u8], at: usize) -> Self {
        let newline = memchr::memchr(b'\n', &input[at..]).map(|length| at + length);
        let end = newline.unwrap_or(input.len());
        let text = &input[at..end];
        let start = at + (text.len() - text.trim_ascii_start().len());
        Self {
            input,
            start,
            end: start + input[start..end].trim_ascii_end().len(),
            next: newline.map_or(input.len(), |newline| newline + 1),
        }
    }

    pub(super) fn text(self) -> &'i [u8] {
        &self.input[self.start..self.end]
    }

    pub(super) fn span(self) -> Span {
        span(self.start..self.end)
    }

    /// Returns the words of the line, from byte `skip` of the text on.
    pub(super) fn words(self, skip: usize) -> Words<'i> {
        Words {
            input: self.input,
            at: self.start + skip,
            end: self.end,
        }
    }
}

pub(super) fn span(range: Range<usize>) -> Span {
    Span {
        offset: range.start,
        length: range.len(),
    }
}

/// The rest of a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Words<'i> {
    pub(super) input: &'i [u8],
    at: usize,
    end: usize,
}

impl<'i> Words<'i> {
    /// Returns the rest of the line, from the first byte that is not a blank.
    pub(super) fn rest(&mut self) -> &'i [u8] {
        let rest = &self.input[self.at..self.end];
        let trimmed = rest.trim_ascii_start();
        self.at += rest.len() - trimmed.len();
        trimmed
    }

    /// Returns the next word, which is empty at the end of the line.
    pub(super) fn word(&mut self) -> (Span, &'i [u8]) {
        let rest = self.rest();
        let end = rest.iter().position(u8::is_ascii_whitespace);
        self.take(end.unwrap_or(rest.len()))
    }

    /// Returns the next word, or an interval, which may have blanks between its brackets.
    pub(super) fn value(&mut self) -> (Span, &'i [u8]) {
        let rest = self.rest();
        let length = match rest {
            [b'[' | b'(', ..] => memchr::memchr2(b']', b')', rest),
            _ => None,
        };
        let begun = length.unwrap_or(0);
        let end = rest[begun..].iter().position(u8::is_ascii_whitespace);
        self.take(end.map_or(rest.len(), |end| begun + end))
    }

    /// Returns the next bytes, up to and including `closing`, which must be on this line.
    pub(super) fn up_to(
        &mut self,
        closing: u8,
        expected: &'static str,
    ) -> Checked<(Span, &'i [u8])> {
        let rest = self.rest();
        match memchr::memchr(closing, &rest[1..]) {
            Some(length) => Ok(self.take(length + 2)),
            None => {
                let end = span(self.end..self.end);
                Err(Fault::new(end, ErrorKind::Syntax).expecting(expected))
            }
        }
    }

    /// Returns the next `length` bytes.
    pub(super) fn take(&mut self, length: usize) -> (Span, &'i [u8]) {
        let place = span(self.at..self.at + length);
        self.at += length;
        (place, &self.input[place.offset..self.at])
    }

    /// Checks that there is no further word on the line.
    pub(super) fn end(&mut self) -> Checked<()> {
        match self.word() {
            (_, b"") => Ok(()),
            (place, _) => {
                let fault = Fault::new(place, ErrorKind::Syntax);
                Err(fault.expecting("the end of the line"))
            }
        }
    }
}

/// Returns a name as text.
pub(super) fn text(place: Span, name: &[u8]) -> Checked<&str> {
    std::str::from_utf8(name).map_err(|_| Fault::new(place, ErrorKind::NotUtf8))
}
