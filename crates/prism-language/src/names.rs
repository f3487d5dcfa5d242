//! The names of a model and their meanings. Each name must have a single meaning.

use std::collections::HashMap;

use crate::ast::{Ident, Model, ModuleBody};
use crate::error::{Checked, ErrorKind, Fault, Naming};

/// Names with their kinds, each with its first place.
#[derive(Default)]
pub(crate) struct Names<'m> {
    taken: HashMap<&'m str, (Naming, &'m Ident)>,
}

impl<'m> Names<'m> {
    /// Defines a name as `naming`. Each name can be defined once.
    pub(crate) fn take(&mut self, naming: Naming, name: &'m Ident) -> Checked<()> {
        match self.taken.insert(&name.value, (naming, name)) {
            None => Ok(()),
            Some((taken, first)) => {
                let kind = ErrorKind::DuplicateName {
                    name: name.value.clone(),
                    taken,
                };
                Err(Fault::new(name.span, kind).note_at(first.span, "first here"))
            }
        }
    }

    /// Returns the kind of thing that a name is defined as, and its first place.
    pub(crate) fn get(&self, name: &str) -> Option<(Naming, &'m Ident)> {
        self.taken.get(name).copied()
    }
}

/// Returns the names that expressions can use: constants, formulas and variables. The variables of
/// renamed modules are missing until the modules are written out.
pub(crate) fn values(model: &Model) -> Checked<Names<'_>> {
    let mut names = Names::default();
    for constant in &model.constants {
        names.take(Naming::Constant, &constant.name)?;
    }
    for formula in &model.formulas {
        names.take(Naming::Formula, &formula.name)?;
    }
    for variable in &model.globals {
        names.take(Naming::Variable, &variable.name)?;
    }
    for module in &model.modules {
        if let ModuleBody::Written { variables, .. } = &module.body {
            for variable in variables {
                names.take(Naming::Variable, &variable.name)?;
            }
        }
    }
    Ok(names)
}

/// Returns the names of modules, which may be the same as other names.
pub(crate) fn modules(model: &Model) -> Checked<Names<'_>> {
    let mut names = Names::default();
    for module in &model.modules {
        names.take(Naming::Module, &module.name)?;
    }
    Ok(names)
}

/// Checks that the names of labels and observables, of reward structures, and of systems are
/// different.
pub(crate) fn check_quoted(model: &Model) -> Checked<()> {
    let mut names = Names::default();
    for label in &model.labels {
        let name = &label.name;
        if matches!(name.value.as_str(), "init" | "deadlock") {
            let kind = ErrorKind::ReservedLabel {
                name: name.value.clone(),
            };
            return Err(
                Fault::new(name.span, kind).note("model checkers define this label themselves")
            );
        }
        names.take(Naming::Label, name)?;
    }
    // Labels and observables share a name space, which includes variables that are observables.
    let observables = model.observables.iter().map(|observable| &observable.name);
    for name in model.observed.iter().chain(observables) {
        names.take(Naming::Observable, name)?;
    }
    let mut names = Names::default();
    let named = model.rewards.iter().filter_map(|r| r.name.as_ref());
    for name in named {
        names.take(Naming::Rewards, name)?;
    }
    let mut names = Names::default();
    for name in model.systems.iter().filter_map(|s| s.name.as_ref()) {
        names.take(Naming::System, name)?;
    }
    Ok(())
}

/// Returns the error for a name that is not defined.
pub(crate) fn unknown<'n>(
    name: &str,
    span: crate::ast::Span,
    wanted: Naming,
    known: impl IntoIterator<Item = &'n str>,
) -> Box<Fault> {
    let kind = ErrorKind::UnknownName {
        name: name.to_owned(),
        wanted,
    };
    Fault::new(span, kind).suggest(name, known)
}
