//! From a model to the modules, commands and vectors that `prism-language` compiles.
//!
//! - An automaton that stands in the system becomes a module; its locations become a variable, if
//!   it has more than one.
//! - An edge becomes a command. Assignments of several indices become assignments that happen at
//!   once: what an earlier one assigns is written in where a later one reads it.
//! - A vector stays one. Only where automata that move together read or write what others of them
//!   assign, the vector becomes a module of its own, with a command for each combination of edges.
//! - Functions are written in where they are called, and so are transient variables where they are
//!   read. Those of truth values become labels; of the others, rewards are made.

mod build;
mod edges;
mod initial;
mod instances;
mod offers;
mod resolve;
mod rewards;
mod taken;
mod transient;
mod vectors;

use crate::error::{Checked, ErrorKind, Fault};
use crate::expr::{Expr, Kind};
use crate::model::{Parts, Range, Variable};
use build::{leaf, spanned};
use instances::instances;
use prism_language::ast::{
    self, Constant, Ident, Label, Model, Module, ModuleBody, NodeKind, Span, Type, UnaryOp,
    VariableRange,
};
use resolve::{Budget, Scope};
use std::collections::HashSet;
use taken::Taken;
use transient::Transients;

/// What everything is lowered with.
struct Context<'m> {
    parts: &'m Parts,
    global: &'m Scope<'m>,
    transients: Transients,
    budget: Budget,
}

/// Translates a model, whose text has so many bytes.
pub(crate) fn translate(parts: &Parts, text: &[u8]) -> Checked<Model> {
    let budget = Budget::for_text(text.len());
    let mut taken = Taken::default();
    let global = resolve::global(parts, &mut taken, &budget)?;
    let instances = instances(parts, &global, &mut taken, &budget)?;
    let context = Context {
        parts,
        global: &global,
        transients: Transients::new(parts, &global, &instances, &budget)?,
        budget,
    };
    let mut model = Model::new(text);
    model.model_type = Some(spanned(parts.model_type, Span::default()));
    model.constants = constants(&context)?;
    let initial = initial::condition(&context, &instances)?;
    let variable = |variable: &Variable, scope: &Scope<'_>| {
        context.variable(variable, scope, initial.is_none())
    };
    for global_variable in parts.variables.iter().filter(|v| !v.is_transient) {
        model
            .globals
            .push(variable(global_variable, context.global)?);
    }
    for instance in &instances {
        let mut variables = Vec::new();
        for own in instance
            .automaton
            .variables
            .iter()
            .filter(|v| !v.is_transient)
        {
            variables.push(variable(own, &instance.scope)?);
        }
        variables.extend(instance.location_variable(initial.is_none()));
        model.modules.push(Module {
            name: Ident {
                value: instance.name.clone(),
                span: instance.automaton.name.span,
            },
            body: ModuleBody::Written {
                variables,
                invariant: None,
                commands: Vec::new(),
            },
        });
    }
    model.init = initial;
    model.labels = labels(&context, &taken)?;
    let earned = vectors::add(&context, &instances, &mut model)?;
    model.rewards = rewards::structures(&context, &earned);
    Ok(model)
}

fn constants(context: &Context<'_>) -> Checked<Vec<Constant>> {
    let constants = context.parts.constants.iter();
    constants
        .map(|constant| {
            let value = constant.value.as_ref();
            let value = value.map(|value| context.fixed(value, context.global));
            Ok(Constant {
                name: constant.name.clone(),
                of: constant.of,
                value: value.transpose()?,
            })
        })
        .collect()
}

/// Labels for transient variables that are true or false, and for what properties speak of.
fn labels(context: &Context<'_>, taken: &Taken) -> Checked<Vec<Label>> {
    let mut names: HashSet<String> = ["init", "deadlock"].map(str::to_owned).into();
    let mut labels: Vec<Label> = Vec::new();
    let mut add = |name: &Ident, value: ast::Expr| {
        let mut name = name.clone();
        while !names.insert(name.value.clone()) {
            name.value.push('_');
        }
        labels.push(Label { name, value });
    };
    for transient in context.transients.all() {
        if transient.is_bool {
            let name = Ident {
                value: transient.key.clone(),
                span: transient.span,
            };
            add(&name, transient.in_state.clone());
        }
    }
    let propositions = context.parts.propositions.iter();
    for proposition in propositions.filter(|proposition| context.is_condition(&proposition.value)) {
        let name = proposition.value.as_name();
        if name.is_some_and(|name| taken.contains(name) && context.transients.is_bool(name)) {
            // It is a label already.
            continue;
        }
        add(
            &proposition.name,
            context.in_state(&proposition.value, context.global)?,
        );
    }
    Ok(labels)
}

impl Context<'_> {
    /// Whether an expression over the model's own names is true or false. (Of a property about
    /// steady states or rewards, it may be a number.)
    fn is_condition(&self, expr: &Expr) -> bool {
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
            // Comparisons and what combines truth values.
            Some(Kind::Prism(NodeKind::Binary(op))) => op.precedence() <= 8,
            _ => false,
        }
    }

    /// An expression whose value is known before the model runs.
    fn fixed(&self, expr: &Expr, scope: &Scope<'_>) -> Checked<ast::Expr> {
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

    /// An expression that is evaluated in a state.
    fn in_state(&self, expr: &Expr, scope: &Scope<'_>) -> Checked<ast::Expr> {
        let resolved = scope.resolve(expr, &self.budget)?;
        let value = |name: &str| self.transients.in_state(name);
        build::substituted(&resolved, value, &self.budget)
    }

    /// A variable that is part of states, with its initial value if that is to be given here.
    fn variable(
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

/// The name of a variable in an expression.
fn name(name: &str, span: Span) -> ast::Expr {
    leaf(NodeKind::Name(name.to_owned()), span)
}
