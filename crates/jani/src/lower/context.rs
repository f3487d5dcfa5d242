//! [`Context`]: the data that all parts of the translation need.

use super::build;
use super::resolve::{Budget, Scope};
use super::transient::Transients;
use crate::error::{Checked, ErrorKind, Fault};
use crate::expr::{Expr, Kind};
use crate::model::{Parts, Range, Variable};
use prism_language::ast::{self, Ident, NodeKind, Type, UnaryOp, VariableRange};
/// The data that every part of the translation uses.
pub(super) struct Context<'m> {
    pub(super) parts: &'m Parts,
    pub(super) global: &'m Scope<'m>,
    pub(super) transients: Transients,
    pub(super) budget: Budget,
}

impl Context<'_> {
    /// Returns whether an expression over the model's own names is Boolean. (The condition of a
    /// property about steady states or rewards may be a number instead.)
    pub(super) fn is_condition(&self, expr: &Expr) -> bool {
        let parts = self.parts;
        match expr.nodes.last().map(|node| &node.kind) {
            Some(Kind::Prism(NodeKind::Name(name))) => {
                let is_bool = |variable: &Variable| matches!(variable.range, Range::Bool);
                let mut variables = parts.variables.iter();
                let mut constants = parts.constants.iter();
                variables.any(|variable| variable.name.value == *name && is_bool(variable))
                    || constants.any(|c| c.name.value == *name && c.of == Type::Bool)
            }
            Some(Kind::Call(name, _)) => {
                let mut functions = parts.functions.iter();
                functions.any(|function| function.name.value == *name && function.is_bool)
            }
            Some(Kind::Prism(NodeKind::Unary(op))) => *op == UnaryOp::Not,
            // Comparisons and logical operators.
            Some(Kind::Prism(NodeKind::Binary(op))) => op.precedence() <= 8,
            _ => false,
        }
    }

    /// Resolves an expression whose value is known before the model runs.
    pub(super) fn fixed(&self, expr: &Expr, scope: &Scope<'_>) -> Checked<ast::Expr> {
        let resolved = scope.resolve(expr, &self.budget)?;
        match self.transients.find(&resolved) {
            None => Ok(resolved),
            Some((name, span)) => {
                let name = name.to_owned();
                let what = "what must be constant";
                Err(Fault::new(span, ErrorKind::NotHere { what, name }))
            }
        }
    }

    /// Resolves an expression that is evaluated in a state.
    pub(super) fn in_state(&self, expr: &Expr, scope: &Scope<'_>) -> Checked<ast::Expr> {
        let resolved = scope.resolve(expr, &self.budget)?;
        let value = |name: &str| self.transients.in_state(name);
        build::substituted(&resolved, value, &self.budget)
    }

    /// Returns a variable that is part of states, with its initial value if that is to be given
    /// here.
    pub(super) fn variable(
        &self,
        variable: &Variable,
        scope: &Scope<'_>,
        with_initial: bool,
    ) -> Checked<ast::Variable> {
        let initial = variable.initial.as_ref().filter(|_| with_initial);
        Ok(ast::Variable {
            name: Ident {
                value: scope.key(&variable.name)?,
                span: variable.name.span,
            },
            range: match &variable.range {
                Range::Bool => VariableRange::Bool,
                Range::Int { low, high } => VariableRange::Int {
                    low: self.fixed(low, scope)?,
                    high: self.fixed(high, scope)?,
                },
                Range::Unbounded | Range::Real => VariableRange::Unbounded,
            },
            init: initial.map(|value| self.fixed(value, scope)).transpose()?,
        })
    }
}
