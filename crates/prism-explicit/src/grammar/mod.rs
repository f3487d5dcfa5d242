//! The grammar of the files, line by line, in nom. It handles tokens and their places in a line,
//! but not the rest of the file, and not the meaning of numbers.
//!
//! Every parser receives one line without its `\n` (or a part that ends at the end of the line), so
//! the number of remaining bytes determines the place in the line.

mod comment;
mod labels;
mod rewards;
mod states;
mod transitions;
mod value;

pub(crate) use comment::{comment, section};
pub(crate) use labels::{Declaration, named_labels, numbered_labels, prism_declarations, words};
pub(crate) use rewards::{reward_header, reward_line};
pub(crate) use states::{Scalar, row, variables};
pub(crate) use transitions::{
    Fields, HEADER, Shape, data_line, header, initial_state_line, note_row, source_of, type_line,
    type_word,
};
pub(crate) use value::{Bounds, is_special};

use nom::Parser;
use nom::bytes::complete::{tag, take_while, take_while1};
use nom::character::complete::{char, digit1};
use nom::combinator::{eof, opt, rest};
use nom::error::ErrorKind as NomKind;
use nom::multi::many_till;

use crate::error::{BOM, ErrorKind, Fault, Span};

/// The result of a parser: the rest of the line, and the parsed value.
pub(crate) type Parsed<'a, T> = nom::IResult<&'a [u8], T, Unexpected<'a>>;

/// The error of a parser: its place, its kind, and what was expected.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Unexpected<'a> {
    /// The line from the offending token on.
    at: &'a [u8],
    /// The length of that token; 0 if something is missing.
    length: usize,
    kind: ErrorKind,
    expected: &'static str,
}

impl<'a> nom::error::ParseError<&'a [u8]> for Unexpected<'a> {
    fn from_error_kind(at: &'a [u8], _: NomKind) -> Self {
        Self::new(at, ErrorKind::Syntax, "something else")
    }

    fn append(_: &'a [u8], _: NomKind, other: Self) -> Self {
        other
    }
}

impl<'a> Unexpected<'a> {
    /// Returns an error at the token at `at`, up to the next blank.
    fn new(at: &'a [u8], kind: ErrorKind, expected: &'static str) -> Self {
        let length = at.iter().take_while(|&&byte| !is_blank(byte)).count();
        Self {
            at,
            length,
            kind,
            expected,
        }
    }

    /// Shortens the quoted text to at most `length` bytes. A length of 0 changes nothing.
    fn shortened(mut self, length: usize) -> Self {
        self.length = if length > 0 {
            self.length.min(length)
        } else {
            self.length
        };
        self
    }

    /// Converts the error to one with a place in the whole input, for a `line` that starts at
    /// `line_start`.
    fn into_fault(self, line: &[u8], line_start: usize) -> Box<Fault> {
        let length = self.length;
        let mut offset = line_start + line.len() - self.at.len();
        if length == 0 {
            // Something is missing: the place is the end of the text on the line.
            offset = line_start + line.trim_ascii_end().len().min(line.len() - self.at.len());
        }
        Fault::new(Span { offset, length }, self.kind).expecting(self.expected)
    }
}

/// Runs a parser on a whole line that starts at `line_start`.
pub(crate) fn parse_line<'a, T>(
    mut parser: impl Parser<&'a [u8], Output = T, Error = Unexpected<'a>>,
    line: &'a [u8],
    line_start: usize,
) -> Result<T, Box<Fault>> {
    match parser.parse(line) {
        Ok((_, parsed)) => Ok(parsed),
        Err(nom::Err::Error(unexpected) | nom::Err::Failure(unexpected)) => {
            Err(unexpected.into_fault(line, line_start))
        }
        // Only streaming parsers are incomplete.
        Err(nom::Err::Incomplete(_)) => Err(Fault::new(
            Span {
                offset: line_start,
                length: line.len(),
            },
            ErrorKind::Syntax,
        )),
    }
}

/// A parsed value, and its place on its line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Token<T> {
    pub(crate) value: T,
    /// The number of bytes from the first byte of the token to the end of the line.
    from_end: usize,
    length: usize,
}

impl<T> Token<T> {
    /// Returns the place in the input of a token of `line`, which starts at `line_start`.
    pub(crate) fn span(&self, line: &[u8], line_start: usize) -> Span {
        Span {
            offset: line_start + line.len() - self.from_end,
            length: self.length,
        }
    }
}

/// Returns whether a byte separates tokens. A carriage return does, because lines may end in
/// `\r\n`.
pub(crate) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

/// Parses any number of blanks.
pub(crate) fn blanks(line: &[u8]) -> Parsed<'_, &[u8]> {
    take_while(is_blank).parse(line)
}

/// Parses a sequence of bytes without blanks, which is the unit that errors quote.
fn token(line: &[u8]) -> Parsed<'_, &[u8]> {
    take_while1(|byte| !is_blank(byte)).parse(line)
}

/// Skips blanks, and applies `parser` to the whole next token.
fn whole_token<'a, T>(
    what: &'static str,
    parser: impl FnMut(&'a [u8]) -> Result<T, ErrorKind>,
) -> impl FnMut(&'a [u8]) -> Parsed<'a, Token<T>> {
    whole_token_of(what, token, parser)
}

/// As [`whole_token`], with a token that is found by `take`.
fn whole_token_of<'a, T>(
    what: &'static str,
    take: fn(&'a [u8]) -> Parsed<'a, &'a [u8]>,
    mut parser: impl FnMut(&'a [u8]) -> Result<T, ErrorKind>,
) -> impl FnMut(&'a [u8]) -> Parsed<'a, Token<T>> {
    move |line| {
        let (at, _) = blanks(line)?;
        let unexpected = |kind| Unexpected::new(at, kind, what);
        let missing = |_: nom::Err<Unexpected<'a>>| unexpected(ErrorKind::Syntax);
        let (left, text) = take(at).map_err(|error| nom::Err::Error(missing(error)))?;
        let value = parser(text).map_err(|kind| {
            nom::Err::Error(Unexpected {
                length: text.len(),
                ..unexpected(kind)
            })
        })?;
        let from_end = at.len();
        Ok((
            left,
            Token {
                value,
                from_end,
                length: text.len(),
            },
        ))
    }
}

/// Parses a natural number up to `limit`, as a separate token, optionally with a plus sign.
fn natural<'a>(what: &'static str, limit: u64) -> impl FnMut(&'a [u8]) -> Parsed<'a, Token<u64>> {
    whole_token(what, move |text| natural_number(text, limit))
}

/// Parses a state or choice index.
fn index<'a>(what: &'static str) -> impl FnMut(&'a [u8]) -> Parsed<'a, Token<u32>> {
    whole_token(what, |text| {
        natural_number(text, u64::from(u32::MAX)).map(|number| number as u32)
    })
}

fn natural_number(text: &[u8], limit: u64) -> Result<u64, ErrorKind> {
    let mut parser = (opt(char('+')), digit1, eof);
    let parsed: Result<_, nom::Err<()>> = parser.parse(text);
    let Ok((_, (_, digits, _))) = parsed else {
        return Err(ErrorKind::Syntax);
    };
    digits
        .iter()
        .try_fold(0u64, |number, digit| {
            number.checked_mul(10)?.checked_add(u64::from(digit - b'0'))
        })
        .filter(|number| *number <= limit)
        .ok_or(ErrorKind::NumberTooLarge { limit })
}

/// Returns an action: an empty text, `""`, or an identifier.
fn action(text: &[u8]) -> Result<&[u8], ErrorKind> {
    if text == b"\"\"" {
        return Ok(b"");
    }
    let letter = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    let mut identifier = (
        take_while1(letter),
        take_while(|byte: u8| byte.is_ascii_alphanumeric() || byte == b'_'),
        eof,
    );
    let parsed: Result<_, nom::Err<()>> = identifier.parse(text);
    parsed.map(|_| text).map_err(|_| ErrorKind::BadAction)
}

/// Returns whether a text is the name of an action.
pub(crate) fn is_action(text: &[u8]) -> bool {
    action(text).is_ok()
}

/// Parses the end of a line, after any blanks.
fn line_end(what: &'static str) -> impl FnMut(&[u8]) -> Parsed<'_, ()> {
    move |line| {
        let (at, _) = blanks(line)?;
        if at.is_empty() {
            return Ok((at, ()));
        }
        let kind = ErrorKind::Syntax;
        Err(nom::Err::Error(Unexpected::new(at, kind, what)))
    }
}

/// Parses `item` as often as the line has it.
fn until_line_end<'a, T>(
    item: impl FnMut(&'a [u8]) -> Parsed<'a, T>,
) -> impl FnMut(&'a [u8]) -> Parsed<'a, Vec<T>> {
    let mut items = many_till(item, line_end("the end of the line"));
    move |line| items.parse(line).map(|(left, (items, ()))| (left, items))
}

/// Returns whether a line consists of blanks.
pub(crate) fn is_blank_line(line: &[u8]) -> bool {
    line.iter().all(|&byte| is_blank(byte))
}

/// A line of the input: its text without `\n`, and the start of the next line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line<'a> {
    pub(crate) start: usize,
    pub(crate) text: &'a [u8],
    pub(crate) next: usize,
}

impl<'a> Line<'a> {
    /// Returns the line that starts at `start`, which must not be after the end of `input`.
    pub(crate) fn at(input: &'a [u8], start: usize) -> Self {
        let left = &input[start..];
        let length = memchr::memchr(b'\n', left).unwrap_or(left.len());
        let text = &left[..length];
        let next = (start + length + 1).min(input.len());
        Self { start, text, next }
    }

    /// Returns the place of the text, without blanks around it.
    pub(crate) fn span(&self) -> Span {
        let (indented, _) = blanks(self.text).unwrap_or((self.text, b""));
        Span {
            offset: self.start + self.text.len() - indented.len(),
            length: indented.trim_ascii_end().len(),
        }
    }

    /// Returns whether the line is a comment or empty.
    pub(crate) fn is_idle(&self) -> bool {
        is_blank_line(self.text) || comment(self.text).is_some()
    }
}

/// Returns the lines of `input` from `start` on.
pub(crate) fn lines(input: &[u8], start: usize) -> impl Iterator<Item = Line<'_>> + Clone {
    let mut next = start;
    std::iter::from_fn(move || {
        let line = (next < input.len()).then(|| Line::at(input, next))?;
        next = line.next;
        Some(line)
    })
}

/// Returns the start of the text, after a byte order mark if there is one.
pub(crate) fn text_start(input: &[u8]) -> usize {
    let mark: Result<(&[u8], _), nom::Err<()>> = (tag(BOM), rest).parse(input);
    mark.map_or(0, |_| BOM.len())
}
