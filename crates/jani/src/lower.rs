//! Translates a model to the modules, commands and vectors that `prism-language` compiles.
//!
//! - Each automaton in the system becomes a module. Its locations become a variable, if it has more
//!   than one.
//! - An edge becomes a command. Assignments with several indices become simultaneous assignments:
//!   where a later assignment reads a variable, the expression of the earlier assignment is
//!   substituted.
//! - A vector stays a vector. The only exception are vectors of automata that read or write
//!   variables that others of them assign: such a vector becomes a separate module, with a command
//!   for each combination of edges.
//! - Functions are substituted where they are called, and transient variables where they are read.
//!   Boolean transient variables become labels, and all others become rewards.

mod build;
mod context;
mod edges;
mod initial;
mod instances;
mod offers;
mod resolve;
mod rewards;
mod taken;
mod transient;
mod vectors;

use crate::error::Checked;
use crate::model::{Parts, Variable};
use build::spanned;
use context::Context;
use instances::instances;
use prism_language::ast::{self, Constant, Ident, Label, Model, Module, ModuleBody, Span};
use resolve::{Budget, Scope};
use std::collections::HashSet;
use taken::Taken;
use transient::Transients;

/// Translates a model that was read from `text`.
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

/// Returns the labels: Boolean transient variables, and the conditions on states in properties.
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
            // The condition is a label already.
            continue;
        }
        add(
            &proposition.name,
            context.in_state(&proposition.value, context.global)?,
        );
    }
    Ok(labels)
}
