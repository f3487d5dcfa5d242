//! The grammar of expressions. Operators that wait for their right operand are on an explicit stack
//! (Dijkstra's shunting yard), so only memory limits the depth of nesting. Nodes are in postfix
//! order.

use super::words::{is_name, symbol};
use crate::ast::{BinaryOp, Expr, Function, IF_PRECEDENCE, NodeKind, Span, UnaryOp};
use crate::error::{ErrorKind, Fault, Naming};
use crate::lexer::TokenKind;
use crate::tokens::{Parsed, Tokens, Unparsed};

/// An element of the stack.
enum Pending {
    /// An operator that waits for its last operand.
    Operator {
        kind: NodeKind,
        precedence: u8,
        /// The place of its first operand or, if it is a prefix operator, of the operator itself.
        start: Span,
    },
    /// `c ?`, waiting for the `:`.
    Question { start: Span },
    /// `(`, waiting for the `)`.
    Parenthesis { start: Span },
    /// `f(` and the complete arguments, waiting for further ones.
    Call {
        function: Function,
        arguments: u32,
        start: Span,
    },
}

struct Yard {
    expr: Expr,
    pending: Vec<Pending>,
}

/// Parses the longest expression.
pub(super) fn expression(mut input: Tokens<'_>) -> Parsed<'_, Expr> {
    let mut yard = Yard {
        expr: Expr::building(),
        pending: Vec::new(),
    };
    loop {
        input = yard.operand(input)?;
        match yard.operator(input)? {
            Next::Operand(rest) => input = rest,
            Next::End(rest) => return Ok((rest, yard.expr)),
        }
    }
}

/// The input after an operand.
enum Next<'t> {
    /// Another operand follows, after an operator.
    Operand(Tokens<'t>),
    /// The expression ends here.
    End(Tokens<'t>),
}

impl Yard {
    /// Parses prefix operators, opening parentheses, and a literal or a name.
    fn operand<'t>(&mut self, mut input: Tokens<'t>) -> Result<Tokens<'t>, nom::Err<Unparsed>> {
        loop {
            let token = input.first();
            let start = token.span;
            let literal = match token.kind {
                TokenKind::Int(value) => NodeKind::Int(value),
                TokenKind::Double(value) => NodeKind::Double(value),
                TokenKind::Word("true") => NodeKind::Bool(true),
                TokenKind::Word("false") => NodeKind::Bool(false),
                TokenKind::Symbol("-") => {
                    self.prefix(UnaryOp::Minus, start);
                    input = input.rest();
                    continue;
                }
                TokenKind::Symbol("!") => {
                    self.prefix(UnaryOp::Not, start);
                    input = input.rest();
                    continue;
                }
                TokenKind::Symbol("(") => {
                    self.pending.push(Pending::Parenthesis { start });
                    input = input.rest();
                    continue;
                }
                TokenKind::Word(word) if input.peek(1) == TokenKind::Symbol("(") => {
                    input = self.call(input, word)?;
                    continue;
                }
                TokenKind::Word(word) if is_name(word) => NodeKind::Name(word.to_owned()),
                TokenKind::Symbol("=") => {
                    let fault = Fault::new(start, ErrorKind::Syntax).expecting("an expression");
                    return Err(input.fail(fault.note("equality is written `=`, not `==`")));
                }
                _ => return Err(input.unexpected("an expression")),
            };
            self.expr.push(literal, start);
            return Ok(input.rest());
        }
    }

    fn prefix(&mut self, op: UnaryOp, start: Span) {
        self.pending.push(Pending::Operator {
            kind: NodeKind::Unary(op),
            precedence: op.precedence(),
            start,
        });
    }

    /// Parses the beginning of a call: `f(` or, in the old style, `func(f,`.
    fn call<'t>(
        &mut self,
        input: Tokens<'t>,
        word: &str,
    ) -> Result<Tokens<'t>, nom::Err<Unparsed>> {
        let start = input.first().span;
        if word != "func" {
            return self.arguments_of(input, word, start, "`(`");
        }
        let input = input.rest().rest();
        match input.first().kind {
            TokenKind::Word(word) => self.arguments_of(input, word, start, "`,`"),
            _ => Err(input.unexpected("a function")),
        }
    }

    /// Begins the call of `name`, which is at the beginning of `input` and is followed by
    /// `opening`.
    fn arguments_of<'t>(
        &mut self,
        input: Tokens<'t>,
        name: &str,
        start: Span,
        opening: &'static str,
    ) -> Result<Tokens<'t>, nom::Err<Unparsed>> {
        let Some(function) = Function::named(name) else {
            return Err(input.fail(unknown_function(name, input.first().span)));
        };
        let (rest, _) = symbol(opening)(input.rest())?;
        self.pending.push(Pending::Call {
            function,
            arguments: 0,
            start,
        });
        Ok(rest)
    }

    /// Parses closing parentheses and an operator, or finds the end of the expression.
    fn operator<'t>(&mut self, mut input: Tokens<'t>) -> Result<Next<'t>, nom::Err<Unparsed>> {
        loop {
            let token = input.first();
            let TokenKind::Symbol(symbol) = token.kind else {
                return self.end(input);
            };
            if let Some(op) = BinaryOp::ALL.iter().find(|op| op.symbol() == symbol) {
                reject_doubled(input, symbol)?;
                // If the operator groups to the right, operators of the same precedence remain on
                // the stack.
                let start = self.reduce(op.precedence() + u8::from(op.groups_right()));
                self.pending.push(Pending::Operator {
                    kind: NodeKind::Binary(*op),
                    precedence: op.precedence(),
                    start,
                });
                return Ok(Next::Operand(input.rest()));
            }
            match symbol {
                "?" => {
                    // This groups to the right: a `? :` on the stack remains there.
                    let start = self.reduce(IF_PRECEDENCE + 1);
                    self.pending.push(Pending::Question { start });
                    return Ok(Next::Operand(input.rest()));
                }
                ":" => {
                    self.reduce(0);
                    let Some(&Pending::Question { start }) = self.pending.last() else {
                        return self.end(input);
                    };
                    self.pending.pop();
                    self.pending.push(Pending::Operator {
                        kind: NodeKind::IfThenElse,
                        precedence: IF_PRECEDENCE,
                        start,
                    });
                    return Ok(Next::Operand(input.rest()));
                }
                "," => {
                    self.reduce(0);
                    let Some(Pending::Call { arguments, .. }) = self.pending.last_mut() else {
                        return self.end(input);
                    };
                    *arguments += 1;
                    return Ok(Next::Operand(input.rest()));
                }
                ")" => {
                    self.reduce(0);
                    if !self.close(token.span) {
                        return self.end(input);
                    }
                    input = input.rest();
                }
                _ => return self.end(input),
            }
        }
    }

    /// Completes the operators on the stack whose precedence is at least `precedence`. Returns the
    /// beginning of the operand that results.
    fn reduce(&mut self, precedence: u8) -> Span {
        let end = self.expr.span();
        loop {
            match self.pending.last() {
                Some(Pending::Operator {
                    precedence: tighter,
                    ..
                }) if *tighter >= precedence => {}
                _ => return self.expr.span(),
            }
            if let Some(Pending::Operator { kind, start, .. }) = self.pending.pop() {
                self.expr.push(kind, start.to(end));
            }
        }
    }

    /// Completes the parenthesis or call on the stack. Returns `false` if there is none.
    fn close(&mut self, end: Span) -> bool {
        match self.pending.last() {
            Some(Pending::Parenthesis { start }) => self.expr.widen(start.to(end)),
            Some(Pending::Call {
                function,
                arguments,
                start,
            }) => {
                let call = NodeKind::Call(*function, arguments + 1);
                self.expr.push(call, start.to(end));
            }
            _ => return false,
        }
        self.pending.pop();
        true
    }

    /// Ends the expression before `input`. It is an error if a parenthesis or call is open.
    fn end<'t>(&mut self, input: Tokens<'t>) -> Result<Next<'t>, nom::Err<Unparsed>> {
        self.reduce(0);
        match self.pending.last() {
            None => Ok(Next::End(input)),
            Some(Pending::Question { .. }) => Err(input.unexpected("an operator or `:`")),
            Some(Pending::Call { .. }) => Err(input.unexpected("an operator, `,` or `)`")),
            Some(_) => Err(input.unexpected("an operator or `)`")),
        }
    }
}

/// Refuses the operators `&&` and `||` of other languages.
pub(super) fn reject_doubled(input: Tokens<'_>, symbol: &str) -> Result<(), nom::Err<Unparsed>> {
    let (first, second) = (input.first(), input.rest().first());
    let note = match symbol {
        "&" => "the conjunction is written `&`",
        "|" => "the disjunction is written `|`",
        _ => return Ok(()),
    };
    if second.kind != first.kind {
        return Ok(());
    }
    let fault = Fault::new(second.span, ErrorKind::Syntax).expecting("an expression");
    Err(input.rest().fail(fault.note(note)))
}

fn unknown_function(name: &str, span: Span) -> Box<Fault> {
    let kind = ErrorKind::UnknownName {
        name: name.to_owned(),
        wanted: Naming::Function,
    };
    Fault::new(span, kind).suggest(name, Function::ALL.map(Function::name))
}
