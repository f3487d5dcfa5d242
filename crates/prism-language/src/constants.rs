//! The values of a model's constants, which the model or the caller defines.

use std::collections::{HashMap, HashSet};

use crate::arith::{Bits, to_double, to_int};
use crate::ast::{Constant, Model, Type};
use crate::code::Compiler;
use crate::error::{Checked, ErrorKind, Fault, Naming};
use crate::grammar::whole_expression;
use crate::ir::{Meaning, Scope, Wanted, about, typed};
use crate::order::{cyclic, order};

/// A value of one of the language's types.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    /// An integer.
    Int(i64),
    /// A real number.
    Double(f64),
    /// A truth value.
    Bool(bool),
}

impl Value {
    pub(crate) fn new(bits: Bits, of: Type) -> Self {
        match of {
            Type::Int => Self::Int(to_int(bits)),
            Type::Double => Self::Double(to_double(bits)),
            Type::Bool => Self::Bool(bits != 0),
        }
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Int(value) => write!(f, "{value}"),
            Self::Double(value) => write!(f, "{value}"),
            Self::Bool(value) => write!(f, "{value}"),
        }
    }
}

/// Returns a scope with all constants of a model without formulas. `given` has names and values as
/// texts.
pub(crate) fn evaluate<'m>(model: &'m Model, given: &[(&str, &str)]) -> Checked<Scope<'m>> {
    let constants = &model.constants;
    let index: HashMap<&str, usize> = indices(constants);
    let given = matched(model, &index, given)?;
    let needs = |constant: usize| {
        let names = constants[constant]
            .value
            .iter()
            .flat_map(crate::ast::Expr::names);
        names
            .filter_map(|(name, _)| index.get(name).copied())
            .collect()
    };
    let name = |i: usize| &constants[i].name;
    let ordered = order(constants.len(), needs).map_err(|cycle| cyclic(&cycle, name))?;
    missing(constants, &given)?;
    let mut scope = Scope::default();
    let variables = variable_names(model);
    for i in ordered {
        let constant = &constants[i];
        let bits = match &constant.value {
            Some(_) => own(constant, &variables, &scope)?,
            None => outside(constant, given[i].unwrap_or_default())?,
        };
        let meaning = Meaning::Constant(bits, constant.of);
        scope.names.insert(&constant.name.value, meaning);
    }
    Ok(scope)
}

fn indices(constants: &[Constant]) -> HashMap<&str, usize> {
    let names = constants
        .iter()
        .map(|constant| constant.name.value.as_str());
    names
        .enumerate()
        .map(|(index, name)| (name, index))
        .collect()
}

/// Returns the texts that were given, by constant.
fn matched<'g>(
    model: &Model,
    index: &HashMap<&str, usize>,
    given: &[(&str, &'g str)],
) -> Checked<Vec<Option<&'g str>>> {
    let mut matched = vec![None; model.constants.len()];
    for &(name, text) in given {
        let owned = name.to_owned();
        let Some(&i) = index.get(name) else {
            let wanted = Naming::Constant;
            let kind = ErrorKind::UnknownName {
                name: owned,
                wanted,
            };
            let fault = Fault::placeless(kind).suggest(name, index.keys().copied());
            return Err(fault.note(open_constants(&model.constants)));
        };
        if let Some(value) = &model.constants[i].value {
            let kind = ErrorKind::ConstantDefined { name: owned };
            return Err(Fault::placeless(kind).note_at(value.span(), "here"));
        }
        if matched[i].replace(text).is_some() {
            return Err(Fault::placeless(ErrorKind::ConstantRepeated {
                name: owned,
            }));
        }
    }
    Ok(matched)
}

/// The largest number of constants that a note names.
const MOST_NAMED: usize = 10;

/// Returns a note that says which constants need a value from outside.
fn open_constants(constants: &[Constant]) -> String {
    let open = constants.iter().filter(|own| own.value.is_none());
    let names: Vec<&str> = open.map(|own| own.name.value.as_str()).collect();
    match (names.len(), constants) {
        (0, []) => "the model has no constants".to_owned(),
        (0, _) => "the model gives all of its constants a value".to_owned(),
        (1, _) => format!("the model leaves {} open", listed(&names)),
        _ => format!("the model leaves open: {}", listed(&names)),
    }
}

/// Returns names in a list that is not too long.
fn listed(names: &[&str]) -> String {
    let named = names.iter().take(MOST_NAMED);
    let named: Vec<String> = named.map(|name| format!("`{name}`")).collect();
    let more = match names.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    named.join(", ") + &more
}

/// Checks that every constant has a value.
fn missing(constants: &[Constant], given: &[Option<&str>]) -> Checked<()> {
    let open = |(constant, given): &(&Constant, &Option<&str>)| {
        constant.value.is_none() && given.is_none()
    };
    let mut open = constants
        .iter()
        .zip(given)
        .filter(open)
        .map(|(constant, _)| &constant.name);
    let Some(first) = open.next() else {
        return Ok(());
    };
    let kind = ErrorKind::ConstantMissing {
        name: first.value.clone(),
    };
    let others: Vec<&str> = open.map(|name| name.value.as_str()).collect();
    let fault = Fault::new(first.span, kind);
    Err(match others.len() {
        0 => fault,
        1 => fault.note(format!("nor has {}", listed(&others))),
        _ => fault.note(format!("nor have {}", listed(&others))),
    })
}

/// Returns the value that the model defines.
fn own(constant: &Constant, variables: &HashSet<&str>, scope: &Scope<'_>) -> Checked<Bits> {
    let Some(value) = &constant.value else {
        return Ok(0);
    };
    reject_variables(value, variables, "the value of a constant")?;
    let typed = typed(
        value,
        scope,
        "the value of the constant",
        Wanted::Of(constant.of),
    )
    .map_err(|fault| {
        about(fault, "the value of the constant", || {
            format!("the value of the constant `{}`", constant.name.value)
        })
    })?;
    Compiler::new(&[]).evaluate(&typed, typed.root())
}

/// Returns the names of all variables of a model whose modules are written out.
pub(crate) fn variable_names(model: &Model) -> HashSet<&str> {
    let local = model.modules.iter().flat_map(|m| m.body.variables());
    let all = model.globals.iter().chain(local);
    all.map(|variable| variable.name.value.as_str()).collect()
}

/// Checks that an expression whose value must be known before the model runs uses no variable.
pub(crate) fn reject_variables(
    expr: &crate::ast::Expr,
    variables: &HashSet<&str>,
    what: &'static str,
) -> Checked<()> {
    match expr.names().find(|(name, _)| variables.contains(name)) {
        None => Ok(()),
        Some((name, span)) => {
            let name = name.to_owned();
            Err(Fault::new(span, ErrorKind::NotConstant { name, what }))
        }
    }
}

/// Returns the value that the caller gave as text.
fn outside(constant: &Constant, text: &str) -> Checked<Bits> {
    let name = constant.name.value.clone();
    let text = text.trim();
    if text.contains(':') && !text.contains('?') {
        let text = text.to_owned();
        return Err(Fault::placeless(ErrorKind::ConstantRange { name, text }));
    }
    let evaluated = || {
        let expr = whole_expression(text.as_bytes())?;
        let wanted = Wanted::Of(constant.of);
        let expr = typed(&expr, &Scope::default(), "the value", wanted)?;
        Compiler::new(&[]).evaluate(&expr, expr.root())
    };
    evaluated().map_err(|fault: Box<Fault>| {
        let kind = ErrorKind::ConstantValue {
            name,
            text: text.to_owned(),
            wanted: constant.of,
        };
        let reason = fault.locate(text.as_bytes()).in_place_of_file("the value");
        let notes = reason.notes().iter();
        let texts = std::iter::once(reason.message()).chain(notes.map(|note| note.text.clone()));
        texts
            .fold(Fault::placeless(kind), Fault::note)
            .note_at(constant.name.span, "the constant")
    })
}
