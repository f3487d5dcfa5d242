//! The tokens of EXP: comments, words, text in quotation marks.

use crate::error::ErrorKind;
use crate::tokens::{Parsed, Unexpected, token_length};
use nom::Parser;
use nom::branch::alt;
use nom::bytes::complete::{tag, take_until, take_while, take_while1};
use nom::combinator::value;
use nom::multi::many0_count;

/// Skips blanks, line ends and comments.
pub(super) fn skip(text: &[u8]) -> Parsed<'_, ()> {
    let space = take_while1(|byte: u8| byte.is_ascii_whitespace());
    let line = (tag("--"), take_while(|byte| byte != b'\n'));
    let mut skipped = many0_count(alt((value((), space), value((), line), block_comment)));
    skipped.parse(text).map(|(text, _)| (text, ()))
}

fn block_comment(text: &[u8]) -> Parsed<'_, ()> {
    let opened: Parsed<'_, &[u8]> = tag("(*").parse(text);
    let (inside, _) = opened?;
    let closed: Parsed<'_, _> = (take_until("*)"), tag("*)")).parse(inside);
    match closed {
        Ok((text, _)) => Ok((text, ())),
        Err(_) => Err(Unexpected::new(text, 2, ErrorKind::OpenComment).stop()),
    }
}

/// Returns whether a byte may be in a word.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'/')
}

/// Parses a word: an operator, a label or the name of a file.
pub(super) fn word(text: &[u8]) -> Parsed<'_, &str> {
    let (rest, word) = take_while1(is_word).parse(text)?;
    // A word is ASCII.
    let word = std::str::from_utf8(word).unwrap_or_default();
    Ok((rest, word))
}

/// Returns whether a text is a word that can be a label without quotation marks.
pub(super) fn is_plain(text: &str) -> bool {
    !text.is_empty() && text != "_" && !is_keyword(text) && text.bytes().all(is_word)
}

/// Returns whether a word is part of an operator.
pub(super) fn is_keyword(word: &str) -> bool {
    is_reserved(word) || UNSUPPORTED.contains(&word)
}

/// Returns whether a word cannot be a label without quotation marks.
fn is_reserved(word: &str) -> bool {
    const KEYWORDS: [&str; 13] = [
        "all", "but", "des", "end", "gate", "hide", "in", "label", "par", "rename", "single",
        "total", "using",
    ];
    KEYWORDS.contains(&word)
}

/// Operators of EXP that are not supported, and words that begin them.
pub(super) const UNSUPPORTED: [&str; 14] = [
    "comm",
    "cut",
    "encap",
    "multiple",
    "node",
    "partial",
    "prio",
    "priority",
    "rate",
    "relabel",
    "restrict",
    "seq",
    "stop",
    "generalize",
];

/// Infix operators of EXP that are not supported.
pub(super) const UNSUPPORTED_SYMBOLS: [&str; 8] = ["|||", "|[", "[|", "[]", "->", "#", "\\", "||"];

/// What stands in place of infix operators that compose processes in parallel.
const INTERLEAVED: &str = "`par \"x.aut\" || \"y.aut\" end par` in its place";
const SYNCHRONISED: &str = "`par a in \"x.aut\" || \"y.aut\" end par` in its place";

/// Parses a given word, after blanks.
pub(super) fn keyword<'a>(text: &'a [u8], wanted: &'static str) -> Parsed<'a, ()> {
    let (at, ()) = skip(text)?;
    match word(at) {
        Ok((rest, found)) if found == wanted => Ok((rest, ())),
        _ => {
            let expected = format!("`{wanted}`");
            Err(nom::Err::Error(unexpected(at, expected)))
        }
    }
}

/// Parses given characters, after blanks.
pub(super) fn mark<'a>(text: &'a [u8], wanted: &'static str) -> Parsed<'a, ()> {
    let (at, ()) = skip(text)?;
    match at.strip_prefix(wanted.as_bytes()) {
        Some(rest) => Ok((rest, ())),
        None => Err(nom::Err::Error(unexpected(at, format!("`{wanted}`")))),
    }
}

/// Returns the text after this mark, if it is the next token.
pub(super) fn find_mark<'a>(text: &'a [u8], wanted: &str) -> Option<&'a [u8]> {
    let (at, ()) = skip(text).ok()?;
    at.strip_prefix(wanted.as_bytes())
}

/// Returns the error that something else was expected at `at`. If there is an operator that is not
/// supported, the error names it.
pub(super) fn unexpected(at: &[u8], expected: String) -> Unexpected<'_> {
    let operator = UNSUPPORTED_SYMBOLS
        .into_iter()
        .find(|symbol| at.starts_with(symbol.as_bytes()))
        .or_else(|| {
            let (_, word) = word(at).ok()?;
            UNSUPPORTED.into_iter().find(|operator| *operator == word)
        });
    match operator {
        Some(operator) => {
            let kind = ErrorKind::UnsupportedOperator {
                operator: operator.to_owned(),
            };
            let unexpected = Unexpected::new(at, operator.len(), kind);
            match operator {
                "|||" => unexpected.expecting(INTERLEAVED),
                "|[" | "||" => unexpected.expecting(SYNCHRONISED),
                _ => unexpected.expecting(expected),
            }
        }
        None => Unexpected::new(at, token_length(at), ErrorKind::Syntax).expecting(expected),
    }
}

/// Parses a text in quotation marks, on one line. The input must begin with a quotation mark.
pub(super) fn quoted(text: &[u8]) -> Parsed<'_, &str> {
    let inside = text.get(1..).unwrap_or_default();
    let end = memchr::memchr2(b'"', b'\n', inside);
    let Some(end) = end.filter(|&end| inside[end] == b'"') else {
        // The error is at the end of the line, because this is where the mark is missing.
        let line = &inside[..end.unwrap_or(inside.len())];
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let unexpected = Unexpected::new(&inside[line.len()..], 0, ErrorKind::Syntax);
        return Err(unexpected.expecting("`\"` at the end of the text").stop());
    };
    let length = end + 2;
    let kind = match std::str::from_utf8(&inside[..end]) {
        Ok("") => ErrorKind::EmptyLabel,
        Ok(quoted) => return Ok((&text[length..], quoted)),
        Err(_) => ErrorKind::NotUtf8,
    };
    Err(Unexpected::new(text, length, kind).stop())
}

/// Parses a label after blanks: a word that is not reserved, or a text in quotation marks.
pub(super) fn label(text: &[u8]) -> Parsed<'_, &str> {
    let (at, ()) = skip(text)?;
    if at.starts_with(b"\"") {
        return quoted(at);
    }
    match word(at) {
        Ok((rest, word)) if !is_reserved(word) => Ok((rest, word)),
        _ => Err(nom::Err::Error(unexpected(at, "a label".to_owned()))),
    }
}
