//! The observables of partially observable models.

use crate::ast::{Ident, Model, Span, Type};
use crate::code::{Compiler, Pc};
use crate::error::{Checked, ErrorKind, Fault, Naming};
use crate::ir::{Meaning, Scope, Slot, Wanted, typed};
use crate::names;
use model_type::ModelType;

/// An observable of a [`Program`](crate::Program).
#[derive(Debug, Clone)]
pub struct Observable {
    name: String,
    pub(crate) of: Type,
    pub(crate) seen: Seen,
}

/// The source of the value of an observable.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Seen {
    Variable(Slot),
    Code(Pc),
}

impl Observable {
    /// Returns the name: that of the variable, or the one in quotation marks.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns whether its values are real numbers.
    #[must_use]
    pub fn is_real(&self) -> bool {
        self.of == Type::Double
    }
}

/// Checks and compiles the observables of a model: first the variables, then the definitions, in
/// the order of PRISM.
pub(crate) fn observables(
    model: &Model,
    scope: &Scope<'_>,
    model_type: ModelType,
    compiler: &mut Compiler<'_>,
) -> Checked<Vec<Observable>> {
    check_presence(model, model_type)?;
    let mut all = Vec::new();
    for name in &model.observed {
        let (slot, of) = variable(name, scope)?;
        all.push(Observable {
            name: name.value.clone(),
            of,
            seen: Seen::Variable(slot),
        });
    }
    for observable in &model.observables {
        let expr = typed(&observable.value, scope, "an observable", Wanted::Any)?;
        all.push(Observable {
            name: observable.name.value.clone(),
            of: expr.node(expr.root()).of,
            seen: Seen::Code(compiler.value(&expr, expr.root())?),
        });
    }
    Ok(all)
}

/// Checks that a partially observable model has observables, and that another model has none.
fn check_presence(model: &Model, of: ModelType) -> Checked<()> {
    let (variables, definitions) = (model.observed.first(), model.observables.first());
    let first = variables.or(definitions.map(|observable| &observable.name));
    let model_type = of.acronym();
    match (first, of.has_observations()) {
        (Some(first), false) => Err(Fault::new(
            first.span,
            ErrorKind::NotObserved { model_type },
        )),
        (None, true) => {
            let keyword = model.model_type.as_ref();
            let place = keyword.map_or(Span::default(), |keyword| keyword.span);
            let fault = Fault::new(place, ErrorKind::NoObservables { model_type });
            Err(fault.note("`observables x endobservables` lets the variable `x` be seen"))
        }
        _ => Ok(()),
    }
}

fn variable(name: &Ident, scope: &Scope<'_>) -> Checked<(Slot, Type)> {
    if let Some(&Meaning::Variable(slot, of, _)) = scope.names.get(name.value.as_str()) {
        return Ok((slot, of));
    }
    let meanings = scope.names.iter();
    let known = meanings.filter(|(_, meaning)| matches!(meaning, Meaning::Variable(..)));
    let known = known.map(|(name, _)| *name);
    Err(names::unknown(
        &name.value,
        name.span,
        Naming::Variable,
        known,
    ))
}
