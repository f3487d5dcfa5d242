//! The lines of a states file (`.sta`).
//!
//! ```text
//! variables = "(" [ name { "," name } ] ")"
//! row       = i ":(" [ value { "," value } ] ")"
//! value     = integer | "true" | "false"
//! ```

use nom::Parser;
use nom::branch::alt;
use nom::bytes::complete::{tag, take_till};
use nom::character::complete::{char, digit1, one_of};
use nom::combinator::{eof, opt, recognize};
use nom::sequence::terminated;

use super::labels::state_and_colon;
use super::{Parsed, Token, Unexpected, blanks, line_end};
use crate::error::ErrorKind;

/// One value of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scalar {
    Bool(bool),
    Int(i64),
}

/// Parses the names of the variables.
pub(crate) fn variables(line: &[u8]) -> Parsed<'_, Vec<Token<&[u8]>>> {
    list("a variable", |text| {
        if text.is_empty() {
            Err(ErrorKind::Syntax)
        } else {
            Ok(text)
        }
    })(line)
}

/// Parses a row: its state, and its values.
pub(crate) fn row(line: &[u8]) -> Parsed<'_, (Token<u32>, Vec<Token<Scalar>>)> {
    (
        state_and_colon,
        list("a whole number, true or false", scalar),
    )
        .parse(line)
}

fn scalar(text: &[u8]) -> Result<Scalar, ErrorKind> {
    let integer = recognize((opt(one_of("+-")), digit1));
    let mut word = terminated(alt((tag("true"), tag("false"), integer)), eof);
    let parsed: nom::IResult<_, _, ()> = word.parse(text);
    match parsed {
        Ok((_, b"true")) => Ok(Scalar::Bool(true)),
        Ok((_, b"false")) => Ok(Scalar::Bool(false)),
        Ok((_, digits)) => {
            let digits = std::str::from_utf8(digits).map_err(|_| ErrorKind::Syntax)?;
            let limit = i64::MAX as u64;
            digits
                .parse()
                .map(Scalar::Int)
                .map_err(|_| ErrorKind::NumberTooLarge { limit })
        }
        Err(_) => Err(ErrorKind::Syntax),
    }
}

/// Parses a line that is a list in brackets, separated by commas. Blanks around its items are
/// ignored.
fn list<'a, T>(
    what: &'static str,
    mut item: impl FnMut(&'a [u8]) -> Result<T, ErrorKind>,
) -> impl FnMut(&'a [u8]) -> Parsed<'a, Vec<Token<T>>> {
    move |line| {
        let (line, _) = blanks(line)?;
        let (mut left, _) = symbol('(', "`(`")(line)?;
        let mut items = Vec::new();
        let (empty, _) = blanks(left)?;
        if empty.first() == Some(&b')') {
            left = &empty[1..];
            return line_end("the end of the line")(left).map(|(left, ())| (left, items));
        }
        loop {
            let (at, _) = blanks(left)?;
            let (behind, text) = take_till(|byte| matches!(byte, b',' | b')')).parse(at)?;
            let text = text.trim_ascii_end();
            let unexpected = |kind| {
                let whole = Unexpected::new(at, kind, what);
                nom::Err::Error(whole.shortened(text.len()))
            };
            let value = item(text).map_err(unexpected)?;
            items.push(Token {
                value,
                from_end: at.len(),
                length: text.len(),
            });
            let (behind, separator) = symbol_of(",)", "`,` or `)`")(behind)?;
            left = behind;
            if separator == ')' {
                let (left, ()) = line_end("the end of the line")(left)?;
                return Ok((left, items));
            }
        }
    }
}

fn symbol<'a>(symbol: char, expected: &'static str) -> impl FnMut(&'a [u8]) -> Parsed<'a, char> {
    move |at| {
        let parsed: nom::IResult<_, _, ()> = char(symbol).parse(at);
        let kind = ErrorKind::Syntax;
        parsed.map_err(|_| nom::Err::Error(Unexpected::new(at, kind, expected)))
    }
}

fn symbol_of<'a>(
    symbols: &'static str,
    expected: &'static str,
) -> impl FnMut(&'a [u8]) -> Parsed<'a, char> {
    move |at| {
        let parsed: nom::IResult<_, _, ()> = one_of(symbols).parse(at);
        let kind = ErrorKind::Syntax;
        parsed.map_err(|_| nom::Err::Error(Unexpected::new(at, kind, expected)))
    }
}
