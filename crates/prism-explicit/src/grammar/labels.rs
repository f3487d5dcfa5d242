//! The lines of a labels file (`.lab`).
//!
//! ```text
//! declarations = { i "=" '"' name '"' }      PRISM, one line
//! line         = s ":" { i }                 PRISM
//!              | s { name }                  Storm
//! ```

use nom::Parser;
use nom::bytes::complete::{tag, take_till};
use nom::character::complete::{char, digit1};
use nom::combinator::recognize;

use super::{
    Parsed, Token, Unexpected, blanks, index, natural_number, until_line_end, whole_token,
};
use crate::error::ErrorKind;

/// `2="goal"`
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Declaration<'a> {
    pub(crate) number: Token<u32>,
    pub(crate) name: Token<&'a [u8]>,
}

/// A state and the labels on its line.
type StateLine<'a, T> = Parsed<'a, (Token<u32>, Vec<Token<T>>)>;

/// Parses PRISM's line of declarations.
pub(crate) fn prism_declarations(line: &[u8]) -> Parsed<'_, Vec<Declaration<'_>>> {
    let mut declarations = Vec::new();
    let (mut left, _) = blanks(line)?;
    while !left.is_empty() {
        let (behind, declared) = declaration(left)?;
        declarations.push(declared);
        (left, _) = blanks(behind)?;
    }
    Ok((left, declarations))
}

/// Parses a declaration. This is not a token, because a name may contain blanks.
fn declaration(line: &[u8]) -> Parsed<'_, Declaration<'_>> {
    let expected = "a declaration like `0=\"init\"`";
    let syntax = |kind| nom::Err::Error(Unexpected::new(line, kind, expected));
    let name = |text| take_till(|byte| byte == b'"').parse(text);
    let mut parser = (digit1, tag("=\""), recognize(name), char('"'));
    let parsed: nom::IResult<_, _, ()> = parser.parse(line);
    let (left, (digits, _, name, _)) = parsed.map_err(|_| syntax(ErrorKind::Syntax))?;
    let number = natural_number(digits, u64::from(u32::MAX)).map_err(syntax)?;
    let number = Token {
        value: number as u32,
        from_end: line.len(),
        length: digits.len(),
    };
    let from_end = line.len() - digits.len() - 2;
    Ok((
        left,
        Declaration {
            number,
            name: Token {
                value: name,
                from_end,
                length: name.len(),
            },
        },
    ))
}

/// Parses any number of words.
pub(crate) fn words(line: &[u8]) -> Parsed<'_, Vec<Token<&[u8]>>> {
    until_line_end(whole_token("a label", Ok))(line)
}

/// Returns the line of a state in PRISM's format, which has the numbers of its labels.
pub(crate) fn numbered_labels(line: &[u8]) -> StateLine<'_, u32> {
    (
        state_and_colon,
        until_line_end(index("the number of a label")),
    )
        .parse(line)
}

/// Returns the line of a state in Storm's format, which has the names of its labels.
pub(crate) fn named_labels(line: &[u8]) -> StateLine<'_, &[u8]> {
    (index("a state"), words).parse(line)
}

/// Parses a state and a colon, such as `7:`, as in the lines of `.lab` and `.sta` files.
pub(super) fn state_and_colon(line: &[u8]) -> Parsed<'_, Token<u32>> {
    let (at, _) = blanks(line)?;
    let expected = "a state and a colon";
    let unexpected = |kind| nom::Err::Error(Unexpected::new(at, kind, expected));
    let parsed: nom::IResult<_, _, ()> = (digit1, blanks_then_colon).parse(at);
    let (left, (digits, ())) = parsed.map_err(|_| unexpected(ErrorKind::Syntax))?;
    let state = natural_number(digits, u64::from(u32::MAX)).map_err(unexpected)?;
    Ok((
        left,
        Token {
            value: state as u32,
            from_end: at.len(),
            length: digits.len(),
        },
    ))
}

fn blanks_then_colon(text: &[u8]) -> nom::IResult<&[u8], (), ()> {
    let blanks = take_till(|byte| !super::is_blank(byte));
    (blanks, char(':')).map(|_| ()).parse(text)
}
