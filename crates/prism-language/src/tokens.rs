//! Adapts nom to sequences of tokens, and converts errors of nom to a place and a description of
//! what was expected there.

use std::iter::{Copied, Enumerate};

use nom::error::{ErrorKind as NomKind, ParseError};
use nom::{IResult, Input, Needed};

use crate::ast::Span;
use crate::error::{Checked, ErrorKind, Fault};
use crate::lexer::{Token, TokenKind};

/// The tokens that have not been read yet. The last one is the end of the text, which is never
/// read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tokens<'t>(&'t [Token<'t>]);

/// The result of a parser.
pub(crate) type Parsed<'t, T> = IResult<Tokens<'t>, T, Unparsed>;

/// The failure of a parser. Of several failures, the one that got farthest is reported.
#[derive(Debug)]
pub(crate) struct Unparsed {
    /// The number of remaining tokens.
    left: usize,
    expected: Vec<&'static str>,
    /// Whether there is a keyword where a name was expected.
    is_keyword: bool,
    /// An error that is not about unexpected text.
    fault: Option<Box<Fault>>,
}

impl<'t> Tokens<'t> {
    /// Returns all tokens, the last of which must be the end.
    pub(crate) fn new(tokens: &'t [Token<'t>]) -> Self {
        Self(tokens)
    }

    /// Returns the next token.
    pub(crate) fn first(self) -> Token<'t> {
        self.0[0]
    }

    /// Returns the token that is `ahead` tokens after the next one, or the end.
    pub(crate) fn peek(self, ahead: usize) -> TokenKind<'t> {
        self.0.get(ahead).map_or(TokenKind::End, |token| token.kind)
    }

    /// Returns the tokens after the next one.
    pub(crate) fn rest(self) -> Self {
        match self.0 {
            [_, rest @ ..] if !rest.is_empty() => Self(rest),
            _ => self,
        }
    }

    /// Returns the failure that something else was expected here.
    pub(crate) fn unexpected(self, expected: &'static str) -> nom::Err<Unparsed> {
        nom::Err::Error(Unparsed {
            left: self.0.len(),
            expected: vec![expected],
            is_keyword: false,
            fault: None,
        })
    }

    /// Returns the failure that something else was expected here than a keyword, which is no name.
    pub(crate) fn unexpected_keyword(self, expected: &'static str) -> nom::Err<Unparsed> {
        self.unexpected(expected).map(|unparsed| Unparsed {
            is_keyword: true,
            ..unparsed
        })
    }

    /// Returns the failure with this error.
    pub(crate) fn fail(self, fault: Box<Fault>) -> nom::Err<Unparsed> {
        nom::Err::Failure(Unparsed {
            left: self.0.len(),
            expected: Vec::new(),
            is_keyword: false,
            fault: Some(fault),
        })
    }

    /// Returns the place of the tokens that were read between `self` and `rest`.
    pub(crate) fn span_until(self, rest: Self) -> Span {
        let read = self.0.len() - rest.0.len();
        let first = self.first().span;
        read.checked_sub(1)
            .map_or(first, |last| first.to(self.0[last].span))
    }
}

/// Runs a parser that must read all tokens.
pub(crate) fn parse_all<'t, T>(
    tokens: &'t [Token<'t>],
    parser: impl Fn(Tokens<'t>) -> Parsed<'t, T>,
) -> Checked<T> {
    parser(Tokens::new(tokens))
        .map(|(_, value)| value)
        .map_err(|error| match error {
            nom::Err::Error(unparsed) | nom::Err::Failure(unparsed) => unparsed.fault(tokens),
            nom::Err::Incomplete(_) => Fault::placeless(ErrorKind::Syntax),
        })
}

impl Unparsed {
    fn fault(self, tokens: &[Token<'_>]) -> Box<Fault> {
        if let Some(fault) = self.fault {
            return fault;
        }
        let at = tokens.len() - self.left.max(1);
        let kind = match tokens[at].kind {
            TokenKind::End => ErrorKind::Truncated,
            _ => ErrorKind::Syntax,
        };
        let fault = Fault::new(tokens[at].span, kind).expecting(alternatives(&self.expected));
        match tokens[at].kind {
            TokenKind::Word(word) if self.is_keyword => {
                fault.note(format!("`{word}` is a keyword, and so cannot be a name"))
            }
            _ => fault,
        }
    }
}

/// Lists alternatives as `a`, `a or b`, or `a, b or c`.
fn alternatives(of: &[&'static str]) -> String {
    match of {
        [] => "something else".to_owned(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

impl<'t> ParseError<Tokens<'t>> for Unparsed {
    fn from_error_kind(input: Tokens<'t>, _: NomKind) -> Self {
        Self {
            left: input.0.len(),
            expected: Vec::new(),
            is_keyword: false,
            fault: None,
        }
    }

    fn append(_: Tokens<'t>, _: NomKind, other: Self) -> Self {
        other
    }

    fn or(mut self, mut other: Self) -> Self {
        if self.left != other.left {
            return if self.left < other.left { self } else { other };
        }
        other.expected.retain(|what| !self.expected.contains(what));
        self.expected.append(&mut other.expected);
        self.is_keyword |= other.is_keyword;
        self
    }
}

impl<'t> Input for Tokens<'t> {
    type Item = Token<'t>;
    type Iter = Copied<std::slice::Iter<'t, Token<'t>>>;
    type IterIndices = Enumerate<Self::Iter>;

    fn input_len(&self) -> usize {
        self.0.len()
    }

    fn take(&self, index: usize) -> Self {
        Self(&self.0[..index])
    }

    fn take_from(&self, index: usize) -> Self {
        Self(&self.0[index..])
    }

    fn take_split(&self, index: usize) -> (Self, Self) {
        (self.take_from(index), self.take(index))
    }

    fn position<P>(&self, predicate: P) -> Option<usize>
    where
        P: Fn(Self::Item) -> bool,
    {
        self.0.iter().position(|&token| predicate(token))
    }

    fn iter_elements(&self) -> Self::Iter {
        self.0.iter().copied()
    }

    fn iter_indices(&self) -> Self::IterIndices {
        self.iter_elements().enumerate()
    }

    fn slice_index(&self, count: usize) -> Result<usize, Needed> {
        match self.0.len() >= count {
            true => Ok(count),
            false => Err(Needed::new(count - self.0.len())),
        }
    }
}
