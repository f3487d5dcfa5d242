//! Builds expressions in postfix order, in time proportional to the size of the result.

use super::resolve::Budget;
use crate::error::Checked;
use prism_language::ast::{BinaryOp, Expr, NodeKind, Span, Spanned};

pub(super) fn spanned<T>(value: T, span: Span) -> Spanned<T> {
    Spanned { value, span }
}

pub(super) fn leaf(kind: NodeKind, span: Span) -> Expr {
    Expr::leaf(kind, span)
}

/// Returns an expression that consists of the name of a variable.
pub(super) fn name(name: &str, span: Span) -> Expr {
    leaf(NodeKind::Name(name.to_owned()), span)
}

/// Joins all operands with an operator between them; `None` if there are no operands.
pub(super) fn chain(operands: Vec<Expr>, op: BinaryOp, span: Span) -> Option<Expr> {
    let mut operands = operands.into_iter();
    let mut whole = operands.next()?;
    for operand in operands {
        whole.append(&operand);
        whole.push(NodeKind::Binary(op), span);
    }
    Some(whole)
}

/// Returns the conjunction of all conditions.
pub(super) fn and(conditions: Vec<Expr>, span: Span) -> Expr {
    let whole = chain(conditions, BinaryOp::And, span);
    whole.unwrap_or_else(|| leaf(NodeKind::Bool(true), span))
}

/// Returns the value of the first condition that holds, or `otherwise` if none holds.
pub(super) fn select(cases: &[(Expr, Expr)], otherwise: &Expr, span: Span) -> Expr {
    let mut whole = Expr::building();
    for (condition, value) in cases {
        whole.append(condition);
        whole.append(value);
    }
    whole.append(otherwise);
    for _ in cases {
        whole.push(NodeKind::IfThenElse, span);
    }
    whole
}

/// `left op right`
pub(super) fn binary(left: &Expr, op: BinaryOp, right: &Expr, span: Span) -> Expr {
    let mut whole = left.clone();
    whole.append(right);
    whole.push(NodeKind::Binary(op), span);
    whole
}

/// Returns the expression with some names replaced by their values.
pub(super) fn substituted<'v>(
    expr: &Expr,
    value: impl Fn(&str) -> Option<&'v Expr>,
    budget: &Budget,
) -> Checked<Expr> {
    if expr.names().all(|(name, _)| value(name).is_none()) {
        return Ok(expr.clone());
    }
    let mut whole = Expr::building();
    for node in expr.nodes() {
        let known = match &node.kind {
            NodeKind::Name(name) => value(name),
            _ => None,
        };
        match known {
            Some(known) => {
                budget.take(known.nodes().len(), node.span)?;
                whole.append(known);
            }
            None => whole.push(node.kind.clone(), node.span),
        }
    }
    budget.take(expr.nodes().len(), expr.span())?;
    Ok(whole)
}
