//! Expands renamed modules, and substitutes formulas and named systems, so that the result has only
//! constants and variables, and at most one `system ... endsystem`.
//!
//! As in PRISM, formulas are substituted first. So a renaming renames variables, constants, actions
//! and functions in the text of the base module, including the text of the formulas that it uses.
//! It cannot rename a formula. An old name that the base module does not use is ignored, because
//! models that differ in the number of their modules often share one list of names.

use std::collections::HashMap;

use crate::ast::{
    Assignment, Command, Expr, Function, Ident, Model, Module, ModuleBody, NodeKind, Update,
    Variable, VariableRange,
};
use crate::error::{Checked, ErrorKind, Fault, Naming};
use crate::formulas::Formulas;
use crate::names::{self, Names};
use crate::order::{cyclic, order};
use crate::systems;

/// Returns the model without renamed modules, and without names of formulas in expressions. Modules
/// keep their order. The list of formulas remains, with other formulas substituted in them.
pub(crate) fn expand(model: &Model) -> Checked<Model> {
    let mut expanded = expand_used(model)?;
    let mut formulas = Formulas::new(&model.formulas)?;
    for formula in &mut expanded.formulas {
        formulas.expand(&mut formula.value)?;
    }
    Ok(expanded)
}

/// As [`expand`], but the list of formulas remains as it is.
pub(crate) fn expand_used(model: &Model) -> Checked<Model> {
    let names = names::values(model)?;
    names::modules(model)?;
    names::check_quoted(model)?;
    let mut expander = Expander {
        formulas: Formulas::new(&model.formulas)?,
    };
    let modules = expander.modules(model, &names)?;
    let mut expanded = model.clone();
    expanded.modules = modules;
    expanded.systems = systems::flat(model)?.into_iter().collect();
    expander.rest(&mut expanded)?;
    // Checks the names again, now with the variables of renamed modules.
    names::values(&expanded)?;
    Ok(expanded)
}

struct Expander<'m> {
    formulas: Formulas<'m>,
}

/// A renaming: a map from old names to new names.
type Renaming<'m> = HashMap<&'m str, &'m Ident>;

impl Expander<'_> {
    /// Returns all modules, written out, in the order of the model.
    fn modules(&mut self, model: &Model, names: &Names<'_>) -> Checked<Vec<Module>> {
        let index: HashMap<&str, usize> = model
            .modules
            .iter()
            .enumerate()
            .map(|(i, m)| (m.name.value.as_str(), i))
            .collect();
        for module in &model.modules {
            if let ModuleBody::Renamed { base, .. } = &module.body
                && !index.contains_key(base.value.as_str())
            {
                let known = index.keys().copied();
                return Err(names::unknown(
                    &base.value,
                    base.span,
                    Naming::Module,
                    known,
                ));
            }
        }
        let base = |module: usize| match &model.modules[module].body {
            ModuleBody::Renamed { base, .. } => vec![index[base.value.as_str()]],
            ModuleBody::Written { .. } => Vec::new(),
        };
        let name = |i: usize| &model.modules[i].name;
        let ordered = order(model.modules.len(), base).map_err(|cycle| cyclic(&cycle, name))?;
        let mut modules = model.modules.clone();
        for &i in &ordered {
            if let ModuleBody::Renamed { base, names: pairs } = &model.modules[i].body {
                let renaming = renaming(pairs, names)?;
                let original = &modules[index[base.value.as_str()]];
                modules[i].body = self.renamed(original, pairs, &renaming)?;
            }
        }
        // Formulas have already been substituted in renamed modules.
        for (module, before) in modules.iter_mut().zip(&model.modules) {
            if let ModuleBody::Written { .. } = before.body {
                self.body(&mut module.body)?;
            }
        }
        Ok(modules)
    }

    /// Returns a copy of a written module with new names.
    fn renamed(
        &mut self,
        base: &Module,
        names: &[(Ident, Ident)],
        renaming: &Renaming<'_>,
    ) -> Checked<ModuleBody> {
        let mut body = base.body.clone();
        let ModuleBody::Written {
            variables,
            invariant,
            commands,
        } = &mut body
        else {
            return Ok(body);
        };
        for variable in variables.iter_mut() {
            let Some(&new) = renaming.get(variable.name.value.as_str()) else {
                let kind = ErrorKind::NotRenamed {
                    base: base.name.value.clone(),
                    name: variable.name.value.clone(),
                };
                let whole = names[0].0.span.to(names[names.len() - 1].1.span);
                return Err(Fault::new(whole, kind).note_at(variable.name.span, "the variable"));
            };
            // The place of the new name is in the renaming, so that an error about a name in use
            // refers to it.
            variable.name = new.clone();
        }
        let whole_name = |name: &mut Ident| {
            if let Some(new) = renaming.get(name.value.as_str()) {
                name.value.clone_from(&new.value);
            }
        };
        let mut rename = |expr: &mut Expr| {
            let replace =
                |formulas: &Formulas<'_>, kind: &NodeKind| renamed_node(kind, renaming, formulas);
            *expr = self.formulas.substitute(expr, replace)?;
            Ok(())
        };
        for_each_expr(variables, commands, &mut rename)?;
        invariant.iter_mut().try_for_each(rename)?;
        for command in commands {
            command.action.iter_mut().for_each(whole_name);
            let updates = command.updates.iter_mut();
            for assignment in updates.flat_map(|update| &mut update.assignments) {
                whole_name(&mut assignment.variable);
            }
        }
        Ok(body)
    }

    /// Substitutes formulas in a module.
    fn body(&mut self, body: &mut ModuleBody) -> Checked<()> {
        if let ModuleBody::Written {
            variables,
            invariant,
            commands,
        } = body
        {
            for_each_expr(variables, commands, &mut |expr| self.formulas.expand(expr))?;
            invariant
                .iter_mut()
                .try_for_each(|expr| self.formulas.expand(expr))?;
        }
        Ok(())
    }

    /// Substitutes formulas in all parts of the model but the modules.
    fn rest(&mut self, model: &mut Model) -> Checked<()> {
        let constants = model.constants.iter_mut().filter_map(|c| c.value.as_mut());
        let labels = model.labels.iter_mut().map(|label| &mut label.value);
        let observables = model.observables.iter_mut().map(|seen| &mut seen.value);
        let rewards = model
            .rewards
            .iter_mut()
            .flat_map(|rewards| &mut rewards.items);
        let rewards = rewards.flat_map(|reward| [&mut reward.guard, &mut reward.value]);
        let rest = constants
            .chain(labels)
            .chain(observables)
            .chain(rewards)
            .chain(&mut model.init);
        for expr in rest {
            self.formulas.expand(expr)?;
        }
        for_each_expr(&mut model.globals, &mut [], &mut |expr| {
            self.formulas.expand(expr)
        })
    }
}

/// Returns a node with its new name, in an expression in which formulas have been substituted.
fn renamed_node(
    kind: &NodeKind,
    renaming: &Renaming<'_>,
    formulas: &Formulas<'_>,
) -> Checked<NodeKind> {
    let name = match kind {
        NodeKind::Name(name) => name,
        NodeKind::Call(function, count) => {
            let new = renaming.get(function.name());
            let renamed = new.and_then(|new| Function::named(&new.value));
            return Ok(NodeKind::Call(renamed.unwrap_or(*function), *count));
        }
        _ => return Ok(kind.clone()),
    };
    match renaming.get(name.as_str()) {
        Some(new) if formulas.has(&new.value) => {
            let kind = ErrorKind::RenamedToFormula {
                old: name.clone(),
                new: new.value.clone(),
            };
            Err(Fault::new(new.span, kind))
        }
        Some(new) => Ok(NodeKind::Name(new.value.clone())),
        None => Ok(kind.clone()),
    }
}

/// Calls `visit` with each expression of variables and commands. The first error ends this.
fn for_each_expr(
    variables: &mut [Variable],
    commands: &mut [Command],
    visit: &mut impl FnMut(&mut Expr) -> Checked<()>,
) -> Checked<()> {
    for Variable { range, init, .. } in variables {
        if let VariableRange::Int { low, high } = range {
            visit(low)?;
            visit(high)?;
        }
        init.iter_mut().try_for_each(&mut *visit)?;
    }
    for Command { guard, updates, .. } in commands {
        visit(guard)?;
        for Update {
            weight,
            upper,
            assignments,
        } in updates
        {
            weight.iter_mut().try_for_each(&mut *visit)?;
            upper.iter_mut().try_for_each(&mut *visit)?;
            for Assignment { value, .. } in assignments {
                visit(value)?;
            }
        }
    }
    Ok(())
}

/// Returns the new name for each old one. Formulas cannot be renamed.
fn renaming<'m>(pairs: &'m [(Ident, Ident)], names: &Names<'_>) -> Checked<Renaming<'m>> {
    let mut renaming = Renaming::new();
    for (old, new) in pairs {
        let name = &old.value;
        if renaming.insert(name, new).is_some() {
            let kind = ErrorKind::RenamedTwice { name: name.clone() };
            return Err(Fault::new(old.span, kind));
        }
        if let Some((Naming::Formula, formula)) = names.get(name) {
            let kind = ErrorKind::FormulaRenamed { name: name.clone() };
            return Err(Fault::new(old.span, kind).note_at(formula.span, "the formula"));
        }
    }
    Ok(renaming)
}
