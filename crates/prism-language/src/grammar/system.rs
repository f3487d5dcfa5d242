//! The grammar of `system ... endsystem`. As for expressions, operators are on an explicit stack,
//! and nodes are in postfix order.
//!
//! `|[a]|` binds tighter than `||` and `|||`, which group to the left. PRISM groups a mixture of
//! `||` and `|||` in a way that is easily misunderstood. Here it needs parentheses, and so does a
//! second `|[a]|`.

use nom::Parser;
use nom::branch::alt;
use nom::multi::separated_list1;
use nom::sequence::{delimited, pair, preceded};

use super::words::{ident, is_name, names, quoted, spanned, symbol, worded};
use crate::ast::{Ident, Spanned, System, SystemNode};
use crate::error::{ErrorKind, Fault};
use crate::lexer::TokenKind;
use crate::tokens::{Parsed, Tokens, Unparsed};

enum Pending {
    Parenthesis,
    Operator(Spanned<SystemNode>),
}

/// Parses the text between `system` and `endsystem`: an optional name, and the composition.
pub(super) fn system(input: Tokens<'_>) -> Parsed<'_, System> {
    // A name in quotation marks is the name of the system if a composition follows it, which begins
    // with one of these tokens.
    let is_own_name = match input.peek(1) {
        TokenKind::Word(word) => is_name(word),
        next => matches!(next, TokenKind::Quoted(_) | TokenKind::Symbol("(")),
    };
    let (rest, name) = match quoted(input) {
        Ok((rest, name)) if is_own_name => (rest, Some(name)),
        _ => (input, None),
    };
    let (rest, nodes) = composition(rest)?;
    Ok((rest, System { name, nodes }))
}

/// Parses a module, or another system in quotation marks.
fn operand(input: Tokens<'_>) -> Parsed<'_, SystemNode> {
    alt((
        ident.map(|name| SystemNode::Module(name.value)),
        quoted.map(|name| SystemNode::Reference(name.value)),
    ))
    .parse(input)
}

fn composition(mut input: Tokens<'_>) -> Parsed<'_, Vec<Spanned<SystemNode>>> {
    let mut nodes = Vec::new();
    let mut pending: Vec<Pending> = Vec::new();
    loop {
        while let Ok((rest, _)) = symbol("`(`")(input) {
            pending.push(Pending::Parenthesis);
            input = rest;
        }
        let expected = "a module, a system in double quotes or `(`";
        let (rest, node) = spanned(worded(operand, expected))(input)?;
        nodes.push(node);
        input = rest;
        loop {
            input = postfixes(input, &mut nodes)?;
            let Ok((rest, _)) = symbol("`)`")(input) else {
                break;
            };
            reduce_all(&mut pending, &mut nodes);
            if pending.pop().is_none() {
                return Err(input.unexpected("an operator or `endsystem`"));
            }
            input = rest;
        }
        let Some((rest, operator)) = parallel(input)? else {
            reduce_all(&mut pending, &mut nodes);
            return match pending.last() {
                None => Ok((input, nodes)),
                Some(_) => Err(input.unexpected("an operator or `)`")),
            };
        };
        reduce_for(&operator, &mut pending, &mut nodes).map_err(|fault| input.fail(fault))?;
        pending.push(Pending::Operator(operator));
        input = rest;
    }
}

/// Parses any number of hiding and renaming operators.
fn postfixes<'t>(
    mut input: Tokens<'t>,
    nodes: &mut Vec<Spanned<SystemNode>>,
) -> Result<Tokens<'t>, nom::Err<Unparsed>> {
    loop {
        let (rest, value) = match input.first().kind {
            TokenKind::Symbol("/") => {
                let braces = delimited(symbol("`{`"), names, symbol("`}`"));
                preceded(symbol("`/`"), braces)
                    .map(SystemNode::Hide)
                    .parse(input)?
            }
            TokenKind::Symbol("{") => delimited(
                symbol("`{`"),
                separated_list1(symbol("`,`"), rename),
                symbol("`}`"),
            )
            .map(SystemNode::Rename)
            .parse(input)?,
            _ => return Ok(input),
        };
        let span = input.span_until(rest);
        nodes.push(Spanned { value, span });
        input = rest;
    }
}

/// Parses `a <- b`.
fn rename(input: Tokens<'_>) -> Parsed<'_, (Ident, Ident)> {
    pair(ident, preceded(arrow, ident)).parse(input)
}

/// Parses `<` and `-` without a blank between them.
fn arrow(input: Tokens<'_>) -> Parsed<'_, ()> {
    let (left, right) = (input.first(), input.rest().first());
    let arrow = left.kind == TokenKind::Symbol("<")
        && right.kind == TokenKind::Symbol("-")
        && left.span.end() == right.span.start();
    match arrow {
        true => Ok((input.rest().rest(), ())),
        false => Err(input.unexpected("`<-`")),
    }
}

/// Parses `||`, `|||` or `|[a,b]|`.
fn parallel(
    input: Tokens<'_>,
) -> Result<Option<(Tokens<'_>, Spanned<SystemNode>)>, nom::Err<Unparsed>> {
    const BAR: TokenKind<'_> = TokenKind::Symbol("|");
    if input.first().kind != BAR {
        return Ok(None);
    }
    let (rest, value) = match (input.peek(1), input.peek(2)) {
        (BAR, BAR) => (input.rest().rest().rest(), SystemNode::Interleaved),
        (BAR, _) => (input.rest().rest(), SystemNode::Full),
        (TokenKind::Symbol("["), _) => {
            let actions = delimited(symbol("`[`"), names, symbol("`]`"));
            delimited(symbol("`|`"), actions, symbol("`|`"))
                .map(SystemNode::Restricted)
                .parse(input)?
        }
        _ => return Err(input.unexpected("`||`, `|||` or `|[`")),
    };
    let span = input.span_until(rest);
    Ok(Some((rest, Spanned { value, span })))
}

fn text(operator: &SystemNode) -> &'static str {
    match operator {
        SystemNode::Interleaved => "|||",
        SystemNode::Restricted(_) => "|[..]|",
        _ => "||",
    }
}

/// Completes the operators on the stack whose precedence is at least that of `operator`.
fn reduce_for(
    operator: &Spanned<SystemNode>,
    pending: &mut Vec<Pending>,
    nodes: &mut Vec<Spanned<SystemNode>>,
) -> Result<(), Box<Fault>> {
    while let Some(Pending::Operator(waiting)) = pending.last() {
        let (first, second) = (text(&waiting.value), text(&operator.value));
        let chained = first == second && second != "|[..]|";
        if !chained && first != "|[..]|" && second == "|[..]|" {
            return Ok(());
        }
        if !chained && (first != "|[..]|" || second == "|[..]|") {
            let kind = ErrorKind::MixedSystem { first, second };
            return Err(Fault::new(operator.span, kind));
        }
        if let Some(Pending::Operator(waiting)) = pending.pop() {
            nodes.push(waiting);
        }
    }
    Ok(())
}

/// Completes all operators after the last open parenthesis.
fn reduce_all(pending: &mut Vec<Pending>, nodes: &mut Vec<Spanned<SystemNode>>) {
    while let Some(Pending::Operator(_)) = pending.last() {
        if let Some(Pending::Operator(waiting)) = pending.pop() {
            nodes.push(waiting);
        }
    }
}
