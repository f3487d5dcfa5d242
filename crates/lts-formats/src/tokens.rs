//! Parsers that both grammars share, in nom: numbers, symbols, blanks, and errors.
//!
//! The place of a token is computed from the number of bytes that are left.

use crate::error::{ErrorKind, Fault, Span};
use nom::Parser;
use nom::bytes::complete::take_while;
use nom::character::complete::digit1;
use nom::error::ErrorKind as NomKind;
use parse_error::OutOfMemory;

/// The result of a parser: the rest of the text, and the parsed value.
pub(crate) type Parsed<'a, T> = nom::IResult<&'a [u8], T, Unexpected<'a>>;

/// The error of a parser: its place, its kind, and what was expected.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Unexpected<'a> {
    /// The text from the offending token on.
    pub(crate) at: &'a [u8],
    /// The length of that token; 0 if something is missing.
    pub(crate) length: usize,
    pub(crate) kind: ErrorKind,
    pub(crate) expected: Option<String>,
}

impl<'a> nom::error::ParseError<&'a [u8]> for Unexpected<'a> {
    fn from_error_kind(at: &'a [u8], _: NomKind) -> Self {
        Self::new(at, token_length(at), ErrorKind::Syntax)
    }

    fn append(_: &'a [u8], _: NomKind, other: Self) -> Self {
        other
    }
}

impl<'a> Unexpected<'a> {
    /// Returns an error at the next `length` bytes at `at`, or at as many as there are.
    pub(crate) fn new(at: &'a [u8], length: usize, kind: ErrorKind) -> Self {
        Self {
            at,
            length: length.min(at.len()),
            kind,
            expected: None,
        }
    }

    /// Returns the error that something else was expected than the token at `at`.
    pub(crate) fn token(at: &'a [u8], expected: &str) -> Self {
        Self::new(at, token_length(at), ErrorKind::Syntax).expecting(expected)
    }

    /// Returns an error of another kind at the same place, without an expectation.
    pub(crate) fn with(self, kind: ErrorKind) -> Self {
        Self::new(self.at, self.length, kind)
    }

    pub(crate) fn expecting(mut self, expected: impl Into<String>) -> Self {
        self.expected = Some(expected.into());
        self
    }

    /// Returns the error that there is not enough memory, which has no place.
    pub(crate) fn out_of_memory(error: OutOfMemory) -> nom::Err<Self> {
        Self::new(&[], 0, error.into()).stop()
    }

    /// Converts the error to one after which nom tries no other parser.
    pub(crate) fn stop(self) -> nom::Err<Self> {
        nom::Err::Failure(self)
    }

    /// Converts the error to one with a place in the whole text, for a part of it that ends at
    /// `end`.
    pub(crate) fn into_fault(self, end: usize) -> Box<Fault> {
        if let ErrorKind::OutOfMemory { .. } = self.kind {
            return Fault::placeless(self.kind);
        }
        let place = Span {
            offset: end - self.at.len(),
            length: self.length,
        };
        let fault = Fault::new(place, self.kind);
        match self.expected {
            Some(expected) => fault.expecting(expected),
            None => fault,
        }
    }
}

/// Returns the result of a parser, for a text that ends at `end`.
pub(crate) fn finish<T>(
    parsed: Result<T, nom::Err<Unexpected<'_>>>,
    end: usize,
) -> Result<T, Box<Fault>> {
    parsed.map_err(|error| match error {
        nom::Err::Error(unexpected) | nom::Err::Failure(unexpected) => unexpected.into_fault(end),
        // Only streaming parsers are incomplete.
        nom::Err::Incomplete(_) => Fault::placeless(ErrorKind::Truncated),
    })
}

/// Returns whether a byte separates tokens of a line. A carriage return does, because lines may end
/// in `\r\n`.
pub(crate) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

/// Skips any number of blanks.
pub(crate) fn blanks(text: &[u8]) -> Parsed<'_, &[u8]> {
    take_while(is_blank).parse(text)
}

/// Returns the length of the token at the start of a text: a word, or one character.
pub(crate) fn token_length(text: &[u8]) -> usize {
    let is_word =
        |&&byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | 0x80..);
    match text.iter().take_while(is_word).count() {
        0 => text
            .first()
            .is_some_and(|&byte| !is_blank(byte) && byte != b'\n')
            .into(),
        length => length,
    }
}

/// Parses one character.
pub(crate) fn symbol<'a>(
    symbol: u8,
    expected: &'static str,
) -> impl FnMut(&'a [u8]) -> Parsed<'a, ()> {
    move |at| match at.split_first() {
        Some((&first, rest)) if first == symbol => Ok((rest, ())),
        _ => Err(nom::Err::Error(Unexpected::token(at, expected))),
    }
}

/// Parses the digits of a number of any size.
pub(crate) fn digits<'a>(expected: &'static str) -> impl FnMut(&'a [u8]) -> Parsed<'a, &'a [u8]> {
    move |at| {
        let parsed: Parsed<'_, &[u8]> = digit1(at);
        parsed.map_err(|_| nom::Err::Error(Unexpected::token(at, expected)))
    }
}

/// Parses a natural number up to `limit`.
pub(crate) fn natural<'a>(
    expected: &'static str,
    limit: u64,
) -> impl FnMut(&'a [u8]) -> Parsed<'a, u64> {
    move |at| {
        let (rest, digits) = digits(expected)(at)?;
        let number = digits.iter().try_fold(0_u64, |number, digit| {
            number.checked_mul(10)?.checked_add(u64::from(digit - b'0'))
        });
        match number.filter(|&number| number <= limit) {
            Some(number) => Ok((rest, number)),
            None => {
                let kind = ErrorKind::NumberTooLarge { limit };
                let unexpected = Unexpected::new(at, digits.len(), kind);
                Err(unexpected.expecting(expected).stop())
            }
        }
    }
}

/// Parses the number of a state, which must be below `num_states`.
pub(crate) fn state<'a>(
    expected: &'static str,
    num_states: u32,
) -> impl FnMut(&'a [u8]) -> Parsed<'a, u32> {
    move |at| {
        let (rest, number) = natural(expected, u64::from(u32::MAX))(at)?;
        let state = number as u32;
        if state < num_states {
            return Ok((rest, state));
        }
        let kind = ErrorKind::StateOutOfRange { state, num_states };
        let unexpected = Unexpected::new(at, at.len() - rest.len(), kind);
        Err(unexpected
            .expecting(format!("a state below {num_states}"))
            .stop())
    }
}
