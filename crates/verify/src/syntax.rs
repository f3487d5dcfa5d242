//! The syntax of naga's IR: the blocks of statements, the operands of expressions, and the
//! variables of pointers.

use naga::{Block, Expression, Function, Handle, LocalVariable, Span, Statement};

/// Calls `f` for each statement of a block and the blocks in it.
pub(crate) fn visit<'b>(block: &'b Block, f: &mut impl FnMut(&'b Statement, Span)) {
    for (statement, span) in block.span_iter() {
        f(statement, *span);
        for block in blocks_of(statement) {
            visit(block, f);
        }
    }
}

/// Returns the blocks that a statement contains.
pub(crate) fn blocks_of(statement: &Statement) -> Vec<&Block> {
    match statement {
        Statement::Block(block) => vec![block],
        Statement::If { accept, reject, .. } => vec![accept, reject],
        Statement::Switch { cases, .. } => cases.iter().map(|case| &case.body).collect(),
        Statement::Loop {
            body, continuing, ..
        } => vec![body, continuing],
        _ => Vec::new(),
    }
}

/// Returns the local variable that a pointer points into, if it is derived from one of this
/// function.
pub(crate) fn local_of(
    function: &Function,
    pointer: Handle<Expression>,
) -> Option<Handle<LocalVariable>> {
    match function.expressions[pointer] {
        Expression::LocalVariable(local) => Some(local),
        Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => {
            local_of(function, base)
        }
        _ => None,
    }
}

/// Returns the expressions from which an expression is computed.
pub(crate) fn operands(expression: &Expression) -> Vec<Handle<Expression>> {
    match expression {
        Expression::Compose { components, .. } => components.clone(),
        Expression::Access { base, index } => vec![*base, *index],
        Expression::AccessIndex { base: one, .. }
        | Expression::Splat { value: one, .. }
        | Expression::Swizzle { vector: one, .. }
        | Expression::Load { pointer: one }
        | Expression::Unary { expr: one, .. }
        | Expression::As { expr: one, .. }
        | Expression::Relational { argument: one, .. } => vec![*one],
        Expression::Binary { left, right, .. } => vec![*left, *right],
        Expression::Select {
            condition,
            accept,
            reject,
        } => vec![*condition, *accept, *reject],
        Expression::Math {
            arg,
            arg1,
            arg2,
            arg3,
            ..
        } => {
            let others = [arg1, arg2, arg3].into_iter().flatten();
            std::iter::once(arg).chain(others).copied().collect()
        }
        _ => Vec::new(),
    }
}
