//! The condition on initial states, if the initial values of variables do not determine them.

use super::build::{and, binary, chain, name};
use super::context::Context;
use super::instances::Instance;
use super::resolve::Scope;
use crate::error::Checked;
use crate::model::Variable;
use prism_language::ast::{BinaryOp, Expr, Span};

/// Returns the condition; `None` if each variable has one initial value and the model has no other
/// condition.
pub(super) fn condition(
    context: &Context<'_>,
    instances: &[Instance<'_>],
) -> Checked<Option<Expr>> {
    let parts = context.parts;
    let local = instances.iter().flat_map(|instance| {
        let own = instance.automaton.variables.iter();
        own.map(|variable| (variable, &instance.scope))
    });
    let global = parts
        .variables
        .iter()
        .map(|variable| (variable, context.global));
    let kept: Vec<_> = global
        .chain(local)
        .filter(|(variable, _)| !variable.is_transient)
        .collect();
    let is_open = |(variable, _): &(&Variable, &Scope<'_>)| variable.initial.is_none();
    let restricted = instances
        .iter()
        .any(|instance| instance.automaton.restrict.is_some());
    let several = instances
        .iter()
        .any(|instance| instance.automaton.initial.len() > 1);
    if parts.restrict.is_none() && !restricted && !several && !kept.iter().any(is_open) {
        return Ok(None);
    }
    let mut conditions = Vec::new();
    for (variable, scope) in kept {
        let Some(initial) = &variable.initial else {
            continue;
        };
        let span = initial.span();
        let value = context.fixed(initial, scope)?;
        let variable = name(&scope.key(&variable.name)?, span);
        conditions.push(binary(&variable, BinaryOp::Equal, &value, span));
    }
    for instance in instances {
        let span = instance.automaton.name.span;
        let locations = instance.automaton.initial.iter();
        let locations = locations.filter_map(|&location| instance.is_at(location, span));
        conditions.extend(chain(locations.collect(), BinaryOp::Or, span));
        if let Some(restrict) = &instance.automaton.restrict {
            conditions.push(context.in_state(restrict, &instance.scope)?);
        }
    }
    if let Some(restrict) = &parts.restrict {
        conditions.push(context.in_state(restrict, context.global)?);
    }
    let span = parts
        .restrict
        .as_ref()
        .map_or(Span::default(), crate::expr::Expr::span);
    Ok(Some(and(conditions, span)))
}
