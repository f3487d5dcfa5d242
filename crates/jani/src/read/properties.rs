//! Properties. Only their conditions on states are used, which become labels.

use crate::error::Checked;
use crate::expr::Expr;
use crate::json::{Object, Value};
use crate::model::Proposition;
use prism_language::ast::Ident;

/// The operators of formulas that refer to more than one state, with the members that are formulas.
const FORMULAS: [(&str, &[&str]); 17] = [
    ("filter", &["values", "states"]),
    ("Pmin", &["exp"]),
    ("Pmax", &["exp"]),
    ("Smin", &["exp"]),
    ("Smax", &["exp"]),
    ("Emin", &["reach"]),
    ("Emax", &["reach"]),
    ("∀", &["exp"]),
    ("∃", &["exp"]),
    ("F", &["exp"]),
    ("G", &["exp"]),
    ("X", &["exp"]),
    ("U", &["left", "right"]),
    ("W", &["left", "right"]),
    ("R", &["left", "right"]),
    // Conditions on states that cannot be expressed in a model.
    ("initial", &[]),
    ("deadlock", &[]),
];

fn formula(name: &str) -> Option<&'static [&'static str]> {
    let known = FORMULAS.iter().find(|(known, _)| *known == name);
    known.map(|&(_, members)| members)
}

/// Returns the largest subformulas of the properties that are conditions on single states. If a
/// property has only one, this has the name of the property. If it has several, each has the name
/// with a number appended.
pub(super) fn propositions(object: &Object<'_>) -> Checked<Vec<Proposition>> {
    let mut all = Vec::new();
    for property in object.list("properties", "a list of properties")? {
        let property = property.object("a property", &["name", "expression"])?;
        let name = property.need("name")?.ident("the name of a property")?;
        let mut conditions = Vec::new();
        for value in conditions_in(property.need("expression")?) {
            let expr = Expr::read(value)?;
            let is_trivial = expr.is_bool(true) || expr.is_bool(false);
            if !is_trivial && !conditions.contains(&expr) {
                conditions.push(expr);
            }
        }
        let is_alone = conditions.len() == 1;
        for (number, value) in (1..).zip(conditions) {
            let name = Ident {
                value: match is_alone {
                    true => name.value.clone(),
                    false => format!("{}_{number}", name.value),
                },
                span: name.span,
            };
            all.push(Proposition { name, value });
        }
    }
    Ok(all)
}

/// Returns the indices of the strings in a value that name an operator of formulas.
fn operators(value: Value<'_>) -> Vec<usize> {
    let mut places = Vec::new();
    let mut is_name_of_operator = false;
    for inner in value.within() {
        let text = inner.as_str();
        if is_name_of_operator && text.as_deref().is_some_and(|name| formula(name).is_some()) {
            places.push(inner.at());
        }
        is_name_of_operator = text.as_deref() == Some("op");
    }
    places
}

fn conditions_in(value: Value<'_>) -> Vec<Value<'_>> {
    let operators = operators(value);
    let is_formula = |value: Value<'_>| {
        let first = operators.partition_point(|&place| place < value.at());
        operators
            .get(first)
            .is_some_and(|&place| place < value.end())
    };
    let mut found = Vec::new();
    let mut waiting = vec![value];
    while let Some(value) = waiting.pop() {
        if !is_formula(value) {
            found.push(value);
            continue;
        }
        let op = value
            .member("op")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let members = formula(&op).unwrap_or(&["exp", "left", "right", "if", "then", "else"]);
        let members = members.iter().rev().filter_map(|name| value.member(name));
        // The operands of a comparison are formulas, or numbers, which are not conditions.
        let has_conditions = formula(&op).is_some() || ["∧", "∨", "¬", "⇒", "⇔"].contains(&&*op);
        waiting.extend(members.filter(|&member| has_conditions || is_formula(member)));
    }
    found
}
