//! Checks expressions: resolves names, and checks types.
//!
//! The rules are those of PRISM. An operation on integers has an integer result, except for `/` and
//! `log`, whose results are real numbers. An integer may be used wherever a real number may. `&`
//! and `|` evaluate their right operand only if the left one does not decide.

use std::collections::HashMap;

use super::node::{Expr, Id, Slot, double, int};
use crate::arith::{Binary, Bits, Comparison, Unary};
use crate::ast::{self, BinaryOp, Function, NodeKind, Span, Type, UnaryOp};
use crate::error::{Checked, ErrorKind, Fault, Naming};
use crate::names;

/// The meaning of a name in an expression.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Meaning {
    Constant(Bits, Type),
    /// A variable with its least and greatest value.
    Variable(Slot, Type, (i64, i64)),
}

/// The names that an expression can use.
#[derive(Debug, Default)]
pub(crate) struct Scope<'m> {
    pub(crate) names: HashMap<&'m str, Meaning>,
}

/// The type that an expression must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    Any,
    /// An integer or a real number.
    Number,
    /// This type. An integer may be used for a real number, and is converted.
    Of(Type),
}

/// Checks an expression. `what` is its description in errors.
pub(crate) fn typed(
    expr: &ast::Expr,
    scope: &Scope<'_>,
    what: &'static str,
    wanted: Wanted,
) -> Checked<Expr> {
    let mut checker = Checker {
        expr: Expr::default(),
        operands: Vec::new(),
        has_division: false,
    };
    for node in expr.nodes() {
        checker.node(&node.kind, node.span, scope)?;
    }
    let root = checker.pop();
    checker.finish(root, what, wanted, expr.span())
}

/// If the fault is that `what` has the wrong type, replaces these words by more precise ones.
pub(crate) fn about(
    mut fault: Box<Fault>,
    what: &str,
    precisely: impl FnOnce() -> String,
) -> Box<Fault> {
    if let ErrorKind::TypeMismatch { what: said, .. } = &mut fault.kind
        && said == what
    {
        *said = precisely().into();
    }
    fault
}

/// The check of an expression, node by node.
struct Checker {
    expr: Expr,
    /// The complete operands that have no operator yet.
    operands: Vec<Id>,
    /// Whether there was a `/`.
    has_division: bool,
}

impl Checker {
    /// Returns the expression, if its type is the wanted one or can be converted to it.
    fn finish(mut self, root: Id, what: &'static str, wanted: Wanted, span: Span) -> Checked<Expr> {
        let root = match (wanted, self.type_of(root)) {
            (Wanted::Of(Type::Double), Type::Int) => self.expr.unary(Unary::Widen, root, span),
            (Wanted::Of(of), found) if of != found => {
                return Err(self.mismatch(what.into(), name(of), found, span));
            }
            (Wanted::Number, Type::Bool) => {
                return Err(self.mismatch(what.into(), "int or double", Type::Bool, span));
            }
            _ => root,
        };
        self.expr.again(root, span);
        Ok(self.expr)
    }

    fn type_of(&self, id: Id) -> Type {
        self.expr.node(id).of
    }

    fn pop(&mut self) -> Id {
        self.operands.pop().unwrap_or_default()
    }

    /// Checks the next node in postfix order, whose operands are complete.
    fn node(&mut self, kind: &NodeKind, span: Span, scope: &Scope<'_>) -> Checked<()> {
        let id = match kind {
            NodeKind::Int(value) => self.expr.value(int(*value), Type::Int, span),
            NodeKind::Double(value) => self.expr.value(double(*value), Type::Double, span),
            NodeKind::Bool(value) => self.expr.value(u64::from(*value), Type::Bool, span),
            NodeKind::Name(name) => match scope.names.get(name.as_str()) {
                Some(&Meaning::Constant(bits, of)) => self.expr.value(bits, of, span),
                Some(&Meaning::Variable(slot, of, range)) => {
                    self.expr.variable(slot, of, range, span)
                }
                None => {
                    let known = scope.names.keys().copied();
                    return Err(names::unknown(name, span, Naming::Value, known));
                }
            },
            NodeKind::Unary(op) => {
                let operand = self.pop();
                self.unary(*op, operand, span)?
            }
            NodeKind::Binary(op) => {
                let right = self.pop();
                let left = self.pop();
                self.binary(*op, left, right, span)?
            }
            NodeKind::IfThenElse => {
                let no = self.pop();
                let yes = self.pop();
                let condition = self.pop();
                self.choose(condition, yes, no, span)?
            }
            NodeKind::Call(function, count) => {
                let first = self.operands.len() - *count as usize;
                let arguments = self.operands.split_off(first);
                self.call(*function, &arguments, span)?
            }
        };
        self.operands.push(id);
        Ok(())
    }

    /// Applies an operator to an operand of the right type.
    fn unary(&mut self, op: UnaryOp, operand: Id, span: Span) -> Checked<Id> {
        Ok(match (op, self.type_of(operand)) {
            (UnaryOp::Not, Type::Bool) => self.expr.not(operand, span),
            (UnaryOp::Minus, Type::Int) => self.expr.unary(Unary::NegateInt, operand, span),
            (UnaryOp::Minus, Type::Double) => self.expr.unary(Unary::NegateDouble, operand, span),
            (UnaryOp::Not, found) => return Err(self.wrong_operand("`!`", "bool", found, operand)),
            (UnaryOp::Minus, found) => {
                return Err(self.wrong_operand("`-`", "int or double", found, operand));
            }
        })
    }

    /// Returns the error that `what` has another type than the wanted one.
    fn mismatch(
        &self,
        what: std::borrow::Cow<'static, str>,
        wanted: &'static str,
        found: Type,
        span: Span,
    ) -> Box<Fault> {
        let kind = ErrorKind::TypeMismatch {
            what,
            wanted,
            found,
        };
        let fault = Fault::new(span, kind);
        match (wanted, found) {
            ("int", Type::Double) if self.has_division => {
                fault.note("`/` always gives a double; `floor`, `ceil` and `round` give an int")
            }
            ("int", Type::Double) => fault.note("`floor`, `ceil` and `round` give an int"),
            _ => fault,
        }
    }

    /// Returns the error about an operand that has the wrong type.
    fn wrong_operand(
        &self,
        operator: &str,
        wanted: &'static str,
        found: Type,
        at: Id,
    ) -> Box<Fault> {
        let what = format!("the operand of {operator}");
        self.mismatch(what.into(), wanted, found, self.expr.node(at).span)
    }

    /// Applies an operator to two operands of the right types.
    fn binary(&mut self, op: BinaryOp, left: Id, right: Id, span: Span) -> Checked<Id> {
        let types = (self.type_of(left), self.type_of(right));
        let wrong = || {
            let (left, right) = types;
            let operator = op.quoted();
            let kind = ErrorKind::OperandTypes {
                operator,
                left,
                right,
            };
            Fault::new(span, kind)
        };
        let arithmetic = match op {
            BinaryOp::And | BinaryOp::Or | BinaryOp::Implies | BinaryOp::Iff
                if types != (Type::Bool, Type::Bool) =>
            {
                return Err(wrong());
            }
            BinaryOp::And => return Ok(self.expr.and(left, right, span)),
            BinaryOp::Or => return Ok(self.expr.or(left, right, span)),
            BinaryOp::Implies => {
                let not = self.expr.not(left, span);
                return Ok(self.expr.or(not, right, span));
            }
            BinaryOp::Iff => {
                return Ok(self.expr.compare(Comparison::Equal, left, right, span));
            }
            BinaryOp::Equal | BinaryOp::NotEqual if types == (Type::Bool, Type::Bool) => {
                return Ok(self.expr.compare(comparison(op), left, right, span));
            }
            _ if types.0 == Type::Bool || types.1 == Type::Bool => return Err(wrong()),
            BinaryOp::Plus => [Binary::AddInt, Binary::AddDouble],
            BinaryOp::Minus => [Binary::SubtractInt, Binary::SubtractDouble],
            BinaryOp::Times => [Binary::MultiplyInt, Binary::MultiplyDouble],
            BinaryOp::Power => [Binary::PowInt, Binary::PowDouble],
            BinaryOp::Divide => {
                self.has_division = true;
                let (left, right) = (self.widened(left), self.widened(right));
                return Ok(self.expr.binary(Binary::Divide, left, right, span));
            }
            _ => {
                let [left, right] = self.unified(left, right);
                return Ok(self.expr.compare(comparison(op), left, right, span));
            }
        };
        Ok(self.arithmetic(arithmetic, left, right, span))
    }

    /// Returns the operation for integers or for real numbers, depending on the operands.
    fn arithmetic(&mut self, [ints, doubles]: [Binary; 2], left: Id, right: Id, span: Span) -> Id {
        let [left, right] = self.unified(left, right);
        let op = match self.type_of(left) {
            Type::Double => doubles,
            _ => ints,
        };
        self.expr.binary(op, left, right, span)
    }

    /// Returns both operands, as real numbers if at least one of them is a real number.
    fn unified(&mut self, left: Id, right: Id) -> [Id; 2] {
        match self.type_of(left) == Type::Double || self.type_of(right) == Type::Double {
            true => [left, right].map(|operand| self.widened(operand)),
            false => [left, right],
        }
    }

    /// Returns an operand as a real number.
    fn widened(&mut self, id: Id) -> Id {
        match self.type_of(id) {
            Type::Int => {
                let span = self.expr.node(id).span;
                self.expr.unary(Unary::Widen, id, span)
            }
            _ => id,
        }
    }

    /// Makes `condition ? yes : no`.
    fn choose(&mut self, condition: Id, yes: Id, no: Id, span: Span) -> Checked<Id> {
        let found = self.type_of(condition);
        if found != Type::Bool {
            return Err(self.wrong_operand("`?`", "bool", found, condition));
        }
        let types = (self.type_of(yes), self.type_of(no));
        if (types.0 == Type::Bool) != (types.1 == Type::Bool) {
            let (yes, no) = types;
            return Err(Fault::new(span, ErrorKind::ChoiceTypes { yes, no }));
        }
        let [yes, no] = self.unified(yes, no);
        Ok(self.expr.choose(condition, yes, no, span))
    }

    /// Calls a function with the right number of arguments, of the right types.
    fn call(&mut self, function: Function, arguments: &[Id], span: Span) -> Checked<Id> {
        self.check_arity(function, arguments, span)?;
        for &argument in arguments {
            let found = self.type_of(argument);
            let whole = function == Function::Mod;
            if found == Type::Bool || (whole && found == Type::Double) {
                let wanted = if whole { "int" } else { "int or double" };
                let what = format!("an argument of `{}`", function.name());
                let at = self.expr.node(argument).span;
                return Err(self.mismatch(what.into(), wanted, found, at));
            }
        }
        let first = arguments[0];
        Ok(match function {
            Function::Min => self.chain([Binary::MinInt, Binary::MinDouble], arguments, span),
            Function::Max => self.chain([Binary::MaxInt, Binary::MaxDouble], arguments, span),
            Function::Pow => self.chain([Binary::PowInt, Binary::PowDouble], arguments, span),
            Function::Mod => self.expr.binary(Binary::Mod, first, arguments[1], span),
            Function::Log => {
                let (x, base) = (self.widened(first), self.widened(arguments[1]));
                self.expr.binary(Binary::Log, x, base, span)
            }
            Function::Floor => self.rounded(Unary::Floor, first, span),
            Function::Ceil => self.rounded(Unary::Ceil, first, span),
            Function::Round => self.rounded(Unary::Round, first, span),
        })
    }

    /// Checks the number of arguments of a function.
    fn check_arity(&self, function: Function, arguments: &[Id], span: Span) -> Checked<()> {
        let (right, wanted) = match function {
            Function::Min | Function::Max => (!arguments.is_empty(), "one argument or more"),
            Function::Pow | Function::Mod | Function::Log => {
                (arguments.len() == 2, "two arguments")
            }
            Function::Floor | Function::Ceil | Function::Round => {
                (arguments.len() == 1, "one argument")
            }
        };
        if right {
            return Ok(());
        }
        let kind = ErrorKind::Arity {
            function: function.name(),
            wanted,
            found: u32::try_from(arguments.len()).unwrap_or(u32::MAX),
        };
        Err(Fault::new(span, kind))
    }

    /// Applies the operation from left to right, to real numbers if at least one argument is a real
    /// number. A single argument is the result.
    fn chain(&mut self, ops: [Binary; 2], arguments: &[Id], span: Span) -> Id {
        let double = arguments.iter().any(|&id| self.type_of(id) == Type::Double);
        let mut result = arguments[0];
        if double {
            result = self.widened(result);
        }
        for &argument in &arguments[1..] {
            result = self.arithmetic(ops, result, argument, span);
        }
        result
    }

    /// Rounds an argument, unless it is an integer.
    fn rounded(&mut self, op: Unary, argument: Id, span: Span) -> Id {
        match self.type_of(argument) {
            Type::Double => self.expr.unary(op, argument, span),
            _ => self.expr.again(argument, span),
        }
    }
}

fn comparison(op: BinaryOp) -> Comparison {
    match op {
        BinaryOp::NotEqual => Comparison::NotEqual,
        BinaryOp::Less => Comparison::Less,
        BinaryOp::LessEqual => Comparison::LessEqual,
        BinaryOp::Greater => Comparison::Greater,
        BinaryOp::GreaterEqual => Comparison::GreaterEqual,
        _ => Comparison::Equal,
    }
}

fn name(of: Type) -> &'static str {
    match of {
        Type::Int => "int",
        Type::Double => "double",
        Type::Bool => "bool",
    }
}
