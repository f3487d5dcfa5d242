//! The smallest parsers: keywords, symbols, names.

use nom::Parser;
use nom::combinator::cut;
use nom::multi::separated_list1;

use crate::ast::{Ident, Spanned};
use crate::lexer::TokenKind;
use crate::tokens::{Parsed, Tokens, Unparsed};

/// Words that are never names.
const KEYWORDS: [&str; 38] = [
    "bool",
    "clock",
    "const",
    "ctmc",
    "double",
    "dtmc",
    "endinit",
    "endinvariant",
    "endmodule",
    "endobservables",
    "endrewards",
    "endsystem",
    "false",
    "formula",
    "func",
    "global",
    "init",
    "int",
    "invariant",
    "label",
    "max",
    "mdp",
    "min",
    "module",
    "nondeterministic",
    "prob",
    "observable",
    "observables",
    "probabilistic",
    "pta",
    "rate",
    "rewards",
    "stochastic",
    "system",
    "true",
    "pomdp",
    "popta",
    "smg",
];

pub(super) fn keyword<'t>(word: &'static str) -> impl Fn(Tokens<'t>) -> Parsed<'t, Spanned<()>> {
    // `word` has backticks around it, as in error messages.
    move |input| match input.first().kind {
        TokenKind::Word(found) if found == word.trim_matches('`') => {
            Ok((input.rest(), here(input)))
        }
        _ => Err(input.unexpected(word)),
    }
}

pub(super) fn symbol<'t>(symbol: &'static str) -> impl Fn(Tokens<'t>) -> Parsed<'t, Spanned<()>> {
    move |input| match input.first().kind {
        TokenKind::Symbol(found) if found == symbol.trim_matches('`') => {
            Ok((input.rest(), here(input)))
        }
        _ => Err(input.unexpected(symbol)),
    }
}

pub(super) fn here(input: Tokens<'_>) -> Spanned<()> {
    Spanned {
        value: (),
        span: input.first().span,
    }
}

pub(super) fn is_name(word: &str) -> bool {
    !KEYWORDS.contains(&word)
}

pub(super) fn ident(input: Tokens<'_>) -> Parsed<'_, Ident> {
    match input.first().kind {
        TokenKind::Word(word) if is_name(word) => Ok((input.rest(), named(input, word))),
        // Where a part of the model ends too early, nobody wanted a name.
        TokenKind::Word(word) if !word.starts_with("end") => {
            Err(input.unexpected_keyword("a name"))
        }
        _ => Err(input.unexpected("a name")),
    }
}

/// Parses a name, or a keyword that is also the name of a function.
pub(super) fn ident_or_function(input: Tokens<'_>) -> Parsed<'_, Ident> {
    match input.first().kind {
        TokenKind::Word(word @ ("min" | "max")) => Ok((input.rest(), named(input, word))),
        _ => ident(input),
    }
}

pub(super) fn quoted(input: Tokens<'_>) -> Parsed<'_, Ident> {
    match input.first().kind {
        TokenKind::Quoted(word) => Ok((input.rest(), named(input, word))),
        _ => Err(input.unexpected("a name in double quotes")),
    }
}

pub(super) fn named(input: Tokens<'_>, word: &str) -> Ident {
    Spanned {
        value: word.to_owned(),
        span: input.first().span,
    }
}

pub(super) fn names(input: Tokens<'_>) -> Parsed<'_, Vec<Ident>> {
    separated_list1(symbol("`,`"), cut(ident)).parse(input)
}

/// Runs a parser, and replaces the description of what was expected if it reads nothing.
pub(super) fn worded<'t, T>(
    mut parser: impl Parser<Tokens<'t>, Output = T, Error = Unparsed>,
    expected: &'static str,
) -> impl FnMut(Tokens<'t>) -> Parsed<'t, T> {
    move |input| {
        let worded = |error| match error {
            nom::Err::Error(_) => input.unexpected(expected),
            other => other,
        };
        parser.parse(input).map_err(worded)
    }
}

/// Runs a parser, and records the place of everything that it read.
pub(super) fn spanned<'t, T>(
    mut parser: impl Parser<Tokens<'t>, Output = T, Error = Unparsed>,
) -> impl FnMut(Tokens<'t>) -> Parsed<'t, Spanned<T>> {
    move |input| {
        let (rest, value) = parser.parse(input)?;
        let span = input.span_until(rest);
        Ok((rest, Spanned { value, span }))
    }
}
