//! Divides the text into tokens. Blanks and comments may be between any two tokens, and are
//! ignored. The grammar decides which words are keywords in which place.

use nom::branch::alt;
use nom::bytes::complete::{is_not, tag, take_while, take_while1};
use nom::character::complete::{char, digit0, digit1, one_of};
use nom::combinator::{fail, opt, recognize, value};
use nom::multi::many0_count;
use nom::sequence::{delimited, pair, preceded};
use nom::{IResult, Parser};

use crate::ast::Span;
use crate::error::{BOM, Checked, ErrorKind, Fault};
use model_type::number::unless_rounded_to_0;

/// A token and its place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Token<'t> {
    pub(crate) kind: TokenKind<'t>,
    pub(crate) span: Span,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum TokenKind<'t> {
    /// A name or keyword.
    Word(&'t str),
    /// A name in double quotes.
    Quoted(&'t str),
    Int(i64),
    Double(f64),
    Symbol(&'static str),
    /// The end of the text. It comes last, once.
    End,
}

/// Operators and punctuation. If one begins with another, it comes before that.
const SYMBOLS: [&str; 30] = [
    "<=>", "<=", "<>", "<", "=>", "=", "!=", "!", ">=", ">", "->", "-", "..", "&", "|", "+", "*",
    "/", "^", "?", ":", ";", ",", "(", ")", "[", "]", "{", "}", "'",
];

/// The size of the largest text that is read, in bytes. Positions have 32 bits.
const MAX_BYTES: usize = u32::MAX as usize - 1;

/// Divides a text into tokens.
pub(crate) fn tokens(text: &[u8]) -> Checked<Vec<Token<'_>>> {
    if text.len() > MAX_BYTES {
        return Err(Fault::placeless(ErrorKind::TooMany {
            what: "bytes in the text",
            limit: MAX_BYTES as u64,
        }));
    }
    if let Some((place, archive)) = parse_error::ArchiveKind::find(text) {
        return Err(Fault::new(place, ErrorKind::Compressed { archive }));
    }
    if let Some(encoding) = parse_error::wide_encoding(text) {
        return Err(Fault::placeless(ErrorKind::WideEncoding { encoding }));
    }
    let offset = |rest: &[u8]| text.len() - rest.len();
    let mut tokens = Vec::new();
    let mut rest = skip_blanks(text.strip_prefix(BOM).unwrap_or(text));
    while !rest.is_empty() {
        let start = offset(rest);
        let (after, kind) = token(rest).map_err(|_| unknown(text, start))?;
        let span = Span::new(start, offset(after));
        let kind = match kind {
            Raw::Word(word) => TokenKind::Word(word),
            Raw::Quoted(word) => TokenKind::Quoted(word),
            Raw::Symbol(symbol) => TokenKind::Symbol(symbol),
            Raw::Number(digits) => number(digits, span)?,
        };
        tokens.push(Token { kind, span });
        rest = skip_blanks(after);
    }
    tokens.push(Token {
        kind: TokenKind::End,
        span: Span::new(text.len(), text.len()),
    });
    Ok(tokens)
}

/// A token whose number has not been converted yet.
#[derive(Clone)]
enum Raw<'t> {
    Word(&'t str),
    Quoted(&'t str),
    Number(&'t str),
    Symbol(&'static str),
}

fn token(text: &[u8]) -> IResult<&[u8], Raw<'_>> {
    alt((
        number_text.map(|digits| Raw::Number(ascii(digits))),
        word.map(|word| Raw::Word(ascii(word))),
        delimited(char('"'), word, char('"')).map(|word| Raw::Quoted(ascii(word))),
        symbol.map(Raw::Symbol),
    ))
    .parse(text)
}

fn word(text: &[u8]) -> IResult<&[u8], &[u8]> {
    let first = |byte: u8| byte == b'_' || byte.is_ascii_alphabetic();
    let further = |byte: u8| byte == b'_' || byte.is_ascii_alphanumeric();
    recognize(pair(take_while1(first), take_while(further))).parse(text)
}

/// Returns the text of a number such as `12`, `1.5`, `.5` or `1e-9`. In `[0..9]`, the point is not
/// part of the number.
fn number_text(text: &[u8]) -> IResult<&[u8], &[u8]> {
    let fraction = || recognize(pair(char('.'), digit1));
    let exponent = recognize((one_of("eE"), opt(one_of("+-")), digit1));
    let mantissa = alt((
        recognize(pair(digit1, opt(fraction()))),
        recognize(preceded(digit0, fraction())),
    ));
    recognize(pair(mantissa, opt(exponent))).parse(text)
}

fn symbol(text: &[u8]) -> IResult<&[u8], &'static str> {
    let begins = |symbol: &&&str| text.starts_with(symbol.as_bytes());
    match SYMBOLS.iter().find(begins) {
        Some(&symbol) => value(symbol, tag(symbol)).parse(text),
        None => fail().parse(text),
    }
}

fn skip_blanks(text: &[u8]) -> &[u8] {
    let blanks = take_while1(|byte: u8| byte.is_ascii_whitespace());
    let comment = recognize(pair(tag("//"), opt(is_not("\r\n"))));
    let skipped: IResult<&[u8], usize> = many0_count(alt((blanks, comment))).parse(text);
    skipped.map_or(text, |(rest, _)| rest)
}

/// Converts bytes that are known to be ASCII.
fn ascii(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or_default()
}

fn number(digits: &str, span: Span) -> Checked<TokenKind<'_>> {
    let too_large = || Fault::new(span, ErrorKind::NumberTooLarge);
    if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        let int = digits.parse().map_err(|_| too_large())?;
        return Ok(TokenKind::Int(int));
    }
    parse_double(digits)
        .map(TokenKind::Double)
        .ok_or_else(too_large)
}

/// Returns the double nearest to a decimal; `None` if that is infinite. A decimal that is not 0 is
/// never rounded to 0.
#[must_use]
pub fn parse_double(digits: &str) -> Option<f64> {
    let double = digits
        .parse()
        .ok()
        .filter(|double: &f64| double.is_finite())?;
    Some(unless_rounded_to_0(digits.as_bytes(), double))
}

/// Returns the error for a text that does not begin with a token at `start`. Its place is one whole
/// character, or a text in quotation marks.
fn unknown(text: &[u8], start: usize) -> Box<Fault> {
    let line = text[start..].split(|&byte| byte == b'\n').next();
    if let Some([b'"', quoted @ ..]) = line
        && let Some(length) = quoted.iter().position(|&byte| byte == b'"')
    {
        let place = Span::new(start, start + length + 2);
        return Fault::new(place, ErrorKind::Syntax)
            .expecting("letters, digits and `_` between quotation marks, and a letter first");
    }
    let further = text[start + 1..].iter();
    let length = 1 + further.take_while(|&&byte| byte & 0xC0 == 0x80).count();
    let fault = Fault::new(Span::new(start, start + length), ErrorKind::Syntax)
        .expecting("a name, a number or an operator");
    match text[start] {
        b'%' => fault.note("the remainder is written `mod(a, b)`"),
        _ => fault,
    }
}
