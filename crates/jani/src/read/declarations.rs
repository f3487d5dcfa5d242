//! Constants, variables and functions.

use crate::error::{Checked, unsupported};
use crate::expr::Expr;
use crate::json::{Kind, Object, Value};
use crate::model::{Constant, Function, Range, Variable};
use prism_language::ast::Type;

/// Reads `constants`.
pub(super) fn constants(object: &Object<'_>) -> Checked<Vec<Constant>> {
    let constants = object.list("constants", "a list of constants")?;
    constants.into_iter().map(constant).collect()
}

fn constant(value: Value<'_>) -> Checked<Constant> {
    let object = value.object("a constant", &["name", "type", "value"])?;
    let of = match range(object.need("type")?)? {
        Range::Bool => Type::Bool,
        Range::Real => Type::Double,
        Range::Int { .. } | Range::Unbounded => Type::Int,
    };
    Ok(Constant {
        name: object.need("name")?.ident("the name of a constant")?,
        of,
        value: object.get("value").map(Expr::read).transpose()?,
    })
}

/// Reads the `variables` of a model or an automaton.
pub(super) fn variables(object: &Object<'_>) -> Checked<Vec<Variable>> {
    let variables = object.list("variables", "a list of variables")?;
    variables.into_iter().map(variable).collect()
}

fn variable(value: Value<'_>) -> Checked<Variable> {
    const MEMBERS: &[&str] = &["name", "type", "transient", "initial-value"];
    let object = value.object("a variable", MEMBERS)?;
    let transient = object
        .get("transient")
        .map(|value| value.bool("`true` or `false`"));
    let is_transient = transient.transpose()?.unwrap_or(false);
    let of = object.need("type")?;
    let range = range(of)?;
    if matches!(range, Range::Real) && !is_transient {
        return Err(unsupported(
            of.span(),
            "real variables that are not transient",
        ));
    }
    Ok(Variable {
        name: object.need("name")?.ident("the name of a variable")?,
        range,
        is_transient,
        initial: object.get("initial-value").map(Expr::read).transpose()?,
    })
}

/// Reads a type.
fn range(value: Value<'_>) -> Checked<Range> {
    if value.kind() == Kind::Object {
        return composed(value);
    }
    match value.as_str().as_deref() {
        Some("bool") => Ok(Range::Bool),
        Some("int") => Ok(Range::Unbounded),
        Some("real") => Ok(Range::Real),
        Some("clock") => Err(unsupported(value.span(), "clocks")),
        Some("continuous") => Err(unsupported(value.span(), "continuous variables")),
        _ => Err(value.unexpected("a type")),
    }
}

/// Reads a type that is an object, such as `{"kind": "bounded", ...}`.
fn composed(value: Value<'_>) -> Checked<Range> {
    const MEMBERS: &[&str] = &["kind", "base", "lower-bound", "upper-bound"];
    let Some(kind) = value.member("kind") else {
        return Err(value.unexpected("a type"));
    };
    match kind.as_str().as_deref() {
        Some("bounded") => {}
        Some("array") => return Err(unsupported(value.span(), "arrays")),
        Some("datatype" | "option") => {
            return Err(unsupported(value.span(), "datatypes and options"));
        }
        _ => return Err(kind.unexpected("`bounded`")),
    }
    let object = value.object("a bounded type", MEMBERS)?;
    let base = object.need("base")?;
    match base.as_str().as_deref() {
        Some("int") => {}
        Some("real") => return Ok(Range::Real),
        _ => return Err(base.unexpected("`int` or `real`")),
    }
    let bound = |name| object.get(name).map(Expr::read).transpose();
    match (bound("lower-bound")?, bound("upper-bound")?) {
        (Some(low), Some(high)) => Ok(Range::Int { low, high }),
        _ => Err(unsupported(value.span(), "integers with one bound")),
    }
}

/// Reads the `functions` of a model or an automaton.
pub(super) fn functions(object: &Object<'_>) -> Checked<Vec<Function>> {
    let functions = object.list("functions", "a list of functions")?;
    functions.into_iter().map(function).collect()
}

fn function(value: Value<'_>) -> Checked<Function> {
    let object = value.object("a function", &["name", "type", "parameters", "body"])?;
    let parameters = object.list("parameters", "a list of parameters")?;
    let parameter = |value: Value<'_>| {
        let object = value.object("a parameter", &["name", "type"])?;
        range(object.need("type")?)?;
        object.need("name")?.ident("the name of a parameter")
    };
    let is_bool = matches!(range(object.need("type")?)?, Range::Bool);
    Ok(Function {
        is_bool,
        name: object.need("name")?.ident("the name of a function")?,
        parameters: parameters
            .into_iter()
            .map(parameter)
            .collect::<Checked<_>>()?,
        body: Expr::read(object.need("body")?)?,
    })
}
